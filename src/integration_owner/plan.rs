//! Planning an integration owner: what exists already, what another resource does to the same
//! owner, and whether an integration is left without owners.

use std::time::Duration;

use access_client::Identifier;
use access_client::api::IntegrationOwner;
use tf_provider::Diagnostics;
use tokio::time::Instant;

use super::diagnostics::{
    refuse_existing, report_managed_twice, warn_may_adopt, warn_skipped_entries, warn_will_adopt,
    warn_without_owners, warn_without_owners_in_between,
};
use super::existence::find_existing;
use super::state::{
    IntegrationOwnerPrivateState, IntegrationOwnerState, NewOwner, Private, State,
    integration_name, principal_key,
};
use crate::config::DeletionPolicy;
use crate::object::list::{self, reads_before_list};
use crate::object::operation::Operation;
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::require_address;
use crate::object::stale::parse_time;
use crate::object::{Object, conflict, delete, existence};
use crate::private_state::{PrivateState, of_replaced_object};
use crate::service::{Existence, Keys, Purpose, Service, saved_plan};

/// Plans a create. When an owner is replaced, Terraform also passes the private state of the plan to the
/// destroy of the old owner, which needs that of the old owner; `create` ignores it.
pub(super) async fn plan_create(
    service: Option<&Service>,
    proposed: State,
    config: &State,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let replaced = of_replaced_object::<IntegrationOwnerPrivateState>()
        .filter(|replaced| replaced.object.name.is_some());
    let planned = proposed.planned_create(config);
    let of_create = || IntegrationOwnerPrivateState {
        object: ObjectPrivateState::of_create(),
        ..IntegrationOwnerPrivateState::default()
    };
    let (Some(service), Some(new)) = (service, planned.to_new_owner()) else {
        let mut private = replaced.unwrap_or_else(of_create);
        private.object.is_marked = Some(false);
        return Some((planned, PrivateState(private)));
    };
    let keys = new.keys();
    let conflicts = &service.owners.conflicts;
    let is_tainted = replaced.is_none();
    let own = replaced.or_else(|| conflicts.tainted_private_state(&keys));
    let mut own = own.unwrap_or_else(of_create);
    let own_keys = own.keys();
    let is_same_name = own_keys.contains(&new.key());
    // Nothing was planned before for a tainted object, so nothing is withdrawn.
    let withdrawn = if is_tainted { &[][..] } else { own_keys.as_slice() };
    register_member(service, &new.integration, &new.owner.to_string(), diags)?;
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    let writes_tainted = is_same_name && is_tainted && !adopts;
    let registered = conflicts
        .plan_create(&keys, withdrawn)
        .and_then(|()| if writes_tainted { conflicts.plan_tainted(&keys) } else { Ok(()) });
    let resource = IntegrationOwner::RESOURCE_TYPE;
    conflict::check(registered, resource, &service.at(&new.key()), "owner", diags)?;
    // A same-name replacement: the apply removes the owner first, or keeps it in place.
    if is_same_name {
        let key = new.key();
        let operation = Operation { verb: "replace", kind: IntegrationOwner::KIND, name: &key };
        require_address(service, &operation, &own.object, diags)?;
        if is_tainted {
            conflict::warn_taken_for_tainted(resource, &service.at(&key), "owner", diags);
        }
        note_same_name(service, &new, own.object.create_time.as_deref());
        let is_marked = *own.object.is_marked.get_or_insert(true);
        let planned = if is_marked { planned.mark_same_name_replacement(config) } else { planned };
        return Some((planned, PrivateState(own)));
    }
    own.object.is_marked = Some(false);
    if reads_before_list(service.drift_detection).is_some()
        || conflicts.loaded_states.name_any(&keys)
        // The apply of a saved plan receives no note, and before Terraform 1.16 no private state.
        || saved_plan::is_applied()
    {
        return check_existence(service, planned, config, own, &new, diags).await;
    }
    Some((planned, PrivateState(own)))
}

fn note_same_name(service: &Service, new: &NewOwner, create_time: Option<&str>) {
    let created_at = create_time.and_then(parse_time);
    service.handoff.note_same_name_replacement(&service.base_url, &[new.key()], created_at);
}

