//! Errors and warnings about listing roles: the event, its effect on access, and the next step.

use access_client::ListingRole;
use plugin_server::hcl::quoted;
use serde_json::Value as Json;
use tf_provider::value::Value;

use super::state::{ListingRoleState, MANAGER};
use crate::resource::value::known_text;
use crate::run::Run;
use crate::say::claims::STATE_KEPT;
use crate::say::{Advice, Message};

/// Describes the manager, the repository and the last write of a role, as far as they are recorded.
pub(super) fn recorded(run: &Run, role: &ListingRoleState) -> String {
    let text = |before: &str, value: &Value<String>| {
        let shown = known_text(value).map(|text| run.client.presentable(text));
        shown.map(|text| format!("{before}{text}"))
    };
    let manager = text("managed by ", &role.manager);
    let manager = manager.unwrap_or_else(|| "without a recorded manager".to_owned());
    let repository = match (text("", &role.repo_uri), text("", &role.repo_dir)) {
        (Some(uri), Some(dir)) => format!(", recorded for {uri} in {dir}"),
        (Some(uri), None) => format!(", recorded for {uri}"),
        (None, Some(dir)) => format!(", recorded for the directory {dir}"),
        (None, None) => String::new(),
    };
    let written = text(", last written ", &role.update_time).unwrap_or_default();
    format!("{manager}{repository}{written}")
}

