//! Errors and warnings that are the same for all entities: the event, its effect, and the next step.

use std::fmt;

use access_client::{Error, ErrorKind};

use super::call::Message;
use super::create::{Phase, Unchecked};
use super::{Adoption, Entity, Existing};
use crate::hcl::quoted;
use crate::service::{Contradiction, Notice, Run};

/// The number of messages about existing objects that contain the `import` block.
const COMPLETE: usize = 3;

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

/// The message about an object that exists and may not be adopted: a warning of the plan, and the error
/// of the create.
pub(crate) fn exists<E: Entity>(
    run: &Run,
    subject: &E::Subject,
    existing: &E,
    phase: Phase,
) -> Message {
    let Existing { object, sentence, instead, attribute } =
        E::describe_existing(run, subject, existing);
    let (verb, effect) = match phase {
        Phase::Plan => ("plan", "The apply will not create it."),
        Phase::Apply => ("create", "Nothing was changed."),
    };
    let parent = E::parent(existing.name());
    let export = format!("`terraform-provider-access export {}/{parent}`", E::PARENTS);
    let summary = format!("{object} exists already");
    if instead.is_none() && run.notices.count(Notice::Exists(E::KIND, verb)) >= COMPLETE {
        return Message::new(format!("{summary}: import it, as {export} prints"), "").at(attribute);
    }
    let block = import_block(E::TYPE, existing.name());
    let next = instead.unwrap_or_else(|| {
        format!(
            "To manage it, import it. {export} prints the blocks of all. {}\n\n{block}",
            E::ADOPTION
        )
    });
    let replaces = match phase {
        Phase::Plan => "",
        Phase::Apply => {
            "\n\nIf this resource replaces itself with `create_before_destroy`, Terraform has kept the \
             previous object: remove `create_before_destroy`, drop `-replace`, `terraform untaint`, or \
             set `adopt_existing = true`."
        }
    };
    Message::new(summary, format!("{sentence}. {effect} {next}{replaces}")).at(attribute)
}

/// The error of a create of an object that this process has written.
pub(crate) fn written_already<E: Entity>(object: &str) -> Message {
    Message::new(
        format!("Two resources create one {}", E::KIND),
        format!(
            "{object}: another resource has created this {} in this run. Nothing was changed by this \
             resource. Keep one of the two.",
            E::KIND
        ),
    )
    .at(E::SUBJECT_ARGUMENT)
}

/// The warning of a plan that adopts an object. `effects` are the present values that change.
pub(crate) fn will_adopt<E: Entity>(
    run: &Run,
    existing: &E,
    adoption: &Adoption,
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
    Message::new(
        format!("{} {will} be adopted", existing.name()),
        format!("{}: the {} exists.{condition} {effects}", run.at(existing.name()), E::KIND),
    )
    .at(E::SUBJECT_ARGUMENT)
}

/// The warning of a plan whose look was not possible.
pub(crate) fn look_unavailable<E: Entity>(object: &str, response: &Unchecked) -> Message {
    let reason = match response.kind {
        Some(ErrorKind::NotFound { json: false }) => {
            "The response does not look like the service's own: is `base_url` right? The provider adds \
             /api/v1 itself."
        }
        Some(ErrorKind::Forbidden) => "This API key may not read it.",
        Some(ErrorKind::Unreadable) => "The list does not have the expected form.",
        Some(ErrorKind::NotFound { .. } | ErrorKind::NotImplemented) => {
            "The service does not offer reads."
        }
        None => "One of them may be the object.",
        _ => "The create fails if this does not change.",
    };
    let effect = if E::CREATE_OVERWRITES { "overwritten" } else { "added twice" };
    Message::new(
        format!("Could not check whether {object} exists"),
        format!(
            "{object}: {}.\n\n{reason} If the {kind} exists, it will be {effect}. Other {kind}s of \
             this run may be affected.",
            response.text,
            kind = E::KIND
        ),
    )
    .at(E::SUBJECT_ARGUMENT)
}

/// The warning of a plan for which the service returned 404 for objects and for their list.
pub(crate) fn parent_not_found<E: Entity>(parent: &str, response: &str) -> Message {
    let [(argument, _), _] = E::NAME_ARGUMENTS;
    Message::new(
        format!("{parent} was not found"),
        format!(
            "{response}.\n\nThe {} does not exist, this API key may not see it, or the service does not \
             offer reads. Check `{argument}` and `base_url`. The create fails if the {0} does not exist.",
            E::PARENT_KIND
        ),
    )
    .at(argument)
}

/// The warning of a create that overwrote an object which its look did not find.
pub(crate) fn overwritten<E: Entity>(run: &Run, object: &E) -> Message {
    let created = run.client.presentable(object.create_time().unwrap_or_default());
    Message::new(
        format!("{} was overwritten", object.name()),
        format!(
            "{}: the response shows that the {} was created at {created}, before this run, and no read \
             found it. If another configuration manages it, remove it from one of the two.",
            run.at(object.name()),
            E::KIND
        ),
    )
    .at(E::SUBJECT_ARGUMENT)
}

/// The error of a plan that replaces an object by itself and would not delete it.
pub(crate) fn abandoned_replacement<E: Entity>(object: &str) -> Message {
    let kind = E::KIND;
    Message::new(
        format!("Could not replace {kind}"),
        format!(
            "{object}: a state has this {kind}, and its deletion policy `abandon` leaves it at the \
             service. It cannot be created again, and its state would be lost. Set `adopt_existing = \
             true`, which writes it in place, or `deletion_policy = \"delete\"` and apply that first. Or \
             do not replace it: drop `-replace`, or run `terraform untaint`."
        ),
    )
    .at("deletion_policy")
}

