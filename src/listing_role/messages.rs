//! Errors and warnings about listing roles: the event, its effect on access, and the next step.

use access_client::api::ListingRole;
use access_client::{ListingRoleName, RoleField};
use tf_provider::value::Value;

use super::MANAGER;
use super::state::{ListingRoleState, changed_fields, known_resources};
use crate::object::call::{Call, Message};
use crate::object::managed::text;
use crate::object::{Entity as _, Existing};
use crate::service::Run;

fn name_of(state: &ListingRoleState) -> &str {
    text(&state.name).unwrap_or("The role")
}

/// The service did not recognise the caller.
pub(super) fn manager_not_recorded(response: &ListingRole) -> Message {
    let manager = response
        .manager
        .as_deref()
        .map_or_else(|| "no manager".to_owned(), |manager| format!("{manager:?} as the manager"));
    Message::new(
        "The service did not record Terraform as the manager",
        format!(
            "{}: the response to the write contains {manager}, not \"{MANAGER}\". The service did not \
             recognise the caller, so the role can be changed outside this configuration. A gateway or \
             `request_headers` that replace the User-Agent header have this effect. Further roles of \
             this run are not reported, and the manager is not planned again.",
            response.name
        ),
    )
    .at("manager")
}

/// The role is not managed by this provider, and the apply records that it is.
pub(super) fn manager_will_be_recorded(prior: &ListingRoleState) -> Message {
    let manager = match &prior.manager {
        Value::Value(manager) => format!("is managed by {manager:?}"),
        _ => "has no manager".to_owned(),
    };
    Message::new(
        "The manager of a role will be recorded",
        format!(
            "{}: the role {manager}: another client has created or changed it. Applying this plan \
             records \"{MANAGER}\". If the role is to be managed elsewhere, replace its resource with a \
             `removed` block instead.",
            name_of(prior)
        ),
    )
    .at("manager")
}

