//! Errors and warnings about listing roles: the event, its effect on access, and the next step.

use access_client::api::ListingRole;
use access_client::time::is_before;
use access_client::{ListingRoleName, RoleField};
use tf_provider::value::Value;

use super::state::{ListingRoleState, MANAGER, changed_fields, known_resources};
use crate::object::call::Call;
use crate::object::existence::Unclear;
use crate::object::value::known_text;
use crate::object::{COMPLETE, Convert as _, Describe as _, Existing, Message, Report, Stored};
use crate::repository::Repository;
use crate::service::{Cause, Session};

impl Report for ListingRole {
    fn describe_existing(session: &Session, _name: &Self::Name, role: &Self) -> Existing {
        let existing = Self::from_response(role.clone());
        let object = session.with_base_url(&role.name);
        let is_managed = existing.is_managed();
        let is_ours = existing.repository().is_same(&session.repository.written);
        let is_by_other = is_managed && !is_ours && !existing.repository().is_empty();
        let owner = if is_by_other {
            "Another configuration has this role, and two configurations undo each other's changes. "
        } else {
            ""
        };
        Existing {
            name: role.name.to_string(),
            parent: Self::WORDS.parent_name(&role.name.listing),
            object: role.name.to_string(),
            sentence: format!("{owner}{object} exists, {}", ownership(session, &existing)),
            is_ours: Some(is_managed && is_ours),
            instead: None,
            attribute: "role",
        }
    }

    fn describe_adoption(
        session: &Session,
        role: &Self,
        planned: &Self::State,
        config: &Self::State,
    ) -> String {
        let existing = Self::from_response(role.clone());
        let mut changes = changed_fields(Some(&existing), planned, config);
        if session.repository.written.changes(&existing.repository()) {
            changes.push(RoleField::RepoUri);
        }
        let shown = |text: &String| session.client.presentable(text);
        let present = |field: &RoleField| match field {
            RoleField::DisplayName => {
                format!("`display_name`, now {:?}", shown(&role.display_name))
            }
            RoleField::Priority => format!("`priority`, now {}", role.priority),
            RoleField::Description => format!("`description`, now {:?}", shown(&role.description)),
            RoleField::Resources => {
                let resources: Vec<_> = role.resources.iter().map(shown).collect();
                format!("`resources`, now {resources:?}")
            }
            RoleField::RepoUri | RoleField::RepoDir => "the repository".to_owned(),
        };
        let overwrites = if changes.is_empty() {
            "Its configured attributes are equal already.".to_owned()
        } else {
            let present: Vec<String> = changes.iter().map(present).collect();
            format!("The apply overwrites {}.", present.join("; "))
        };
        let grants = changes.contains(&RoleField::Resources);
        let entitlements =
            if grants { " Access that was granted earlier does not change." } else { "" };
        overwrites + entitlements
    }

    fn unchecked(object: &str, response: &Unclear) -> Message {
        let detail = format!(
            "{object}: the provider could not check whether the role existed ({}). If it existed, it has \
             been overwritten with this configuration. If another configuration manages the role, remove \
             it from one of the two. If the role must exist, set `allow_missing = false`.",
            response.text
        );
        Message::new("An existing role may have been overwritten", detail).at("role")
    }

    fn warn_read(call: &mut Call<'_>, stored: &Stored<Self>, role: &Self) {
        let found = Self::from_response(role.clone());
        let update_time = known_text(&stored.state.update_time);
        if found.is_managed() && is_before(update_time, role.update_time.as_deref()) {
            warn_other_configuration(call, WRITTEN, &found, &stored.state.repository());
        }
    }

    fn after_import(call: &mut Call<'_>, stored: &mut Stored<Self>) {
        let own = &call.session.repository.written;
        let recorded = stored.state.repository();
        if own.changes(&recorded) {
            stored.private.entity.imported_pair = Some(recorded.clone());
        }
        warn_import(call, &stored.state, own);
        stored.private.entity.own_repository = Some(recorded);
    }

    fn warn_found(call: &mut Call<'_>, stored: &Stored<Self>) {
        if stored.state.is_managed()
            && let Some(own) = &stored.private.entity.own_repository
        {
            warn_other_configuration(call, WRITTEN, &stored.state, own);
        }
    }
}

const WRITTEN: &str = "is written by another configuration";

/// Warns about a role that records another repository than this configuration does.
fn warn_other_configuration(
    call: &mut Call<'_>,
    event: &str,
    role: &ListingRoleState,
    own: &Repository,
) {
    let recorded = role.repository();
    if recorded.is_empty() || recorded.is_same(own) {
        return;
    }
    let detail = format!(
        "{}: the role is {}. Two configurations that write a role undo each other's changes: remove it from one \
         of them, with a `removed` block. Other roles may be affected.",
        call.located_object(),
        ownership(call.session, role)
    );
    call.warn_again("written elsewhere", Message::new(format!("{} {event}", call.object), detail));
}

