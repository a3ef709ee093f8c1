//! The operations on roles.

use std::time::Instant;

use serde_json::{Value, json};

use super::pages::Page;
use crate::names::{role_name, roles_name};
use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse};
use crate::role::{Field, Role, RoleBody};
use crate::rules::{Read, ResponseTo, Write};
use crate::state::{Caller, Rank, State};
use crate::store::Listing;
use crate::world::DeletedRoles;

/// The manager that writes of the provider record.
const MANAGER: &str = "TERRAFORM";

/// Updates a role, or creates it with `allowMissing`.
pub(super) fn patch(
    state: &mut State,
    caller: &Caller,
    request: &ApiRequest,
    listing: &str,
    role: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    let parameters = request.parameters(&["updateMask", "allowMissing"])?;
    let mask = parameters.get("updateMask").map(|mask| Field::of_mask(mask)).transpose()?;
    let allow_missing = match parameters.get("allowMissing").map(String::as_str) {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            return Err(ApiError::bad_request(format!(
                "allowMissing must be true or false, not {other:?}"
            )));
        }
    };
    let body = RoleBody::read(request.json_object()?)?;
    if caller.rank == Rank::Member {
        check_member(mask.as_deref())?;
    }
    writable(state, caller, listing)?;
    let name = role_name(listing, role);
    let existing = find(state, listing, role).filter(|role| !role.is_deleted()).cloned();
    let write = if existing.is_some() { Write::Update } else { Write::Create };
    let (mut written, fields) = match existing {
        Some(existing) => (existing, mask.unwrap_or_else(|| body.present())),
        None if !allow_missing => return Err(ApiError::not_found(&name)),
        None => {
            if caller.rank == Rank::Member && body.resources.is_some() {
                return Err(only_admins_set_resources());
            }
            (Role { create_time: state.stamp(), ..Role::default() }, body.present())
        }
    };
    body.set(&fields, &mut written, &state.world);
    written.manager = caller.is_provider.then(|| MANAGER.to_owned());
    written.update_time = state.stamp();
    let lag = state.world.lag(&name, write);
    let stored = state.store.listings.entry(listing.to_owned()).or_default();
    let mut response = written.to_response(&name, stored.management.as_ref(), &state.world);
    state.world.omit_fields(&name, ResponseTo::Write, &mut response);
    stored.roles.entry(role.to_owned()).or_default().write(Some(written), lag, now);
    Ok(ApiResponse::json(200, &response))
}

/// Returns a role.
pub(super) fn get(
    state: &mut State,
    request: &ApiRequest,
    listing: &str,
    role: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    request.parameters(&[])?;
    let world = state.world.clone();
    let stored = listing_of(state, listing)?;
    let name = role_name(listing, role);
    let Listing { management, roles, .. } = stored;
    roles
        .get_mut(role)
        .and_then(|slot| slot.read(Read::Get, now))
        .filter(|role| !role.is_deleted() || world.deleted_roles == DeletedRoles::Returned)
        .map(|role| {
            let mut response = role.to_response(&name, management.as_ref(), &world);
            world.omit_fields(&name, ResponseTo::Get, &mut response);
            ApiResponse::json(200, &response)
        })
        .ok_or_else(|| ApiError::not_found(&name))
}

/// Lists the roles of a listing that are not deleted.
pub(super) fn list(
    state: &mut State,
    caller: &Caller,
    request: &ApiRequest,
    listing: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    let page = Page::read(request)?;
    let world = state.world.clone();
    let Listing { management, roles, .. } = listing_of(state, listing)?;
    let objects: Vec<(String, Value)> = roles
        .iter_mut()
        .filter_map(|(id, slot)| Some((id, slot.read(Read::List, now)?)))
        .filter(|(_, role)| !role.is_deleted())
        .map(|(id, role)| (id, role_name(listing, id), role))
        .filter(|(_, name, _)| world.is_listed(name, &caller.key))
        .map(|(id, name, role)| {
            let mut entry = role.to_response(&name, management.as_ref(), &world);
            world.omit_fields(&name, ResponseTo::List, &mut entry);
            (id.clone(), entry)
        })
        .collect();
    page.response("listingRoles", &roles_name(listing), objects, state)
}

/// Deletes a role. It stays stored with its `deleteTime`, for worlds that return deleted roles.
pub(super) fn delete(
    state: &mut State,
    caller: &Caller,
    request: &ApiRequest,
    listing: &str,
    role: &str,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    request.parameters(&[])?;
    writable(state, caller, listing)?;
    let stamp = state.stamp();
    let name = role_name(listing, role);
    let lag = state.world.lag(&name, Write::Delete);
    let slot = listing_of(state, listing)?
        .roles
        .get_mut(role)
        .filter(|slot| slot.current().is_some_and(|role| !role.is_deleted()))
        .ok_or_else(|| ApiError::not_found(&name))?;
    let deleted_role = slot.current().map(|role| Role { delete_time: Some(stamp), ..role.clone() });
    slot.write(deleted_role, lag, now);
    Ok(ApiResponse::json(200, &json!({})))
}

/// Checks the mask of a non-admin key: it is required and cannot contain `resources`.
fn check_member(mask: Option<&[Field]>) -> Result<(), ApiError> {
    match mask {
        None => Err(ApiError::bad_request("updateMask is required for non-admin keys")),
        Some(mask) if mask.contains(&Field::Resources) => Err(only_admins_set_resources()),
        Some(_) => Ok(()),
    }
}

fn only_admins_set_resources() -> ApiError {
    ApiError::forbidden("setting resources requires an admin key")
}

/// Rejects writes under a listing that does not exist or that the caller cannot change.
fn writable(state: &State, caller: &Caller, listing: &str) -> Result<(), ApiError> {
    let stored = state
        .store
        .listings
        .get(listing)
        .ok_or_else(|| ApiError::not_found(&format!("listings/{listing}")))?;
    if stored.provider_only && !caller.is_provider {
        return Err(ApiError::forbidden(format!(
            "only the infrastructure-as-code provider can change roles of listings/{listing}"
        )));
    }
    Ok(())
}

fn find<'a>(state: &'a State, listing: &str, role: &str) -> Option<&'a Role> {
    state.store.listings.get(listing)?.roles.get(role)?.current()
}

fn listing_of<'a>(state: &'a mut State, listing: &str) -> Result<&'a mut Listing, ApiError> {
    state
        .store
        .listings
        .get_mut(listing)
        .ok_or_else(|| ApiError::not_found(&format!("listings/{listing}")))
}