/// Fails the plan of a create if the owner exists and is not to be adopted, so that a pull request
/// shows it. `own` is the private state of the owner that the same resource has now, if it has one: an
/// owner of another principal, or of another spelling of this one.
async fn check_existence(
    service: &Service,
    planned: IntegrationOwnerState,
    config: &IntegrationOwnerState,
    own: IntegrationOwnerPrivateState,
    new: &NewOwner,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let key = new.key();
    let operation = Operation { verb: "create", kind: IntegrationOwner::KIND, name: &key };
    let started = Instant::now();
    let (keys, own_keys) = (new.keys(), own.keys());
    let keeps_id = keys.iter().any(|key| own_keys.contains(key));
    let sought = if keeps_id {
        // This resource's own owner has the ID now, and the apply deletes it first. With
        // `create_before_destroy` it does not. The note leaves the error to the create: only then does
        // Terraform restore the owner that it has deposed.
        service.handoff.note_same_name_replacement(&service.base_url, &keys[1..], None);
        &NewOwner { id: None, ..new.clone() }
    } else {
        new
    };
    let existence = match find_existing(service, sought, Duration::MAX, diags).await {
        Ok(existence) => existence,
        // The create makes a check of its own.
        Err(_) if keeps_id || saved_plan::is_applied() => {
            return Some((planned, PrivateState(own)));
        }
        Err(error) => {
            operation.failed_to_refresh(service, &error, None, diags);
            return Some((planned, PrivateState(own)));
        }
    };
    let mut private = own;
    let mut planned = planned;
    if let Existence::Exists(owner) = &existence {
        if own_keys.contains(&owner.name.to_string()) {
            // The plan sets `owner` to the service's spelling of this resource's own owner.
            require_address(service, &operation, &private.object, diags)?;
            private.object.is_marked = Some(true);
            note_same_name(service, new, owner.create_time.as_deref());
            return Some((planned.mark_same_name_replacement(config), PrivateState(private)));
        }
        let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
        if adopts && is_adoptable(new, owner) {
            warn_will_adopt(service, owner, diags);
        } else if existence::is_tainted(service, &new.keys(), &**owner) {
            let resource = IntegrationOwner::RESOURCE_TYPE;
            conflict::warn_taken_for_tainted(resource, &service.at(&owner.name), "owner", diags);
            note_same_name(service, new, owner.create_time.as_deref());
            private.object.name = Some(owner.name.to_string());
            private.object.create_time = owner.create_time.clone();
            private.owner = Some(new.owner.to_string());
            private.object.is_marked = Some(true);
            planned = planned.mark_same_name_replacement(config);
        } else if planned.adopt_existing.is_unknown() && is_adoptable(new, owner) {
            warn_may_adopt(service, owner, diags);
        } else if saved_plan::is_applied() {
            // Terraform accepts the mark only if the saved plan has it. Without a mark, the create
            // refuses.
            if owner.owner == new.owner.to_string() {
                planned = planned.mark_same_name_replacement(config);
            }
            if planned.is_marked_same_name_replacement() {
                let (object, id) = (service.at(&key), &owner.name);
                conflict::warn_exists_at_apply::<IntegrationOwner>(&object, id, "owner", diags);
            }
        } else if ![&key, &owner.name.to_string()]
            .iter()
            .any(|key| service.handoff.has_same_name_replacement(&service.base_url, key))
        {
            refuse_existing(service, &operation, new, owner, diags);
            return None;
        }
    }
    if !keeps_id {
        service.owners.checks.store(&key, started, existence);
    }
    Some((planned, PrivateState(private)))
}

/// Returns whether a create keeps an owner that exists because the plan is a same-name replacement.
/// `create_time` is that of the existing owner.
pub(super) fn is_same_name_replacement(
    service: &Service,
    planned: &IntegrationOwnerState,
    new: &NewOwner,
    create_time: Option<&str>,
) -> bool {
    let created_at = create_time.and_then(parse_time);
    (saved_plan::is_applied() && planned.is_marked_same_name_replacement())
        || service.handoff.replaces(&service.base_url, &new.key(), created_at)
}

/// Returns whether an existing owner is the one that the configuration describes.
pub(super) fn is_adoptable(new: &NewOwner, existing: &IntegrationOwner) -> bool {
    new.id.as_ref().is_none_or(|id| *id == existing.name.owner)
        && existing.owner == new.owner.to_string()
}

/// Registers an owner that stays in place.
pub(super) fn plan_keep(
    service: Option<&Service>,
    prior: &IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let Some(service) = service else { return Some(()) };
    if let (Some(name), Some(owner)) = (prior.stored_name(), prior.owner.as_ref_option()) {
        register_member(service, &name.integration, owner, diags)?;
    }
    let registered = service.owners.conflicts.plan_keep(&prior.keys());
    conflict::check(
        registered,
        IntegrationOwner::RESOURCE_TYPE,
        &service.at(&shown_name(prior)),
        "owner",
        diags,
    )
}