/// Returns a value of an attribute as a configuration has it. Each text is made presentable by itself,
/// so a long set is complete.
pub(super) fn shown(run: &Run, value: &Json) -> String {
    match value {
        Json::String(text) => format!("{:?}", run.client.presentable(text)),
        Json::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| shown(run, item)).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A refresh shows a change by another client that is Terraform as well.
pub(super) fn written_by_other(
    run: &Run,
    role: &ListingRoleState,
    changes: &[(String, String)],
) -> Message {
    let names: Vec<_> = changes.iter().map(|(name, _)| format!("`{name}`")).collect();
    let values: Vec<_> =
        changes.iter().map(|(name, value)| format!("`{name}` = {value}")).collect();
    Message::ownership("was changed by Terraform since this state was stored")
        .note(names.join(", "))
        .fact(format!("{}. It has now {}.", recorded(run, role), values.join(", ")))
        .step(
            "Either the state of an apply was not stored: then nothing is to be done. Or another configuration, workspace \
             or resource writes it, and the two undo each other's changes: remove it from one of them, with a `removed` \
             block that has `destroy = false`.",
        )
}

/// The plan of a destroy, for a role that another configuration has written since.
pub(super) fn recorded_by_other(run: &Run, role: &ListingRoleState) -> Message {
    Message::ownership("is destroyed, and records another repository than after our last write")
        .note(repository(run, role))
        .fact(format!("{}.", recorded(run, role)))
        .step("If another configuration has it, use a `removed` block that has `destroy = false` in place of the destroy.")
}

/// An imported role records another repository.
pub(super) fn imported_from_other(run: &Run, role: &ListingRoleState) -> Message {
    Message::ownership("records another repository")
        .note(repository(run, role))
        .fact(format!("{}.", recorded(run, role)))
        .step(
            "If the other configuration keeps it, the two undo each other's changes: remove it from one of them, with a \
             `removed` block that has `destroy = false`. A configuration that only watches sets `repo_detection = \"off\"`.",
        )
}

/// Returns the recorded repository and directory, for a summary.
fn repository(run: &Run, role: &ListingRoleState) -> String {
    let parts = [&role.repo_uri, &role.repo_dir].into_iter().filter_map(known_text);
    parts.map(|text| run.client.presentable(text)).collect::<Vec<_>>().join(" in ")
}

/// The service did not recognise the caller of a write.
pub(super) fn manager_not_recorded(response: &ListingRole) -> Message {
    let manager = response
        .manager
        .as_deref()
        .map_or_else(|| "no manager".to_owned(), |manager| format!("{manager:?} as the manager"));
    Message::run("The service did not record Terraform as the manager")
        .fact(format!(
            "the response to the write has {manager}, not {}. So the role can be changed outside this configuration.",
            quoted(MANAGER)
        ))
        .step(
            "The service recognises the caller by the User-Agent header, which a gateway may replace. Once it does, the \
             next change of the role records the manager.",
        )
        .at("manager")
}

/// A role is written, and there is no repository to record.
pub(super) fn no_repository(reason: &str) -> Message {
    Message::run("No repository is recorded on roles")
        .fact(format!(
            "a new role will not record where it is configured, and an update leaves what the role records: {reason}."
        ))
        .step(
            "Set `repo_uri` and `repo_dir` of the provider, or ACCESS_REPO_URI and ACCESS_REPO_DIR. If none is to be \
             recorded, set `repo_detection = \"off\"`.",
        )
        .at("repo_uri")
}

/// Another client has written the role, and the apply records Terraform.
pub(super) fn manager_will_be_recorded(prior: &ListingRoleState) -> Message {
    let manager = match &prior.manager {
        Value::Value(manager) => format!("is managed by {manager:?}"),
        _ => "has no manager".to_owned(),
    };
    Message::warning("is not managed by Terraform, and will be")
        .fact(format!("the role {manager}: another client has created or changed it."))
        .step("If it is to be managed elsewhere, replace its resource with a `removed` block that has `destroy = false`.")
        .at("manager")
}

/// The service stored other values than were sent in these attributes.
pub(super) fn stored_differently(attributes: &[&'static str]) -> Message {
    Message::warning("was stored differently").fact(format!(
        "the response to the write has other values of `{}` than the request had. The next plan shows the difference.",
        attributes.join("`, `")
    ))
}

/// A change of `resources`, a destroy, or a replacement.
pub(super) fn entitlements_stay() -> Message {
    Message::run("Access that was granted earlier does not change")
        .fact(
            "what was granted through earlier requests for a role is neither revoked nor extended when the role changes \
             or is destroyed.",
        )
        .step("Revoke it at the service where somebody is to lose access.")
        .at("resources")
}

/// A replacement of a role whose `resources` are not managed.
pub(super) fn resources_not_carried_over() -> Message {
    Message::warning("is replaced without its resources")
        .fact("the configuration does not manage `resources`, so the new role is created without them.")
        .step("Set `resources` if the new role is to grant the same access.")
        .at("resources")
}

/// An update has written a role that somebody else made.
pub(super) fn updated_other(created: &str) -> Message {
    Message::warning("was made anew before this update")
        .fact(format!(
            "since the plan, the role was deleted, and somebody has created another role of this name ({created}). The \
             update has written that one."
        ))
        .step("If another configuration manages it, remove it from one of the two.")
        .at("role")
}

/// 404 to a create.
pub(super) fn listing_missing() -> Advice {
    Advice::new(
        "The listing does not exist, this API key may not see it, or the service does not have something that the \
         request names, such as one of `resources`. Check `listing` and `base_url`.",
    )
    .at("listing")
}

/// 404 to an update. `detects_drift` is whether refreshes read.
pub(super) fn role_gone(detects_drift: bool) -> Advice {
    let how = if detects_drift { "with a refresh" } else { "with `drift_detection = \"auto\"`" };
    Advice::new(format!(
        "The role may have been deleted outside Terraform after the plan. {STATE_KEPT} Plan again {how}, which \
         decides; if the service offers no reads, run `terraform state rm`."
    ))
    .at("role")
}

/// The response to a write has no role.
pub(super) fn written_unreadable(is_create: bool) -> Advice {
    Advice::new(if is_create {
        "The service reported success without the role, so the role may have been written. Plan again: the plan shows \
         what there is, and a role that exists has to be imported."
            .to_owned()
    } else {
        format!(
            "The service reported success without the role, so the role may have been changed. {STATE_KEPT} Plan again \
             with a refresh, which shows what there is."
        )
    })
}

/// 403 to a write of `resources`.
pub(super) fn resources_forbidden() -> Advice {
    Advice::new(
        "This API key may not write the role, or not its `resources`, which only admins may set. Use an admin's key. If \
         the key may write roles, omit `resources` from the configuration, so they are not managed. A listing that is \
         managed elsewhere also refuses.",
    )
    .at("resources")
}