/// The error of two resources of one plan that contradict each other.
pub(crate) fn contradiction(
    found: &Contradiction,
    resource_type: &str,
    kind: &str,
    object: &str,
) -> Message {
    let removed = removed_block(resource_type);
    let (summary, detail) = match found {
        Contradiction::CreatedTwice => (
            format!("Two resources create one {kind}"),
            "another resource of this configuration creates the same object. Each would overwrite the \
             other's changes, and removing one would delete the object of both. Keep one of them."
                .to_owned(),
        ),
        Contradiction::CreatedAndKept => (
            format!("Two resources manage one {kind}"),
            format!(
                "another resource in the state manages this object. Keep one of the two. If this is the \
                 same resource under a new address, add a `moved` block:\n\n{}",
                moved_block(resource_type)
            ),
        ),
        Contradiction::CreatedAndDestroyed => (
            format!("One {kind} is destroyed and created under two addresses"),
            format!(
                "Terraform does this in either order, and the object could be lost. If the resource was \
                 renamed, add a `moved` block, with which nothing is destroyed:\n\n{}\n\nIf not, apply \
                 the removal first and the addition afterwards. A deposed object is discarded by one \
                 apply with ACCESS_DELETION_POLICY=abandon, which leaves the {kind} at the service.",
                moved_block(resource_type)
            ),
        ),
        Contradiction::KeptAndDestroyed => (
            format!("One {kind} is destroyed and kept"),
            format!(
                "one resource, or a deposed object, destroys what another resource keeps. To discard \
                 the older state and keep the object, apply once with ACCESS_DELETION_POLICY=abandon, \
                 or replace the removed resource with\n\n{removed}"
            ),
        ),
        Contradiction::AllOwnersAndOwners(owners) => (
            "The owners of an integration are managed twice".to_owned(),
            format!(
                "`access_integration_owners` manages all owners of this integration, and \
                 `access_integration_owner` manages {}. The first removes what the second adds. Keep \
                 one of them. To keep `access_integration_owners`, list the owners in its `owners`, and \
                 replace each resource for a single owner with\n\n{}",
                owners.join(", "),
                removed_block("access_integration_owner")
            ),
        ),
    };
    Message::new(summary, format!("{object}: {detail}"))
}

fn moved_block(resource_type: &str) -> String {
    format!(
        "  moved {{\n    from = {resource_type}.old_name\n    to   = {resource_type}.new_name\n  }}"
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

/// Returns the next step after a failed request: `own`, or if that is empty what the status alone
/// determines.
pub(crate) fn next_step(error: &Error, own: &str) -> String {
    let next = if own.is_empty() { by_status(error.kind()) } else { own };
    // The API document does not show the bodies of errors: the service may send text as well.
    if error.kind() == ErrorKind::Forbidden && !error.is_from_service() {
        return format!(
            "The response does not look like the service's own: a gateway or proxy may have refused the \
             request. Check `base_url` and the gateways in front of the service. If it is the service: \
             {next}"
        );
    }
    next.to_owned()
}

fn by_status(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unauthorized => {
            "The API key is missing or not valid there. Check `api_key` or `api_key_file` (or \
             ACCESS_API_KEY, ACCESS_API_KEY_FILE), and that `base_url` names the region that issued the \
             key."
        }
        ErrorKind::Forbidden => {
            "This API key is not allowed to do this. Use a key with the permission, or have the \
             permission granted."
        }
        ErrorKind::NotFound { json: true } => {
            "The service does not have this object. Check the identifiers, and that `base_url` names the \
             right region."
        }
        ErrorKind::NotFound { json: false } => {
            "The response does not look like the service's own. Check `base_url`: the region and the \
             path prefix. The provider adds /api/v1 itself."
        }
        ErrorKind::NotImplemented => "The service does not offer this operation.",
        ErrorKind::TooManyRequests { .. } => {
            "The service limits requests. Wait and run Terraform again, lower `-parallelism`, set \
             `max_requests_per_second`, or raise `max_retry_wait`."
        }
        ErrorKind::Redirect => {
            "The provider never follows redirects, so that the API key is sent to `base_url` alone. Set \
             `base_url` to the final address."
        }
        ErrorKind::Unreadable => {
            "The response does not have the documented form. Check that `base_url` leads to the service \
             itself. TF_LOG_PROVIDER=TRACE logs the body."
        }
        ErrorKind::Certificate => {
            "The certificate was refused. If a private authority signed it, set `ca_file` to the \
             authority's PEM file. Certificate checks cannot be turned off."
        }
        ErrorKind::NotTls => {
            "The response is not TLS, so no request was sent. Check the scheme and the port of \
             `base_url`. The provider accepts `http` for loopback hosts only."
        }
        ErrorKind::Proxy { .. } => {
            "The proxy refused the connection. Check the proxy variable and its credentials, or add the \
             host of `base_url` to NO_PROXY."
        }
        ErrorKind::Unreachable => {
            "The service could not be reached or did not respond in time. Check host, port and scheme of \
             `base_url`, the proxy settings and `request_timeout`, and run Terraform again."
        }
        ErrorKind::Interrupted => "Terraform was interrupted. Run it again.",
        ErrorKind::Server => {
            "The service failed. The configuration does not need to change: run Terraform again, and \
             report the failure to the service's operators if it persists."
        }
        _ => {
            "The service did not accept the request. Correct what its message names, and run Terraform \
             again."
        }
    }
}
