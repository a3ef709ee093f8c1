//! Errors and warnings that are the same for all entities: the event, its effect, and the next step.

use std::fmt;

use access_client::{Error, ErrorKind, ObjectName as _};

use super::existence::{Adoption, Unclear};
use super::message::{Advice, COMPLETE, Message};
use super::{Entity, Existing, Whose};
use crate::hcl::quoted;
use crate::repository::Repository;
use crate::service::{Cause, Contradiction, Session};

/// The moment at which an object is found that a create refuses.
#[derive(Clone, Copy)]
pub(crate) enum Moment<'m> {
    /// The create.
    Create,
    /// The plan of a replacement of `old`.
    Plan { old: &'m str },
    /// The destroy of `old`, before its replacement is created.
    Destroy { old: &'m str },
}

impl Moment<'_> {
    /// Returns the effect of a create that fails.
    pub(crate) fn effect(self, session: &Session, parents: &str) -> String {
        match self {
            Self::Create => not_created(session, parents),
            Self::Plan { old } => format!("The apply would destroy {old} and create nothing."),
            Self::Destroy { old } => format!(
                "{old} was not destroyed, because nothing would be created in its place: no request was \
                 sent, and its state is kept."
            ),
        }
    }
}

/// Returns what a create that fails leaves: what this run has deleted before is not there any more.
fn not_created(session: &Session, parents: &str) -> String {
    match session.writes.describe_deleted(parents) {
        None => "Nothing was changed.".to_owned(),
        Some(deleted) => format!("Nothing was created. {deleted}"),
    }
}

/// Returns the block that imports an object.
pub(crate) fn import_block(resource_type: &str, id: impl fmt::Display) -> String {
    let id = quoted(&id.to_string());
    format!("  import {{\n    to = {resource_type}.example\n    id = {id}\n  }}")
}

/// Returns the block that removes a resource from the state and keeps its object.
pub(crate) fn removed_block(resource_type: &str) -> String {
    format!(
        "  removed {{\n    from = {resource_type}.example\n    lifecycle {{\n      destroy = false\n    \
         }}\n  }}"
    )
}

fn export_command<E: Entity>(name: &E::Name) -> String {
    format!("`terraform-provider-access export {}/{}`", E::WORDS.parents, name.parent())
}

/// How an object that exists is managed, and how it can be adopted.
fn adoption<E: Entity>(existing: &E, instead: Option<String>) -> String {
    instead.unwrap_or_else(|| {
        format!(
            "To manage it, import it. {} prints the blocks of all. {}\n\n{}",
            export_command::<E>(existing.name()),
            E::WORDS.adoption,
            import_block(E::WORDS.resource_type, existing.name())
        )
    })
}

/// What to do about a role that records our own repository and directory.
const RENAMED: &str = "It records this repository and directory: perhaps another address of this configuration has \
     it, also under another provider alias. Then add a `moved` block, or remove one of the two; to import \
     or adopt it in the plan that destroys it there would lose it. Only if no address has it, as after a \
     killed apply: ";

/// The warning of a plan about an object that exists and may not be adopted. `None` after a few: the last
/// of them names the command for all.
pub(crate) fn exists_in_plan<E: Entity>(
    session: &Session,
    subject: &E::Subject,
    existing: &E,
) -> Option<Message> {
    let given = session.causes.count(Cause::ExistsInPlan, &existing.name().to_string());
    if given >= COMPLETE {
        return None;
    }
    let Existing { object, sentence, whose, instead, attribute } =
        E::describe_existing(session, subject, existing);
    let records_nothing = session.repository.written == Repository::default();
    let address = if whose == Whose::Ours && !records_nothing { RENAMED } else { "" };
    let others =
        if given + 1 == COMPLETE { "Others may exist as well and are not reported." } else { "" };
    let next = adoption(existing, instead);
    let detail = format!("{sentence}. The apply will not create it. {address}{others} {next}");
    Some(Message::new(format!("{object} exists already"), detail).at(attribute))
}

