//! What follows from what reads show: the tables of the sections "Reads", "Creates" and "Deletes" in
//! DESIGN.md. Nothing here sends a request or adds a message.

use access_client::time::{is_different, is_equal};

use super::seen::Seen;
use super::stored::LastSeen;

/// What the configuration and this process know about the object of a create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intent {
    pub(crate) may_adopt: bool,
    /// Another create of this process has made the object, whatever a read that lags returns.
    pub(crate) is_written: bool,
}

/// What a create does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnCreate {
    Write,
    /// Writes, and warns that an object may have existed.
    WriteUnchecked,
    Adopt,
    /// Refuses what exists: nothing is sent.
    Refuse,
    /// Refuses what another create of this process has made: nothing is sent.
    RefuseMade,
    /// Fails because the look has failed: nothing is sent.
    Fail,
}

/// Decides what a create does.
pub(crate) fn create<T, F>(seen: &Seen<T, F>, intent: Intent) -> OnCreate {
    match seen {
        // The failure may pass. Until then, nothing shows what a write would overwrite or double.
        Seen::Failed(_) => OnCreate::Fail,
        _ if intent.is_written => OnCreate::RefuseMade,
        Seen::Present(_) | Seen::OnlyListed(..) if intent.may_adopt => OnCreate::Adopt,
        Seen::Present(_) | Seen::OnlyListed(..) => OnCreate::Refuse,
        Seen::Deleted(_) | Seen::Gone => OnCreate::Write,
        // Otherwise nothing could be created at a service without reads.
        Seen::Unexplained(_) | Seen::NotOffered(_) | Seen::Forbidden(_) => OnCreate::WriteUnchecked,
    }
}

/// Decides whether a replacement by another name fails before anything is destroyed: in its first plan
/// call, and in the destroy that comes before the create.
pub(crate) fn stops_replacement<T, F>(seen: &Seen<T, F>, answer: OnCreate) -> bool {
    match answer {
        OnCreate::Write | OnCreate::Adopt => false,
        OnCreate::Refuse | OnCreate::RefuseMade | OnCreate::Fail => true,
        // A 404 may mean a parent that does not exist. Without reads, no name could be changed.
        OnCreate::WriteUnchecked => matches!(seen, Seen::Unexplained(_)),
    }
}

/// What a refresh does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnRefresh {
    Record,
    /// The state is removed, with a warning.
    Drop,
    /// The state is kept, with a warning.
    Keep,
    /// The state is kept, with an error.
    Fail,
}

/// Decides what a refresh does.
pub(crate) fn refresh<T, F>(seen: &Seen<T, F>) -> OnRefresh {
    match seen {
        Seen::Present(_) => OnRefresh::Record,
        Seen::Deleted(_) | Seen::Gone => OnRefresh::Drop,
        Seen::OnlyListed(..) | Seen::Unexplained(_) | Seen::NotOffered(_) => OnRefresh::Keep,
        Seen::Forbidden(_) | Seen::Failed(_) => OnRefresh::Fail,
    }
}

/// Decides whether a DELETE may be sent, as far as a read has not shown another object.
pub(crate) fn may_delete<T, F>(seen: &Seen<T, F>) -> bool {
    !matches!(seen, Seen::Failed(_))
}

/// What became of an object whose DELETE was answered 404.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterDelete {
    Gone,
    /// It is still there, or may be.
    Stays,
    /// The read has failed.
    Unread,
}

/// Decides what became of an object whose DELETE was answered 404.
pub(crate) fn after_delete<T, F>(seen: &Seen<T, F>) -> AfterDelete {
    match seen {
        Seen::Deleted(_) | Seen::Gone => AfterDelete::Gone,
        Seen::Failed(_) => AfterDelete::Unread,
        Seen::Present(_)
        | Seen::OnlyListed(..)
        | Seen::Unexplained(_)
        | Seen::NotOffered(_)
        | Seen::Forbidden(_) => AfterDelete::Stays,
    }
}

/// Whose an object is that was found under the name in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The state's, as far as is known.
    OfState,
    /// Another object: somebody has made it under the name.
    Other,
    /// Nothing shows that it is the state's, which may be at another address.
    Elsewhere,
}

