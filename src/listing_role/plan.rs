//! Planning a listing role: the effects of a create on an existing role, the changes of an update,
//! and the effects of a destroy and a replacement on access.

use access_client::api::ListingRole;
use access_client::{ListingRoleName, RoleField};
use plugin_server::plan_modifier::use_state_for_unknown;
use tf_provider::Diagnostics;
use tf_provider::value::Value;
use tokio::time::Instant;

use super::diagnostics::{
    Overwrites, refuse_existing, warn_manager_changed, warn_of_entitlements,
    warn_of_revoked_nothing, warn_overwrites, warn_resources_may_be_lost,
    warn_resources_not_carried_over,
};
use super::state::{
    ListingRolePrivateState, ListingRoleState, Private, Resources, State, changed_fields, keys_of,
    planned_text,
};
use crate::object::list::reads_before_list;
use crate::object::operation::Operation;
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::require_address;
use crate::object::stale::parse_time;
use crate::object::{Object, conflict, delete, existence};
use crate::private_state::{PrivateState, of_replaced_object};
use crate::repository::{Pair, same_dir, same_uri};
use crate::service::{Existence, Service, saved_plan};

/// Plans a create. When a role is replaced, Terraform also passes the private state of the plan to the
/// destroy of the old role, which needs that of the old role; `create` ignores it.
pub(super) async fn plan_create(
    service: Option<&Service>,
    proposed: State,
    config: &State,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let replaced = of_replaced_object::<ListingRolePrivateState>()
        .filter(|replaced| replaced.object.name.is_some());
    let repository = service.map(|service| service.repository.pair());
    let planned = proposed.planned_create(config, repository);
    let of_create = || ListingRolePrivateState {
        object: ObjectPrivateState::of_create(),
        ..ListingRolePrivateState::default()
    };
    let (Some(service), Some(name)) = (service, planned.role_name()) else {
        let mut private = replaced.unwrap_or_else(of_create);
        private.object.is_marked = Some(false);
        return Some((planned, PrivateState(private)));
    };
    let keys = keys_of(&name);
    let conflicts = &service.roles.conflicts;
    let is_tainted = replaced.is_none();
    let own = replaced.or_else(|| conflicts.tainted_private_state(&keys));
    let is_same_name = own.as_ref().is_some_and(|own| own.object.name.as_ref() == keys.first());
    // Nothing was planned before for a tainted object, so nothing is withdrawn.
    let withdrawn = if is_same_name && !is_tainted { keys.as_slice() } else { &[] };
    let writes_tainted = is_same_name && is_tainted && !adopts(&planned);
    let registered = conflicts
        .plan_create(&keys, withdrawn)
        .and_then(|()| if writes_tainted { conflicts.plan_tainted(&keys) } else { Ok(()) });
    conflict::check(registered, ListingRole::RESOURCE_TYPE, &service.at(&name), "role", diags)?;
    let mut own = own.unwrap_or_else(of_create);
    if is_same_name {
        return plan_same_name(service, planned, config, own, is_tainted, &name, diags);
    }
    own.object.is_marked = Some(false);
    if reads_before_list(service.drift_detection).is_some()
        || conflicts.loaded_states.name_any(&keys)
        // The apply of a saved plan receives no note, and before Terraform 1.16 no private state.
        || saved_plan::is_applied()
    {
        return check_existence(service, planned, config, own, &name, diags).await;
    }
    Some((planned, PrivateState(own)))
}

/// Plans a same-name replacement: the apply destroys the role first, or writes it again in place.
/// `own` is the private state of the role.
fn plan_same_name(
    service: &Service,
    planned: ListingRoleState,
    config: &ListingRoleState,
    mut own: ListingRolePrivateState,
    is_tainted: bool,
    name: &ListingRoleName,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let operation = Operation { verb: "replace", kind: ListingRole::KIND, name };
    require_address(service, &operation, &own.object, diags)?;
    note_same_name(service, name, own.object.create_time.as_deref());
    if is_tainted {
        let resource = ListingRole::RESOURCE_TYPE;
        conflict::warn_taken_for_tainted(resource, &service.at(name), "role", diags);
        warn_of_revoked_nothing(&planned, "replacing", diags);
        if config.resources.is_null() {
            warn_resources_may_be_lost(&planned, diags);
        }
    } else {
        // Terraform discards the warnings of this plan, the second one of the replacement, so the
        // create gives them.
        let note = [unannounced(name)];
        service.handoff.note_same_name_replacement(&service.base_url, &note, None);
    }
    let is_marked = *own.object.is_marked.get_or_insert(true);
    let planned = if is_marked { planned.mark_same_name_replacement(config) } else { planned };
    Some((planned, PrivateState(own)))
}

