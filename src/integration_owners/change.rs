//! Adding and removing owners until the integration has those of the plan: additions first, and
//! removals only if all of them succeeded, so that the integration is never without owners.

use std::collections::{BTreeMap, BTreeSet};

use access_client::Principal;
use access_client::time::OffsetDateTime;
use tf_provider::Diagnostics;

use super::check::check;
use super::delete::remove;
use super::messages;
use super::read::read_list;
use super::state::{IntegrationOwnersState, KnownOwner, Private, Stored};
use crate::integration_owner::add::{Added, add};
use crate::integration_owner::state::{NewOwner, keys_of, principal_key};
use crate::object::Reported;
use crate::object::call::Call;
use crate::object::existence::Existence;
use crate::object::messages::{invalid_state, not_created};
use crate::service::{Held, Key, Purpose};

/// Creates the resource. Returns a state or an error, never both: Terraform would taint the resource, and
/// its destroy at the next apply would remove all owners.
pub(super) async fn create(call: &mut Call<'_>, mut planned: Stored) -> Result<Stored, Reported> {
    let wanted = planned.state.principals();
    let _held = hold(call, &planned, &wanted).await;
    if let Err(Reported) = adopt_and_change(call, &mut planned, &wanted).await {
        call.session.writes.record_wanted([Key::Name(call.object.clone())]);
        return Err(Reported);
    }
    // An owner that is missing, or that is to be removed, shows in the next plan.
    let owners = &mut planned.private.entity;
    owners.incomplete = owners.principals() != wanted;
    record_write(call, &mut planned.private);
    Ok(planned)
}

/// Waits for other resources that change these owners of the integration: a resource for one of them alone
/// may be about to add or remove it, if its name was known only after apply.
async fn hold(call: &Call<'_>, stored: &Stored, owners: &BTreeSet<String>) -> Held {
    let mut keys = vec![Key::Name(call.object.clone())];
    keys.extend(owners.iter().map(|owner| principal_key(&stored.integration, owner)));
    call.session.begin_write(&keys).await
}

/// Takes over the owners that the plan contains, and adds and removes others. Adds an error if there are
/// owners that may not be adopted. A failure after the first write is a warning.
async fn adopt_and_change(
    call: &mut Call<'_>,
    planned: &mut Stored,
    wanted: &BTreeSet<String>,
) -> Result<(), Reported> {
    let session = call.session;
    if let Ok(found) = check(session, &planned.integration, &planned.state, Purpose::Decide).await
        && found.outcome.would_fail()
    {
        return Err(call.fail(messages::exists(call, &found.owners, &not_created(call))));
    }
    read_list(call, planned).await?;
    let existing = planned.private.entity.principals();
    for owner in existing.intersection(wanted) {
        let write_id = session.writes.record_write(&planned.keys_of(owner), None);
        planned.private.entity.record_write(owner, &write_id);
    }
    let removed = existing.difference(wanted).cloned().collect();
    let changes = Changes { wanted, added: wanted, removed: &removed };
    let mut failures = Diagnostics::default();
    let wrote = change(&mut call.reporting_to(&mut failures), planned, &changes).await;
    let has_failed = !failures.errors.is_empty();
    if has_failed && wrote {
        call.warn(messages::incomplete(&call.object));
        failures.warnings.append(&mut failures.errors);
    }
    call.diags.add_diagnostics(failures);
    if has_failed && !wrote { Err(Reported) } else { Ok(()) }
}

/// Adds the owners that the plan adds, and removes those that it removes. What changed at the service
/// after the plan is left alone, and shows in the next plan. After a failure in the middle it returns the
/// true state together with the error.
pub(super) async fn update(
    call: &mut Call<'_>,
    mut stored: Stored,
    planned: IntegrationOwnersState,
) -> Result<Stored, Reported> {
    let (had, wanted) = (stored.state.principals(), planned.principals());
    if had == wanted {
        // `adopt_existing` or `deletion_policy`.
        return Ok(Stored { state: planned, ..stored });
    }
    let (added, removed) = (&wanted - &had, &had - &wanted);
    let _held = hold(call, &stored, &added).await;
    read_list(call, &mut stored).await?;
    if let Some(pair) = stored.private.entity.find_same(&wanted) {
        return Err(call.fail(messages::same_owner(call, pair)));
    }
    let errors = call.diags.errors.len();
    let changes = Changes { wanted: &wanted, added: &added, removed: &removed };
    change(call, &mut stored, &changes).await;
    record_write(call, &mut stored.private);
    let has_failed = call.diags.errors.len() > errors;
    let owners = if has_failed { stored.private.entity.principals() } else { wanted };
    Ok(Stored { state: planned.with_owners(owners), ..stored })
}

