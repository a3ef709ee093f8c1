//! Planning the owners of an integration: what exists already, what a create does then, and what other
//! resources do to the same owners.

use std::collections::BTreeSet;

use access_client::{Error, Identifier};

use super::messages;
use super::state::{IntegrationOwnersState, Stored, integration_name};
use crate::integration_owner::{existing_owners, warn_without_owners};
use crate::object::call::{Call, was_planned};
use crate::object::create::warn_check_failed;
use crate::object::existence::{Adoption, Existence, Intent, Outcome, decide};
use crate::object::messages::{Replacement, abandoned_with_new_name, imported_and_replaced};
use crate::object::{ObjectPrivateState, Reported, conflicts, delete};
use crate::service::{Claim, Contradiction, Key, Origin, Purpose, Session};

pub(super) struct Found {
    pub(super) owners: BTreeSet<String>,
    pub(super) outcome: Outcome,
}

/// Checks whether an integration has owners, and decides what a create does. Without the list, nothing can
/// be created.
pub(super) async fn check(
    session: &Session,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    purpose: Purpose,
) -> Result<Found, Error> {
    let list = session.owners.list(&session.client, integration, purpose).await;
    let list = list.map_err(|failed| failed.error)?;
    let owners: BTreeSet<String> =
        existing_owners(session, &list).map(|entry| entry.owner.clone()).collect();
    let existence: Existence<()> =
        if owners.is_empty() { Existence::Free } else { Existence::Exists(Box::new(())) };
    let adoption = planned.adoption();
    // An adoption changes what this process has written as well.
    let is_written = adoption != Adoption::Allowed
        && session.writes.is_written(&Key::Name(integration_name(integration)));
    let outcome = decide(&existence, &Intent { adoption, must_exist: false, is_written });
    Ok(Found { owners, outcome })
}

/// Adds the error of plans that contradict each other, at the attribute to blame.
fn agree(
    call: &mut Call<'_>,
    registered: Result<(), Contradiction>,
    attribute: &'static str,
) -> Result<(), Reported> {
    registered.map_err(|found| conflicts::report_at(call, &found, attribute))
}

fn register_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    origin: &Origin,
) -> Result<(), Reported> {
    let (plans, key) = (&call.session.plans, Key::Name(call.object.clone()));
    let adopts = planned.adoption() == Adoption::Allowed;
    let claim = Claim::Create { origin: origin.clone(), adopts };
    agree(call, plans.register(&[key], &claim).map(drop), "integration")?;
    agree(call, plans.plan_all_owners(integration.as_str(), &planned.principals()), "owners")
}

/// Plans a create. `replaced` is the name of the integration whose owners the resource has.
pub(super) async fn plan_create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    replaced: Option<String>,
) -> Result<(), Reported> {
    let (session, name) = (call.session, call.object.clone());
    let in_state = session.states.find(&[Key::Name(name.clone())]);
    // The way out of a deposed object: its destroy leaves the owners, and the create adopts them.
    let takes_over = planned.adoption() == Adoption::Allowed
        && in_state.as_ref().is_some_and(|state| state.is_abandoned);
    let (origin, is_by_itself) = match replaced {
        Some(replaced) => (Origin::Replaces(replaced.clone()), replaced == name),
        None if in_state.is_some() => (Origin::MaybeTainted(name), !takes_over),
        None if was_planned() => (Origin::Planned, false),
        None => (Origin::New, false),
    };
    if is_by_itself && !session.plans.have_ended() {
        return Err(call.fail(messages::replaced_by_itself(call)));
    }
    register_create(call, integration, planned, &origin)?;
    if !matches!(origin, Origin::Replaces(_)) && session.checks_in_plans() {
        let found = check(session, integration, planned, Purpose::Check).await;
        warn_about_existence(call, planned, found);
    }
    Ok(())
}

