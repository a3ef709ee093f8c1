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

/// A replacement whose create would fail.
#[derive(Clone, Copy)]
pub(crate) struct Replacement<'r> {
    pub(crate) old: &'r str,
    /// Whether it is being planned. Otherwise, the destroy of the old object has begun.
    pub(crate) is_planned: bool,
}

impl Replacement<'_> {
    pub(crate) fn effect(self) -> String {
        let old = self.old;
        if self.is_planned {
            return format!("The apply would destroy {old} and create nothing.");
        }
        format!(
            "{old} was not destroyed, because nothing would be created in its place: no request was \
             sent, and its state is kept."
        )
    }
}

/// Returns what a create that fails leaves: what this run has deleted before is not there any more.
pub(crate) fn not_created(call: &Call<'_>) -> String {
    match call.session.writes.describe_deleted(call.words.parent_kind) {
        None => "Nothing was changed.".to_owned(),
        Some(deleted) => format!("Nothing was created. {deleted}"),
    }
}

pub(crate) fn import_block(resource_type: &str, id: impl fmt::Display) -> String {
    let id = quoted(&id.to_string());
    format!("  import {{\n    to = {resource_type}.example # your resource\n    id = {id}\n  }}")
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

/// How an object that exists is managed, and how it can be adopted.
fn adoption(words: &Words, existing: &Existing) -> String {
    if let Some(instead) = &existing.instead {
        return instead.clone();
    }
    let (export, adopt) = (export_command(existing), words.adoption);
    let block = import_block(words.resource_type, &existing.name);
    format!("To manage it, import it. {export} prints the blocks of all there. {adopt}\n\n{block}")
}

/// Returns whether a role records the repository and directory of this configuration, which records any.
fn records_our_repository(call: &Call<'_>, existing: &Existing) -> bool {
    existing.is_ours == Some(true) && call.session.repository.written != Repository::default()
}

/// What else a role may be that exists and records our own repository and directory.
const MOVED: &str = "If another address of this configuration has this role, also under another provider alias, \
     add a `moved` block. Without it, the destroy at that address deletes the role.\n\n";

/// What to do about a role that records our own repository and directory.
const RENAMED: &str = "It records this repository and directory: perhaps another address of this configuration \
     has it, also under another provider alias. Then add a `moved` block, or remove one of the two; to import \
     or adopt it in the plan that destroys it there would lose it. If no address has it, as after a killed \
     apply, it can be imported. ";

/// The warning of a plan about an object that exists and may not be adopted. `None` after a few: the last
/// of them names the command for all.
pub(crate) fn exists_in_plan(call: &Call<'_>, existing: &Existing) -> Option<Message> {
    let given = call.session.causes.count(Cause::ExistsInPlan, &existing.name);
    let others = match given + 1 {
        ..COMPLETE => "",
        COMPLETE => "Others may exist as well and are not reported. ",
        _ => return None,
    };
    let address = if records_our_repository(call, existing) { RENAMED } else { "" };
    let (sentence, next) = (&existing.sentence, adoption(call.words, existing));
    let detail = format!("{sentence}. The apply will not create it. {address}{others}{next}");
    Some(Message::new(format!("{} exists already", existing.object), detail).at(existing.attribute))
}

/// The error about an object that exists and may not be adopted. `replacement` is that of the object, and
/// `None` in its create.
pub(crate) fn exists(
    call: &Call<'_>,
    existing: &Existing,
    replacement: Option<Replacement<'_>>,
) -> Message {
    let Existing { name, object, sentence, is_ours, instead, attribute, .. } = existing;
    let given = call.session.causes.count(Cause::Exists(call.kind), name);
    if instead.is_none() && given >= COMPLETE {
        let export = export_command(existing);
        let summary = match replacement {
            None => format!("{object} exists already: import it, as {export} prints"),
            Some(Replacement { old, .. }) => {
                format!("{old} is not replaced: {object} exists already. See {export}")
            }
        };
        return Message::new(summary, "").at(attribute);
    }
    let detail = if let Some(replacement) = replacement {
        let effect = replacement.effect();
        let others = instead.clone().unwrap_or_else(|| {
            let block = import_block(call.words.resource_type, name);
            format!(
                "Set `adopt_existing = true`, or add a new resource block with\n\n{block}\n\n(Terraform \
                 skips an `import` block for an address that has an object.)"
            )
        });
        format!(
            "{sentence}. {effect}\n\nIf another resource of this configuration has it: use `for_each` \
             and `moved` blocks if indices of `count` have shifted; rename a chain one by one, with an \
             apply each; swap two names through a third one (guide *Rename a role or an owner*). Otherwise it \
             is somebody else's. {others}"
        )
    } else {
        let may_be_kept = is_ours.unwrap_or(given == 0);
        let kept = if may_be_kept { kept_object(instead.is_none()) } else { String::new() };
        let moved = if records_our_repository(call, existing) { MOVED } else { "" };
        format!("{kept}{moved}{sentence}. {} {}", not_created(call), adoption(call.words, existing))
    };
    Message::new(format!("{object} exists already"), detail).at(attribute)
}

/// Returns what happens to the object of a resource that is replaced by itself.
fn kept_object(is_adoptable: bool) -> String {
    let last = match is_adoptable {
        true => "`terraform untaint`, or set `adopt_existing = true`",
        false => "or `terraform untaint`",
    };
    format!(
        "If this resource replaces itself with `create_before_destroy`, Terraform has kept the previous \
         object: remove `create_before_destroy`, drop `-replace`, {last}.\n\n"
    )
}

/// The error of a replacement whose adoption is known only after apply.
pub(crate) fn adoption_unknown(
    existing: &Existing,
    adoption: &Adoption,
    replacement: Replacement<'_>,
) -> Message {
    let arguments = adoption.known_after_apply();
    let detail = format!(
        "{}. Whether it may be adopted depends on {arguments}, known only after apply. {} Apply first, with \
         `-target`, what the value comes from, or set one that is known.",
        existing.sentence,
        replacement.effect()
    );
    Message::new(format!("{} exists already", existing.object), detail).at(existing.attribute)
}

/// The warning of a plan that adopts an object. `effects` are the present values that change.
pub(crate) fn will_adopt(
    call: &Call<'_>,
    existing: &Existing,
    adoption: &Adoption,
    effects: &str,
) -> Message {
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
    Message::new(format!("{name} {will} be adopted"), detail).at(call.words.subject_argument)
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

/// A create under a parent that does not exist: the warning of a plan, and the error of a replacement.
pub(crate) fn parent_not_found(
    call: &Call<'_>,
    parent: &str,
    response: &Unclear,
    replacement: Option<Replacement<'_>>,
) -> Message {
    let [(argument, _), _] = call.words.name_arguments;
    let kind = call.words.parent_kind;
    let effect = match replacement {
        None => format!(
            "The create fails if the {kind} does not exist by then. Other {} of the {kind} may be affected.",
            call.words.kinds
        ),
        Some(replacement) => format!(
            "{} If another resource of this plan creates the {kind}, refer to that resource, or apply it \
             first with `-target`. If the {kind} does exist: delete this block, apply, and add it again.",
            replacement.effect()
        ),
    };
    let detail = format!(
        "{}.\n\nThe {kind} does not exist, or this API key may not see it. {effect} Check `{argument}` and \
         `base_url`.",
        response.text
    );
    Message::new(format!("{parent} was not found"), detail).at(argument)
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

/// Returns the next step after a check that failed before a replacement.
pub(crate) fn not_replaced_advice(
    call: &Call<'_>,
    replacement: Replacement<'_>,
    error: &Error,
) -> Advice {
    let (effect, next) = (replacement.effect(), next_step(error, ""));
    let text = format!("Before a replacement, the provider checks the new name. {effect} {next}");
    Advice::next(text).at(call.words.subject_argument)
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

/// The warning of a create that overwrote an object which its check did not find.
pub(crate) fn overwritten(call: &Call<'_>, name: &str, create_time: Option<&str>) -> Message {
    let created = call.session.client.presentable(create_time.unwrap_or_default());
    let detail = format!(
        "{}: the response shows that the {} was created at {created}, before this write, and no read \
         found it. If another configuration manages it, remove it from one of the two.",
        call.session.with_base_url(name),
        call.kind
    );
    Message::new(format!("{name} was overwritten"), detail).at(call.words.subject_argument)
}

/// The warning about an object with two addresses.
pub(crate) fn kept_twice(call: &Call<'_>) -> Message {
    let detail = format!(
        "Another resource has this {} as well. Each undoes the changes of the other, and removing one \
         deletes the object of both. To keep one, delete the `import` and the `resource` block of the other \
         before the apply, or replace its `resource` block afterwards with\n\n{}",
        call.kind,
        removed_block(call.words.resource_type)
    );
    let summary = format!("{} has two addresses", call.object);
    Message::new(summary, detail).at(call.words.subject_argument)
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