/// The service stored other values than were sent.
pub(super) fn stored_differently(name: &ListingRoleName, attributes: &[&'static str]) -> Message {
    let message = Message::new(
        format!("{name} was stored differently"),
        format!(
            "The response to the write has another `{}` than was sent. If the role can be read, the next \
             plan shows the difference.",
            attributes.join("`, `")
        ),
    );
    match attributes {
        [first, ..] => message.at(first),
        [] => message,
    }
}

/// Changed resources do not affect entitlements that were granted before. `None` if nothing is known to
/// change for those who hold the role.
pub(super) fn entitlements_stay(
    prior: &ListingRoleState,
    planned: &ListingRoleState,
) -> Option<Message> {
    let before = known_resources(&prior.resources).unwrap_or_default();
    let effect = match known_resources(&planned.resources) {
        None => "a resource that is removed is not revoked, and one that is added is not granted",
        Some(after) => match (before.is_subset(&after), before.is_superset(&after)) {
            (true, true) => return None,
            (true, false) => "a resource that is added is not granted",
            (false, true) => "a resource that is removed is not revoked",
            (false, false) => {
                "a resource that is removed is not revoked, and one that is added is not granted"
            }
        },
    };
    Some(
        Message::new(
            "Changing resources does not change granted access",
            format!(
                "{}: {effect} for those who hold the role. The change applies to new requests.",
                name_of(prior)
            ),
        )
        .at("resources"),
    )
}

/// Destroying or replacing a role does not revoke entitlements that were granted through it.
pub(super) fn access_is_not_revoked(object: &str, is_replaced: bool) -> Message {
    let action = if is_replaced { "Replacing" } else { "Destroying" };
    Message::new(
        format!("{action} a role does not revoke access"),
        format!(
            "{object}: users keep the entitlements that were granted through earlier requests for the \
             role. Revoke them at the service if they are to lose access."
        ),
    )
}

/// The role that replaces this one will not have its resources.
pub(super) fn resources_not_carried_over(object: &str) -> Message {
    Message::new(
        "A replacement does not have the role's resources",
        format!(
            "{object}: the configuration does not manage `resources`, so the role that replaces this one \
             is created without them. Set `resources` if the new role is to grant the same access."
        ),
    )
    .at("resources")
}

/// A role that exists and may not be adopted.
pub(super) fn describe_existing(run: &Run, role: &ListingRole) -> Existing {
    let object = run.at(&role.name);
    let sentence = if role.manager.as_deref() == Some(MANAGER) {
        format!("Another state may have the role. {object} exists, {}", ownership(run, role))
    } else {
        format!("{object} exists, {}", ownership(run, role))
    };
    Existing { object: role.name.to_string(), sentence, instead: None, attribute: "role" }
}

/// The present values that adopting a role overwrites.
pub(super) fn describe_adoption(
    run: &Run,
    role: &ListingRole,
    planned: &ListingRoleState,
    config: &ListingRoleState,
) -> String {
    let mut existing = planned.clone();
    existing.set_from_response(role.clone());
    let shown = |text: &str| run.client.presentable(text);
    let changes = changed_fields(Some(&existing), planned, config);
    let grants = changes.contains(&RoleField::Resources);
    let lines: Vec<String> = changes
        .into_iter()
        .filter_map(|field| match field {
            RoleField::DisplayName => {
                Some(format!("`display_name`, now {:?}", shown(&role.display_name)))
            }
            RoleField::Priority => Some(format!("`priority`, now {}", role.priority)),
            RoleField::Description => {
                Some(format!("`description`, now {:?}", shown(&role.description)))
            }
            RoleField::Resources => {
                let resources: Vec<_> = role.resources.iter().map(|text| shown(text)).collect();
                Some(format!("`resources`, now {resources:?}"))
            }
            // Every write records them.
            RoleField::RepoUri | RoleField::RepoDir => None,
        })
        .collect();
    let overwrites = if lines.is_empty() {
        "Its configured attributes are equal already.".to_owned()
    } else {
        format!("The apply overwrites {}.", lines.join("; "))
    };
    let entitlements =
        if grants { " Access that was granted earlier does not change." } else { "" };
    format!("It is {}. {overwrites}{entitlements}", ownership(run, role))
}

/// The create could not check whether the role existed.
pub(super) fn unchecked(call: &Call<'_>, response: &str) -> Message {
    Message::new(
        "An existing role may have been overwritten",
        format!(
            "{}: the provider could not check whether the role existed ({response}). If it existed, it has \
             been overwritten with this configuration. If another configuration manages the role, remove \
             it from one of the two. If the role must exist, set `allow_missing = false`.",
            call.operation.object
        ),
    )
    .at(ListingRole::SUBJECT_ARGUMENT)
}

/// The service returned a deleted role for a write.
pub(super) fn written_as_deleted(call: &Call<'_>, at: &str) -> Message {
    let at = call.run.client.presentable(at);
    Message::new(
        call.operation.summary(),
        format!(
            "{}: the service returned a role that was deleted at {at}. Choose another role ID, or have \
             the role restored.",
            call.run.at(&call.operation.object)
        ),
    )
    .at(ListingRole::SUBJECT_ARGUMENT)
}

/// Describes the manager and the repository of a role, as far as the service returns them.
fn ownership(run: &Run, role: &ListingRole) -> String {
    let shown = |text: &Option<String>| text.as_deref().map(|text| run.client.presentable(text));
    let manager = shown(&role.manager).map_or_else(
        || "without a recorded manager".to_owned(),
        |manager| format!("managed by {manager}"),
    );
    match (shown(&role.repo_uri), shown(&role.repo_dir)) {
        (Some(uri), Some(dir)) => format!("{manager} and recorded for {uri} in {dir}"),
        (Some(uri), None) => format!("{manager} and recorded for {uri}"),
        _ => manager,
    }
}
