//! Many objects: how much of a message is printed. Of each kind three are complete in a run.

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
    /// A sentence about the object that every message of the call adds; usually empty.
    pub(crate) remark: &'a str,
}

impl Said {
    /// Adds a message to the diagnostics, as far as the others of its kind allow.
    pub(crate) fn report(&self, message: Message, about: &About<'_>, diags: &mut Diagnostics) {
        let Message { severity, kind, note, cause, fact, step, attribute } = message;
        let earlier = self.count(format!("{kind} {cause}"), about.object);
        let is_complete = earlier < COMPLETE;
        let note = if note.is_empty() { note } else { format!(": {note}") };
        let summary = format!("{}: {kind}{note}", about.object);
        let at = |text: &str| match about.base_url {
            Some(base_url) if !text.contains(base_url) => format!(" (at {base_url})"),
            _ => String::new(),
        };
        let detail = || {
            let fact = format!("{}{}: {fact}", about.object, at(&fact));
            paragraphs(&fact, &format!("{} {step}", about.remark))
        };
        match severity {
            Severity::Error if is_complete => {
                diags.report_attribute_error(attribute, summary, detail());
            }
            Severity::Error => {
                let line = format!("{summary}{} {}", at(&summary), about.remark);
                diags.report_attribute_error(attribute, line.trim_end().to_owned(), "");
            }
            Severity::Warning | Severity::Ownership if is_complete => {
                diags.report_attribute_warning(attribute, summary, detail());
            }
            Severity::Ownership => diags.report_attribute_warning(attribute, summary, ""),
            Severity::Warning => {
                let object = about.object.to_owned();
                diags.report_attribute_warning(attribute, format!("More objects: {kind}"), object);
            }
            Severity::Run if earlier == 0 => {
                diags.report_attribute_warning(attribute, kind, detail());
            }
            Severity::Run => {}
        }
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
    fn printed(message: fn() -> Message) -> Vec<String> {
        let said = Said::default();
        let mut diags = Diagnostics::default();
        for object in ["a", "b", "c", "d", "e", "a"] {
            let about = About { object, base_url: Some("https://eu"), remark: "" };
            said.report(message(), &about, &mut diags);
        }
        let all = diags.errors.iter().chain(&diags.warnings);
        let line = |detail: &str| if detail.contains("\n\n") { "+" } else { "" };
        all.map(|it| format!("{}{}", line(&it.detail), it.summary)).collect()
    }

    #[test]
    fn three_of_a_kind_are_complete_and_the_others_are_one_line_or_a_count() {
        assert_eq!(
            printed(|| Message::error("failed").note("why").fact("what.").step("Do it.")),
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
            printed(|| Message::warning("is gone").fact("what.").step("Do it.")),
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
            printed(|| Message::ownership("is adopted").note("x").fact("what.").step("Do it.")),
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
        assert_eq!(printed(run), ["+Could not look", "+Could not look"]);
    }
}