/// The error about an object that exists and may not be adopted.
pub(crate) fn exists<E: Entity>(
    session: &Session,
    subject: &E::Subject,
    existing: &E,
    moment: Moment<'_>,
) -> Message {
    let Existing { object, sentence, whose, instead, attribute } =
        E::describe_existing(session, subject, existing);
    let given = session.causes.count(Cause::Exists(E::WORDS.kind), &existing.name().to_string());
    if instead.is_none() && given >= COMPLETE {
        let export = export_command::<E>(existing.name());
        let summary = match moment {
            Moment::Create => format!("{object} exists already: import it, as {export} prints"),
            Moment::Plan { old } | Moment::Destroy { old } => {
                format!("{old} is not replaced: {object} exists already. See {export}")
            }
        };
        return Message::new(summary, "").at(attribute);
    }
    let effect = moment.effect(session, E::WORDS.parents);
    let detail = match moment {
        Moment::Create => {
            let kept = match whose {
                Whose::Ours => KEPT_OBJECT,
                Whose::Unknown if given == 0 && !E::CREATE_OVERWRITES => KEPT_OBJECT,
                _ => "",
            };
            format!("{kept}{sentence}. {effect} {}", adoption(existing, instead))
        }
        Moment::Plan { .. } | Moment::Destroy { .. } => format!(
            "{sentence}. {effect}\n\nIf another resource of this configuration has it: use `for_each` \
             and `moved` blocks if indices of `count` have shifted; rename a chain one by one, with an \
             apply each; swap two names through a third one (guide *Rename a role or an owner*). If it is \
             somebody else's: set \
             `adopt_existing = true`, or add a new resource block with\n\n{}\n\n(Terraform skips an \
             `import` block for an address that has an object.)",
            import_block(E::WORDS.resource_type, existing.name())
        ),
    };
    Message::new(format!("{object} exists already"), detail).at(attribute)
}

/// What happens to the object of a resource that is replaced by itself.
const KEPT_OBJECT: &str = "If this resource replaces itself with `create_before_destroy`, Terraform has kept the \
     previous object: remove `create_before_destroy`, drop `-replace`, `terraform untaint`, or set \
     `adopt_existing = true`.\n\n";

/// The error of a replacement whose adoption is known only after apply.
pub(crate) fn adoption_unknown<E: Entity>(
    session: &Session,
    subject: &E::Subject,
    existing: &E,
    moment: Moment<'_>,
) -> Message {
    let Existing { object, sentence, attribute, .. } =
        E::describe_existing(session, subject, existing);
    Message::new(
        format!("{object} exists already"),
        format!(
            "{sentence}. Whether it may be adopted is known only after apply. {} Set `adopt_existing` to a \
             value that is known.",
            moment.effect(session, E::WORDS.parents)
        ),
    )
    .at(attribute)
}

/// The error of a create of an object that this process has written.
pub(crate) fn written_already<E: Entity>(object: &str) -> Message {
    Message::new(
        format!("Two resources create one {}", E::WORDS.kind),
        format!(
            "{object}: another resource has created this {} in this run. This resource has sent nothing. \
             Keep one of the two.",
            E::WORDS.kind
        ),
    )
    .at(E::WORDS.subject_argument)
}

/// The warning of a plan that adopts an object. `effects` are the present values that change.
pub(crate) fn will_adopt<E: Entity>(
    session: &Session,
    existing: &E,
    (adoption, whose): (&Adoption, Whose),
    effects: &str,
) -> Message {
    let (will, condition) = match adoption {
        Adoption::DependsOn(arguments) => (
            "may",
            format!(
                " Whether it is adopted depends on `{}`, known only after apply. If not, the apply \
                 fails and changes nothing about it.",
                arguments.join("` and `")
            ),
        ),
        _ => ("will", String::new()),
    };
    let summary = format!("{} {will} be adopted", existing.name());
    let name = existing.name().to_string();
    if session.causes.count(Cause::Adoption(E::WORDS.kind), &name) >= COMPLETE {
        return Message::new(summary, "").at(E::WORDS.subject_argument);
    }
    let records_nothing = session.repository.written == Repository::default();
    let renamed = if whose == Whose::Ours && !records_nothing {
        " It records this repository and directory: if this plan destroys it under another address or \
         provider alias, add a `moved` block instead, or it is lost."
    } else {
        ""
    };
    let detail = format!(
        "{}: the {} exists.{condition} {effects}{renamed}",
        session.with_base_url(existing.name()),
        E::WORDS.kind
    );
    Message::new(summary, detail).at(E::WORDS.subject_argument)
}

