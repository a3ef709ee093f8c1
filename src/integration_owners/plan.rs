//! Planning the owners of an integration: what exists already, what a create does then, and what
//! other resources do to the same owners.

use std::collections::BTreeSet;

use access_client::{Error, Identifier};

use super::messages::{self, Refusal};
use super::state::{IntegrationOwnersState, Private, Stored, integration_name};
use crate::integration_owner::{existing_owners, warn_without_owners};
use crate::messages::existing::AbandonedWithNewName;
use crate::object::call::{Call, was_planned};
use crate::object::conflicts::{self, Side};
use crate::object::create::warn_check_failed;
use crate::object::existence::{Adoption, Found, Intent, Outcome, decide, replacement_fails};
use crate::object::messages::{Renaming, imported_and_replaced};
use crate::object::{Message, ObjectPrivateState, Reported, Successor, delete};
use crate::service::{Claim, Contradiction, Creation, Key, Purpose, Session};

/// The owners that an integration has, and what a create does.
pub(super) struct OwnersLook {
    pub(super) owners: BTreeSet<String>,
    pub(super) found: Found,
    pub(super) outcome: Outcome,
}

/// Looks for the owners of an integration, and decides what a create does. Without the list,
/// nothing can be created.
pub(super) async fn look(
    session: &Session,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    purpose: Purpose,
) -> Result<OwnersLook, Error> {
    let list = session.owners.list(&session.client, integration, purpose).await;
    let list = list.map_err(|failed| failed.error)?;
    let owners: BTreeSet<String> =
        existing_owners(session, &list).map(|entry| entry.owner.clone()).collect();
    let found = if owners.is_empty() { Found::Absent } else { Found::Exists };
    let adoption = planned.adoption();
    // An adoption changes what this process has written as well.
    let is_written = adoption != Adoption::Allowed
        && session.writes.is_written(&Key::Name(integration_name(integration)));
    let outcome = decide(found, &Intent { adoption, must_exist: false, is_written });
    Ok(OwnersLook { owners, found, outcome })
}

/// Adds the error of plans that contradict each other, at the attribute to blame.
fn agree(
    call: &mut Call<'_>,
    registered: Result<(), Contradiction>,
    side: Side,
    attribute: &'static str,
) -> Result<(), Reported> {
    registered.map_err(|found| conflicts::report_at(call, &found, side, attribute))
}

/// Registers a create of this plan and its owners, or adds the error of what contradicts them.
/// `replaces` is the name of the integration that the resource had before.
fn register_create(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
    replaces: Option<String>,
) -> Result<(), Reported> {
    let session = call.session;
    let keys = [Key::Name(call.object.clone())];
    let in_state = session.states.find(&keys).map(|object| object.name);
    let creation = Creation { replaces, in_state, was_planned: was_planned() };
    let registered = session.plans.register(&keys, Claim::Create(creation));
    agree(call, registered, Side::Creates, "integration")?;
    register_owners(call, planned, Side::Creates)
}

/// Registers the owners that the integration has after the apply.
fn register_owners(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
    side: Side,
) -> Result<(), Reported> {
    let Some(integration) = planned.integration_id() else { return Ok(()) };
    let owners = planned.owners.as_ref_option();
    let all = owners.is_some_and(|owners| owners.iter().all(|owner| owner.is_value()));
    let (integration, owners) = (integration.as_str(), planned.principals());
    let registered = call.session.plans.plan_list(integration, &owners, all);
    agree(call, registered, side, "owners")
}

/// Plans a create. `private` is that of the owners that the resource replaces, or empty.
pub(super) async fn plan_create(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
    mut private: Private,
) -> Result<Private, Reported> {
    let session = call.session;
    let keys = vec![Key::Name(call.object.clone())];
    let replaces = private.object.name.clone();
    let is_replacement = replaces.is_some();
    register_create(call, planned, replaces)?;
    if let Some(integration) = planned.integration_id()
        && !is_replacement
        && session.checks_in_plans()
        && !session.states.is_refreshed(&keys)
    {
        let look = look(session, &integration, planned, Purpose::Check).await;
        if !session.states.is_refreshed(&keys) {
            warn_about_existence(call, planned, look);
        }
    }
    private.successor = Some(Successor { keys, adopts: planned.adoption() == Adoption::Allowed });
    Ok(private)
}

