//! Many objects: how much of a message is printed. Of each kind three are complete in a run. In the walk of
//! a refresh, and for objects that plans of creates find, the first is complete, and hosts fold the others
//! to a count.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use plugin_server::Report as _;
use tf_provider::Diagnostics;

use super::message::{Message, Severity, paragraphs};

/// The number of messages of a kind that are complete in a run.
const COMPLETE: usize = 3;

/// The kinds that a run has reported, with the objects that reported them.
///
/// Some hosts plan a resource twice and show only the warnings of the second plan. So an object that
/// reports a kind again counts as it did the first time.
#[derive(Default)]
pub(crate) struct Said(Mutex<HashMap<String, HashMap<String, usize>>>);

/// What a message is about.
pub(crate) struct About<'a> {
    pub(crate) object: &'a str,
    /// The base address of the run; configurations of several regions have objects of one name.
    pub(crate) base_url: Option<&'a str>,
    /// A sentence about the object that every error of the call adds; usually empty.
    pub(crate) remark: &'a str,
    /// The walk in which the first message of a kind stands for all of them, if this is one: the host goes
    /// on, and fails by the first error. It is part of the kind, because what another walk reports may not
    /// end the plan: a host shows the errors of a `check` as warnings.
    pub(crate) walk: Option<&'static str>,
}

impl Said {
    /// Adds a message to the diagnostics, as far as the others of its kind allow. Returns whether it is an
    /// error.
    pub(crate) fn report(
        &self,
        message: Message,
        about: &About<'_>,
        diags: &mut Diagnostics,
    ) -> bool {
        let Message { severity, kind, note, cause, fact, step, attribute, .. } = message;
        // A message about the run comes once, whatever the walk.
        let walk = about.walk.filter(|_| severity != Severity::Run).unwrap_or_default();
        let earlier = self.count(format!("{walk} {kind} {cause}"), about.object);
        let is_complete = earlier < about.walk.map_or(COMPLETE, |_| 1);
        let note = if note.is_empty() { note } else { format!(": {note}") };
        let summary = format!("{}: {kind}{note}", about.object);
        let base_url = |text: &str| about.base_url.filter(|base_url| !text.contains(base_url));
        // The summary of a message about the run has no object.
        let subject = if severity == Severity::Run { about.object } else { "" };
        let remark = if severity == Severity::Error { about.remark } else { "" };
        let detail = || {
            let fact = match (subject, base_url(&fact)) {
                ("", None) => fact,
                ("", Some(base_url)) => format!("At {base_url}: {fact}"),
                (subject, None) => format!("{subject}: {fact}"),
                (subject, Some(base_url)) => format!("{subject} (at {base_url}): {fact}"),
            };
            paragraphs(&fact, &format!("{remark} {step}"))
        };
        match severity {
            Severity::Error if is_complete => {
                diags.report_attribute_error(attribute, summary, detail());
                return true;
            }
            Severity::Error if about.walk.is_none() => {
                let at = base_url(&summary).map(|at| format!(" (at {at})")).unwrap_or_default();
                let line = format!("{summary}{at} {remark}").trim_end().to_owned();
                diags.report_attribute_error(attribute, line, "");
                return true;
            }
            Severity::Warning | Severity::Ownership if is_complete => {
                diags.report_attribute_warning(attribute, summary, detail());
            }
            Severity::Ownership => diags.report_attribute_warning(attribute, summary, ""),
            Severity::Error | Severity::Warning => {
                let object = about.object.to_owned();
                diags.report_attribute_warning(attribute, format!("More objects: {kind}"), object);
            }
            Severity::Run if earlier == 0 => {
                diags.report_attribute_warning(attribute, kind, detail());
            }
            Severity::Run => {}
        }
        false
    }

    /// Records that an object reports a kind. Returns how many others have reported it before.
    fn count(&self, kind: String, object: &str) -> usize {
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let objects = kinds.entry(kind).or_default();
        let others = objects.len();
        *objects.entry(object.to_owned()).or_insert(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the summaries that four objects and a repetition print, with "+" if complete.
    fn printed(walk: Option<&'static str>, message: fn() -> Message) -> Vec<String> {
        let said = Said::default();
        let mut diags = Diagnostics::default();
        for object in ["a", "b", "c", "d", "e", "a"] {
            let about = About { object, base_url: Some("https://eu"), remark: "", walk };
            said.report(message(), &about, &mut diags);
        }
        let all = diags.errors.iter().chain(&diags.warnings);
        let line = |detail: &str| if detail.contains("\n\n") { "+" } else { "" };
        all.map(|it| format!("{}{}", line(&it.detail), it.summary)).collect()
    }

    #[test]
    fn first_of_a_kind_are_complete_and_the_others_are_one_line_or_a_count() {
        assert_eq!(
            printed(None, || Message::error("failed").note("why").fact("what.").step("Do it.")),
            [
                "+a: failed: why",
                "+b: failed: why",
                "+c: failed: why",
                "d: failed: why (at https://eu)",
                "e: failed: why (at https://eu)",
                "+a: failed: why",
            ]
        );
        assert_eq!(
            printed(None, || Message::warning("is gone").fact("what.").step("Do it.")),
            [
                "+a: is gone",
                "+b: is gone",
                "+c: is gone",
                "More objects: is gone",
                "More objects: is gone",
                "+a: is gone",
            ]
        );
        assert_eq!(
            printed(None, || Message::ownership("is adopted")
                .note("x")
                .fact("what.")
                .step("Do it.")),
            [
                "+a: is adopted: x",
                "+b: is adopted: x",
                "+c: is adopted: x",
                "d: is adopted: x",
                "e: is adopted: x",
                "+a: is adopted: x",
            ]
        );
        let run = || Message::run("Could not look").fact("what.").step("Do it.");
        assert_eq!(printed(None, run), ["+Could not look", "+Could not look"]);
        let failed = || Message::error("failed").note("why").fact("what.").step("Do it.");
        let gone = || Message::warning("is gone").fact("what.").step("Do it.");
        let more = "More objects: failed";
        assert_eq!(
            printed(Some("refresh"), failed),
            ["+a: failed: why", "+a: failed: why", more, more, more, more]
        );
        let more = "More objects: is gone";
        assert_eq!(
            printed(Some("refresh"), gone),
            ["+a: is gone", more, more, more, more, "+a: is gone"]
        );
    }

    #[test]
    fn error_of_another_walk_is_not_the_first_of_a_kind() {
        let said = Said::default();
        let is_error = |object, walk| {
            let about = About { object, base_url: None, remark: "", walk };
            said.report(Message::error("failed"), &about, &mut Diagnostics::default())
        };
        assert!(is_error("data source", None) && is_error("import", None));
        assert!(is_error("a", Some("refresh")) && is_error("a", Some("create")));
        assert!(!is_error("b", Some("refresh")) && !is_error("b", Some("create")));
        assert!(is_error("b", None), "after the first apply call");
    }
}
