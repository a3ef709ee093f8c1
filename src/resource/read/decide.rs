//! What follows from what reads show about an object: the table of section "Reads" in DESIGN.md.

/// What reads show about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shown {
    /// GET returns it.
    Present,
    /// GET returns it with `deleteTime`, or GET is a 404 and the parent's list lacks it.
    Gone,
    /// GET is a 404, and the parent's list contains it.
    OnlyListed,
    /// GET is a 404, and no list explains it.
    Unexplained,
    /// GET is a 405 or 501.
    NotOffered,
    /// GET is a 403.
    Forbidden,
    /// GET has failed in another way.
    Failed,
}

/// What a refresh does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refresh {
    Record,
    /// The state is removed, with a warning.
    Drop,
    /// The state is kept, with a warning.
    Keep,
    /// The state is kept, with an error.
    Fail,
}

/// Decides what a refresh does. `is_young` is whether the object was created less than five minutes
/// before: reads may lag behind a create.
pub(crate) fn refresh(shown: Shown, is_young: bool) -> Refresh {
    match shown {
        Shown::Present => Refresh::Record,
        Shown::Gone if is_young => Refresh::Keep,
        Shown::Gone => Refresh::Drop,
        Shown::OnlyListed | Shown::Unexplained | Shown::NotOffered => Refresh::Keep,
        Shown::Forbidden | Shown::Failed => Refresh::Fail,
    }
}

/// Decides whether a DELETE may be sent, as far as a read has not shown another object.
pub(crate) fn may_delete(shown: Shown) -> bool {
    shown != Shown::Failed
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
pub(crate) fn after_delete(shown: Shown) -> AfterDelete {
    match shown {
        Shown::Gone => AfterDelete::Gone,
        Shown::Forbidden | Shown::Failed => AfterDelete::Unread,
        Shown::Present | Shown::OnlyListed | Shown::Unexplained | Shown::NotOffered => {
            AfterDelete::Stays
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_witness_shows_that_an_object_is_gone() {
        use AfterDelete::{Gone, Stays, Unread};
        use Refresh::{Drop, Fail, Keep, Record};
        // What is shown; a refresh, and of a young object; whether a DELETE may be sent; what a 404 to
        // it means.
        for (shown, refreshed, of_young, may_be_sent, after) in [
            (Shown::Present, Record, Record, true, Stays),
            (Shown::Gone, Drop, Keep, true, Gone),
            (Shown::OnlyListed, Keep, Keep, true, Stays),
            (Shown::Unexplained, Keep, Keep, true, Stays),
            (Shown::NotOffered, Keep, Keep, true, Stays),
            (Shown::Forbidden, Fail, Fail, true, Unread),
            (Shown::Failed, Fail, Fail, false, Unread),
        ] {
            assert_eq!(refresh(shown, false), refreshed, "{shown:?}");
            assert_eq!(refresh(shown, true), of_young, "{shown:?}");
            assert_eq!(may_delete(shown), may_be_sent, "{shown:?}");
            assert_eq!(after_delete(shown), after, "{shown:?}");
        }
    }
}
