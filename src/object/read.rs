//! Refreshing an object, and what a failed read means.
//!
//! The API document shows no reads: a 404 to a GET may mean that the object was deleted, that the
//! key may not see it, that the base address is wrong, or that there is no GET. Nothing is inferred
//! from a response with two meanings, because a wrong inference would empty a state.

use access_client::time::{is_before, is_different, is_equal, is_within_lag};
use access_client::{Error, ErrorKind, ObjectName as _, Response};

use super::call::Call;
use super::message::{Advice, COMPLETE, Message, Reported};
use super::messages::was_deleted;
use super::next_step::{NeededRead, by_status, check_base_url, forbidden};
use super::private_state::LastSeen;
use super::{Entity, Known, ObjectPrivateState, Stored};
use crate::messages::reads::{
    DeletedOutside, DriftUnavailable, Elsewhere, MoreDeletedOutside, Recreated, Stale,
};
use crate::messages::removed_block;
use crate::messages::requests::{
    ElsewhereUnreachable, ListContains, ListFailed, ParentNotFound, ReadForbidden,
};
use crate::service::{Cause, InList, Purpose, Session};

/// What a failed GET means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    Deleted,
    /// Reads are not available, as far as the responses show. The state is kept, with a warning.
    ReadsUnavailable,
    /// The read failed. The state is kept, with an error.
    Error,
    /// The parent's list decides.
    AskList,
}

/// The facts about an object for which a GET has failed.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// Whether a GET or a list has ever shown the object, in this run or an earlier one. Private
    /// state has it.
    read_before: bool,
    /// What the list of the parent shows. `None` before it was requested.
    in_list: Option<InList>,
}

/// Concludes from a failed GET.
fn conclude(kind: ErrorKind, facts: Facts) -> Conclusion {
    match (kind, facts.in_list) {
        // The service may have no reads, or not for this key.
        (ErrorKind::NotFound { .. }, _) if !facts.read_before => Conclusion::ReadsUnavailable,
        // The parent may be gone as well, which the list shows.
        (ErrorKind::NotFound { json: true }, None) => Conclusion::AskList,
        // A list with unreadable entries is treated as no list: then the 404 counts.
        (
            ErrorKind::NotFound { json: true },
            Some(InList::Lacks | InList::ReadableLack | InList::NotOffered),
        ) => Conclusion::Deleted,
        (ErrorKind::NotImplemented, _) => Conclusion::ReadsUnavailable,
        // The list contradicts the 404, or the 404 is a gateway's, or the read failed.
        _ => Conclusion::Error,
    }
}

/// Refreshes the state. `None` removes the object from the state. After an error, the state is
/// kept.
pub(crate) async fn read<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    mut stored: Stored<E>,
) -> Option<Stored<E>> {
    let session = call.session;
    if !session.detects_drift {
        return Some(stored);
    }
    if is_confirmed(session, name, &stored).await {
        stored.private.object.record_read(session, name.to_string());
        return Some(stored);
    }
    let (response, whose) = match get::<E>(call, name, stored.known()).await {
        Ok(Got::Object(response, whose)) => (response, whose),
        Ok(Got::Failure(error)) => {
            match meaning_of::<E>(call, name, stored.known(), &error).await {
                (Conclusion::Deleted, _) => return remove(call, &stored),
                (Conclusion::ReadsUnavailable, _) => warn_unavailable(call, &error),
                (_, advice) => drop(call.failed_with(&error, advice)),
            }
            return Some(stored);
        }
        Err(Reported) => return Some(stored),
    };
    let object = response.object;
    if is_before(object.update_time(), stored.update_time())
        && is_within_lag(stored.private.object.written_at, response.date)
    {
        warn_stale(call);
        return Some(stored);
    }
    if object.delete_time().is_some() {
        return remove(call, &stored);
    }
    E::parents(session).of(name.parent()).record_read();
    if whose == Whose::Other {
        warn_recreated(call, object.create_time());
    }
    E::warn_read(call, &stored, &object);
    stored.private.object.record_read(session, name.to_string());
    Some(E::after_read(stored, object))
}

/// Returns whether the parent's list contains the object as it is in the state.
async fn is_confirmed<E: Entity>(session: &Session, name: &E::Name, stored: &Stored<E>) -> bool {
    if !stored.private.object.is_here(session) {
        return false;
    }
    let entry = E::parents(session).confirming_entry(&session.client, name).await;
    entry.is_some_and(|entry| {
        // An entry without `update_time` may omit fields; then it confirms nothing.
        let has_time = entry.update_time().is_some() || stored.update_time().is_none();
        has_time && E::after_read(stored.clone(), entry).state == stored.state
    })
}

/// Removes an object that is gone from the state, with a warning.
fn remove<E: Entity>(call: &mut Call<'_>, stored: &Stored<E>) -> Option<Stored<E>> {
    call.session.plans.withdraw(&call.object);
    call.session.states.forget(&E::state_keys(&stored.state));
    let cause = Cause::Declared("deleted outside", call.kind);
    if call.session.causes.count(cause, &call.object) < COMPLETE {
        let located = call.located_object();
        let facts = DeletedOutside { object: &call.object, located: &located, kind: &call.kind };
        let message = Message::from(facts);
        call.warn(message);
    } else {
        let message = Message::from(MoreDeletedOutside { kinds: &call.words.kinds });
        call.warn_once(message);
    }
    None
}

