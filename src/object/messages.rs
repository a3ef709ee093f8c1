//! The facts of the messages about creates, collected for the declarations in
//! [`crate::messages::existing`].

use access_client::{Error, ErrorKind};

use super::Existing;
use super::call::Call;
use super::existence::{Adoption, Unclear};
use super::message::{Advice, COMPLETE, Message, Words};
use super::next_step::{NeededRead, by_status};
use crate::messages::existing::{
    AbandonsItself, AdoptionUnknown, CheckUnavailable, CreateMayFail, CreateWillFail, Exists,
    ExistsInReplacement, ExistsOtherwise, ImportedAndReplaced, InvalidState, MayAdopt,
    MissingInReplacement, NewNameUnclear, PERHAPS_LOST, PERHAPS_OWN, PERHAPS_RENAMED, WillAdopt,
    WillExist,
};
use crate::messages::import_block;
use crate::messages::reads::WasDeleted;
use crate::messages::requests::NotReplaced;
use crate::repository::Repository;
use crate::service::Cause;

/// The command that prints the blocks of all objects of the parent.
fn export_command(existing: &Existing) -> String {
    format!("`terraform-provider-access export {}`", existing.parent)
}

/// The command that prints the `import` block of a resource for all objects of the parent that it
/// has keys for.
fn export_for_command(existing: &Existing) -> String {
    format!("`terraform-provider-access export --for ADDRESS {}`", existing.parent)
}

/// How to manage an object that exists: by an import, for all objects there, or by adoption.
fn ways_to_manage(words: &Words, existing: &Existing) -> String {
    if let Some(instead) = &existing.instead {
        return instead.clone();
    }
    format!(
        "To manage it, import it:\n\n{}\n\n{} prints the blocks of all there. {}",
        import_block(words.resource_type, &existing.name),
        export_command(existing),
        words.adoption
    )
}

/// Returns whether a role records the repository and directory of this configuration, which records
/// any.
fn records_our_repository(call: &Call<'_>, existing: &Existing) -> bool {
    existing.is_ours == Some(true) && call.session.repository.written != Repository::default()
}

/// The warning of a plan about an object that exists and may not be adopted. `None` after a few:
/// the last of them names the command for all.
pub(crate) fn exists_in_plan(call: &Call<'_>, existing: &Existing) -> Option<Message> {
    let given = call.session.causes.count(Cause::ExistsInPlan, &existing.name);
    let others = match given + 1 {
        ..COMPLETE => "",
        COMPLETE => " Others may exist as well and are not reported.",
        _ => return None,
    };
    let mut ways = ways_to_manage(call.words, existing);
    if records_our_repository(call, existing) {
        ways = format!("{ways}\n\n{PERHAPS_RENAMED}");
    }
    let Existing { object, sentence, attribute, .. } = existing;
    let message = WillExist { object, existing: sentence, others: &others, ways: &ways };
    Some(Message::from(message).at(attribute))
}

/// The error of a create about an object that exists and may not be adopted.
pub(crate) fn exists(call: &Call<'_>, existing: &Existing) -> Message {
    let Existing { name, object, sentence, is_ours, instead, attribute, .. } = existing;
    if let Some(instead) = instead {
        let message = ExistsOtherwise { object, existing: sentence, instead };
        return Message::from(message).at(attribute);
    }
    let mut ways = ways_to_manage(call.words, existing);
    // An object that this configuration may have itself: a role records that, an owner does not.
    let may_be_own =
        is_ours.unwrap_or_else(|| call.session.causes.count(Cause::PerhapsOwn, name) == 0);
    if may_be_own {
        ways = format!("{ways}\n\n{PERHAPS_OWN}");
    }
    let export = export_for_command(existing);
    let message = Exists { object, existing: sentence, ways: &ways, export: &export };
    Message::from(message).at(attribute)
}

/// The objects of a replacement by another name, for its errors.
pub(crate) struct Renaming<'r> {
    pub(crate) old: &'r str,
    /// Both have the ID that the configuration gives, so they cannot exist at one time.
    pub(crate) has_same_id: bool,
}

impl Renaming<'_> {
    /// The way that keeps the old object in any case. `block` ends with what the block of the new
    /// one needs, or is empty.
    pub(crate) fn way(&self, block: &str) -> String {
        let old = self.old;
        if self.has_same_id {
            return format!(
                "The new object has the same `integration_owner_id`, which {old} has until it is deleted: delete \
                 this block, apply, and then add it with the new name."
            );
        }
        format!(
            "To keep {old} in any case, restore the old name in this block, add a block of its own for the new \
             name{block}, apply, and then delete the block of {old}."
        )
    }
}

/// The error of a replacement by a name that exists and may not be adopted.
pub(crate) fn exists_in_replacement(
    call: &Call<'_>,
    existing: &Existing,
    renaming: &Renaming<'_>,
) -> Message {
    let Existing { name, object, sentence, instead, attribute, .. } = existing;
    let old = renaming.old;
    let way = instead.clone().unwrap_or_else(|| {
        let block = import_block(call.words.resource_type, name);
        let argument = call.words.subject_argument;
        let way = renaming.way("");
        format!("{way} Give the new block, with the same `{argument}`,\n\n{block}")
    });
    let message = ExistsInReplacement { object, existing: sentence, old: &old, way: &way };
    Message::from(message).at(attribute)
}

