//! Errors and warnings about listing roles: the event, its effect on access, and the next step.

use access_client::api::ListingRole;
use access_client::{ListingRoleName, RoleField};
use tf_provider::value::Value;

use super::state::{ListingRoleState, MANAGER, changed_fields, known_resources, repository_of};
use crate::object::call::{Call, Message};
use crate::object::existence::Unclear;
use crate::object::value::known_text;
use crate::object::{Describe as _, Existing, Report, Stored, Whose};
use crate::service::{Cause, Session};
use crate::time::is_before;

impl Report for ListingRole {
    fn describe_existing(session: &Session, _name: &ListingRoleName, role: &Self) -> Existing {
        let object = session.with_base_url(&role.name);
        let whose = whose(session, role);
        let owner = if is_by_other_configuration(session, role) {
            "Another configuration has this role, and two configurations undo each other's changes. "
        } else {
            ""
        };
        let sentence = format!("{owner}{object} exists, {}", ownership(session, role));
        Existing {
            object: role.name.to_string(),
            sentence,
            whose,
            instead: None,
            attribute: "role",
        }
    }

    fn describe_adoption(
        session: &Session,
        role: &Self,
        planned: &ListingRoleState,
        config: &ListingRoleState,
    ) -> String {
        let mut existing = planned.clone();
        existing.set_from_response(role.clone());
        let shown = |text: &str| session.client.presentable(text);
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
        format!("It is {}. {overwrites}{entitlements}", ownership(session, role))
    }

    fn unchecked(object: &str, response: &Unclear) -> Message {
        Message::new(
            "An existing role may have been overwritten",
            format!(
                "{object}: the provider could not check whether the role existed ({}). If it existed, it has \
                 been overwritten with this configuration. If another configuration manages the role, remove \
                 it from one of the two. If the role must exist, set `allow_missing = false`.",
                response.text
            ),
        )
        .at(Self::WORDS.subject_argument)
    }

    fn warn_read(call: &mut Call<'_>, stored: &Stored<Self>, role: &Self) {
        let state = &stored.state;
        let found = repository_of(role);
        let is_newer = is_before(known_text(&state.update_time), role.update_time.as_deref());
        if is_newer
            && role.manager.as_deref() == Some(MANAGER)
            && !found.is_empty()
            && !found.is_same(&state.repository())
        {
            let description = ownership(call.session, role);
            warn_other_configuration(call, &role.name.to_string(), &description);
        }
    }

    fn after_import(call: &mut Call<'_>, stored: &mut Stored<Self>) {
        warn_imported(call, &stored.state);
        stored.private.entity.own_repository = Some(stored.state.repository());
    }

    fn warn_found(call: &mut Call<'_>, stored: &Stored<Self>) {
        let state = &stored.state;
        let Some(own) = &stored.private.entity.own_repository else { return };
        let found = state.repository();
        if state.is_managed() && !found.is_empty() && !found.is_same(own) {
            let shown = |value: &Value<String>| {
                known_text(value).map(|text| call.session.client.presentable(text))
            };
            let description = recorded(
                Some(MANAGER.to_owned()),
                (shown(&state.repo_uri), shown(&state.repo_dir)),
                shown(&state.update_time),
            );
            warn_other_configuration(call, &call.operation.object.clone(), &description);
        }
    }
}

fn name_of(state: &ListingRoleState) -> &str {
    known_text(&state.name).unwrap_or("The role")
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

/// Returns whose repository a role records.
fn whose(session: &Session, role: &ListingRole) -> Whose {
    let is_ours = repository_of(role).is_same(&session.repository.written);
    match role.manager.as_deref() {
        Some(MANAGER) if is_ours => Whose::Ours,
        _ => Whose::Others,
    }
}

fn is_by_other_configuration(session: &Session, role: &ListingRole) -> bool {
    let is_recorded = role.repo_uri.is_some() || role.repo_dir.is_some();
    role.manager.as_deref() == Some(MANAGER) && is_recorded && whose(session, role) == Whose::Others
}

fn warn_other_configuration(call: &mut Call<'_>, name: &str, description: &str) {
    let message = Message::new(
        format!("{name} is written by another configuration"),
        format!(
            "{}: the role was written since the state, {description}. Two configurations undo each other's \
             changes: remove the role from one of them, with a `removed` block.",
            call.session.with_base_url(name)
        ),
    );
    call.warn_again(Cause::WrittenElsewhere(name.to_owned()), "written elsewhere", message);
}

/// An update has written a role that somebody else made.
pub(super) fn updated_other(session: &Session, role: &ListingRole) -> Message {
    let created = session.client.presentable(role.create_time.as_deref().unwrap_or_default());
    Message::new(
        format!("{} was made anew outside Terraform", role.name),
        format!(
            "{}: since the plan, the role was deleted, and somebody made another one (created {created}). \
             The update has written that one. If another configuration manages it, remove it from one of \
             the two.",
            session.with_base_url(&role.name)
        ),
    )
    .at("role")
}

/// The service returned a deleted role for a write.
pub(super) fn written_as_deleted(call: &Call<'_>, at: &str) -> Message {
    let at = call.session.client.presentable(at);
    Message::new(
        call.operation.summary(),
        format!(
            "{}: the service returned a role that was deleted at {at}. Choose another role ID, or have \
             the role restored.",
            call.session.with_base_url(&call.operation.object)
        ),
    )
    .at(ListingRole::WORDS.subject_argument)
}

/// Describes the manager, the repository and the last write of a role, as far as the service returns them.
fn ownership(session: &Session, role: &ListingRole) -> String {
    let shown =
        |text: &Option<String>| text.as_deref().map(|text| session.client.presentable(text));
    let repository = (shown(&role.repo_uri), shown(&role.repo_dir));
    recorded(shown(&role.manager), repository, shown(&role.update_time))
}

fn recorded(
    manager: Option<String>,
    repository: (Option<String>, Option<String>),
    update_time: Option<String>,
) -> String {
    let manager = manager.map_or_else(
        || "without a recorded manager".to_owned(),
        |manager| format!("managed by {manager}"),
    );
    let repository = match repository {
        (Some(uri), Some(dir)) => format!(" and recorded for {uri} in {dir}"),
        (Some(uri), None) => format!(" and recorded for {uri}"),
        (None, Some(dir)) => format!(" and recorded for the directory {dir}"),
        (None, None) => String::new(),
    };
    let written = update_time.map_or_else(String::new, |at| format!(", last written {at}"));
    format!("{manager}{repository}{written}")
}

/// Warns about the import of a role that another repository or directory has.
fn warn_imported(call: &mut Call<'_>, state: &ListingRoleState) {
    let recorded_pair = state.repository();
    if recorded_pair.is_empty() || recorded_pair.is_same(&call.session.repository.written) {
        return;
    }
    let shown =
        |value: &Value<String>| known_text(value).map(|text| call.session.client.presentable(text));
    let description = recorded(
        shown(&state.manager),
        (shown(&state.repo_uri), shown(&state.repo_dir)),
        shown(&state.update_time),
    );
    let name = call.operation.object.clone();
    call.warn(Message::new(
        format!("{name} belongs to another configuration"),
        format!(
            "{}: the imported role is {description}. Two configurations will write it, and undo each \
             other's changes: remove it from one of them, with a `removed` block.",
            call.session.with_base_url(&name)
        ),
    ));
}
