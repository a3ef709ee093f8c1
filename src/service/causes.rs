//! How often the run has reported a cause: what concerns many objects is complete once, or a few
//! times.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use access_client::SharedCause;

/// A cause that may concern many objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Cause {
    /// A warning with this summary, which the refresh and the plan of an object would both add.
    InEitherCall(String),
    /// A warning with this summary.
    Warning(String),
    /// It cannot be checked whether objects of this kind exist.
    CheckUnavailable(&'static str),
    /// The check of an object of this kind failed with this status.
    CheckFailure(&'static str, Option<u16>),
    /// The check of objects failed, for a cause that concerns every object.
    SharedCheckFailure(SharedCause),
    /// The warning of a plan that an object exists and will not be created.
    ExistsInPlan,
    /// An object exists that this configuration may have itself.
    PerhapsOwn,
    /// A message of this family, about objects of this kind.
    Declared(&'static str, &'static str),
    /// A failure that concerns every object.
    SharedFailure(SharedCause),
    /// Operations of this summary failed with this status.
    Failure(String, Option<u16>),
}

/// The causes that a run has reported, with the objects that reported them.
///
/// Some hosts plan a resource twice and show only the second plan's warnings. So an object that
/// reports a cause again counts as it did the first time.
#[derive(Default)]
pub(crate) struct Causes(Mutex<HashMap<Cause, HashMap<String, usize>>>);

impl Causes {
    /// Records that a call (its verb) reports a cause. Returns whether no other kind of call has
    /// before.
    pub(crate) fn is_first_call(&self, cause: Cause, verb: &'static str) -> bool {
        self.count(cause, verb) == 0
    }

    /// Records that an object reports a cause. Returns how many others have reported it before.
    pub(crate) fn count(&self, cause: Cause, object: &str) -> usize {
        let mut causes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let objects = causes.entry(cause).or_default();
        let others = objects.len();
        *objects.entry(object.to_owned()).or_insert(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_counts_the_others_that_have_reported_a_cause_before() {
        let causes = Causes::default();
        let [exists, own] = [Cause::ExistsInPlan, Cause::PerhapsOwn];
        let roles = Cause::Declared("deleted outside", "listing role");
        let owners = Cause::Declared("deleted outside", "integration owner");
        // In this order: the cause, the object, and the others before it.
        for (cause, object, others) in [
            (&exists, "a", 0),
            (&exists, "b", 1),
            (&exists, "c", 2),
            // A resource that is planned twice.
            (&exists, "b", 1),
            (&exists, "a", 0),
            (&exists, "d", 3),
            (&own, "d", 0),
            (&roles, "a", 0),
            (&owners, "b", 0),
            (&roles, "b", 1),
        ] {
            assert_eq!(causes.count(cause.clone(), object), others, "{cause:?} of {object}");
        }
    }

    #[test]
    fn only_the_first_kind_of_call_reports_a_cause() {
        let causes = Causes::default();
        let cause = |summary: &str| Cause::InEitherCall(summary.to_owned());
        for (summary, verb, is_first) in [
            ("made again", "read", true),
            ("made again", "plan", false),
            ("made again", "read", true),
            ("written elsewhere", "plan", true),
            ("written elsewhere", "read", false),
        ] {
            assert_eq!(causes.is_first_call(cause(summary), verb), is_first, "{summary}: {verb}");
        }
    }
}
