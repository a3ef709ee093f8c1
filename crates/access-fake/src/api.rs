//! The API: authentication, permissions and the operations.
//!
//! Only `PATCH …/roles/{role}` and `POST …/owners` are documented. The other operations are an
//! assumption from the resource names: `GET` and `DELETE` of an object, and paged `GET` of its
//! collection. The [`World`](crate::World) can remove each of them.

use std::time::Instant;

use http::Method;
use serde_json::{Value, json};

use crate::field::Field;
use crate::kind::Kind;
use crate::names::{Target, check_identifier};
use crate::object::{in_response, is_deleted};
use crate::operations::Presence;
use crate::pages::Page;
use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse, json_response, page_not_found, with_header};
use crate::rules::{HiddenObject, Read, ResponseTo, Write};
use crate::state::{Collection, Rank, State};

/// The manager that writes of the provider record.
const MANAGER: &str = "TERRAFORM";

type Result<T = ApiResponse> = std::result::Result<T, ApiError>;

/// What the service does after it has identified the caller and the target.
type Operation = fn(&mut State, &Caller, &ApiRequest, &Target) -> Result;

/// The identified caller of a request.
struct Caller {
    rank: Rank,
    /// Whether the caller is the infrastructure-as-code provider.
    is_provider: bool,
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
    let operations = target.kind.operations(&state.world.operations);
    // The documented write: its method, and whether it names an object or the collection.
    let (writes, names_object, write): (_, _, Operation) = match target.kind {
        Kind::Role => (Method::PATCH, true, patch),
        Kind::Owner => (Method::POST, false, create_owner),
    };
    let method = &request.method;
    let (presence, operation): (_, Operation) = match (method, &target.id) {
        (method, id) if *method == writes && id.is_some() == names_object => {
            (Presence::Present, write)
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

/// Updates a role, or creates it with `allowMissing`.
fn patch(state: &mut State, caller: &Caller, request: &ApiRequest, target: &Target) -> Result {
    let parameters = request.parameters(&["updateMask", "allowMissing"])?;
    let mask = parameters.get("updateMask");
    let mask = mask.map(|mask| Kind::Role.read_mask(mask)).transpose()?;
    let allow_missing = match parameters.get("allowMissing").map(String::as_str) {
        None | Some("false") => false,
        Some("true") => true,
        Some(other) => {
            let problem = format!("allowMissing must be true or false, not {other:?}");
            return Err(ApiError::bad_request(problem));
        }
    };
    let body = Kind::Role.read_body(request.json_object()?)?;
    check_writable(state, caller, target)?;
    let name = target.name();
    let now = state.stamp();
    let current = state.collection(target).and_then(|stored| stored.current(target)).cloned();
    let current = current.filter(|role| !is_deleted(role));
    let creates = current.is_none() && allow_missing;
    if caller.rank == Rank::Member {
        check_member(mask.as_deref(), creates && body.contains_key("resources"))?;
    }
    let (mut role, write, fields) = match (current, mask) {
        (Some(current), Some(mask)) => (current, Write::Update, mask),
        (Some(current), None) => (current, Write::Update, Kind::Role.fields_of(&body)),
        (None, _) if !creates => return Err(ApiError::not_found(&name)),
        (None, _) => (Kind::Role.blank(&now), Write::Create, Kind::Role.fields_of(&body)),
    };
    // Exactly these fields are set. Those that the body does not contain are cleared.
    for field in fields {
        let value = body.get(field.name).cloned().unwrap_or_else(|| field.cleared());
        match (field.name, value.as_str()) {
            ("repoUri", Some(uri)) => {
                role.insert("repoUri".to_owned(), json!(state.world.canonical_repo_uri(uri)));
            }
            _ => _ = role.insert(field.name.to_owned(), value),
        }
    }
    role.remove("manager");
    role.extend(caller.is_provider.then(|| ("manager".to_owned(), json!(MANAGER))));
    role.insert("updateTime".to_owned(), json!(state.stamp()));
    let lag = state.world.lag(&name, write);
    let (world, stored) = state.world_and_collection(target)?;
    let mut response = in_response(&role, &name, stored.management.as_ref(), world);
    world.omit_fields(&name, ResponseTo::Write, &mut response);
    stored.slot(target).write(Some(role), lag);
    Ok(json_response(200, &response))
}

/// Checks the mask of a non-admin key: it is required and cannot contain `resources`. A create,
/// which ignores the mask, cannot set them either.
fn check_member(mask: Option<&[&Field]>, creates_resources: bool) -> Result<()> {
    let mask =
        mask.ok_or_else(|| ApiError::bad_request("updateMask is required for non-admin keys"))?;
    if creates_resources || mask.iter().any(|field| field.name == "resources") {
        return Err(ApiError::forbidden("setting resources requires an admin key"));
    }
    Ok(())
}

/// Adds an owner.
fn create_owner(state: &mut State, _: &Caller, request: &ApiRequest, target: &Target) -> Result {
    let parameters = request.parameters(&["integrationOwnerId"])?;
    let id = parameters.get("integrationOwnerId");
    id.map(|id| check_identifier(id)).transpose()?;
    let id = id.map(|id| if state.world.lower_case_ids { id.to_lowercase() } else { id.clone() });
    let body = Kind::Owner.read_body(request.json_object()?)?;
    let principal = body.get("owner").and_then(Value::as_str).unwrap_or_default();
    check_principal(principal)?;
    let principal = state.world.canonical_owner(principal.to_owned());
    let mut owner = Kind::Owner.blank(&state.stamp());
    owner.insert("owner".to_owned(), json!(principal));
    let (world, stored) = state.world_and_collection(target)?;
    let same = stored.existing().find(|(_, other)| world.is_same_owner(&principal, other));
    if world.returns_existing_owner
        && let Some((id, same)) = same
    {
        let name = Target { id: Some(id.clone()), ..target.clone() }.name();
        let mut response = in_response(same, &name, None, world);
        world.omit_fields(&name, ResponseTo::Write, &mut response);
        return Ok(json_response(200, &response));
    }
    if let Some(id) = id.as_ref().filter(|id| stored.existing().any(|(other, _)| other == *id)) {
        return Err(ApiError::new(409, format!("{}/{id} already exists", target.name())));
    }
    if !world.duplicate_owners && same.is_some() {
        return Err(ApiError::new(409, format!("{principal} is already an owner")));
    }
    let id = id.unwrap_or_else(|| stored.new_id());
    let target = Target { id: Some(id), ..target.clone() };
    let name = target.name();
    let mut response = in_response(&owner, &name, None, world);
    world.omit_fields(&name, ResponseTo::Write, &mut response);
    stored.slot(&target).write(Some(owner), world.lag(&name, Write::Create));
    Ok(json_response(200, &response))
}

/// Rejects text that is not a user, a group or a team.
fn check_principal(text: &str) -> Result<()> {
    let is_valid = text.split_once('/').is_some_and(|(kind, id)| {
        ["users", "groups", "teams"].contains(&kind) && check_identifier(id).is_ok()
    });
    if is_valid {
        return Ok(());
    }
    Err(ApiError::bad_request(format!(
        "owner must be users/{{user}}, groups/{{group}} or teams/{{team}}, not {text:?}"
    )))
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
fn check_writable(state: &mut State, caller: &Caller, target: &Target) -> Result<()> {
    let (_, stored) = state.world_and_collection(target)?;
    if stored.provider_only && !caller.is_provider {
        let parent = &target.parent;
        return Err(ApiError::forbidden(format!(
            "only the infrastructure-as-code provider can change roles of listings/{parent}"
        )));
    }
    Ok(())
}