/// Returns the advice after a list that failed; `None` if the status alone determines it. `base_url` is
/// the setting's name, and `instead` does without lists.
pub(crate) fn list_advice<E: Entity>(
    error: &Error,
    base_url: &str,
    instead: &str,
) -> Option<String> {
    match error.kind() {
        ErrorKind::NotImplemented => Some(format!("The service does not offer lists. {instead}")),
        ErrorKind::NotFound { .. } => Some(format!(
            "The {} does not exist, this API key may not see it, or the service does not offer lists. \
             Check the ID and {base_url}. {instead}",
            E::WORDS.parent_kind
        )),
        _ => None,
    }
}

/// Returns what happens to an object that exists and that a check could not see.
fn risk<E: Entity>() -> &'static str {
    if E::CREATE_OVERWRITES { "overwritten" } else { "added twice" }
}

/// The warning of a plan whose check does not show whether an object exists.
pub(crate) fn check_unavailable<E: Entity>(
    object: &str,
    parent: &str,
    response: &Unclear,
) -> Message {
    let [(argument, _), _] = E::WORDS.name_arguments;
    let kind = E::WORDS.kind;
    let reason = match response.kind {
        Some(ErrorKind::NotFound { json: true }) => format!(
            "The {} {parent} does not exist, this API key may not see it, or the service does not offer \
             reads. Check `{argument}` and `base_url`. If the {0} does not exist, the create fails.",
            E::WORDS.parent_kind
        ),
        Some(ErrorKind::NotFound { json: false }) => {
            "The response does not look like the service's own: is \
             `base_url` right? The provider adds /api/v1 itself."
                .to_owned()
        }
        Some(ErrorKind::Forbidden) => "This API key may not read it.".to_owned(),
        Some(ErrorKind::NotImplemented) => "The service does not offer reads.".to_owned(),
        None => "One of them may be the object.".to_owned(),
        Some(_) => "The list does not have the expected form.".to_owned(),
    };
    Message::new(
        format!("Could not check whether {object} exists"),
        format!(
            "{object}: {}.\n\n{reason} If the {kind} exists, it will be {}. Other {kind}s of this run may \
             be affected.",
            response.text,
            risk::<E>()
        ),
    )
    .at(E::WORDS.subject_argument)
}

/// The warning of a plan whose check has failed.
pub(crate) fn check_failed<E: Entity>(object: &str, error: &Error) -> Message {
    let (summary, effect) = match error.kind() {
        ErrorKind::Unauthorized | ErrorKind::Certificate | ErrorKind::NotTls => {
            (format!("The create of {object} will fail"), "The apply will fail")
        }
        ErrorKind::Server | ErrorKind::Unreachable | ErrorKind::Proxy { .. } => (
            format!("The create of {object} will fail if this lasts"),
            "The apply will fail if this lasts",
        ),
        _ => (
            format!("Could not check whether {object} exists"),
            "The create checks again and fails if this does not change",
        ),
    };
    let next = super::next_step::next_step(error, "");
    Message::new(
        summary,
        format!(
            "{object}: {error}.\n\n{effect}: nothing is sent for {} that could not be checked. Others of \
             this run may be affected. {next}",
            E::WORDS.a_kind
        ),
    )
    .at(E::WORDS.subject_argument)
}

/// The warning of a plan that creates an object under a parent that does not exist.
pub(crate) fn parent_not_found<E: Entity>(parent: &str, response: &Unclear) -> Message {
    let [(argument, _), _] = E::WORDS.name_arguments;
    Message::new(
        format!("{parent} was not found"),
        format!(
            "{}.\n\nThe {} does not exist, or this API key may not see it. The create fails if it does not \
             exist by then. Check `{argument}` and `base_url`.",
            response.text,
            E::WORDS.parent_kind
        ),
    )
    .at(argument)
}

