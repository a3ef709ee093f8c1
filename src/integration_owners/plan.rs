//! Planning the owners of an integration: what exists already, which owners an adoption removes,
//! and what other resources do to the same owners.

use std::collections::BTreeSet;
use std::time::Duration;

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier};
use plugin_server::plan_modifier::requires_replace;
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

use super::diagnostics::{refuse_existing, report_list_needed, report_same_owner, warn_will_adopt};
use super::read::{entries_of, list_owners};
use super::state::{
    IntegrationOwnersPrivateState, IntegrationOwnersState, KIND, Private, RESOURCE_TYPE, State,
    replaced_key,
};
use crate::config::DeletionPolicy;
use crate::integration_owner::diagnostics::report_managed_twice;
use crate::integration_owner::plan::check_remaining_owners;
use crate::integration_owner::state::integration_name;
use crate::object::list::reads_before_list;
use crate::object::operation::Operation;
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::require_address;
use crate::object::{Object, conflict, delete};
use crate::private_state::{PrivateState, of_replaced_object};
use crate::service::{Service, saved_plan};

/// Plans a create. In a replacement, Terraform also passes the private state of the plan to the
/// destroy of the old resource, which needs that of the old resource; `create` ignores it.
pub(super) async fn plan_create(
    service: Option<&Service>,
    proposed: State,
    diags: &mut Diagnostics,
) -> Option<(State, Private)> {
    let replaced = of_replaced_object::<IntegrationOwnersPrivateState>()
        .filter(|replaced| replaced.object.name.is_some());
    let planned = proposed.planned_create();
    let mut private = replaced.unwrap_or_else(|| IntegrationOwnersPrivateState {
        object: ObjectPrivateState::of_create(),
        ..IntegrationOwnersPrivateState::default()
    });
    private.same_name_replacement = false;
    if let (Some(service), Some(integration)) = (service, planned.integration_id()) {
        plan_new(service, &integration, &planned, &mut private, diags).await?;
    }
    Some((planned, PrivateState(private)))
}

/// Registers and checks a create. `private` is the private state of the resource that it replaces, and
/// records whether it is a same-name replacement.
async fn plan_new(
    service: &Service,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    private: &mut IntegrationOwnersPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let key = integration_name(integration);
    let conflicts = &service.owners.conflicts;
    let keys = vec![key.clone()];
    let is_replaced = private.object.name.as_ref() == Some(&key);
    let tainted = if private.object.name.is_none() {
        conflicts.tainted_private_state::<IntegrationOwnersPrivateState>(&keys)
    } else {
        None
    };
    let is_tainted = tainted.is_some();
    if let Some(tainted) = tainted {
        *private = tainted;
    }
    // Nothing was planned before for a tainted object, so nothing is withdrawn.
    let withdrawn = if is_replaced { keys.as_slice() } else { &[] };
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    let registered = conflicts
        .plan_create(&keys, withdrawn)
        .and_then(|()| if is_tainted && !adopts { conflicts.plan_tainted(&keys) } else { Ok(()) });
    conflict::check(registered, RESOURCE_TYPE, &service.at(&key), "integration", diags)?;
    let unknown_ids = IntegrationOwnersPrivateState::default();
    keep_owners(service, integration, &planned.principals(), &unknown_ids, diags)?;
    if is_tainted || is_replaced {
        let operation = Operation { verb: "replace", kind: KIND, name: &key };
        require_address(service, &operation, &private.object, diags)?;
        private.same_name_replacement = true;
        service.handoff.note_same_name_replacement(&service.base_url, &keys, None);
    }
    if is_replaced {
        let named = private.principals();
        let notes: Vec<_> = named.iter().map(|owner| replaced_key(&key, owner)).collect();
        service.handoff.note_same_name_replacement(&service.base_url, &notes, None);
        return Some(());
    }
    if is_tainted {
        // The create removes no owner until the destroy shows that the resource is this one.
        let object = service.at(&key);
        conflict::warn_taken_for_tainted(RESOURCE_TYPE, &object, "integration", diags);
        return Some(());
    }
    let checks = reads_before_list(service.drift_detection).is_some()
        || conflicts.loaded_states.name_any(&keys);
    if checks && !conflicts.is_kept_for_create(&key) {
        private.same_name_replacement =
            check_existing(service, integration, planned, diags).await?;
    }
    Some(())
}