fn note_same_name(service: &Service, name: &ListingRoleName, create_time: Option<&str>) {
    let created_at = create_time.and_then(parse_time);
    service.handoff.note_same_name_replacement(&service.base_url, &keys_of(name), created_at);
}

/// Fails the plan of a create if the role exists and is not to be adopted, so that a pull request
/// shows it. Warns about what an adoption overwrites. `own` is the private state of a role of another
/// name that the same resource has now.
async fn check_existence(
    service: &Service,
    planned: ListingRoleState,
    config: &ListingRoleState,
    own: ListingRolePrivateState,
    name: &ListingRoleName,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let operation = Operation { verb: "create", kind: ListingRole::KIND, name };
    let started = Instant::now();
    let existence = match existence::check::<ListingRole>(service, name).await {
        Ok(existence) => existence,
        // The create of a saved plan makes a check of its own.
        Err(_) if saved_plan::is_applied() => return Some((planned, PrivateState(own))),
        Err(error) => {
            operation.failed_to_refresh(service, &error, None, diags);
            return Some((planned, PrivateState(own)));
        }
    };
    let mut private = own;
    let mut planned = planned;
    if let Existence::Exists(role) = &existence {
        let resources = Resources::of(config);
        let undecided = undecided_adoption(&planned);
        if adopts(&planned) {
            warn_overwrites(service, role, &planned, resources, &Overwrites::Planned, diags);
        } else if existence::is_tainted(service, &keys_of(name), &**role) {
            let resource = ListingRole::RESOURCE_TYPE;
            conflict::warn_taken_for_tainted(resource, &service.at(name), "role", diags);
            note_same_name(service, name, role.create_time.as_deref());
            private.object.name = Some(name.to_string());
            private.object.create_time = role.create_time.clone();
            private.object.is_marked = Some(true);
            planned = planned.mark_same_name_replacement(config);
        } else if !undecided.is_empty() {
            let form = Overwrites::DependsOn(undecided);
            warn_overwrites(service, role, &planned, resources, &form, diags);
        } else if saved_plan::is_applied() {
            // Terraform accepts the mark only if the saved plan has it. Without a mark, the create
            // refuses.
            planned = planned.mark_same_name_replacement(config);
            if planned.is_marked_same_name_replacement() {
                let object = service.at(name);
                conflict::warn_exists_at_apply::<ListingRole>(&object, name, "role", diags);
            }
        } else if !service.handoff.has_same_name_replacement(&service.base_url, &name.to_string()) {
            refuse_existing(service, &operation, role, diags);
            return None;
        }
    }
    service.roles.checks.store(&name.to_string(), started, existence);
    Some((planned, PrivateState(private)))
}

/// Returns whether a create writes to a role that exists because the plan is a same-name
/// replacement. `create_time` is that of the existing role.
pub(super) fn is_same_name_replacement(
    service: &Service,
    planned: &ListingRoleState,
    name: &ListingRoleName,
    create_time: Option<&str>,
) -> bool {
    let created_at = create_time.and_then(parse_time);
    (saved_plan::is_applied() && planned.is_marked_same_name_replacement())
        || service.handoff.replaces(&service.base_url, &name.to_string(), created_at)
}

/// Returns whether a create is a same-name replacement and the plan could not warn about it.
pub(super) fn is_unannounced_replacement(
    service: &Service,
    planned: &ListingRoleState,
    name: &ListingRoleName,
) -> bool {
    let conflicts = &service.roles.conflicts;
    (saved_plan::is_applied()
        && (planned.is_marked_same_name_replacement() || conflicts.was_deleted(&name.to_string())))
        || service.handoff.has_same_name_replacement(&service.base_url, &unannounced(name))
}

/// Returns the key of the note about a replacement whose warnings Terraform discarded. Names of
/// roles do not contain blanks.
fn unannounced(name: &ListingRoleName) -> String {
    format!("{name} unannounced")
}

/// Returns whether a create may write to a role that exists.
pub(super) fn adopts(planned: &ListingRoleState) -> bool {
    planned.adopt_existing.as_ref_option() == Some(&true)
        || planned.allow_missing.as_ref_option() == Some(&false)
}

/// Returns the attributes that will allow or refuse an adoption and are not known yet.
fn undecided_adoption(planned: &ListingRoleState) -> Vec<&'static str> {
    [("adopt_existing", &planned.adopt_existing), ("allow_missing", &planned.allow_missing)]
        .into_iter()
        .filter_map(|(name, value)| value.is_unknown().then_some(name))
        .collect()
}

