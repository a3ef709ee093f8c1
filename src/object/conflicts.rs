//! The errors of two resources of a plan that contradict each other: complete a few times, then one line
//! each.

use super::call::Call;
use super::message::{Message, Reported};
use super::messages::contradiction;
use crate::service::Contradiction;

/// Adds the error of a contradiction, at the attribute that names the object.
pub(crate) fn report(call: &mut Call<'_>, found: &Contradiction) -> Reported {
    report_at(call, found, call.words.subject_argument)
}

pub(crate) fn report_at(
    call: &mut Call<'_>,
    found: &Contradiction,
    attribute: &'static str,
) -> Reported {
    let (summary, detail) = contradiction(call, found);
    let short = format!("{summary}: {}", call.located_object());
    let cause = summary.clone();
    call.fail_shortened(&cause, Message::new(summary, detail).at(attribute), short)
}