/// Registers the owners that the integration has after the apply. Adds an error if resources of
/// their own manage owners of the integration, or destroy one of these.
fn keep_owners(
    service: &Service,
    integration: &Identifier,
    owners: &BTreeSet<String>,
    private: &IntegrationOwnersPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let key = integration_name(integration);
    let members = service.owners.conflicts.members(&key);
    if !members.is_empty() {
        report_managed_twice(&key, &members, "integration", diags);
        return None;
    }
    for owner in owners {
        let keys = private.keys_of(integration, &[owner.clone()].into());
        let registered = service.owners.conflicts.plan_keep(&keys);
        conflict::check(
            registered,
            IntegrationOwner::RESOURCE_TYPE,
            &service.at(&keys[0]),
            "owners",
            diags,
        )?;
    }
    Some(())
}

/// Fails the plan of a create if the integration has owners and is not to be adopted, so that a pull
/// request shows it. Warns about the owners that an adoption removes. Returns whether the create
/// is a same-name replacement.
async fn check_existing(
    service: &Service,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    diags: &mut Diagnostics,
) -> Option<bool> {
    let key = integration_name(integration);
    let operation = Operation { verb: "create", kind: KIND, name: &key };
    let list = match list_owners(service, integration, Duration::MAX).await {
        Ok(list) => list,
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {
                let unseen = ObjectPrivateState::default();
                report_list_needed(service, &operation, &unseen, &error, diags);
                return None;
            }
            _ => {
                operation.failed_to_refresh(service, &error, None, diags);
                return Some(false);
            }
        },
    };
    let existing = entries_of(service, &list);
    if existing.is_empty() {
        return Some(false);
    }
    let principals: Vec<&str> = existing.iter().map(|owner| owner.owner.as_str()).collect();
    let keys = vec![key.clone()];
    let adopts = &planned.adopt_existing;
    if adopts.is_unknown() || adopts.as_ref_option() == Some(&true) {
        warn_will_adopt(service, &key, planned, &existing, diags);
    } else if service.owners.conflicts.is_loaded_tainted_object(&keys, &key, &principals) {
        conflict::warn_taken_for_tainted(RESOURCE_TYPE, &service.at(&key), "integration", diags);
        service.handoff.note_same_name_replacement(&service.base_url, &keys, None);
        return Some(true);
    } else if !saved_plan::is_applied()
        && !service.handoff.has_same_name_replacement(&service.base_url, &key)
    {
        // While a saved plan is applied, the create refuses: only then does Terraform restore the
        // resource that it has deposed.
        refuse_existing(service, &operation, &existing, diags);
        return None;
    }
    Some(false)
}

/// Plans a change: in place, or a replacement if the integration changes.
pub(super) async fn plan_update(
    service: Option<&Service>,
    prior: &State,
    proposed: State,
    mut private: Private,
    diags: &mut Diagnostics,
) -> Option<(State, Private, Vec<AttributePath>)> {
    // If this becomes a replacement, Terraform passes it to the plan of the create.
    private.0.object.identify(&prior.name, &Value::Null);
    let replaced = requires_replace(&[("integration", &prior.integration, &proposed.integration)]);
    if !replaced.is_empty() {
        register_destroy(service, prior, &private.0, diags).await?;
        return Some((proposed.planned_create(), private, replaced));
    }
    if let (Some(service), Some(integration)) = (service, prior.integration_id()) {
        let key = integration_name(&integration);
        let registered = service.owners.conflicts.plan_keep(&vec![key.clone()]);
        conflict::check(registered, RESOURCE_TYPE, &service.at(&key), "integration", diags)?;
        let owners = proposed.principals();
        keep_owners(service, &integration, &owners, &private.0, diags)?;
        if let Some(pair) = private.0.find_same(&owners) {
            report_same_owner(pair, diags);
            return None;
        }
    }
    Some((proposed, private, replaced))
}

/// Plans a destroy. Warns if it leaves the integration without owners.
pub(super) async fn plan_destroy(
    service: Option<&Service>,
    prior: &State,
    private: &IntegrationOwnersPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    register_destroy(service, prior, private, diags).await
}

async fn register_destroy(
    service: Option<&Service>,
    prior: &State,
    private: &IntegrationOwnersPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let (Some(service), Some(integration)) = (service, prior.integration_id()) else {
        return Some(());
    };
    let own = &prior.deletion_policy;
    let policy = delete::planned_policy(service, RESOURCE_TYPE, own, &prior.name, diags);
    let key = integration_name(&integration);
    let owners = prior.principals().into_iter();
    let owners = owners.map(|owner| private.keys_of(&integration, &[owner].into()));
    let registered = std::iter::once(vec![key.clone()])
        .chain(owners)
        .try_for_each(|keys| service.owners.conflicts.plan_destroy(&keys, policy));
    conflict::check(registered, RESOURCE_TYPE, &service.at(&key), "integration", diags)?;
    if policy == DeletionPolicy::Delete {
        check_remaining_owners(service, &integration, diags).await;
    }
    Some(())
}
