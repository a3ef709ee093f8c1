//! Errors and warnings about listing roles: the event, its effect on access, and the next step.

use access_client::api::ListingRole;
use access_client::time::is_before;
use access_client::{ListingRoleName, RoleField};
use plugin_server::hcl::quoted;
use tf_provider::value::Value;

use super::attributes::ATTRIBUTES;
use super::state::{ListingRoleState, MANAGER, changed_fields, known_resources};
use crate::messages::roles::{
    AccessStays, EntitlementsStay, ManagerNotRecorded, ManagerRecorded, MayBeOverwritten,
    OtherRepository, StoredDifferently, UpdatedOther, WrittenElsewhere,
};
use crate::object::attributes::attribute_of;
use crate::object::call::Call;
use crate::object::existence::Unclear;
use crate::object::value::known_text;
use crate::object::{Convert as _, Describe as _, Existing, Message, Report, Stored};
use crate::repository::Repository;
use crate::service::Session;

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
        let values = serde_json::to_value(&existing).unwrap_or_default();
        let present = |field: &RoleField| match attribute_of(ATTRIBUTES, *field) {
            Some(attribute) => {
                format!("`{attribute}`, now {}", shown(session, &values[attribute]))
            }
            // No attribute sets it.
            None => "the repository".to_owned(),
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
        MayBeOverwritten { object: &object, response: &response.text }.into()
    }

    fn warn_read(call: &mut Call<'_>, stored: &Stored<Self>, role: &Self) {
        let found = Self::from_response(role.clone());
        let update_time = known_text(&stored.state.update_time);
        if found.is_managed() && is_before(update_time, role.update_time.as_deref()) {
            warn_other_configuration(call, &found, &stored.state.repository());
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
            warn_other_configuration(call, &stored.state, own);
        }
    }
}

/// Returns a value of an attribute as a configuration has it. Each text is made presentable by
/// itself, so that a long set is complete.
fn shown(session: &Session, value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => format!("{:?}", session.client.presentable(text)),
        serde_json::Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| shown(session, item)).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// Warns about a role that records another repository than this configuration does.
fn warn_other_configuration(call: &mut Call<'_>, role: &ListingRoleState, own: &Repository) {
    let recorded = role.repository();
    if recorded.is_empty() || recorded.is_same(own) {
        return;
    }
    let message = Message::from(WrittenElsewhere {
        object: &call.object,
        located: &call.located_object(),
        ownership: &ownership(call.session, role),
    });
    call.warn_again(message);
}

/// Warns about an imported role that records another repository: two configurations will write it.
fn warn_import(call: &mut Call<'_>, role: &ListingRoleState, own: &Repository) {
    let recorded = role.repository();
    if recorded.is_empty() || recorded.is_same(own) {
        return;
    }
    let message = Message::from(OtherRepository {
        object: &call.object,
        located: &call.located_object(),
        ownership: &ownership(call.session, role),
    });
    call.warn(message);
}

/// Returns the full name in a state, for messages.
fn name_of(state: &ListingRoleState) -> &str {
    known_text(&state.name).unwrap_or("The role")
}

/// The service did not recognise the caller.
pub(super) fn manager_not_recorded(response: &ListingRole) -> Message {
    let manager = response
        .manager
        .as_deref()
        .map_or_else(|| "no manager".to_owned(), |manager| format!("{manager:?} as the manager"));
    let object = &response.name;
    ManagerNotRecorded { object, manager: &manager, ours: &quoted(MANAGER) }.into()
}

/// The role is not managed by this provider, and the apply records that it is.
pub(super) fn manager_will_be_recorded(prior: &ListingRoleState) -> Message {
    let manager = match &prior.manager {
        Value::Value(manager) => format!("is managed by {manager:?}"),
        _ => "has no manager".to_owned(),
    };
    let object = &name_of(prior);
    ManagerRecorded { object, manager: &manager, ours: &quoted(MANAGER) }.into()
}

/// The service stored other values than were sent in these attributes, at least in one.
pub(super) fn stored_differently(name: &ListingRoleName, attributes: &[&'static str]) -> Message {
    let message = StoredDifferently { object: name, attributes: &attributes.join("`, `") };
    Message::from(message).at(attributes[0])
}

/// Changed resources do not affect entitlements that were granted before. `None` if nothing is
/// known to change for those who hold the role.
pub(super) fn entitlements_stay(
    prior: &ListingRoleState,
    planned: &ListingRoleState,
) -> Option<Message> {
    let before = known_resources(&prior.resources).unwrap_or_default();
    // Whether resources are added and removed. Both may be, if the new ones are known only after
    // apply.
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
    Some(EntitlementsStay { object: &name_of(prior), effect: &effect }.into())
}

/// A destroy or a replacement of a role, which revokes nothing that was granted through it.
pub(super) fn access_is_not_revoked(object: &str, is_replaced: bool) -> Message {
    let action = if is_replaced { "Replacing" } else { "Destroying" };
    AccessStays { object: &object, action: &action }.into()
}

/// An update has written a role that somebody else made.
pub(super) fn updated_other(call: &Call<'_>, role: &ListingRole) -> Message {
    let message = UpdatedOther {
        object: &role.name,
        located: &call.located_object(),
        created: &call.session.client.presentable(role.create_time.as_deref().unwrap_or_default()),
    };
    message.into()
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