/// Warns about an imported role that records another repository: two configurations will write it.
fn warn_import(call: &mut Call<'_>, role: &ListingRoleState, own: &Repository) {
    let recorded = role.repository();
    if recorded.is_empty() || recorded.is_same(own) {
        return;
    }
    let summary = format!("{} records another repository", call.object);
    let given = call.session.causes.count(Cause::OtherRepository, &call.object);
    let detail = if given < COMPLETE {
        format!(
            "{}: the role is {}. The apply records this configuration's repository. If the other configuration \
             keeps the role, two configurations undo each other's changes: remove it from one of them, with a \
             `removed` block. A configuration that only watches sets `repo_detection = \"off\"`.",
            call.located_object(),
            ownership(call.session, role)
        )
    } else {
        String::new()
    };
    call.warn(Message::new(summary, detail));
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
    let detail = format!(
        "{}: the response to the write contains {manager}, not \"{MANAGER}\". The service did not \
         recognise the caller, so the role can be changed outside this configuration. A gateway or \
         `request_headers` that replace the User-Agent header have this effect. Further roles of \
         this run are not reported, and the manager is not planned again.",
        response.name
    );
    Message::new("The service did not record Terraform as the manager", detail).at("manager")
}

/// The role is not managed by this provider, and the apply records that it is.
pub(super) fn manager_will_be_recorded(prior: &ListingRoleState) -> Message {
    let manager = match &prior.manager {
        Value::Value(manager) => format!("is managed by {manager:?}"),
        _ => "has no manager".to_owned(),
    };
    let detail = format!(
        "{}: the role {manager}: another client has created or changed it. Applying this plan \
         records \"{MANAGER}\". If the role is to be managed elsewhere, replace its resource with a \
         `removed` block instead.",
        name_of(prior)
    );
    Message::new("The manager of a role will be recorded", detail).at("manager")
}

/// The service stored other values than were sent in these attributes, at least in one.
pub(super) fn stored_differently(name: &ListingRoleName, attributes: &[&'static str]) -> Message {
    let detail = format!(
        "The response to the write has another `{}` than was sent. If the role can be read, the next \
         plan shows the difference.",
        attributes.join("`, `")
    );
    Message::new(format!("{name} was stored differently"), detail).at(attributes[0])
}

/// Changed resources do not affect entitlements that were granted before. `None` if nothing is known to
/// change for those who hold the role.
pub(super) fn entitlements_stay(
    prior: &ListingRoleState,
    planned: &ListingRoleState,
) -> Option<Message> {
    let before = known_resources(&prior.resources).unwrap_or_default();
    // Whether resources are added and removed. Both may be, if the new ones are known only after apply.
    let changes = known_resources(&planned.resources)
        .map_or((true, true), |after| (!after.is_subset(&before), !before.is_subset(&after)));
    let effect = match changes {
        (true, true) => {
            "a resource that is removed is not revoked, and one that is added is not granted"
        }
        (true, false) => "a resource that is added is not granted",
        (false, true) => "a resource that is removed is not revoked",
        (false, false) => return None,
    };
    let detail = format!(
        "{}: {effect} for those who hold the role. The change applies to new requests.",
        name_of(prior)
    );
    let summary = "Changing resources does not change granted access";
    Some(Message::new(summary, detail).at("resources"))
}

pub(super) fn access_is_not_revoked(object: &str, is_replaced: bool) -> Message {
    let action = if is_replaced { "Replacing" } else { "Destroying" };
    let detail = format!(
        "{object}: users keep the entitlements that were granted through earlier requests for the \
         role. Revoke them at the service if they are to lose access. The same holds for all other roles \
         that this run destroys."
    );
    Message::new(format!("{action} a role does not revoke access"), detail)
}

pub(super) fn resources_not_carried_over(object: &str) -> Message {
    let detail = format!(
        "{object}: the configuration does not manage `resources`, so the role that replaces this one \
         is created without them. Set `resources` if the new role is to grant the same access."
    );
    Message::new("A replacement does not have the role's resources", detail).at("resources")
}

/// An update has written a role that somebody else made.
pub(super) fn updated_other(call: &Call<'_>, role: &ListingRole) -> Message {
    let created = call.session.client.presentable(role.create_time.as_deref().unwrap_or_default());
    let detail = format!(
        "{}: since the plan, the role was deleted, and somebody made another one (created {created}). \
         The update has written that one. If another configuration manages it, remove it from one of \
         the two.",
        call.located_object()
    );
    Message::new(format!("{} was made anew outside Terraform", role.name), detail).at("role")
}

/// Describes the manager, the repository and the last write of a role, as far as they are recorded.
fn ownership(session: &Session, role: &ListingRoleState) -> String {
    let text = |before: &str, value: &Value<String>| {
        let shown = known_text(value).map(|text| session.client.presentable(text));
        shown.map(|text| format!("{before}{text}"))
    };
    let manager = text("managed by ", &role.manager);
    let manager = manager.unwrap_or_else(|| "without a recorded manager".to_owned());
    let repository = match (text("", &role.repo_uri), text("", &role.repo_dir)) {
        (Some(uri), Some(dir)) => format!(" and recorded for {uri} in {dir}"),
        (Some(uri), None) => format!(" and recorded for {uri}"),
        (None, Some(dir)) => format!(" and recorded for the directory {dir}"),
        (None, None) => String::new(),
    };
    let written = text(", last written ", &role.update_time).unwrap_or_default();
    format!("{manager}{repository}{written}")
}