/// Whose an object is that a GET has returned for the name in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The state's, as far as is known.
    Own,
    /// Another object: somebody has made it under the name.
    Other,
    /// Nothing shows that it is the state's, which was last seen at another address.
    Elsewhere,
}

/// Decides whose an object is. `times` are the creation times of the state and of the object.
fn identify(last_seen: LastSeen, times: (Option<&str>, Option<&str>)) -> Whose {
    let is_other = is_different(times.0, times.1);
    match last_seen {
        // Only the same time shows that the object at this address is the state's.
        LastSeen::Elsewhere if !is_equal(times.0, times.1) => Whose::Elsewhere,
        // Private state is lost: the state's object may be at another address.
        LastSeen::Unknown if is_other => Whose::Elsewhere,
        LastSeen::Here if is_other => Whose::Other,
        LastSeen::Here | LastSeen::Elsewhere | LastSeen::Unknown => Whose::Own,
    }
}

/// What the GET of an object of a state has returned.
pub(crate) enum Got<E> {
    Object(Response<E>, Whose),
    /// Nothing: the error of the response.
    Failure(Error),
}

/// Reads the object of a state by GET, and tells whose the object is that was found.
///
/// # Errors
///
/// Adds an error for an object that was last seen at another address, and is not shown to be here.
pub(crate) async fn get<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    known: Known<'_>,
) -> Result<Got<E>, Reported> {
    let private = known.private;
    let last_seen = private.last_seen(call.session);
    match E::get(&call.session.client, name).await {
        Ok(response) => {
            let times = (known.create_time, response.object.create_time());
            match identify(last_seen, times) {
                Whose::Elsewhere => Err(report_elsewhere(call, private, None)),
                whose => Ok(Got::Object(response, whose)),
            }
        }
        Err(error) if last_seen == LastSeen::Elsewhere => {
            Err(report_elsewhere(call, private, Some(&error)))
        }
        Err(error) => Ok(Got::Failure(error)),
    }
}

/// Reads an object by GET for an operation that cannot do without it, or adds an error.
pub(crate) async fn get_needed<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    needed: &NeededRead,
) -> Result<E, Reported> {
    let object = match E::get(&call.session.client, name).await {
        Ok(response) => response.object,
        Err(error) => return Err(call.failed_with(&error, needed.advice(&error))),
    };
    let Some(at) = object.delete_time() else { return Ok(object) };
    let deleted = was_deleted(call, at);
    Err(call.fail(Message { attribute: needed.attribute, ..deleted }))
}

/// Returns what a failed GET means, and the next step if it is an error. Asks the list if that
/// decides.
pub(crate) async fn meaning_of<E: Entity>(
    call: &Call<'_>,
    name: &E::Name,
    known: Known<'_>,
    error: &Error,
) -> (Conclusion, Advice) {
    let facts = Facts { read_before: known.private.read_before, in_list: None };
    let conclusion = conclude(error.kind(), facts);
    if conclusion != Conclusion::AskList {
        return (conclusion, read_advice(call, error));
    }
    let (in_list, found) =
        E::parents(call.session).look_up(&call.session.client, name, Purpose::Decide).await;
    let conclusion = conclude(error.kind(), Facts { in_list: Some(in_list), ..facts });
    let advice = match (in_list, found) {
        (InList::NotFound, Err(failure)) => parent_not_found(call, &failure),
        (_, Err(failure)) => list_failed(call.kind, &failure),
        (_, Ok(_)) => ListContains { kind: &call.kind }.into(),
    };
    (conclusion, advice)
}

/// Checks, before an update, that the object at this base address is the state's. Last seen here:
/// no request. Last seen elsewhere: a GET has to show it. If no address is known, a GET must not
/// show another object, and a GET that fails does not stop the write.
pub(crate) async fn verify_address<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    if !stored.private.object.is_here(call.session) {
        get::<E>(call, name, stored.known()).await?;
    }
    Ok(())
}

/// Adds the error of an object that was last seen at another base address.
pub(crate) fn report_elsewhere(
    call: &mut Call<'_>,
    private: &ObjectPrivateState,
    error: Option<&Error>,
) -> Reported {
    let seen = private.base_url.as_deref().unwrap_or("an address that is not known");
    // What did not respond may be the service or not: the first thing to say is that nothing is
    // there.
    if let Some(error) = error
        && error.shared_cause().is_some()
    {
        let next = by_status(error).next;
        return call.failed_with(error, ElsewhereUnreachable { seen: &seen, next: &next });
    }
    let other = "An object of this name is there, but not with the creation time in the state";
    let message = Message::from(Elsewhere {
        object: &call.object,
        summary: &call.summary(),
        kind: &call.kind,
        seen: &seen,
        here: &call.session.base_url.as_deref().unwrap_or_default(),
        found: &error.map_or(other.to_owned(), ToString::to_string),
    });
    call.fail(message)
}