/// The error of a replacement whose adoption is known only after apply.
pub(crate) fn adoption_unknown(
    existing: &Existing,
    adoption: &Adoption,
    renaming: &Renaming<'_>,
) -> Message {
    let Existing { object, sentence, attribute, .. } = existing;
    let arguments = &adoption.known_after_apply();
    let (old, way) = (&renaming.old, &renaming.way(", with an `import` block"));
    let message = AdoptionUnknown { object, existing: sentence, arguments, old, way };
    Message::from(message).at(attribute)
}

/// The warning of a plan that adopts an object. `effects` are the present values that change.
pub(crate) fn will_adopt(
    call: &Call<'_>,
    existing: &Existing,
    adoption: &Adoption,
    effects: &str,
) -> Message {
    let Existing { name: object, sentence: existing_sentence, .. } = existing;
    let renamed = if records_our_repository(call, existing) { PERHAPS_LOST } else { "" };
    let message = match adoption {
        Adoption::DependsOn(_) => MayAdopt {
            object,
            existing: existing_sentence,
            arguments: &adoption.known_after_apply(),
            effects: &effects,
            renamed: &renamed,
        }
        .into(),
        Adoption::Allowed | Adoption::Refused => Message::from(WillAdopt {
            object,
            existing: existing_sentence,
            effects: &effects,
            renamed: &renamed,
        }),
    };
    message.at(call.words.subject_argument)
}

/// The warning of a plan whose check does not show whether an object exists.
pub(crate) fn check_unavailable(call: &Call<'_>, parent: &str, response: &Unclear) -> Message {
    let Words { kind, kinds, parent_kind, name_arguments, create_overwrites, .. } = call.words;
    let risk = if *create_overwrites { "overwritten" } else { "added twice" };
    let is_gateway = response.kind() == Some(ErrorKind::NotFound { json: false });
    let fails = if is_gateway { "The create checks again, and may fail. " } else { "" };
    let check = NeededRead {
        subject: format!("The {parent_kind} {parent}"),
        operation: "reads",
        attribute: Some(name_arguments[0].0),
        alternative: format!("{fails}If the {kind} exists, it will be {risk}."),
    };
    let reason = match &response.error {
        Some(error) => check.advice(error).next,
        None => {
            format!("Entries of the list do not have the documented form. {}", check.alternative)
        }
    };
    let object = &call.object;
    let response = &response.text;
    let message = CheckUnavailable { object, response, reason: &reason, kinds };
    Message::from(message).at(call.words.subject_argument)
}

/// The warning of a plan whose check has failed.
pub(crate) fn check_failed(call: &Call<'_>, error: &Error) -> Message {
    let object = &call.object;
    let kinds = &call.words.kinds;
    let next = &by_status(error).next;
    let message: Message = match error.kind() {
        ErrorKind::Unauthorized => CreateWillFail { object, error, kinds, next }.into(),
        _ => CreateMayFail { object, error, kinds, next }.into(),
    };
    message.at(call.words.subject_argument)
}

/// The error of a replacement whose new name cannot be looked up: the response is a 404 that shows
/// nothing.
pub(crate) fn not_found_unclear(
    call: &Call<'_>,
    parent: &str,
    response: &Unclear,
    renaming: &Renaming<'_>,
) -> Message {
    let [(argument, _), _] = call.words.name_arguments;
    let message = NewNameUnclear {
        object: &call.object,
        response: &response.text,
        parent: &parent,
        parent_kind: &call.words.parent_kind,
        argument: &argument,
        old: &renaming.old,
        way: &renaming.way(""),
    };
    Message::from(message).at(argument)
}

/// The error of a replacement by a role that does not exist, with `allow_missing = false`.
pub(crate) fn missing_in_replacement(call: &Call<'_>, renaming: &Renaming<'_>) -> Message {
    let message = MissingInReplacement {
        object: &call.object,
        kind: &call.kind,
        arguments: &call.words.name_in_text(),
        old: &renaming.old,
        way: &renaming.way(" without `allow_missing = false`"),
    };
    Message::from(message).at(call.words.subject_argument)
}

/// Returns the next step after a look that failed before a replacement.
pub(crate) fn not_replaced_advice(
    call: &Call<'_>,
    error: &Error,
    renaming: &Renaming<'_>,
) -> Advice {
    let next = &by_status(error).next;
    let (old, way) = (&renaming.old, &renaming.way(""));
    Advice::from(NotReplaced { old, next, way }).at(call.words.subject_argument)
}

/// The error of a resource that would leave its object at the service and then could not create it.
pub(crate) fn abandons_itself(call: &Call<'_>, name: &str) -> Message {
    let object = call.session.with_base_url(name);
    let message = AbandonsItself { object: &object, kind: &call.kind };
    Message::from(message).at(call.words.subject_argument)
}

/// The error of a plan that imports an object and replaces it by `new`.
pub(crate) fn imported_and_replaced(call: &Call<'_>, new: Option<String>) -> Message {
    let argument = call.words.subject_argument;
    let new = new.unwrap_or_else(|| "an object whose name is known only after apply".to_owned());
    let imported = &call.object;
    let message =
        ImportedAndReplaced { imported, kind: &call.kind, new: &new, argument: &argument };
    Message::from(message).at(argument)
}

/// The error of a write, an import or a data source whose object is deleted.
pub(crate) fn was_deleted(call: &Call<'_>, at: &str) -> Message {
    let message = WasDeleted {
        object: &call.located_object(),
        summary: &call.summary(),
        kind: &call.kind,
        at: &call.session.client.presentable(at),
    };
    message.into()
}

/// The error of a state without a valid name.
pub(crate) fn invalid_state(kind: &str) -> Message {
    InvalidState { kind: &kind }.into()
}
