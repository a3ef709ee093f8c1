//! What a create does, by what reads show about its object: the table of section "Creates" in
//! DESIGN.md. The create acts by it, its plan warns about it, and `stops_replacement` decides by it before
//! anything is destroyed.

/// What a look has found: the rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Exists,
    Absent,
    /// A 404 that no list explains.
    Unexplained,
    /// Reads are not offered or not allowed, or a list cannot be read.
    NoAnswer,
    Failed,
}

/// What the configuration and this process know about the object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intent {
    pub(crate) may_adopt: bool,
    /// Another create of this process has made the object, whatever a read that lags returns.
    pub(crate) is_written: bool,
}

/// What a create does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
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
pub(crate) fn decide(found: Found, intent: Intent) -> Outcome {
    match found {
        // The failure may pass. Until then, nothing shows what a write would overwrite or double.
        Found::Failed => Outcome::Fail,
        _ if intent.is_written => Outcome::RefuseMade,
        Found::Exists if intent.may_adopt => Outcome::Adopt,
        Found::Exists => Outcome::Refuse,
        Found::Absent => Outcome::Write,
        // Otherwise nothing could be created at a service without reads.
        Found::Unexplained | Found::NoAnswer => Outcome::WriteUnchecked,
    }
}

/// Decides whether a replacement by another name fails before anything is destroyed: in its first plan
/// call, and in the destroy that comes before the create.
pub(crate) fn stops_replacement(found: Found, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Write | Outcome::Adopt => false,
        Outcome::Refuse | Outcome::RefuseMade | Outcome::Fail => true,
        // A 404 may mean a parent that does not exist. Without reads, no name could be changed.
        Outcome::WriteUnchecked => found == Found::Unexplained,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_writes_only_what_does_not_exist_or_may_be_adopted() {
        use Outcome::{Adopt, Fail, Refuse, RefuseMade, Write, WriteUnchecked};
        // What was found; what the create does, if it may adopt, and if this process has made the
        // object; whether a replacement stops, and if it may adopt.
        for (found, outcome, adopting, made, stops, stops_adopting) in [
            (Found::Exists, Refuse, Adopt, RefuseMade, true, false),
            (Found::Absent, Write, Write, RefuseMade, false, false),
            (Found::Unexplained, WriteUnchecked, WriteUnchecked, RefuseMade, true, true),
            (Found::NoAnswer, WriteUnchecked, WriteUnchecked, RefuseMade, false, false),
            (Found::Failed, Fail, Fail, Fail, true, true),
        ] {
            let decided = |may_adopt, is_written| decide(found, Intent { may_adopt, is_written });
            assert_eq!(decided(false, false), outcome, "{found:?}");
            assert_eq!(decided(true, false), adopting, "{found:?}");
            assert_eq!([decided(false, true), decided(true, true)], [made; 2], "{found:?}");
            assert_eq!(stops_replacement(found, outcome), stops, "{found:?}");
            assert_eq!(stops_replacement(found, adopting), stops_adopting, "{found:?}");
            assert!(stops_replacement(found, made), "{found:?}");
        }
    }
}
