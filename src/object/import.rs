//! Importing an object, by GET. An import never writes.

use access_client::{Invalid, ObjectName as _};
use tf_provider::Diagnostics;

use super::call::Call;
use super::message::{Message, Reported};
use super::needed_read::NeededRead;
use super::{Describe, Entity, Stored, messages};

/// Imports an object.
pub(crate) async fn import<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
) -> Result<Stored<E>, Reported> {
    let object = match E::get(&call.session.client, name).await {
        Ok(response) => response.object,
        Err(error) => {
            let needed = NeededRead {
                subject: format!("The {}", call.kind),
                operation: "reads",
                attribute: None,
                alternative:
                    "Without reads, an object cannot be imported: set `adopt_existing = true` on \
                              the resource instead, with which the next apply does the same."
                        .to_owned(),
            };
            return Err(call.failed_with(&error, needed.advice(error.kind())));
        }
    };
    if let Some(at) = object.delete_time() {
        return Err(call.fail(messages::was_deleted(call, at)));
    }
    let mut stored = Stored::<E>::default();
    stored.private.object.record_read(call.session, name.to_string());
    stored.private.object.record_own(object.create_time());
    let mut stored = E::after_read(stored, object);
    E::after_import(call, &mut stored);
    if call.session.plans.record_import(&name.to_string()) {
        call.warn(messages::kept_twice(call));
    }
    Ok(stored)
}

/// Returns the name in an import ID, or adds an error.
pub(crate) fn parse_import_id<E: Describe>(
    id: &str,
    diags: &mut Diagnostics,
) -> Result<E::Name, Reported> {
    parse_either_name::<E>(id).map_err(|_| {
        let detail = format!(
            "The import ID {id:?} has neither the form `{}` nor the two IDs with a slash between them.",
            E::WORDS.name_form
        );
        Message::new(format!("Could not import {}", E::WORDS.kind), detail).fail(diags)
    })
}

/// Parses an import ID or a function's argument: the full name, or the two IDs with a slash between
/// them. The error is the rule that the text breaks.
pub(crate) fn parse_either_name<E: Describe>(text: &str) -> Result<E::Name, Invalid> {
    match text.split_once('/') {
        Some((parent, id)) if !id.contains('/') => E::Name::of_ids(parent, id),
        _ => E::Name::parse(text),
    }
}