/// Warns about the owners that a plan has found. Only the create decides.
fn warn_about_existence(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
    look: Result<OwnersLook, Error>,
) {
    let message = match look {
        Err(error) if call.session.record_failed_check(&error) => return,
        Err(error) => return warn_check_failed(call, &error),
        Ok(OwnersLook { owners, outcome, .. }) => match outcome {
            Outcome::Adopt | Outcome::Undecided => messages::will_adopt(call, planned, &owners),
            Outcome::Refuse => messages::exists(call, &owners, &Refusal::Plan),
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
    let session = call.session;
    let old = call.object.clone();
    let new = planned.integration_id();
    if session.plans.is_imported(&old) {
        let new = new.as_ref().map(integration_name);
        return Err(call.fail(imported_and_replaced(call, new)));
    }
    plan_destroy(call, stored).await?;
    let leaves = delete::is_left(session, &stored.state.deletion_policy, &stored.private);
    if !leaves && session.abandons(&planned.deletion_policy) {
        let message = Message::from(AbandonedWithNewName { old: &old, kind: &call.kind });
        return Err(call.fail(message));
    }
    let Some(new) = new else { return Ok(()) };
    let call = &mut call.of(integration_name(&new));
    register_create(call, planned, Some(old.clone()))?;
    match look(session, &new, planned, Purpose::Decide).await {
        Ok(look) if replacement_fails(look.found, look.outcome, leaves) => {
            Err(call.fail(messages::exists(call, &look.owners, &Refusal::Replacement(&old))))
        }
        Err(error) if replacement_fails(Found::Failed, Outcome::FailUnchecked, leaves) => {
            let private = ObjectPrivateState::default();
            let way = Renaming { old: &old, has_same_id: false }.way("");
            let effect = format!(
                "Nothing was changed. An apply that destroys first could destroy {old} and create nothing. {way} \
                 `terraform destroy` works with `-refresh=false`."
            );
            Err(messages::list_needed(call, &private, (&error, &effect)))
        }
        look => {
            warn_about_existence(call, planned, look);
            Ok(())
        }
    }
}

/// Registers that the resource keeps its integration, with the owners of the plan.
pub(super) fn plan_keep(
    call: &mut Call<'_>,
    planned: &IntegrationOwnersState,
) -> Result<(), Reported> {
    let name = call.object.clone();
    let key = Key::Name(name.clone());
    let registered = call.session.plans.register(&[key], Claim::Keep { name });
    agree(call, registered, Side::Keeps, "integration")?;
    register_owners(call, planned, Side::Keeps)
}

/// Registers that the owners of the state are removed. Warns if the integration is left without
/// owners.
pub(super) async fn plan_destroy(call: &mut Call<'_>, stored: &Stored) -> Result<(), Reported> {
    let session = call.session;
    let key = Key::Name(call.object.clone());
    let leaves = delete::is_left(session, &stored.state.deletion_policy, &stored.private);
    if !delete::register(call, &[key], leaves)? {
        return Ok(());
    }
    for owner in stored.state.principals() {
        let keys = stored.keys_of(&owner);
        // An owner whose name is not known is destroyed under the integration's.
        let name = match keys.last() {
            Some(Key::Name(name)) => name.clone(),
            _ => call.object.clone(),
        };
        let claim = Claim::Destroy { name, is_in_list: true };
        let registered = session.plans.register(&keys, claim);
        agree(call, registered, Side::Destroys, "owners")?;
    }
    warn_without_owners(call, &stored.integration).await;
    Ok(())
}