/// The error of a replacement under a parent that does not exist.
pub(crate) fn new_parent_not_found<E: Entity>(
    session: &Session,
    parent: &str,
    response: &Unclear,
    moment: Moment<'_>,
) -> Message {
    let [(argument, _), _] = E::WORDS.name_arguments;
    Message::new(
        format!("{parent} was not found"),
        format!(
            "{}.\n\nThe {kind} does not exist, or this API key may not see it. {} Check `{argument}`. If \
             another resource of this plan creates the {kind}, refer to that resource, or apply it first \
             with `-target`. If the {kind} does exist: delete this block, apply, and add it again.",
            response.text,
            moment.effect(session, E::WORDS.parents),
            kind = E::WORDS.parent_kind
        ),
    )
    .at(argument)
}

/// The warning of a plan that creates a role which has to exist, and does not.
pub(crate) fn must_exist(object: &str) -> Message {
    Message::new(
        format!("{object} does not exist"),
        format!(
            "{object}: with `allow_missing = false` the role must exist already. The apply will fail. \
             Create it at the service, correct `listing` and `role`, or omit `allow_missing`."
        ),
    )
    .at("role")
}

/// The error of a replacement by a role which has to exist, and does not.
pub(crate) fn new_name_must_exist<E: Entity>(
    session: &Session,
    object: &str,
    moment: Moment<'_>,
) -> Message {
    Message::new(
        format!("{object} does not exist"),
        format!(
            "{object}: with `allow_missing = false` the role must exist already. {} Create it at the \
             service, correct `listing` and `role`, or omit `allow_missing`.",
            moment.effect(session, E::WORDS.parents)
        ),
    )
    .at("role")
}

/// Returns the next step after a check that failed before a replacement.
pub(crate) fn not_replaced_advice<E: Entity>(
    session: &Session,
    moment: Moment<'_>,
    error: &Error,
) -> Advice {
    let next = super::next_step::next_step(error, "");
    Advice::next(format!(
        "Before a replacement, the provider checks the new name. {} {next}",
        moment.effect(session, E::WORDS.parents)
    ))
    .at(E::WORDS.subject_argument)
}

