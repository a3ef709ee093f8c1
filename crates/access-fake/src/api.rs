//! The API: authentication, permissions and the operations.
//!
//! Only `PATCH …/roles/{role}` and `POST …/owners` are documented. The other operations are an
//! assumption from the resource names: `GET` and `DELETE` of an object, and paged `GET` of its
//! collection. The [`World`](crate::World) can remove each of them.

use std::time::Instant;

use http::Method;
use serde_json::json;

use crate::names::Target;
use crate::object::{in_response, is_deleted};
use crate::pages::Page;
use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse, json_response, page_not_found, with_header};
use crate::rules::{HiddenObject, Read, ResponseTo, Write};
use crate::state::{Collection, Rank, State};
use crate::world::Presence;

pub(crate) type Result<T = ApiResponse> = std::result::Result<T, ApiError>;

/// What the service does after it has identified the caller and the target.
pub(crate) type Operation = fn(&mut State, &Caller, &ApiRequest, &Target) -> Result;

/// The identified caller of a request.
pub(crate) struct Caller {
    pub(crate) rank: Rank,
    /// Whether the caller is the infrastructure-as-code provider.
    pub(crate) is_provider: bool,
}

/// Processes a request.
pub(crate) fn respond(state: &mut State, request: &ApiRequest, now: Instant) -> ApiResponse {
    if let Some(limit) = state.world.rate_limit
        && let Err(wait) = state.limiter.take(&limit, now)
    {
        // Rounded up, because the header has no smaller unit.
        let seconds = wait.as_secs().saturating_add(u64::from(wait.subsec_nanos() > 0));
        let response = ApiError::new(429, "too many requests").response();
        return with_header(response, "retry-after", &seconds.to_string());
    }
    let path = state.world.without_base_path(&request.path);
    let Some(target) = Target::of_path(path) else { return page_not_found() };
    let Some(rank) = state.key(request.key.as_deref()).map(|key| key.rank) else {
        let error = ApiError::new(401, "the API key is missing or unknown");
        return with_header(error.response(), "www-authenticate", "Bearer");
    };
    let is_provider = !state.world.ignores_caller && request.is_from_provider();
    let caller = Caller { rank, is_provider };
    let result = target.and_then(|target| {
        let target = if state.world.lower_case_ids { target.in_lower_case() } else { target };
        operate(state, &caller, request, &target)
    });
    result.unwrap_or_else(|error| error.response())
}

/// Selects the operation, and refuses it as the settings of the service say: it is absent, the key
/// may not write, or the object is hidden.
fn operate(state: &mut State, caller: &Caller, request: &ApiRequest, target: &Target) -> Result {
    let operations = target.kind.operations(&state.world);
    let write = target.kind.write();
    let method = &request.method;
    let (presence, operation): (_, Operation) = match (method, &target.id) {
        (method, id) if *method == write.method && id.is_some() == write.names_object => {
            (Presence::Present, write.operation)
        }
        (&Method::GET, Some(_)) => (operations.get, get),
        (&Method::GET, None) => (operations.list, list),
        (&Method::DELETE, Some(_)) => (operations.delete, delete),
        _ => return Err(ApiError::new(405, format!("{method} is not possible here"))),
    };
    if let Presence::Absent(absence) = presence {
        return Err(ApiError::new(absence.status(), format!("{method} does not exist here")));
    }
    if method != Method::GET && caller.rank == Rank::Reader {
        return Err(ApiError::forbidden("this API key can only read"));
    }
    let name = target.name();
    let hides = |rule: &HiddenObject| match (method, &target.id) {
        (&Method::GET, Some(_)) => rule.get,
        (&Method::GET, None) => rule.list,
        _ => None,
    };
    let hidden = state.world.hidden(&name).find_map(hides);
    match hidden {
        None => operation(state, caller, request, target),
        Some(404) => Err(ApiError::not_found(&name)),
        Some(status) => Err(ApiError::new(status, format!("no access to {name}"))),
    }
}

/// Returns an object.
fn get(state: &mut State, _: &Caller, request: &ApiRequest, target: &Target) -> Result {
    request.parameters(&[])?;
    let name = target.name();
    let (world, stored) = state.world_and_collection(target)?;
    let management = stored.management.clone();
    let object = stored.slot(target).read(Read::Get);
    let object = object.filter(|object| world.returns_deleted_roles || !is_deleted(object));
    let object = object.ok_or_else(|| ApiError::not_found(&name))?;
    let mut response = in_response(object, &name, management.as_ref(), world);
    world.omit_fields(&name, ResponseTo::Get, &mut response);
    Ok(json_response(200, &response))
}

/// Lists the objects of a parent that are not deleted.
fn list(state: &mut State, _: &Caller, request: &ApiRequest, target: &Target) -> Result {
    let page = Page::read(request)?;
    state.pages += 1;
    let pages = state.pages;
    let collection = target.name();
    let (world, Collection { management, slots, .. }) = state.world_and_collection(target)?;
    let objects = slots
        .iter_mut()
        .filter_map(|(id, slot)| Some((id, slot.read(Read::List)?)))
        .filter(|(_, object)| !is_deleted(object))
        .map(|(id, object)| {
            let name = format!("{collection}/{id}");
            (id, name, object)
        })
        .filter(|(_, name, _)| !world.hidden(name).any(|rule| rule.omit_from_list))
        .map(|(id, name, object)| {
            let mut entry = in_response(object, &name, management.as_ref(), world);
            world.omit_fields(&name, ResponseTo::List, &mut entry);
            (id.clone(), entry)
        })
        .collect();
    page.response(target, objects, world, pages)
}

/// Deletes an object. One that is kept has a `deleteTime` then, for worlds that return it.
fn delete(state: &mut State, caller: &Caller, request: &ApiRequest, target: &Target) -> Result {
    request.parameters(&[])?;
    check_writable(state, caller, target)?;
    let name = target.name();
    let now = state.stamp();
    let (world, stored) = state.world_and_collection(target)?;
    let slot = stored.slot(target);
    let current = slot.current().filter(|object| !is_deleted(object));
    let mut deleted = current.ok_or_else(|| ApiError::not_found(&name))?.clone();
    deleted.insert("deleteTime".to_owned(), json!(now));
    let lag = world.lag(&name, Write::Delete);
    slot.write(target.kind.keeps_deleted().then_some(deleted), lag);
    Ok(json_response(200, &json!({})))
}

/// Rejects writes under a parent that does not exist or that the caller cannot change.
pub(crate) fn check_writable(state: &mut State, caller: &Caller, target: &Target) -> Result<()> {
    let (_, stored) = state.world_and_collection(target)?;
    if stored.provider_only && !caller.is_provider {
        let parent = &target.parent;
        return Err(ApiError::forbidden(format!(
            "only the infrastructure-as-code provider can change roles of listings/{parent}"
        )));
    }
    Ok(())
}
