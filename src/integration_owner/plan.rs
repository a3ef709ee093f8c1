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
use crate::object::{Object, conflict, delete, existence};
use crate::private_state::{PrivateState, of_replaced_object};
use crate::service::{Existence, Keys, Purpose, Service, saved_plan};

/// Plans a create. When an owner is replaced, Terraform also passes the private state of the plan to the
/// destroy of the old owner, which needs that of the old owner; `create` ignores it.
pub(super) async fn plan_create(
    service: Option<&Service>,
    proposed: State,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let replaced = of_replaced_object::<IntegrationOwnerPrivateState>();
    let planned = plan_new(service, proposed, replaced.as_ref(), diags).await?;
    Some((planned, PrivateState(replaced.unwrap_or_default())))
}

/// Plans the new owner. `replaced` is the private state of the owner that the same resource has now,
/// if the create is part of a replacement.
async fn plan_new(
    service: Option<&Service>,
    proposed: IntegrationOwnerState,
    replaced: Option<&IntegrationOwnerPrivateState>,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwnerState> {
    let planned = proposed.planned_create();
    let (Some(service), Some(new)) = (service, planned.to_new_owner()) else {
        return Some(planned);
    };
    let keys = new.keys();
    let own = own_keys(service, &keys, replaced);
    // Nothing was planned before for a tainted object, so nothing is withdrawn.
    let withdrawn = if replaced.is_some() { own.as_slice() } else { &[] };
    register_member(service, &new.integration, &new.owner.to_string(), diags)?;
    let conflicts = &service.owners.conflicts;
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    let writes_tainted = replaced.is_none() && own == keys && !adopts;
    let registered = conflicts
        .plan_create(&keys, withdrawn)
        .and_then(|()| if writes_tainted { conflicts.plan_tainted(&keys) } else { Ok(()) });
    conflict::check(
        registered,
        IntegrationOwner::RESOURCE_TYPE,
        &service.at(&new.key()),
        "owner",
        diags,
    )?;
    // A same-name replacement: the apply removes the owner first, or keeps it in place.
    if own.contains(&new.key()) {
        if replaced.is_none() {
            let resource = IntegrationOwner::RESOURCE_TYPE;
            conflict::warn_taken_for_tainted(resource, &service.at(&new.key()), "owner", diags);
        }
        service.handoff.note_same_name_replacement(&service.base_url, &[new.key()]);
        return Some(planned);
    }
    if reads_before_list(service.drift_detection).is_some()
        || conflicts.loaded_states.name_any(&keys)
    {
        check_existence(service, &planned, &new, &own, diags).await?;
    }
    Some(planned)
}

/// Returns the keys of the owner that the same resource has now.
fn own_keys(
    service: &Service,
    keys: &Keys,
    replaced: Option<&IntegrationOwnerPrivateState>,
) -> Keys {
    match replaced {
        Some(IntegrationOwnerPrivateState { object, owner, .. }) => {
            let name = object.name.clone();
            let integration = name.as_deref().and_then(|name| name.split('/').nth(1));
            let principal = integration.zip(owner.as_deref());
            let key = principal.map(|(integration, owner)| principal_key(integration, owner));
            key.into_iter().chain(name).collect()
        }
        None if service.owners.conflicts.is_tainted_object(keys) => keys.clone(),
        None => Keys::new(),
    }
}

/// Fails the plan of a create if the owner exists and is not to be adopted, so that a pull request
/// shows it. `own` are the keys of the owner that the same resource has now.
async fn check_existence(
    service: &Service,
    planned: &IntegrationOwnerState,
    new: &NewOwner,
    own: &Keys,
    diags: &mut Diagnostics,
) -> Option<()> {
    let key = new.key();
    let operation = Operation { verb: "create", kind: IntegrationOwner::KIND, name: &key };
    let started = Instant::now();
    let keys = new.keys();
    let keeps_id = keys.iter().any(|key| own.contains(key));
    let sought = if keeps_id {
        // This resource's own owner has the ID now, and the apply deletes it first. With
        // `create_before_destroy` it does not. The note leaves the error to the create: only then does
        // Terraform restore the owner that it has deposed.
        service.handoff.note_same_name_replacement(&service.base_url, &keys[1..]);
        &NewOwner { id: None, ..new.clone() }
    } else {
        new
    };
    let existence = match find_existing(service, sought, Duration::MAX, diags).await {
        Ok(existence) => existence,
        // The create makes a check of its own.
        Err(_) if keeps_id => return Some(()),
        Err(error) => {
            operation.failed_to_refresh(service, &error, None, diags);
            return Some(());
        }
    };
    if let Existence::Exists(owner) = &existence {
        if own.contains(&owner.name.to_string()) {
            // The plan sets `owner` to the service's spelling of this resource's own owner.
            service.handoff.note_same_name_replacement(&service.base_url, &[key]);
            return Some(());
        }
        let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
        if adopts && is_adoptable(new, owner) {
            warn_will_adopt(service, owner, diags);
        } else if existence::is_tainted(service, &new.keys(), &**owner) {
            let resource = IntegrationOwner::RESOURCE_TYPE;
            conflict::warn_taken_for_tainted(resource, &service.at(&owner.name), "owner", diags);
            service.handoff.note_same_name_replacement(&service.base_url, &[new.key()]);
        } else if planned.adopt_existing.is_unknown() && is_adoptable(new, owner) {
            warn_may_adopt(service, owner, diags);
        } else if !saved_plan::is_applied()
            && ![&key, &owner.name.to_string()]
                .iter()
                .any(|key| service.handoff.has_same_name_replacement(&service.base_url, key))
        {
            // While a saved plan is applied, the create refuses: only then does Terraform restore
            // the owner that it has deposed.
            refuse_existing(service, &operation, new, owner, diags);
            return None;
        }
    }
    if !keeps_id {
        service.owners.checks.store(&key, started, existence);
    }
    Some(())
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