/// The error of a plan that imports an object and replaces it. `kind` and `argument` are those of the
/// resource.
pub(crate) fn imported_and_replaced(
    (kind, argument): (&str, &'static str),
    imported: &str,
    new: Option<&str>,
) -> Message {
    let new = new.unwrap_or("an object whose name is known only after apply");
    Message::new(
        format!("{imported} is imported and would be destroyed"),
        format!(
            "This plan imports {imported} into a resource that describes {new}: the apply would destroy the \
             imported {kind} and create the other. Correct the `id` of the `import` block, or \
             `{argument}`. If the {kind} is to be replaced, import it first, with an apply of its own."
        ),
    )
    .at(argument)
}

/// The error of a replacement that leaves the old object for the first time.
pub(crate) fn abandoned_with_new_name(kind: &str, old: &str) -> Message {
    Message::new(
        format!("Could not replace {kind}"),
        format!(
            "{old}: the destroy of this {kind} still has the policy of the state, `delete`. To leave the \
             {kind} at the service, apply `deletion_policy = \"abandon\"` first, and the new name \
             afterwards."
        ),
    )
    .at("deletion_policy")
}

/// The warning of a create that overwrote an object which its check did not find.
pub(crate) fn overwritten<E: Entity>(session: &Session, object: &E) -> Message {
    let created = session.client.presentable(object.create_time().unwrap_or_default());
    Message::new(
        format!("{} was overwritten", object.name()),
        format!(
            "{}: the response shows that the {} was created at {created}, before this write, and no read \
             found it. If another configuration manages it, remove it from one of the two.",
            session.with_base_url(object.name()),
            E::WORDS.kind
        ),
    )
    .at(E::WORDS.subject_argument)
}

/// The warning about an object with two addresses.
pub(crate) fn kept_twice<E: Entity>(name: &str) -> Message {
    Message::new(
        format!("{name} has two addresses"),
        format!(
            "Another resource in the state manages this {} as well. Each undoes the changes of the other, \
             and removing one deletes the object of both. Remove one of them with\n\n{}",
            E::WORDS.kind,
            removed_block(E::WORDS.resource_type)
        ),
    )
    .at(E::WORDS.subject_argument)
}

/// The ways out for an object that a state still has to destroy, and that a configuration wants.
pub(crate) const DEPOSED_WAYS: &str = "If a deposed object is the cause (`terraform state list` does not show it, the plan \
     does) and the configuration wants the object, either run `terraform state rm` for its address and then \
     import it, or set `adopt_existing = true` and apply once with ACCESS_DELETION_POLICY=abandon. \
     `terraform destroy` works with `-refresh=false`.";

/// The error of two resources of one plan that contradict each other, at the attribute to blame.
pub(crate) fn contradiction(
    found: &Contradiction,
    resource_type: &str,
    kind: &str,
    object: &str,
) -> (String, String) {
    let moved = moved_blocks(resource_type);
    match found {
        Contradiction::CreatedTwice => (
            format!("Two resources create one {kind}"),
            format!(
                "{object}: another resource of this configuration creates the same object. Each would \
                 overwrite the other's changes, and removing one would delete the object of both. Keep one \
                 of them. {DEPOSED_WAYS}"
            ),
        ),
        Contradiction::CreatedAndKept => (
            format!("Two resources manage one {kind}"),
            format!(
                "{object}: another resource in the state has this object. If the indices of `count` have \
                 shifted, use `for_each`. {moved}\n\nA chain of new names is applied one by one, a swap \
                 through a third name. Otherwise keep one of the two resources."
            ),
        ),
        Contradiction::CreatedAndDestroyed => (
            format!("One {kind} is destroyed and created under two addresses"),
            format!(
                "{object}: one address, or a deposed object, destroys it, and another address creates it. \
                 Terraform does this in either order, and the object could be lost. If the indices of `count` have shifted, use `for_each`. {moved}\n\nA chain of new names is \
                 applied one by one, a swap through a third name. Otherwise apply the removal first and \
                 the addition afterwards. {DEPOSED_WAYS}"
            ),
        ),
        Contradiction::KeptAndDestroyed => (
            format!("One {kind} is destroyed and kept"),
            format!(
                "{object}: one resource, or a deposed object, destroys what another resource keeps. To \
                 discard the older state and keep the object, apply once with `-target` for the address \
                 that is destroyed and ACCESS_DELETION_POLICY=abandon, or replace the removed resource \
                 with\n\n{}\n\n`terraform destroy` works with `-refresh=false`.",
                removed_block(resource_type)
            ),
        ),
        Contradiction::CreatedAndAbandoned => (
            format!("Could not replace {kind}"),
            format!(
                "{object}: a state has this {kind}, and the deletion policy `abandon` leaves it at the \
                 service. It cannot be created again, and its state would be lost. Set `adopt_existing = \
                 true`, which writes it in place, or `deletion_policy = \"delete\"` and apply that first. \
                 Or do not replace it: drop `-replace`, run `terraform untaint`, or add a `moved` block if \
                 another address has it. `terraform destroy` works with `-refresh=false`."
            ),
        ),
        Contradiction::AllOwnersAndOwners(owners) => (
            "The owners of an integration are managed twice".to_owned(),
            format!(
                "{object}: `access_integration_owners` manages all owners of this integration, and \
                 `access_integration_owner` manages {}. The first removes what the second adds. Keep \
                 one of them. To keep `access_integration_owners`, list the owners in its `owners`, and \
                 replace each resource for a single owner with\n\n{}",
                owners.join(", "),
                removed_block("access_integration_owner")
            ),
        ),
    }
}

pub(crate) fn moved_blocks(resource_type: &str) -> String {
    format!(
        "For each resource with a new address, add a `moved` block, with which nothing is destroyed (guide \
         *Rename a role or an owner*):\n\n  \
         moved {{\n    from = {resource_type}.example[0]\n    to   = {resource_type}.example[\"key\"]\n  \
         }}"
    )
}

/// The error of a state without a valid name.
pub(crate) fn invalid_state(kind: &str) -> Message {
    Message::new(
        format!("Invalid state of {kind}"),
        "The state does not contain a valid name. It may have been edited. Remove it with `terraform \
         state rm` and import the object again.",
    )
}