fn record_write(call: &Call<'_>, private: &mut Private) {
    let write_id = call.session.writes.record_write(&[Key::Name(call.object.clone())], None);
    private.object.record_write(call.session, call.object.clone(), write_id, None);
}

/// The owners after a create or an update, and those that it adds and removes.
struct Changes<'o> {
    wanted: &'o BTreeSet<String>,
    added: &'o BTreeSet<String>,
    removed: &'o BTreeSet<String>,
}

/// Adds owners, and then removes owners if that succeeded. The private state follows each step. Returns
/// whether anything was written.
async fn change(call: &mut Call<'_>, stored: &mut Stored, changes: &Changes<'_>) -> bool {
    let errors = call.diags.errors.len();
    let mut wrote = false;
    for owner in changes.added {
        match add_owner(call, stored, changes.wanted, owner).await {
            Ok(was_added) => wrote |= was_added,
            // Nothing is sent for the owners after an interrupt.
            Err(Reported) if plugin_server::stop_token().is_cancelled() => break,
            Err(Reported) => {}
        }
    }
    if call.diags.errors.len() > errors {
        return wrote;
    }
    let known = &mut stored.private.entity.owners;
    let (leaving, staying): (BTreeMap<_, _>, BTreeMap<_, _>) =
        known.clone().into_iter().partition(|(_, known)| changes.removed.contains(&known.owner));
    // An owner whom no read has shown yet may be gone.
    let is_there =
        |known: &KnownOwner| known.added_at.is_none() || changes.added.contains(&known.owner);
    if !leaving.is_empty() && !staying.values().any(is_there) {
        call.fail(messages::never_empty(call));
        return wrote;
    }
    for (id, owner) in leaving {
        let advice = messages::removal_advice(call, &owner.owner);
        if remove(call, &stored.integration, (&id, &owner), &advice).await.is_err() {
            break;
        }
        known.remove(&id);
        wrote = true;
    }
    wrote
}

/// Adds an owner unless the integration has it. Returns whether it was added.
async fn add_owner(
    call: &mut Call<'_>,
    stored: &mut Stored,
    wanted: &BTreeSet<String>,
    owner: &str,
) -> Result<bool, Reported> {
    let (session, integration) = (call.session, &stored.integration);
    let known = &mut stored.private.entity;
    if known.spell(owner) {
        return Ok(false);
    }
    let Ok(principal) = Principal::parse(owner) else {
        return Err(call.fail(invalid_state(call.kind)));
    };
    let new =
        NewOwner { integration: integration.clone(), owner: Some(principal.clone()), id: None };
    let (found, added_at) = match add(session, &new, &principal, &Existence::Free).await {
        Ok(Added::New(found, date)) => (found, date.map(OffsetDateTime::unix_timestamp)),
        Ok(Added::Existing(found)) => (found, None),
        Err(failure) => return Err(messages::not_added(&mut call.of(&new), &principal, &failure)),
    };
    let id = found.name.owner.to_string();
    if let Some(same) = known.owners.get(&id).filter(|same| wanted.contains(&same.owner)) {
        return Err(call.fail(messages::same_owner(call, (&same.owner, owner))));
    }
    let write_id = Some(session.writes.record_write(
        &keys_of(integration, Some(owner), Some(&found.name)),
        found.create_time.as_deref(),
    ));
    let read = known.after_read(&found);
    known.owners.insert(id, KnownOwner { owner: owner.to_owned(), added_at, write_id, ..read });
    Ok(true)
}