/// Registers an owner that stays or is added. Adds an error if another resource manages all owners
/// of the integration.
fn register_member(
    service: &Service,
    integration: &Identifier,
    owner: &str,
    diags: &mut Diagnostics,
) -> Option<()> {
    let integration = integration_name(integration);
    if !service.owners.conflicts.plan_member(&integration, owner) {
        return Some(());
    }
    report_managed_twice(&integration, &[owner.to_owned()], "integration", diags);
    None
}

/// Registers an owner that is destroyed, unless that contradicts the plan of another resource. Returns
/// the policy that applies.
fn register_destroy(
    service: Option<&Service>,
    prior: &IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<DeletionPolicy> {
    let Some(service) = service else { return Some(DeletionPolicy::Delete) };
    let own = &prior.deletion_policy;
    let policy =
        delete::planned_policy(service, IntegrationOwner::RESOURCE_TYPE, own, &prior.name, diags);
    register(service, prior, policy, diags)
}

fn register(
    service: &Service,
    prior: &IntegrationOwnerState,
    policy: DeletionPolicy,
    diags: &mut Diagnostics,
) -> Option<DeletionPolicy> {
    let registered = service.owners.conflicts.plan_destroy(&prior.keys(), policy);
    let resource = IntegrationOwner::RESOURCE_TYPE;
    conflict::check(registered, resource, &service.at(&shown_name(prior)), "owner", diags)?;
    Some(policy)
}

/// Plans the destroy of an owner that another one replaces. Warns if the integration is without owners
/// until then, or for good because the other one belongs to another integration.
pub(super) async fn plan_replacement(
    service: Option<&Service>,
    prior: &IntegrationOwnerState,
    planned: &IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let Some(service) = service else { return Some(()) };
    let old = prior.keys();
    let new = planned.to_new_owner().map(|new| new.keys()).unwrap_or_default();
    if new.iter().any(|key| old.contains(key)) {
        // An owner that keeps its ID or principal cannot stay next to its replacement, so other
        // resources must not have it.
        register(service, prior, DeletionPolicy::Delete, diags)?;
    } else {
        register_destroy(Some(service), prior, diags)?;
    }
    let Some(name) = prior.stored_name() else { return Some(()) };
    if delete::policy_of(service, &prior.deletion_policy) == DeletionPolicy::Delete {
        let successor =
            planned.owner.as_ref_option().filter(|_| planned.integration == prior.integration);
        if let Some(owner) = successor {
            // The plan of the create comes later, and reports a conflict.
            _ = service.owners.conflicts.plan_member(&integration_name(&name.integration), owner);
        }
        check_remaining_owners(service, &name.integration, diags).await;
    }
    Some(())
}

/// Plans a destroy. Warns if it leaves the integration without owners.
pub(super) async fn plan_destroy(
    service: Option<&Service>,
    prior: &IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<()> {
    if register_destroy(service, prior, diags)? == DeletionPolicy::Abandon {
        return Some(());
    }
    if let (Some(service), Some(name)) = (service, prior.stored_name()) {
        check_remaining_owners(service, &name.integration, diags).await;
    }
    Some(())
}

/// Warns if the plan so far destroys every owner that the list shows. Entries that cannot be read do
/// not count: they must not hide that the others are destroyed.
pub(crate) async fn check_remaining_owners(
    service: &Service,
    integration: &Identifier,
    diags: &mut Diagnostics,
) {
    if reads_before_list(service.drift_detection).is_none() {
        return;
    }
    let Ok(list) =
        list::whole::<IntegrationOwner>(service, integration, Duration::MAX, Purpose::Others).await
    else {
        return;
    };
    warn_skipped_entries(service, integration, &list.skipped, diags);
    let keys: Vec<Keys> = list
        .entries
        .values()
        .map(|owner| {
            vec![principal_key(integration.as_str(), &owner.owner), owner.name.to_string()]
        })
        .collect();
    let conflicts = &service.owners.conflicts;
    let empties = !keys.is_empty() && conflicts.destroys_all(keys.iter());
    if !empties || !service.owners.emptied_warnings.claim(integration.as_str()) {
        return;
    }
    if conflicts.members(&integration_name(integration)).is_empty() {
        warn_without_owners(integration, list.skipped.len(), diags);
    } else {
        warn_without_owners_in_between(integration, list.skipped.len(), diags);
    }
}

fn shown_name(state: &IntegrationOwnerState) -> String {
    state.keys().join(", ")
}
