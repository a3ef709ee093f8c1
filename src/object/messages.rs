//! Errors and warnings that are the same for all entities: the event, its effect, and the next step.

use std::fmt;

use access_client::{Error, ErrorKind};
use plugin_server::hcl::quoted;

use super::Existing;
use super::call::Call;
use super::existence::{Adoption, Unclear};
use super::message::{Advice, COMPLETE, Message, Words};
use super::next_step::{NeededRead, next_step};
use crate::repository::Repository;
use crate::service::Cause;

/// Returns what an apply of a replacement would do whose create would fail.
pub(crate) fn would_destroy(old: &str) -> String {
    format!(
        "Nothing was changed. An apply that destroys first would destroy {old} and create nothing."
    )
}

/// Returns an `import` block, and what to do where Terraform skips it.
pub(crate) fn import_block(resource_type: &str, id: impl fmt::Display) -> String {
    let id = quoted(&id.to_string());
    format!(
        "  import {{\n    to = {resource_type}.example # your resource\n    id = {id}\n  }}\n\nFor a resource \
         with keys, `terraform-provider-access export --for ADDRESS` prints the block with `for_each`. If the \
         address has an object already, Terraform skips the block: run `terraform state rm` for the address \
         first."
    )
}

pub(crate) fn removed_block(resource_type: &str) -> String {
    format!(
        "  removed {{\n    from = {resource_type}.example # your resource\n    lifecycle {{\n      destroy = false\n    \
         }}\n  }}"
    )
}

