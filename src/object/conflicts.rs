//! The errors of two resources of one plan that contradict each other: complete a few times, then one line
//! each.

use super::Entity;
use super::call::Call;
use super::message::{COMPLETE, Message, Reported};
use super::messages::contradiction;
use crate::service::{Cause, Contradiction};

/// Adds the error of a contradiction about an object of an entity.
pub(crate) fn report<E: Entity>(call: &mut Call<'_>, found: &Contradiction) -> Reported {
    report_at(call, found, E::WORDS.resource_type, E::WORDS.subject_argument)
}

/// Adds the error of a contradiction, at the attribute that names the object.
pub(crate) fn report_at(
    call: &mut Call<'_>,
    found: &Contradiction,
    resource_type: &str,
    attribute: &'static str,
) -> Reported {
    let object = call.session.with_base_url(&call.operation.object);
    let (summary, detail) = contradiction(found, resource_type, call.operation.kind, &object);
    let is_complete =
        call.session.causes.count(Cause::Conflict(summary.clone()), &object) < COMPLETE;
    let message = if is_complete {
        Message::new(summary, detail)
    } else {
        Message::new(format!("{summary}: {object}"), "")
    };
    call.fail(message.at(attribute))
}