/// Plans a change of a role that stays in place: the changes of the configuration, the manager if
/// it is not recorded, and the repository if it is enforced or another field is written.
pub(super) fn plan_update(
    service: Option<&Service>,
    prior: &ListingRoleState,
    proposed: ListingRoleState,
    config: &ListingRoleState,
    private: &ListingRolePrivateState,
    diags: &mut Diagnostics,
) -> Option<ListingRoleState> {
    if let (Some(service), Some(name)) = (service, prior.role_name()) {
        let registered = service.roles.conflicts.plan_keep(&keys_of(&name));
        conflict::check(registered, ListingRole::RESOURCE_TYPE, &service.at(&name), "role", diags)?;
    }
    let repository = service.map(|service| service.repository.pair()).unwrap_or_default();
    let differs = repository_differs(repository, prior, private);
    let enforced = service.map(|service| service.repository.enforced()).unwrap_or_default();
    let enforces = repository_differs(enforced, prior, private);
    let claims = !prior.is_managed() && !private.manager_unrecorded;

    let mut planned = proposed;
    let changes = changed_fields(prior, &planned, Resources::of(config));
    if changes.is_empty() && !claims && !enforces {
        return Some(planned);
    }
    planned.update_time = Value::Unknown;
    if claims {
        planned.manager = Value::Unknown;
        warn_manager_changed(prior, private, diags);
    }
    if service.is_none() {
        planned.repo_uri = Value::Unknown;
        planned.repo_dir = Value::Unknown;
    } else if differs {
        if repository.uri.is_some() {
            planned.repo_uri = planned_text(repository.uri);
        }
        planned.repo_dir = planned_text(repository.dir);
    }
    if private.unread {
        for computed in [&mut planned.management, &mut planned.create_time] {
            *computed = use_state_for_unknown(computed);
        }
        if config.resources.is_null() {
            planned.resources = use_state_for_unknown(&planned.resources);
        }
    }
    let changes_resources = changes.contains(&RoleField::Resources);
    if changes_resources && !config.resources.is_null() && !prior.resources.is_null() {
        warn_of_entitlements(prior, diags);
    }
    Some(planned)
}

/// Plans the first step of a replacement, which destroys the role of the prior state.
pub(super) fn plan_replacement(
    service: Option<&Service>,
    prior: &ListingRoleState,
    config: &ListingRoleState,
    diags: &mut Diagnostics,
) -> Option<()> {
    register_destroy(service, prior, diags)?;
    warn_of_revoked_nothing(prior, "replacing", diags);
    if config.resources.is_null() && prior.has_resources() {
        warn_resources_not_carried_over(prior, diags);
    }
    Some(())
}

/// Plans a destroy.
pub(super) fn plan_destroy(
    service: Option<&Service>,
    prior: &ListingRoleState,
    private: &ListingRolePrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    register_destroy(service, prior, diags)?;
    let superseded = service.zip(prior.role_name()).is_some_and(|(service, name)| {
        service.roles.conflicts.is_superseded(&name.to_string(), private.object.write_id.as_deref())
    });
    if !superseded {
        warn_of_revoked_nothing(prior, "destroying", diags);
    }
    Some(())
}

/// Registers that the role is destroyed. `None` if that contradicts the plan of another resource.
fn register_destroy(
    service: Option<&Service>,
    prior: &ListingRoleState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let Some(service) = service else { return Some(()) };
    let own = &prior.deletion_policy;
    let resource = ListingRole::RESOURCE_TYPE;
    let policy = delete::planned_policy(service, resource, own, &prior.name, diags);
    let Some(name) = prior.role_name() else { return Some(()) };
    let registered = service.roles.conflicts.plan_destroy(&keys_of(&name), policy);
    conflict::check(registered, resource, &service.at(&name), "role", diags)
}

/// Returns whether the role records another repository than this pair. A field that the service did not
/// record on the last write does not differ.
fn repository_differs(
    repository: Pair<'_>,
    prior: &ListingRoleState,
    private: &ListingRolePrivateState,
) -> bool {
    let ignored = |ours: &str, unrecorded: &Option<String>| unrecorded.as_deref() == Some(ours);
    // A directory that is set without a URI does not refer to the recorded one.
    let differs_uri = repository.uri.filter(|ours| !ours.is_empty()).is_some_and(|ours| {
        !same_uri(prior.repo_uri.as_ref_option(), Some(&ours.to_owned()))
            && !ignored(ours, &private.repo_uri_unrecorded)
    });
    let differs_dir = repository.dir.is_some_and(|ours| {
        !same_dir(prior.repo_dir.as_ref_option(), Some(&ours.to_owned()))
            && !ignored(ours, &private.repo_dir_unrecorded)
    });
    differs_uri || differs_dir
}
