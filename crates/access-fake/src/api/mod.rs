//! The API proper: who may call, what exists, and which operation it is.
//!
//! Only `PATCH …/roles/{role}` and `POST …/owners` are documented. The other operations are our
//! assumption, read off the resource names: `GET` and `DELETE` on an object's name, `GET` on its
//! collection, paged. The [`World`](crate::World) can take each of them away.

mod owners;
mod pages;
mod roles;

use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use crate::answer::{Answer, Refusal};
use crate::call::{Call, Target};
use crate::clock::http_date;
use crate::rules::Access;
use crate::state::{Caller, Rank, State};
use crate::world::{Presence, RetryAfter};

/// Answers a call.
pub(crate) fn answer(state: &mut State, call: &Call, now: Instant) -> Answer {
    let shape = state.world.error_body;
    if let Some(gateway) = state.world.gateway(&call.path) {
        return Answer::of_gateway(gateway);
    }
    if let Some(limit) = state.world.rate_limit
        && let Err(wait) = state.limiter.take(&limit, now)
    {
        let answer = Refusal::new(429, "too many requests").answer(shape);
        return with_wait(answer, limit.retry_after, wait, state.now());
    }
    let path = state.world.without_base_path(&call.path);
    let Some(target) = Target::of_path(path) else { return Answer::page_not_found() };
    let caller = match caller(state, call) {
        Ok(caller) => caller,
        Err(refusal) => {
            return refusal.answer(shape).with_header("www-authenticate", "Bearer".to_owned());
        }
    };
    let result = target.and_then(|target| match operation(state, &call.method, &target) {
        Ok(operation) => operate(state, operation, &caller, call, &target, now),
        Err(absent) => Ok(absent),
    });
    result.unwrap_or_else(|refusal| refusal.answer(shape))
}

/// Adds a `Retry-After` header.
pub(crate) fn with_wait(
    answer: Answer,
    retry_after: RetryAfter,
    wait: Duration,
    now: SystemTime,
) -> Answer {
    // At least one second, because neither spelling has a smaller unit.
    let seconds = wait.as_secs_f64().ceil().max(1.0);
    match retry_after {
        RetryAfter::None => answer,
        RetryAfter::Seconds => answer.with_header("retry-after", seconds.to_string()),
        RetryAfter::Date => {
            let wait = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            let time = now.checked_add(wait).unwrap_or(now);
            answer.with_header("retry-after", http_date(time))
        }
    }
}

fn caller(state: &State, call: &Call) -> Result<Caller, Refusal> {
    let key = state
        .key(call.key.as_deref())
        .ok_or_else(|| Refusal::new(401, "the API key is missing or unknown"))?;
    let is_provider = state.world.recognises_caller && call.is_from_provider();
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

/// The operation that a method means for a target, or the answer that there is none.
fn operation(state: &State, method: &str, target: &Target) -> Result<Operation, Answer> {
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
            let refusal = Refusal::new(405, format!("{method} is not possible here"));
            return Err(refusal.answer(world.error_body));
        }
    };
    match presence {
        Presence::Present => Ok(operation),
        Presence::Absent(absence) => {
            let refusal = Refusal::new(absence.status(), format!("{method} does not exist here"));
            Err(refusal.answer_to_absent(world.not_found_body, world.error_body))
        }
    }
}

fn operate(
    state: &mut State,
    operation: Operation,
    caller: &Caller,
    call: &Call,
    target: &Target,
    now: Instant,
) -> Result<Answer, Refusal> {
    let writes = !matches!(operation, Operation::Get | Operation::List);
    if writes && caller.rank == Rank::Reader {
        return Err(Refusal::forbidden("this API key may only read"));
    }
    let name = target.name();
    match state.world.hidden_status(&name, &caller.key, operation.access()) {
        None => {}
        Some(404) => return Err(Refusal::not_found(&name)),
        Some(status) => {
            return Err(Refusal::new(status, format!("this API key has no access to {name}")));
        }
    }
    let answer = match (operation, target) {
        (Operation::Patch, Target::Role { listing, role }) => {
            roles::patch(state, caller, call, listing, role, now)
        }
        (Operation::Get, Target::Role { listing, role }) => {
            roles::get(state, call, listing, role, now)
        }
        (Operation::Delete, Target::Role { listing, role }) => {
            roles::delete(state, caller, call, listing, role, now)
        }
        (_, Target::Roles { listing } | Target::Role { listing, .. }) => {
            roles::list(state, caller, call, listing, now)
        }
        (Operation::Create, Target::Owners { integration }) => {
            owners::create(state, call, integration, now)
        }
        (Operation::Get, Target::Owner { integration, owner }) => {
            owners::get(state, call, integration, owner, now)
        }
        (Operation::Delete, Target::Owner { integration, owner }) => {
            owners::delete(state, call, integration, owner, now)
        }
        (_, Target::Owners { integration } | Target::Owner { integration, .. }) => {
            owners::list(state, caller, call, integration, now)
        }
    }?;
    if writes {
        state.save();
        if let Some(problem) = &state.unsaved {
            return Err(Refusal::new(500, format!("could not store the data: {problem}")));
        }
    }
    Ok(answer)
}

fn deleted(state: &State) -> Answer {
    if state.world.empty_delete_answer { Answer::empty(204) } else { Answer::json(200, &json!({})) }
}