/// The advice about an object whose list is not found either.
fn parent_not_found(call: &Call<'_>, list: &Error) -> Advice {
    let advice = ParentNotFound {
        list,
        kind: &call.kind,
        parent: &call.words.parent_kind,
        check: &check_base_url(list),
        removed: &removed_block(call.words.resource_type),
    };
    advice.into()
}

/// Returns the advice about an object that GET does not find, and whose list cannot tell.
fn list_failed(kind: &str, list: &Error) -> Advice {
    let Advice { next, for_all, .. } = by_status(list);
    Advice { for_all, ..ListFailed { kind: &kind, list, next: &next }.into() }
}

/// Returns the advice after a failed GET that decides by itself.
pub(crate) fn read_advice(call: &Call<'_>, error: &Error) -> Advice {
    if error.kind() != ErrorKind::Forbidden {
        return by_status(error);
    }
    let removed = removed_block(call.words.resource_type);
    forbidden(error, ReadForbidden { kind: &call.kind, removed: &removed }.into())
}

/// Warns, once per run and kind, that changes outside Terraform are not detected.
pub(crate) fn warn_unavailable(call: &mut Call<'_>, error: &Error) {
    let kind = call.kind;
    let meaning = match error.kind() {
        ErrorKind::NotImplemented => "The service does not offer this read.".to_owned(),
        _ => format!(
            "No read of this {kind} has succeeded so far, so this response does not distinguish a \
             missing {kind} from a missing operation or permission."
        ),
    };
    let message = Message::from(DriftUnavailable {
        object: &call.object,
        error,
        meaning: &meaning,
        kind: &kind,
        kinds: &call.words.kinds,
    });
    call.warn_once(message);
}

/// Warns, once per run, that a read was older than the state.
pub(crate) fn warn_stale(call: &mut Call<'_>) {
    let message = Message::from(Stale { object: &call.object });
    call.warn_once(message);
}

/// Warns that the object was deleted and created again since the state.
pub(crate) fn warn_recreated(call: &mut Call<'_>, create_time: Option<&str>) {
    let message = Message::from(Recreated {
        object: &call.object,
        located: &call.located_object(),
        kind: &call.kind,
        created: &call.session.client.presentable(create_time.unwrap_or_default()),
    });
    call.warn_again(message);
}

#[cfg(test)]
mod tests {
    use super::Conclusion::{AskList, Deleted, Error, ReadsUnavailable};
    use super::*;

    #[test]
    fn object_at_another_address_is_the_states_only_if_its_creation_time_is() {
        let (old, new) = (Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z"));
        // Creation times of the state and of the object; found at the same address, at another one,
        // and if the address is not known.
        let cases = [
            ((old, old), [Whose::Own, Whose::Own, Whose::Own]),
            ((old, new), [Whose::Other, Whose::Elsewhere, Whose::Elsewhere]),
            ((old, None), [Whose::Own, Whose::Elsewhere, Whose::Own]),
            ((None, new), [Whose::Own, Whose::Elsewhere, Whose::Own]),
        ];
        for (times, expected) in cases {
            let found = [LastSeen::Here, LastSeen::Elsewhere, LastSeen::Unknown]
                .map(|last_seen| identify(last_seen, times));
            assert_eq!(found, expected, "{times:?}");
        }
    }

    #[test]
    fn nothing_is_inferred_from_a_response_with_two_meanings() {
        let json = ErrorKind::NotFound { json: true };
        let gateway = ErrorKind::NotFound { json: false };
        // The response, read before, in the list.
        let cases = [
            (json, false, None, ReadsUnavailable),
            (json, true, None, AskList),
            (json, true, Some(InList::Lacks), Deleted),
            (json, true, Some(InList::ReadableLack), Deleted),
            (json, true, Some(InList::NotOffered), Deleted),
            (json, true, Some(InList::NotFound), Error),
            (json, true, Some(InList::Contains), Error),
            (json, true, Some(InList::Failed), Error),
            (gateway, false, None, ReadsUnavailable),
            (gateway, true, None, Error),
            (ErrorKind::NotImplemented, false, None, ReadsUnavailable),
            (ErrorKind::NotImplemented, true, None, ReadsUnavailable),
            (ErrorKind::Unauthorized, false, None, Error),
            (ErrorKind::Forbidden, false, None, Error),
            (ErrorKind::Forbidden, true, None, Error),
            (ErrorKind::Invalid, true, None, Error),
            (ErrorKind::Server, true, None, Error),
            (ErrorKind::Unreadable, false, None, Error),
            (ErrorKind::Unreachable, false, None, Error),
            (ErrorKind::Redirect, true, None, Error),
        ];
        for (kind, read_before, in_list, expected) in cases {
            let facts = Facts { read_before, in_list };
            assert_eq!(conclude(kind, facts), expected, "{kind:?}, {facts:?}");
        }
    }
}