/// The command that prints the blocks of all objects of the parent.
fn export_command(existing: &Existing) -> String {
    format!("`terraform-provider-access export {}`", existing.parent)
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

/// Returns whether a role records the repository and directory of this configuration, which records any.
fn records_our_repository(call: &Call<'_>, existing: &Existing) -> bool {
    existing.is_ours == Some(true) && call.session.repository.written != Repository::default()
}

/// What to do about a role that records our own repository and directory.
const RENAMED: &str = "It records this repository and directory: perhaps another address of this configuration \
     has it, also under another provider alias. Then add a `moved` block, or remove one of the two: the destroy \
     at that address would delete it. ";

/// The warning of a plan about an object that exists and may not be adopted. `None` after a few: the last
/// of them names the command for all.
pub(crate) fn exists_in_plan(call: &Call<'_>, existing: &Existing) -> Option<Message> {
    let given = call.session.causes.count(Cause::ExistsInPlan, &existing.name);
    let others = match given + 1 {
        ..COMPLETE => "",
        COMPLETE => "Others may exist as well and are not reported. ",
        _ => return None,
    };
    let renamed = if records_our_repository(call, existing) { RENAMED } else { "" };
    let sentence = &existing.sentence;
    let next = ways_to_manage(call.words, existing);
    let detail = format!("{sentence}. The apply will not create it. {others}{renamed}{next}");
    Some(Message::new(format!("{} exists already", existing.object), detail).at(existing.attribute))
}

/// The error of a create about an object that exists and may not be adopted.
pub(crate) fn exists(call: &Call<'_>, existing: &Existing) -> Message {
    let Existing { name, object, sentence, is_ours, instead, attribute, .. } = existing;
    let given = call.session.causes.count(Cause::Exists(call.kind), name);
    if instead.is_none() && given >= COMPLETE {
        let export = export_command(existing);
        let summary = format!("{object} exists already (for all: import them, as {export} prints)");
        return Message::new(summary, "").at(attribute);
    }
    let next = ways_to_manage(call.words, existing);
    // An object that this configuration may have itself: a role records that, an owner does not.
    let may_be_own = is_ours.unwrap_or(given == 0);
    let own = if may_be_own { OWN_OBJECT } else { "" };
    let detail = format!("{sentence}. This resource changed nothing. {next}{own}");
    Message::new(format!("{object} exists already"), detail).at(attribute)
}

/// What to do if the object that exists is one of this configuration.
const OWN_OBJECT: &str = "\n\nIf this resource replaces itself with `create_before_destroy`, it still has the \
     object, unless `lifecycle { destroy = false }` is set: run `terraform untaint`, or plan without `-replace` \
     and `replace_triggered_by`. If another address of this configuration has the object, also under another \
     provider alias, add a `moved` block.";

/// The error of a replacement by a name that exists and may not be adopted.
pub(crate) fn exists_in_replacement(call: &Call<'_>, existing: &Existing, old: &str) -> Message {
    let Existing { name, object, sentence, instead, attribute, .. } = existing;
    let given = call.session.causes.count(Cause::Exists(call.kind), name);
    if instead.is_none() && given >= COMPLETE {
        let export = export_command(existing);
        let summary = format!(
            "{old} is not replaced: {object} exists already (for all: add new blocks, with the `import` \
             blocks that {export} prints)"
        );
        return Message::new(summary, "").at(attribute);
    }
    let would = would_destroy(old);
    let next = instead.clone().unwrap_or_else(|| {
        let block = import_block(call.words.resource_type, name);
        format!("{} with\n\n{block}", own_block(old))
    });
    let detail = format!("{sentence}. {would} {next}\n\n{SHIFTED}");
    Message::new(format!("{object} exists already"), detail).at(attribute)
}

/// The way to a new name that keeps the old object in any case. It ends before what the new block needs.
fn own_block(old: &str) -> String {
    format!(
        "To get there without risk, restore the old name in this block, add a block of its own for the new name, \
         apply, and then delete the block of {old}. Give the new block"
    )
}

/// What to do if the new name is that of another resource.
const SHIFTED: &str = "If another resource of this configuration has the name: use `for_each` over keys that are \
     names, and `moved` blocks, if indices have shifted; rename a chain one by one, with an apply each; swap two \
     names through a third one (guide *Rename a role or an owner*).";

/// The error of a replacement whose adoption is known only after apply.
pub(crate) fn adoption_unknown(existing: &Existing, adoption: &Adoption, old: &str) -> Message {
    let arguments = adoption.known_after_apply();
    let detail = format!(
        "{}. Whether it may be adopted depends on {arguments}, known only after apply. {} Apply first, with \
         `-target`, what the value comes from, or set one that is known.",
        existing.sentence,
        would_destroy(old)
    );
    Message::new(format!("{} exists already", existing.object), detail).at(existing.attribute)
}

/// The warning of a plan that adopts an object. `effects` are the present values that change.
pub(crate) fn will_adopt(
    call: &Call<'_>,
    existing: &Existing,
    adoption: &Adoption,
    effects: &str,
) -> Option<Message> {
    let arguments = adoption.known_after_apply();
    let (will, condition) = if arguments.is_empty() {
        ("will", String::new())
    } else {
        let condition = format!(
            " Whether it is adopted depends on {arguments}, known only after apply. If not, the apply fails \
             and changes nothing about it."
        );
        ("may", condition)
    };
    let name = &existing.name;
    let given = call.session.causes.count(Cause::Adoption(call.kind), name);
    let renamed = if records_our_repository(call, existing) {
        " It records this repository and directory: if this plan destroys it under another address or \
         provider alias, add a `moved` block instead, or it is lost."
    } else {
        ""
    };
    let detail = format!("{}.{condition} {effects}{renamed}", existing.sentence);
    let detail = if given < COMPLETE { detail } else { String::new() };
    Some(Message::new(format!("{name} {will} be adopted"), detail).at(call.words.subject_argument))
}

/// The warning of a plan whose check does not show whether an object exists.
pub(crate) fn check_unavailable(call: &Call<'_>, parent: &str, response: &Unclear) -> Message {
    let Words { kind, kinds, parent_kind, name_arguments, create_overwrites, .. } = call.words;
    let risk = if *create_overwrites { "overwritten" } else { "added twice" };
    let is_gateway = response.kind == Some(ErrorKind::NotFound { json: false });
    let fails = if is_gateway { "The create checks again, and may fail. " } else { "" };
    let check = NeededRead {
        subject: format!("The {parent_kind} {parent}"),
        operation: "reads",
        attribute: Some(name_arguments[0].0),
        alternative: format!("{fails}If the {kind} exists, it will be {risk}."),
    };
    let reason = response.kind.and_then(|kind| check.advice(kind).next).unwrap_or_else(|| {
        let alternative = &check.alternative;
        format!("The list does not have the expected form. Is `base_url` right? {alternative}")
    });
    let object = &call.object;
    let detail = format!(
        "{object}: {}.\n\n{reason} Other {kinds} of this run may be affected.",
        response.text
    );
    let summary = format!("Could not check whether {object} exists");
    Message::new(summary, detail).at(call.words.subject_argument)
}

/// The warning of a plan whose check has failed.
pub(crate) fn check_failed(call: &Call<'_>, error: &Error) -> Message {
    let (object, kinds, next) = (&call.object, call.words.kinds, next_step(error, ""));
    let detail = format!(
        "{object}: {error}.\n\nThe create checks again, and sends nothing if that check fails too. Other \
         {kinds} of this run may be affected. {next}"
    );
    let lasts = if error.kind() == ErrorKind::Unauthorized { "" } else { " if this lasts" };
    let summary = format!("The create of {object} will fail{lasts}");
    Message::new(summary, detail).at(call.words.subject_argument)
}

/// The error of a replacement whose new name cannot be looked up: the response is a 404 that shows nothing.
pub(crate) fn not_found_unclear(
    call: &Call<'_>,
    parent: &str,
    response: &Unclear,
    old: &str,
) -> Message {
    let [(argument, _), _] = call.words.name_arguments;
    let kind = call.words.parent_kind;
    let would = would_destroy(old);
    let way = own_block(old);
    let detail = format!(
        "{}.\n\nThis 404 does not show whether the new name is free: {parent} may not exist, this API key may \
         not see it, or the service does not offer reads. {would} Check `{argument}` and `base_url`. If another \
         resource of this plan creates the {kind}, refer to that resource, or apply it first with `-target`. \
         {way} the new name.",
        response.text
    );
    let summary = format!("Could not check whether {} exists", call.object);
    Message::new(summary, detail).at(argument)
}

/// A role that has to exist before its create, and does not: the warning of a plan, and the error of a
/// replacement. `effect` is that of the failure.
pub(crate) fn must_exist(object: &str, effect: &str) -> Message {
    let detail = format!(
        "{object}: with `allow_missing = false` the role must exist already. {effect} \
         Create it at the service, correct `listing` and `role`, or omit `allow_missing`."
    );
    Message::new(format!("{object} does not exist"), detail).at("role")
}

/// Returns the next step after a look that failed before a replacement.
pub(crate) fn not_replaced_advice(call: &Call<'_>, old: &str, error: &Error) -> Advice {
    let would = would_destroy(old);
    let next = next_step(error, "");
    let way = own_block(old);
    let text = format!(
        "Before a replacement, the provider looks for the new name. {would} {next} {way} the new name.\n\n{}",
        super::conflicts::DESTROY_ALL
    );
    Advice::next(text).at(call.words.subject_argument)
}

/// The error of a resource that would leave its object at the service and then could not create it.
pub(crate) fn abandons_itself(call: &Call<'_>, name: &str) -> Message {
    let kind = call.kind;
    let detail = format!(
        "{}: this resource has the {kind}, and the deletion policy `abandon` leaves it at the service. It \
         cannot be created again, and its state would be lost. Nothing was sent, and the state is kept. Run \
         `terraform untaint`, or plan without `-replace` and `replace_triggered_by`. If the new spelling or ID \
         is meant, set `adopt_existing = true`.",
        call.session.with_base_url(name)
    );
    Message::new(format!("Could not replace {kind}"), detail).at(call.words.subject_argument)
}

/// The error of a plan that imports an object and replaces it by `new`.
pub(crate) fn imported_and_replaced(call: &Call<'_>, new: Option<String>) -> Message {
    let (imported, kind, argument) = (&call.object, call.kind, call.words.subject_argument);
    let new = new.unwrap_or_else(|| "an object whose name is known only after apply".to_owned());
    let detail = format!(
        "This plan imports {imported} into a resource that describes {new}: the apply would destroy the \
         imported {kind} and create the other. Correct the `id` of the `import` block, or \
         `{argument}`. If the {kind} is to be replaced, import it first, with an apply of its own."
    );
    Message::new(format!("{imported} is imported and would be destroyed"), detail).at(argument)
}

/// The error of a replacement that leaves the old object for the first time.
pub(crate) fn abandoned_with_new_name(kind: &str, old: &str) -> Message {
    let detail = format!(
        "{old}: the destroy of this {kind} still has the policy of the state, `delete`. To leave the \
         {kind} at the service, apply `deletion_policy = \"abandon\"` first, and the new name \
         afterwards."
    );
    Message::new(format!("Could not replace {kind}"), detail).at("deletion_policy")
}

/// The error of a write, an import or a data source whose object is deleted.
pub(crate) fn was_deleted(call: &Call<'_>, at: &str) -> Message {
    let at = call.session.client.presentable(at);
    let detail = format!(
        "{}: the {} was deleted at {at}. Choose another ID, or have it restored.",
        call.located_object(),
        call.kind
    );
    Message::new(call.summary(), detail)
}

/// The warning about a list with entries that could not be read, in a result that lacks them.
pub(crate) fn skipped(call: &Call<'_>, reasons: &[String]) -> Message {
    let detail = format!(
        "{}: some entries could not be read and are missing from the result. {}",
        call.object,
        reasons.join("; ")
    );
    Message::new(format!("Entries of the list of {} were skipped", call.words.kinds), detail)
}

/// The error of a state without a valid name.
pub(crate) fn invalid_state(kind: &str) -> Message {
    let detail = "The state does not contain a valid name. It may have been edited. Remove it with \
                  `terraform state rm` and import the object again.";
    Message::new(format!("Invalid state of {kind}"), detail)
}
