//! Planning the owners of an integration: what exists already, which owners an adoption removes, and
//! what other resources do to the same owners.

use access_client::Identifier;
use plugin_server::plan_modifier;
use tf_provider::AttributePath;

use super::check::{check, decide_about, fail_replacement};
use super::messages;
use super::state::{
    IntegrationOwnersState, KIND, OwnersPrivateState, Stored, TYPE, integration_name,
};
use crate::config::DeletionPolicy;
use crate::integration_owner::state::keys_of;
use crate::integration_owner::warn_without_owners;
use crate::object::call::{Call, Reported};
use crate::object::existence::{Existence, Outcome};
use crate::object::messages::{Moment, imported_and_replaced};
use crate::object::{conflicts, delete};
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
    registered.map_err(|found| conflicts::report_at(call, &found, TYPE, attribute))
}

/// Registers that the resource creates the owners of an integration.
fn register_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    origin: &Origin,
) -> Result<(), Reported> {
    let key = Key::Name(integration_name(integration));
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    let plans = &call.session.plans;
    let registered = plans.plan_create(std::slice::from_ref(&key), origin, adopts);
    agree(call, registered, "integration")?;
    let registered =
        call.session.plans.plan_all_owners(integration.as_str(), &planned.principals());
    agree(call, registered, "owners")
}

/// Plans a create. `replaced` is the name of the integration whose owners the resource has.
pub(super) async fn plan_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    replaced: Option<&str>,
) -> Result<(), Reported> {
    let session = call.session;
    let name = call.operation.object.clone();
    let in_state = session.states.find(&[Key::Name(name.clone())]);
    let is_in_state = in_state.is_some();
    // The way out of a deposed object: its destroy leaves the owners, and the create adopts them.
    let takes_over = in_state.is_some_and(|state| state.policy == DeletionPolicy::Abandon)
        && planned.adopt_existing.as_ref_option() == Some(&true)
        && replaced.is_none();
    let origin = match replaced {
        Some(replaced) => Origin::Replaces(replaced.to_owned()),
        None if is_in_state => Origin::MaybeTainted(name.clone()),
        None => Origin::New,
    };
    let is_by_itself = replaced.map_or(is_in_state, |replaced| replaced == name);
    if is_by_itself && !takes_over && !session.plans.have_ended() {
        return Err(call.fail(messages::replaced_by_itself(&session.with_base_url(&name))));
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
    existence: &Existence<super::check::Owners>,
) {
    let name = call.operation.object.clone();
    let message = match (decide_about(call.session, &name, planned, existence), existence) {
        (Outcome::Adopt | Outcome::Undecided, Existence::Exists(owners)) => {
            messages::will_adopt(call.session, &name, planned, owners)
        }
        (_, Existence::Exists(owners)) => messages::exists(
            call.session,
            &name,
            owners,
            "The apply will not create this resource.",
        ),
        (_, Existence::Failed(error)) => messages::list_needed_by_create(&name, error),
        _ => return,
    };
    call.warn(message);
}

/// Plans, in the first call, the replacement of the owners of one integration by those of another.
pub(super) async fn plan_replace(
    call: &mut Call<'_>,
    stored: &Stored,
    planned: &IntegrationOwnersState,
) -> Result<(), Reported> {
    let session = call.session;
    let old = call.operation.object.clone();
    let new = planned.integration_id();
    if session.plans.is_imported(&old) {
        let new = new.as_ref().map(integration_name);
        let message = imported_and_replaced((KIND, "integration"), &old, new.as_deref());
        return Err(call.fail(message));
    }
    if let Some(old) = stored.state.integration_id() {
        plan_destroy(call, &old, &stored.state, &stored.private.entity).await?;
    }
    let Some(new) = new else { return Ok(()) };
    let mut create = call.of(integration_name(&new));
    register_create(&mut create, &new, planned, &Origin::Replaces(old.clone()))?;
    let moment = Moment::Plan { old: &old };
    let existence = fail_replacement(&mut create, stored, planned, moment).await?;
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
    let session = call.session;
    let name = call.operation.object.clone();
    let registered = session.plans.plan_keep(&[Key::Name(name.clone())], &name, None);
    agree(call, registered.map(drop), "integration")?;
    let owners = planned.principals();
    let registered = session.plans.plan_all_owners(integration.as_str(), &owners);
    agree(call, registered, "owners")?;
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
    let session = call.session;
    if session.plans.have_ended() {
        return Ok(());
    }
    let name = call.operation.object.clone();
    let keys = [Key::Name(name.clone())];
    if session.policy_of(&prior.deletion_policy) == DeletionPolicy::Abandon {
        agree(call, session.plans.plan_abandon(&keys), "integration")?;
        delete::warn_will_abandon(call);
        return Ok(());
    }
    agree(call, session.plans.plan_destroy(&keys, &name), "integration")?;
    for owner in prior.principals() {
        let known = private.name_of(integration, &owner);
        let keys = keys_of(integration, &owner, known.as_ref());
        let known = known.map_or_else(|| name.clone(), |known| known.to_string());
        agree(call, session.plans.plan_destroy(&keys, &known), "owners")?;
    }
    warn_without_owners(call, integration).await;
    Ok(())
}