/// Decides whose an object is. `times` are the creation times of the state and of the object.
pub(crate) fn identify(last_seen: LastSeen, times: (Option<&str>, Option<&str>)) -> Whose {
    let is_other = is_different(times.0, times.1);
    match last_seen {
        // Only the same time shows that the object at this address is the state's.
        LastSeen::Elsewhere if !is_equal(times.0, times.1) => Whose::Elsewhere,
        // Private state is lost: the state's object may be at another address.
        LastSeen::Unknown if is_other => Whose::Elsewhere,
        LastSeen::Here if is_other => Whose::Other,
        LastSeen::Here | LastSeen::Elsewhere | LastSeen::Unknown => Whose::OfState,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRESENT: Seen<(), ()> = Seen::Present(());
    const ONLY_LISTED: Seen<(), ()> = Seen::OnlyListed((), ());
    const DELETED: Seen<(), ()> = Seen::Deleted(());
    const GONE: Seen<(), ()> = Seen::Gone;
    const UNEXPLAINED: Seen<(), ()> = Seen::Unexplained(String::new());
    const NOT_OFFERED: Seen<(), ()> = Seen::NotOffered(String::new());
    const FORBIDDEN: Seen<(), ()> = Seen::Forbidden(());
    const FAILED: Seen<(), ()> = Seen::Failed(());

    #[test]
    fn create_writes_only_what_does_not_exist_or_may_be_adopted() {
        use OnCreate::{Adopt, Fail, Refuse, RefuseMade, Write, WriteUnchecked};
        // What was seen; what the create does, if it may adopt, and if this process has made the
        // object; whether a replacement stops, and if it may adopt.
        for (seen, plain, adopting, made, stops, stops_adopting) in [
            (PRESENT, Refuse, Adopt, RefuseMade, true, false),
            (ONLY_LISTED, Refuse, Adopt, RefuseMade, true, false),
            (DELETED, Write, Write, RefuseMade, false, false),
            (GONE, Write, Write, RefuseMade, false, false),
            (UNEXPLAINED, WriteUnchecked, WriteUnchecked, RefuseMade, true, true),
            (NOT_OFFERED, WriteUnchecked, WriteUnchecked, RefuseMade, false, false),
            (FORBIDDEN, WriteUnchecked, WriteUnchecked, RefuseMade, false, false),
            (FAILED, Fail, Fail, Fail, true, true),
        ] {
            let decided = |may_adopt, is_written| create(&seen, Intent { may_adopt, is_written });
            assert_eq!(decided(false, false), plain, "{seen:?}");
            assert_eq!(decided(true, false), adopting, "{seen:?}");
            assert_eq!([decided(false, true), decided(true, true)], [made; 2], "{seen:?}");
            assert_eq!(stops_replacement(&seen, plain), stops, "{seen:?}");
            assert_eq!(stops_replacement(&seen, adopting), stops_adopting, "{seen:?}");
            assert!(stops_replacement(&seen, made), "{seen:?}");
        }
    }

    #[test]
    fn only_a_witness_shows_that_an_object_is_gone() {
        use AfterDelete::{Gone, Stays, Unread};
        use OnRefresh::{Drop, Fail, Keep, Record};
        // What was seen; what a refresh does; whether a DELETE may be sent; what a 404 to it means.
        for (seen, refreshed, may_be_sent, after) in [
            (PRESENT, Record, true, Stays),
            (ONLY_LISTED, Keep, true, Stays),
            (DELETED, Drop, true, Gone),
            (GONE, Drop, true, Gone),
            (UNEXPLAINED, Keep, true, Stays),
            (NOT_OFFERED, Keep, true, Stays),
            (FORBIDDEN, Fail, true, Stays),
            (FAILED, Fail, false, Unread),
        ] {
            assert_eq!(refresh(&seen), refreshed, "{seen:?}");
            assert_eq!(may_delete(&seen), may_be_sent, "{seen:?}");
            assert_eq!(after_delete(&seen), after, "{seen:?}");
        }
    }

    #[test]
    fn object_at_another_address_is_the_states_only_if_its_creation_time_is() {
        let (old, new) = (Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z"));
        // Creation times of the state and of the object; found at the same address, at another one,
        // and if the address is not known.
        let cases = [
            ((old, old), [Whose::OfState, Whose::OfState, Whose::OfState]),
            ((old, new), [Whose::Other, Whose::Elsewhere, Whose::Elsewhere]),
            ((old, None), [Whose::OfState, Whose::Elsewhere, Whose::OfState]),
            ((None, new), [Whose::OfState, Whose::Elsewhere, Whose::OfState]),
            ((None, None), [Whose::OfState, Whose::Elsewhere, Whose::OfState]),
        ];
        for (times, expected) in cases {
            let found = [LastSeen::Here, LastSeen::Elsewhere, LastSeen::Unknown]
                .map(|last_seen| identify(last_seen, times));
            assert_eq!(found, expected, "{times:?}");
        }
    }
}
