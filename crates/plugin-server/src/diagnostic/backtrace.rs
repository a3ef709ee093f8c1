//! Backtraces in the details of diagnostics.
//!
//! tf-provider's constructors append one if `RUST_BACKTRACE` is set, as it is in many pipelines.
//! Users would see the paths of the provider's sources in every error.

use std::backtrace::{Backtrace, BacktraceStatus};

/// The first frame, as the standard library formats it.
const FIRST_FRAME: &str = "   0: ";
/// The heading under which `anyhow` formats a backtrace.
const HEADING: &str = "Stack backtrace:";

/// Removes the backtraces at the end of a detail, and logs them for the provider's developers.
pub(super) fn remove_backtraces(detail: &mut String) {
    // Without a backtrace in this process, a text of this form is a part of the message.
    if !detail.contains(FIRST_FRAME) || Backtrace::capture().status() != BacktraceStatus::Captured {
        return;
    }
    let end = end_of_message(detail);
    if end < detail.len() {
        tracing::debug!(
            backtrace = detail.get(end..).unwrap_or_default().trim_start_matches('\n'),
            "the backtrace of a diagnostic was removed"
        );
        detail.truncate(end);
    }
}

/// Returns the length of the detail without the backtraces at its end.
fn end_of_message(detail: &str) -> usize {
    let mut message = detail;
    while let Some(start) = start_of_backtrace(message) {
        message = message.get(..start).unwrap_or_default().trim_end_matches('\n');
        message = message.strip_suffix(HEADING).unwrap_or(message).trim_end_matches('\n');
    }
    message.len()
}

/// Returns the position of the last backtrace if the text ends with it.
fn start_of_backtrace(text: &str) -> Option<usize> {
    let start = text.rfind(FIRST_FRAME)?;
    let begins_line = start == 0 || text.get(..start)?.ends_with('\n');
    let mut frames = 0;
    let is_backtrace =
        text.get(start..)?.lines().all(|line| match line.trim_start().split_once(": ") {
            Some((number, _)) if number.parse() == Ok(frames) => {
                frames += 1;
                true
            }
            // The location of a frame, or the name of an inlined function.
            _ => line.starts_with("      "),
        });
    (begins_line && is_backtrace).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(detail: &str) -> &str {
        &detail[..end_of_message(detail)]
    }

    #[test]
    fn backtrace_of_the_standard_library_is_removed() {
        let backtrace = Backtrace::force_capture().to_string();
        assert!(backtrace.contains("backtrace::tests"), "{backtrace}");
        assert_eq!(
            message(&format!("The jar is empty.\nFill it.\n{backtrace}")),
            "The jar is empty.\nFill it."
        );
        assert_eq!(message(&format!("Twice.\n{backtrace}{backtrace}")), "Twice.");
        assert_eq!(message(&format!("Cause.\n\nStack backtrace:\n{backtrace}")), "Cause.");
        assert_eq!(message(&backtrace), "");
    }

    #[test]
    fn backtrace_of_a_stripped_binary_is_removed() {
        assert_eq!(message("Text.\n   0: <unknown>\n   1: <unknown>\n   2: main\n"), "Text.");
        let with_inlined = "Text.\n   0: new\n             at /src/a.rs:1:2\n      inlined\n             at b.rs:3\n";
        assert_eq!(message(with_inlined), "Text.");
    }

    #[test]
    fn other_text_is_kept() {
        for text in [
            "",
            "Jars:\n   0: plum\n   2: pear",
            "   0: plum\n   1: pear\nand more",
            "see    0: plum",
        ] {
            assert_eq!(message(text), text);
        }
    }
}
