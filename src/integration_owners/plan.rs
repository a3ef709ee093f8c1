//! Planning the owners of an integration: what exists already, which owners an adoption removes, and
//! what other resources do to the same owners.

use access_client::Identifier;
use plugin_server::plan_modifier;
use tf_provider::AttributePath;

use super::check::{Owners, check, check_replacement, decide_about};
use super::messages;
use super::state::{IntegrationOwnersState, OwnersPrivateState, Stored, integration_name};
use crate::config::DeletionPolicy;
use crate::integration_owner::state::keys_of;
use crate::integration_owner::warn_without_owners;
use crate::object::call::{Call, was_planned};
use crate::object::existence::{Existence, Outcome};
use crate::object::messages::{Replacement, imported_and_replaced};
use crate::object::{Reported, conflicts, delete};
use crate::service::{Contradiction, Key, Origin, Purpose};

pub(super) fn requires_replace(
    prior: &IntegrationOwnersState,
    planned: &IntegrationOwnersState,
) -> Vec<AttributePath> {
    plan_modifier::requires_replace(&[("integration", &prior.integration, &planned.integration)])
}

/// Adds the error of plans that contradict each other, at the attribute to blame.
fn agree(
    call: &mut Call<'_>,
    registered: Result<(), Contradiction>,
    attribute: &'static str,
) -> Result<(), Reported> {
    registered.map_err(|found| conflicts::report_at(call, &found, attribute))
}

/// Registers that the resource creates the owners of an integration.
fn register_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    origin: &Origin,
) -> Result<(), Reported> {
    let plans = &call.session.plans;
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    agree(call, plans.plan_create(&[name_key(call)], origin, adopts), "integration")?;
    agree(call, plans.plan_all_owners(integration.as_str(), &planned.principals()), "owners")
}

fn name_key(call: &Call<'_>) -> Key {
    Key::Name(call.object.clone())
}

/// Plans a create. `replaced` is the name of the integration whose owners the resource has.
pub(super) async fn plan_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    replaced: Option<&str>,
) -> Result<(), Reported> {
    let session = call.session;
    let name = call.object.clone();
    let in_state = session.states.find(&[name_key(call)]);
    let is_by_itself = replaced.map_or(in_state.is_some(), |replaced| replaced == name);
    let origin = match replaced {
        Some(replaced) => Origin::Replaces(replaced.to_owned()),
        None if in_state.is_some() => Origin::MaybeTainted(name),
        None if was_planned() => Origin::Planned,
        None => Origin::New,
    };
    // The way out of a deposed object: its destroy leaves the owners, and the create adopts them.
    let takes_over = in_state.is_some_and(|state| state.policy == DeletionPolicy::Abandon)
        && planned.adopt_existing.as_ref_option() == Some(&true)
        && replaced.is_none();
    if is_by_itself && !takes_over && !session.plans.have_ended() {
        return Err(call.fail(messages::replaced_by_itself(call)));
    }
    register_create(call, integration, planned, &origin)?;
    if replaced.is_none() && session.detects_drift() && !session.plans.have_ended() {
        let existence = check(session, integration, Purpose::Check).await;
        warn_about_existence(call, planned, &existence);
    }
    Ok(())
}

/// Warns about the owners that a plan has found. Only the create decides.
fn warn_about_existence(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
    existence: &Existence<Owners>,
) {
    let outcome = decide_about(call.session, &call.object, planned, existence);
    let message = match (outcome, existence) {
        (Outcome::Adopt | Outcome::Undecided, Existence::Exists(owners)) => {
            messages::will_adopt(call, planned, owners)
        }
        (_, Existence::Exists(owners)) => {
            let effect = "The apply will not create this resource.";
            messages::exists(call, &call.object, owners, effect)
        }
        (_, Existence::Failed(error)) => messages::list_needed_by_create(&call.object, error),
        _ => return,
    };
    call.warn(message);
}

/// Plans, in the first call, the replacement of the owners of one integration by those of another.
pub(super) async fn plan_replace(
    call: &mut Call<'_>,
    integration: &Identifier,
    stored: &Stored,
    planned: &IntegrationOwnersState,
) -> Result<(), Reported> {
    let old = call.object.clone();
    let new = planned.integration_id();
    if call.session.plans.is_imported(&old) {
        let new = new.as_ref().map(integration_name);
        return Err(call.fail(imported_and_replaced(call, new)));
    }
    plan_destroy(call, integration, stored).await?;
    let Some(new) = new else { return Ok(()) };
    let mut create = call.of(integration_name(&new));
    register_create(&mut create, &new, planned, &Origin::Replaces(old.clone()))?;
    let replacement = Replacement { old: &old, is_planned: true };
    let existence = check_replacement(&mut create, stored, planned, replacement).await?;
    if let Some(existence) = existence {
        warn_about_existence(&mut create, planned, &existence);
    }
    Ok(())
}

/// Registers that the resource keeps its integration, with the owners of the plan.
pub(super) fn plan_keep(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    private: &OwnersPrivateState,
) -> Result<(), Reported> {
    let plans = &call.session.plans;
    let kept = plans.plan_keep(&[name_key(call)], &call.object, None);
    agree(call, kept.map(drop), "integration")?;
    let owners = planned.principals();
    agree(call, plans.plan_all_owners(integration.as_str(), &owners), "owners")?;
    match private.find_same(&owners) {
        Some(pair) => Err(call.fail(messages::same_owner(call, pair))),
        None => Ok(()),
    }
}

/// Registers that the owners of the state are removed. Warns if the integration is left without owners.
pub(super) async fn plan_destroy(
    call: &mut Call<'_>,
    integration: &Identifier,
    stored: &Stored,
) -> Result<(), Reported> {
    let session = call.session;
    let Stored { state: prior, private } = stored;
    if !delete::register(call, &[name_key(call)], session.policy_of(&prior.deletion_policy))? {
        return Ok(());
    }
    for owner in prior.principals() {
        let known = private.entity.name_of(integration, &owner);
        let keys = keys_of(integration, &owner, known.as_ref());
        let known = known.map_or_else(|| call.object.clone(), |known| known.to_string());
        agree(call, session.plans.plan_destroy(&keys, &known), "owners")?;
    }
    warn_without_owners(call, integration).await;
    Ok(())
}
