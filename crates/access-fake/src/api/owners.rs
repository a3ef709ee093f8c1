//! The operations on integration owners.

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::{Value, json};

use super::pages::Page;
use crate::names::{check_identifier, owner_name, owners_name};
use crate::owner::Owner;
use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse};
use crate::rules::{Read, ResponseTo, Write};
use crate::slot::Slot;
use crate::state::{Caller, State};
use crate::store::{Integration, existing};

/// Adds an owner.
pub(super) fn create(
    state: &mut State,
    request: &ApiRequest,
    integration: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    let parameters = request.parameters(&["integrationOwnerId"])?;
    let wanted_id = parameters.get("integrationOwnerId");
    if let Some(id) = wanted_id {
        check_identifier(id)?;
    }
    let owner = state.world.canonical_owner(Owner::read(request.json_object()?)?);
    let stamp = state.stamp();
    let world = state.world.clone();
    let stored = integration_of(state, integration)?;
    if let Some(id) = wanted_id.filter(|id| exists(&stored.owners, id)) {
        let message = format!("{} already exists", owner_name(integration, id));
        return Err(ApiError::new(409, message));
    }
    if !world.duplicate_owners && existing(&stored.owners).any(|(_, other)| other.owner == owner) {
        let message = format!("{owner} is already an owner of integrations/{integration}");
        return Err(ApiError::new(409, message));
    }
    let id = wanted_id.cloned().unwrap_or_else(|| new_id(stored));
    let created = Owner { owner, create_time: stamp.clone(), update_time: stamp };
    let name = owner_name(integration, &id);
    let mut response = created.to_response(&name, &world);
    world.omit_fields(&name, ResponseTo::Write, &mut response);
    let lag = world.lag(&name, Write::Create);
    stored.owners.entry(id).or_default().write(Some(created), lag, now);
    Ok(ApiResponse::json(200, &response))
}

/// Returns an owner.
pub(super) fn get(
    state: &mut State,
    request: &ApiRequest,
    integration: &str,
    owner: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    request.parameters(&[])?;
    let world = state.world.clone();
    let name = owner_name(integration, owner);
    integration_of(state, integration)?
        .owners
        .get_mut(owner)
        .and_then(|slot| slot.read(Read::Get, now))
        .map(|owner| {
            let mut response = owner.to_response(&name, &world);
            world.omit_fields(&name, ResponseTo::Get, &mut response);
            ApiResponse::json(200, &response)
        })
        .ok_or_else(|| ApiError::not_found(&name))
}

/// Lists the owners of an integration.
pub(super) fn list(
    state: &mut State,
    caller: &Caller,
    request: &ApiRequest,
    integration: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    let page = Page::read(request)?;
    let world = state.world.clone();
    let objects: Vec<(String, Value)> = integration_of(state, integration)?
        .owners
        .iter_mut()
        .filter_map(|(id, slot)| Some((id, slot.read(Read::List, now)?)))
        .map(|(id, owner)| (id, owner_name(integration, id), owner))
        .filter(|(_, name, _)| world.is_listed(name, &caller.key))
        .map(|(id, name, owner)| {
            let mut entry = owner.to_response(&name, &world);
            world.omit_fields(&name, ResponseTo::List, &mut entry);
            (id.clone(), entry)
        })
        .collect();
    page.response("integrationOwners", &owners_name(integration), objects, state)
}

/// Removes an owner.
pub(super) fn delete(
    state: &mut State,
    request: &ApiRequest,
    integration: &str,
    owner: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    request.parameters(&[])?;
    let name = owner_name(integration, owner);
    let lag = state.world.lag(&name, Write::Delete);
    integration_of(state, integration)?
        .owners
        .get_mut(owner)
        .filter(|slot| slot.current().is_some())
        .ok_or_else(|| ApiError::not_found(&name))?
        .write(None, lag, now);
    Ok(ApiResponse::json(200, &json!({})))
}

fn new_id(stored: &mut Integration) -> String {
    loop {
        stored.generated += 1;
        let id = format!("own-{}", stored.generated);
        if !exists(&stored.owners, &id) {
            return id;
        }
    }
}

fn exists(owners: &BTreeMap<String, Slot<Owner>>, id: &str) -> bool {
    owners.get(id).is_some_and(|slot| slot.current().is_some())
}

fn integration_of<'a>(
    state: &'a mut State,
    integration: &str,
) -> Result<&'a mut Integration, ApiError> {
    state
        .store
        .integrations
        .get_mut(integration)
        .ok_or_else(|| ApiError::not_found(&format!("integrations/{integration}")))
}