/// Warns about the owners that a plan has found. Only the create decides.
fn warn_about_existence(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
    found: Result<Found, Error>,
) {
    let message = match found {
        Err(error) if call.session.record_failed_check(&error) => return,
        Err(error) => return warn_check_failed(call, &error),
        Ok(Found { owners, outcome }) => match outcome {
            Outcome::Adopt | Outcome::Undecided => messages::will_adopt(call, planned, &owners),
            Outcome::Refuse => {
                messages::exists(call, &owners, "The apply will not create this resource.")
            }
            _ => return,
        },
    };
    call.warn(message);
}

/// Plans, in the first call, the replacement of the owners of one integration by those of another.
pub(super) async fn plan_replace(
    call: &mut Call<'_>,
    stored: &Stored,
    planned: &IntegrationOwnersState,
) -> Result<(), Reported> {
    let old = call.object.clone();
    let new = planned.integration_id();
    if call.session.plans.is_imported(&old) {
        let new = new.as_ref().map(integration_name);
        return Err(call.fail(imported_and_replaced(call, new)));
    }
    plan_destroy(call, stored).await?;
    let Some(new) = new else { return Ok(()) };
    let mut create = call.of(integration_name(&new));
    register_create(&mut create, &new, planned, &Origin::Replaces(old.clone()))?;
    let replacement = Replacement { old: &old, is_planned: true };
    if let Some(found) = check_replacement(&mut create, stored, planned, replacement).await? {
        warn_about_existence(&mut create, planned, Ok(found));
    }
    Ok(())
}

/// Checks what the create of a replacement will do. Returns what was found at another integration, or adds an
/// error if the create would fail after the destroy.
pub(super) async fn check_replacement(
    call: &mut Call<'_>,
    stored: &Stored,
    planned: &IntegrationOwnersState,
    replacement: Replacement<'_>,
) -> Result<Option<Found>, Reported> {
    let session = call.session;
    let Some(new) = planned.integration_id().filter(|new| *new != stored.integration) else {
        return Ok(None);
    };
    if !stored.is_left(session) && session.abandons(&planned.deletion_policy) {
        return Err(call.fail(abandoned_with_new_name(call.kind, replacement.old)));
    }
    let effect = replacement.effect();
    let mut create = call.of(integration_name(&new));
    match check(session, &new, planned, Purpose::Decide).await {
        Ok(found) if !found.outcome.would_fail() => Ok(Some(found)),
        Ok(found) => Err(create.fail(messages::exists(&create, &found.owners, &effect))),
        Err(error) => {
            let private = ObjectPrivateState::default();
            Err(messages::list_needed(&mut create, &private, (&error, &effect)))
        }
    }
}

/// Registers that the resource keeps its integration, with the owners of the plan.
pub(super) fn plan_keep(
    call: &mut Call<'_>,
    stored: &Stored,
    planned: &IntegrationOwnersState,
) -> Result<(), Reported> {
    let (plans, key) = (&call.session.plans, Key::Name(call.object.clone()));
    let claim = Claim::Keep { name: &call.object, write_id: None };
    let registered = plans.register(&[key], &claim).map(drop);
    agree(call, registered, "integration")?;
    let owners = planned.principals();
    agree(call, plans.plan_all_owners(stored.integration.as_str(), &owners), "owners")?;
    match stored.private.entity.find_same(&owners) {
        Some(pair) => Err(call.fail(messages::same_owner(call, pair))),
        None => Ok(()),
    }
}

/// Registers that the owners of the state are removed. Warns if the integration is left without owners.
pub(super) async fn plan_destroy(call: &mut Call<'_>, stored: &Stored) -> Result<(), Reported> {
    let (session, key) = (call.session, Key::Name(call.object.clone()));
    if !delete::register(call, &[key], session.abandons(&stored.state.deletion_policy))? {
        return Ok(());
    }
    for owner in stored.state.principals() {
        let keys = stored.keys_of(&owner);
        // An owner whose name is not known is destroyed under the integration's.
        let name = match keys.last() {
            Some(Key::Name(name)) => name,
            _ => &call.object,
        };
        let registered = session.plans.register(&keys, &Claim::Destroy(name)).map(drop);
        agree(call, registered, "owners")?;
    }
    warn_without_owners(call, &stored.integration).await;
    Ok(())
}
