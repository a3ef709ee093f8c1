//! Planning the owners of an integration: what exists already, which owners an adoption removes, and
//! what other resources do to the same owners.

use access_client::Identifier;
use plugin_server::plan_modifier;
use tf_provider::AttributePath;
use tf_provider::value::Value;

use super::messages;
use super::read::{entries_of, list_owners};
use super::state::{IntegrationOwnersState, OwnersPrivateState, TYPE};
use crate::config::DeletionPolicy;
use crate::integration_owner::state::keys_of;
use crate::integration_owner::warn_without_owners;
use crate::object::call::{Call, Reported};
use crate::object::{ObjectPrivateState, delete, policy_of};
use crate::service::{Key, Origin};

pub(super) fn requires_replace(
    prior: &IntegrationOwnersState,
    planned: &IntegrationOwnersState,
) -> Vec<AttributePath> {
    plan_modifier::requires_replace(&[("integration", &prior.integration, &planned.integration)])
}

/// Plans a create. `replaced` is the name of the integration whose owners the resource has.
pub(super) async fn plan_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    replaced: Option<&str>,
) -> Result<(), Reported> {
    let run = call.run;
    let name = call.operation.object.clone();
    let key = Key::Name(name.clone());
    let is_in_state = run.registry.is_in_state(&key);
    let origin = match replaced {
        Some(replaced) => Origin::Replaces(replaced.to_owned()),
        None if is_in_state => Origin::InState(name.clone()),
        None => Origin::New,
    };
    let registered = run.registry.plan_create(std::slice::from_ref(&key), &origin);
    call.agree(registered, TYPE, "integration")?;
    if replaced == Some(&name) || (replaced.is_none() && is_in_state) {
        return Err(call.fail(messages::replaced_by_itself(&run.at(&name))));
    }
    let registered = run.registry.plan_all_owners(integration.as_str(), &planned.principals());
    call.agree(registered, TYPE, "owners")?;
    if !run.detects_drift() || run.registry.is_applying() {
        return Ok(());
    }
    let list = list_owners(run, integration).await;
    let list =
        list.map_err(|error| messages::list_needed(call, &ObjectPrivateState::default(), &error))?;
    let existing = entries_of(run, &list);
    if existing.is_empty() {
        return Ok(());
    }
    let message = match planned.adopt_existing {
        Value::Value(true) | Value::Unknown => messages::will_adopt(run, &name, planned, &existing),
        _ => messages::exists(run, &name, &existing),
    };
    call.warn(message);
    Ok(())
}

/// Registers that the resource keeps its integration, with the owners of the plan.
pub(super) fn plan_keep(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    private: &OwnersPrivateState,
) -> Result<(), Reported> {
    let run = call.run;
    let name = call.operation.object.clone();
    let registered = run.registry.plan_keep(&[Key::Name(name.clone())], &name);
    call.agree(registered, TYPE, "integration")?;
    let owners = planned.principals();
    let registered = run.registry.plan_all_owners(integration.as_str(), &owners);
    call.agree(registered, TYPE, "owners")?;
    match private.find_same(&owners) {
        Some(pair) => Err(call.fail(messages::same_owner(pair))),
        None => Ok(()),
    }
}

/// Registers that the owners of the state are removed. Warns if the integration is left without owners.
pub(super) async fn plan_destroy(
    call: &mut Call<'_>,
    integration: &Identifier,
    prior: &IntegrationOwnersState,
    private: &OwnersPrivateState,
) -> Result<(), Reported> {
    let run = call.run;
    if run.registry.is_applying() {
        return Ok(());
    }
    if policy_of(run, &prior.deletion_policy) == DeletionPolicy::Abandon {
        delete::warn_will_abandon(call);
        return Ok(());
    }
    let name = call.operation.object.clone();
    let registered = run.registry.plan_destroy(&[Key::Name(name.clone())], &name);
    call.agree(registered, TYPE, "integration")?;
    for owner in prior.principals() {
        let known = private.name_of(integration, &owner);
        let keys = keys_of(integration, &owner, known.as_ref());
        let known = known.map_or_else(|| name.clone(), |known| known.to_string());
        call.agree(run.registry.plan_destroy(&keys, &known), TYPE, "owners")?;
    }
    warn_without_owners(call, integration).await;
    Ok(())
}
