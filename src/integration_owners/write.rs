//! Creating, updating and destroying the resource. A create and an update add owners first, and remove others
//! only if all additions succeeded, so they never leave the integration without owners. A destroy removes the
//! owners of the state.

use std::collections::{BTreeMap, BTreeSet};

use access_client::api::IntegrationOwner;
use access_client::time::OffsetDateTime;
use access_client::{ErrorKind, Identifier, Principal};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::messages;
use super::plan::{check, check_replacement};
use super::read::{read_list, resolve};
use super::state::{IntegrationOwnersState, KnownOwner, Private, Stored, owner_name};
use crate::integration_owner::state::{NewOwner, keys_of, principal_key};
use crate::integration_owner::write::{Added, add};
use crate::object::call::Call;
use crate::object::delete::{delete, kept_advice, sends_delete, warn_abandoned};
use crate::object::existence::Existence;
use crate::object::messages::{Replacement, invalid_state, not_created};
use crate::object::{self, Convert as _, Describe as _, Reported};
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
    for (id, known) in &mut planned.private.entity.owners {
        if wanted.contains(&known.owner) {
            let name = owner_name(&planned.integration, id);
            let keys = keys_of(&planned.integration, Some(&known.owner), name.as_ref());
            known.write_id = Some(session.writes.record_write(&keys, None));
        }
    }
    let before = planned.private.entity.clone();
    let removed = &before.principals() - wanted;
    let changes = Changes { wanted, added: wanted, removed: &removed };
    let mut failures = Diagnostics::default();
    let changed = change(&mut call.reporting_to(&mut failures), planned, &changes).await;
    let has_written = planned.private.entity != before;
    if changed.is_err() && has_written {
        call.warn(messages::incomplete(&call.object));
        failures.warnings.append(&mut failures.errors);
    }
    call.diags.add_diagnostics(failures);
    if has_written { Ok(()) } else { changed }
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
    let changes = Changes { wanted: &wanted, added: &added, removed: &removed };
    let changed = change(call, &mut stored, &changes).await;
    record_write(call, &mut stored.private);
    let owners = if changed.is_ok() { wanted } else { stored.private.entity.principals() };
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

/// Adds owners, and then removes owners if that succeeded. The private state follows each step.
async fn change(
    call: &mut Call<'_>,
    stored: &mut Stored,
    changes: &Changes<'_>,
) -> Result<(), Reported> {
    let mut added = Ok(());
    for owner in changes.added {
        if add_owner(call, stored, changes.wanted, owner).await.is_err() {
            added = Err(Reported);
            // Nothing is sent for the owners after an interrupt.
            if plugin_server::stop_token().is_cancelled() {
                break;
            }
        }
    }
    added?;
    let known = &mut stored.private.entity.owners;
    let (leaving, staying): (BTreeMap<_, _>, BTreeMap<_, _>) =
        known.clone().into_iter().partition(|(_, known)| changes.removed.contains(&known.owner));
    // An owner whom no read has shown yet may be gone.
    let is_there =
        |known: &KnownOwner| known.added_at.is_none() || changes.added.contains(&known.owner);
    if !leaving.is_empty() && !staying.values().any(is_there) {
        return Err(call.fail(messages::never_empty(call)));
    }
    for (id, owner) in leaving {
        let advice = messages::removal_advice(call, &owner.owner);
        remove(call, &stored.integration, (&id, &owner), &advice).await?;
        known.remove(&id);
    }
    Ok(())
}

/// Adds an owner unless the integration has it.
async fn add_owner(
    call: &mut Call<'_>,
    stored: &mut Stored,
    wanted: &BTreeSet<String>,
    owner: &str,
) -> Result<(), Reported> {
    let (session, integration) = (call.session, &stored.integration);
    let known = &mut stored.private.entity;
    if known.spell(owner) {
        return Ok(());
    }
    let Ok(principal) = Principal::parse(owner) else {
        return Err(call.fail(invalid_state(call.kind)));
    };
    let new =
        NewOwner { integration: integration.clone(), owner: Some(principal.clone()), id: None };
    let (found, added_at) = match add(session, &new, &principal, &Existence::Free).await {
        Ok(Added::New(found, at)) => (found, at.map(OffsetDateTime::unix_timestamp).or(Some(0))),
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
    Ok(())
}

/// Removes the owners of the state. Owners that were added outside Terraform since the state was stored
/// stay.
pub(super) async fn destroy(call: &mut Call<'_>, stored: &Stored) -> Result<(), Reported> {
    let session = call.session;
    let Stored { integration, state: prior, private } = stored;
    let keys = [Key::Name(call.object.clone())];
    let _held = session.begin_write(&keys).await;
    if let Some(planned) = &private.replaced_by {
        let old = call.object.clone();
        let replacement = Replacement { old: &old, is_planned: false };
        check_replacement(call, stored, planned, replacement).await?;
    }
    if stored.is_left(session) {
        warn_abandoned(call);
        return Ok(());
    }
    // At another base address, this run may have written another integration of that name.
    let is_elsewhere = private.object.is_elsewhere(session);
    let write_id = private.object.write_id.as_deref();
    if !is_elsewhere && !sends_delete(call, &keys, write_id)? {
        return Ok(());
    }
    let owners = prior.principals();
    let mut current = stored.clone();
    match session.owners.whole(&session.client, integration).await {
        Ok(list) => resolve(call, &mut current, &list).await?,
        // The IDs are enough if all are known.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotImplemented | ErrorKind::Forbidden)
                && !is_elsewhere
                && private.entity.principals().is_superset(&owners) => {}
        Err(error) => return Err(messages::list_needed(call, &private.object, (&error, ""))),
    }
    if is_elsewhere && !sends_delete(call, &keys, write_id)? {
        return Ok(());
    }
    let advice = kept_advice(call.words, &prior.deletion_policy);
    for (id, known) in &current.private.entity.owners {
        if owners.contains(&known.owner) {
            remove(call, integration, (id, known), &advice).await?;
        }
    }
    session.writes.record_delete(&keys, None);
    Ok(())
}

/// Removes one owner, or adds an error. `advice` is the next step if the owner stays.
async fn remove(
    call: &mut Call<'_>,
    integration: &Identifier,
    (id, known): (&str, &KnownOwner),
    advice: &str,
) -> Result<(), Reported> {
    let Some(name) = owner_name(integration, id) else { return Ok(()) };
    let session = call.session;
    let shown = format!("{name} ({})", session.client.presentable(&known.owner));
    let mut owner = object::Stored::<IntegrationOwner>::default();
    owner.state.name = Value::Value(name.to_string());
    owner.state.owner = Value::Value(known.owner.clone());
    owner.state.create_time = known.create_time.clone().into();
    // The list that names the owner has returned it.
    owner.private.object.read_before = true;
    let keys = IntegrationOwner::state_keys(&owner.state);
    // A resource for this owner alone may be about to adopt it.
    let _held = session.begin_write(&keys).await;
    let mut call = call.of(shown);
    call.kind = IntegrationOwner::WORDS.kind;
    if !sends_delete(&mut call, &keys, known.write_id.as_deref())? {
        return Ok(());
    }
    delete(&mut call, &name, &owner, advice).await
}
