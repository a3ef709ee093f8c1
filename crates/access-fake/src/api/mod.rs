//! The API: authentication, permissions and the choice of the operation.
//!
//! Only `PATCH …/roles/{role}` and `POST …/owners` are documented. The other operations are an
//! assumption from the resource names: `GET` and `DELETE` of an object, and paged `GET` of its
//! collection. The [`World`](crate::World) can remove each of them.

mod owners;
mod pages;
mod roles;

use std::time::{Duration, Instant, SystemTime};

use httpdate::fmt_http_date;

use crate::request::{ApiRequest, Target};
use crate::response::{ApiError, ApiResponse};
use crate::state::{Caller, Rank, State};
use crate::world::{Presence, RetryAfter};
use crate::world_rules::Access;

/// Processes a request.
pub(crate) fn respond(state: &mut State, request: &ApiRequest, now: Instant) -> ApiResponse {
    if let Some(gateway) = state.world.gateway(&request.path) {
        return ApiResponse::of_gateway(gateway);
    }
    if let Some(limit) = state.world.rate_limit
        && let Err(wait) = state.limiter.take(&limit, now)
    {
        let response = ApiError::new(429, "too many requests").response();
        return with_wait(response, limit.retry_after, wait, state.now());
    }
    let path = state.world.without_base_path(&request.path);
    let Some(target) = Target::of_path(path) else { return ApiResponse::page_not_found() };
    let caller = match caller(state, request) {
        Ok(caller) => caller,
        Err(error) => {
            return error.response().with_header("www-authenticate", "Bearer".to_owned());
        }
    };
    let result = target.and_then(|target| match operation(state, &request.method, &target) {
        Ok(operation) => operate(state, operation, &caller, request, &target, now),
        Err(absent) => Ok(absent),
    });
    result.unwrap_or_else(|error| error.response())
}

/// Adds a `Retry-After` header.
pub(crate) fn with_wait(
    response: ApiResponse,
    retry_after: RetryAfter,
    wait: Duration,
    now: SystemTime,
) -> ApiResponse {
    // At least one second, because neither form of the header has a smaller unit.
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    match retry_after {
        RetryAfter::None => response,
        RetryAfter::Seconds => response.with_header("retry-after", seconds.to_string()),
        RetryAfter::Date => {
            let wait = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            let time = now.checked_add(wait).unwrap_or(now);
            response.with_header("retry-after", fmt_http_date(time))
        }
    }
}

fn caller(state: &State, request: &ApiRequest) -> Result<Caller, ApiError> {
    let key = state
        .key(request.key.as_deref())
        .ok_or_else(|| ApiError::new(401, "the API key is missing or unknown"))?;
    let is_provider = state.world.recognises_caller && request.is_from_provider();
    Ok(Caller { key: key.name.clone(), rank: key.rank, is_provider })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Patch,
    Create,
    Get,
    List,
    Delete,
}

impl Operation {
    fn access(self) -> Access {
        match self {
            Self::Patch | Self::Create => Access::Write,
            Self::Get => Access::Get,
            Self::List => Access::List,
            Self::Delete => Access::Delete,
        }
    }
}

/// Returns the operation of a method on a target, or the response if it does not exist.
fn operation(state: &State, method: &str, target: &Target) -> Result<Operation, ApiResponse> {
    let world = &state.world;
    let (operation, presence) = match (method, target) {
        ("PATCH", Target::Role { .. }) => (Operation::Patch, Presence::Present),
        ("POST", Target::Owners { .. }) => (Operation::Create, Presence::Present),
        ("GET", Target::Role { .. }) => (Operation::Get, world.roles.get),
        ("GET", Target::Owner { .. }) => (Operation::Get, world.owners.get),
        ("GET", Target::Roles { .. }) => (Operation::List, world.roles.list),
        ("GET", Target::Owners { .. }) => (Operation::List, world.owners.list),
        ("DELETE", Target::Role { .. }) => (Operation::Delete, world.roles.delete),
        ("DELETE", Target::Owner { .. }) => (Operation::Delete, world.owners.delete),
        _ => {
            let error = ApiError::new(405, format!("{method} is not possible here"));
            return Err(error.response());
        }
    };
    match presence {
        Presence::Present => Ok(operation),
        Presence::Absent(absence) => {
            let error = ApiError::new(absence.status(), format!("{method} does not exist here"));
            Err(error.response())
        }
    }
}

fn operate(
    state: &mut State,
    operation: Operation,
    caller: &Caller,
    request: &ApiRequest,
    target: &Target,
    now: Instant,
) -> Result<ApiResponse, ApiError> {
    let writes = !matches!(operation, Operation::Get | Operation::List);
    if writes && caller.rank == Rank::Reader {
        return Err(ApiError::forbidden("this API key can only read"));
    }
    let name = target.name();
    match state.world.hidden_status(&name, &caller.key, operation.access()) {
        None => {}
        Some(404) => return Err(ApiError::not_found(&name)),
        Some(status) => {
            return Err(ApiError::new(status, format!("this API key has no access to {name}")));
        }
    }
    match (operation, target) {
        (Operation::Patch, Target::Role { listing, role }) => {
            roles::patch(state, caller, request, listing, role, now)
        }
        (Operation::Get, Target::Role { listing, role }) => {
            roles::get(state, request, listing, role, now)
        }
        (Operation::Delete, Target::Role { listing, role }) => {
            roles::delete(state, caller, request, listing, role, now)
        }
        (_, Target::Roles { listing } | Target::Role { listing, .. }) => {
            roles::list(state, caller, request, listing, now)
        }
        (Operation::Create, Target::Owners { integration }) => {
            owners::create(state, request, integration, now)
        }
        (Operation::Get, Target::Owner { integration, owner }) => {
            owners::get(state, request, integration, owner, now)
        }
        (Operation::Delete, Target::Owner { integration, owner }) => {
            owners::delete(state, request, integration, owner, now)
        }
        (_, Target::Owners { integration } | Target::Owner { integration, .. }) => {
            owners::list(state, caller, request, integration, now)
        }
    }
}
