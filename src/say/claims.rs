//! What messages say about requests and the state: one sentence a claim, the same in all of them. The tests
//! read this file too, and compare each claim with both.

/// The call has sent no request that changes something.
pub(crate) const NOTHING_SENT: &str = "Nothing was sent.";

/// The destroy has sent no DELETE.
pub(crate) const NO_DELETE: &str = "No DELETE was sent.";

/// Nothing was changed by the resource, whatever others of the run have changed. A name may follow.
pub(crate) const CHANGED_NOTHING: &str = "This resource changed nothing";

/// The step leaves the state as it was.
pub(crate) const STATE_KEPT: &str = "The state is kept.";

/// The destroy ends as if it had deleted the object.
pub(crate) const STATE_DISCARDED: &str = "The older state is discarded.";
