//! What a failed read says about an object.
//!
//! The service documents no reads: a 404 to a GET may mean that the object is gone or that there
//! is no GET. Nothing is inferred from an answer that has two meanings, for a wrong inference
//! would empty a state.

use access_client::{Error, Meaning};

use crate::diagnostic::{Attempt, Report};
use crate::service::Evidence;
use tf_provider::Diagnostics;

/// What becomes of an object whose read failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The service says in its own words that the object does not exist.
    Gone,
    /// The service offers no reads, as far as anybody can tell: nothing is known.
    Blind,
    /// The read failed: nothing is known, and the user has to hear of it.
    Failed,
}

/// Judges a failed GET. `reads` says that a GET of this object was seen to work.
pub(crate) fn judge(error: &Error, reads: bool) -> Verdict {
    judge_meaning(&error.meaning(), reads)
}

fn judge_meaning(meaning: &Meaning, reads: bool) -> Verdict {
    match (meaning, reads) {
        (Meaning::NotFound { json: true }, true) => Verdict::Gone,
        // A gateway's 404: the object is somewhere else, or the base address is wrong.
        (Meaning::NotFound { json: false }, true) => Verdict::Failed,
        (Meaning::NotFound { .. }, false) | (Meaning::NotImplemented, _) => Verdict::Blind,
        _ => Verdict::Failed,
    }
}

/// Says, once per run and resource type, that drift cannot be seen.
pub(crate) fn warn_blind(evidence: &Evidence, kind: &str, error: &Error, diags: &mut Diagnostics) {
    if evidence.blind_warning.first() {
        diags.report_warning(
            format!("Drift of {kind}s cannot be seen"),
            format!(
                "{error}.\n\nReading one was never seen to work here, so this answer does not tell a \
                 missing {kind} from a missing operation. The state is kept as it is, and \
                 the plan compares it with the configuration alone. For roles, drift_detection = \
                 \"patch\" reads by the documented call; drift_detection = \"off\" stops asking, \
                 and makes every check for drift blind."
            ),
            None,
        );
    }
}

/// What a data source reads, for the words of a read that failed.
pub(crate) struct Wanted {
    /// What a 404 says is missing: "The role or its listing".
    pub(crate) what: &'static str,
    /// The attribute that names it.
    pub(crate) attribute: &'static str,
    /// The way out where the service lacks the operation.
    pub(crate) otherwise: &'static str,
}

/// Reports the failed read of a data source, which has no state to keep: nothing needs to be
/// inferred from an answer with two meanings, and both are said.
pub(crate) fn report_unread(
    attempt: &Attempt<'_>,
    error: &Error,
    wanted: &Wanted,
    diags: &mut Diagnostics,
) {
    let Wanted { what, attribute, otherwise } = wanted;
    let (next, blamed) = match error.meaning() {
        Meaning::NotFound { json: true } => (
            Some(format!(
                "{what} does not exist, the key may not see it, or the service does not offer \
                 this operation; the answer does not tell which. Check `{attribute}` and \
                 `base_url`. {otherwise}"
            )),
            Some(*attribute),
        ),
        Meaning::NotImplemented => {
            (Some(format!("The service does not offer this operation. {otherwise}")), None)
        }
        Meaning::Forbidden => (
            Some(
                "The key may not read this. Use one that may: data sources read under every \
                 drift_detection."
                    .to_owned(),
            ),
            None,
        ),
        _ => (None, None),
    };
    attempt.failed(error, next, blamed, diags);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judge_infers_nothing_from_an_answer_with_two_meanings() {
        let json = Meaning::NotFound { json: true };
        let text = Meaning::NotFound { json: false };
        let cases = [
            (&json, true, Verdict::Gone),
            (&json, false, Verdict::Blind),
            (&text, true, Verdict::Failed),
            (&text, false, Verdict::Blind),
            (&Meaning::NotImplemented, true, Verdict::Blind),
            (&Meaning::NotImplemented, false, Verdict::Blind),
            (&Meaning::Unauthorized, true, Verdict::Failed),
            (&Meaning::Forbidden, true, Verdict::Failed),
            (&Meaning::Server, true, Verdict::Failed),
            (&Meaning::Unreadable, true, Verdict::Failed),
            (&Meaning::Unreachable, false, Verdict::Failed),
            (&Meaning::Redirect, true, Verdict::Failed),
        ];
        for (meaning, reads, expected) in cases {
            assert_eq!(judge_meaning(meaning, reads), expected, "{meaning:?}, reads: {reads}");
        }
    }
}
