//! Creating, updating and destroying the resource. A create and an update add owners first, and
//! remove others only if all additions succeeded, so they never leave the integration without
//! owners. A destroy removes the owners of the state.

use std::collections::BTreeSet;

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Object as _, ObjectName as _, Principal};
use tf_provider::Diagnostics;

use super::messages::{self, Refusal};
use super::plan::look;
use super::read::read_list;
use super::state::{IntegrationOwnersState, KnownOwner, Private, Stored, owner_name};
use crate::integration_owner::state::{NewOwner, keys_of, principal_key};
use crate::integration_owner::write::{Added, add};
use crate::messages::owners::Incomplete;
use crate::object::call::Call;
use crate::object::delete::{Target, delete, is_left, kept_advice, sends_delete, warn_abandoned};
use crate::object::existence::{Existence, Outcome};
use crate::object::messages::invalid_state;
use crate::object::{Describe as _, Known, Message, ObjectPrivateState, Reported};
use crate::service::{Held, Key, List, Purpose};

/// Creates the resource. Returns a state or an error, never both: Terraform would taint the
/// resource, and its destroy at the next apply would remove all owners.
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

/// Waits for other resources that change these owners of the integration: a resource for one of
/// them alone may be about to add or remove it, if its name was known only after apply.
async fn hold(call: &Call<'_>, stored: &Stored, owners: &BTreeSet<String>) -> Held {
    let mut keys = vec![Key::Name(call.object.clone())];
    keys.extend(owners.iter().map(|owner| principal_key(&stored.integration, owner)));
    call.session.begin_write(&keys).await
}

/// Takes over the owners that the plan contains, and adds and removes others. Adds an error if
/// there are owners that may not be adopted. A failure after the first write is a warning.
async fn adopt_and_change(
    call: &mut Call<'_>,
    planned: &mut Stored,
    wanted: &BTreeSet<String>,
) -> Result<(), Reported> {
    let session = call.session;
    let look = look(session, &planned.integration, &planned.state, Purpose::Decide).await;
    if let Ok(look) = look
        && !matches!(look.outcome, Outcome::Write | Outcome::Adopt)
    {
        return Err(call.fail(messages::exists(call, &look.owners, &Refusal::Create)));
    }
    read_list(call, planned).await?;
    for (id, known) in &mut planned.private.entity.owners {
        if wanted.contains(&known.owner) {
            let name = owner_name(&planned.integration, id);
            let keys = keys_of(&planned.integration, Some(&known.owner), name.as_ref());
            known.write_id = Some(session.writes.record_write(&keys, known.create_time.as_deref()));
        }
    }
    let before = planned.private.entity.clone();
    let removed = &before.principals() - wanted;
    let changes = Changes { wanted, added: wanted, removed: &removed };
    let mut failures = Diagnostics::default();
    let changed = change(&mut call.reporting_to(&mut failures), planned, &changes).await;
    let has_written = planned.private.entity != before;
    if changed.is_err() && has_written {
        let message = Message::from(Incomplete { object: &call.object });
        call.warn(message);
        failures.warnings.append(&mut failures.errors);
    }
    call.diags.add_diagnostics(failures);
    if has_written { Ok(()) } else { changed }
}

/// Adds the owners that the plan adds, and removes those that it removes. What changed at the
/// service after the plan is left alone, and shows in the next plan. After a failure in the middle
/// it returns the true state together with the error.
pub(super) async fn update(
    call: &mut Call<'_>,
    mut stored: Stored,
    planned: IntegrationOwnersState,
) -> Result<Stored, Reported> {
    let had = stored.state.principals();
    let wanted = planned.principals();
    if had == wanted {
        // `adopt_existing` or `deletion_policy`.
        return Ok(Stored { state: planned, ..stored });
    }
    let added = &wanted - &had;
    let removed = &had - &wanted;
    let _held = hold(call, &stored, &added).await;
    read_list(call, &mut stored).await?;
    let changes = Changes { wanted: &wanted, added: &added, removed: &removed };
    let changed = change(call, &mut stored, &changes).await;
    record_write(call, &mut stored.private);
    let owners = if changed.is_ok() { wanted } else { stored.private.entity.principals() };
    Ok(Stored { state: planned.with_owners(owners), ..stored })
}

/// Records that this run has written the integration's owners. The list has no creation time to
/// record.
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
    let owners = stored.private.entity.owners.clone();
    let is_leaving = |known: &KnownOwner| changes.removed.contains(&known.owner);
    // An owner whom the list lacks may be gone.
    let stays = |known: &KnownOwner| !known.is_missing && !is_leaving(known);
    if owners.values().any(is_leaving) && !owners.values().any(stays) {
        return Err(call.fail(messages::never_empty(call)));
    }
    for (id, owner) in owners.iter().filter(|(_, known)| is_leaving(known)) {
        let advice = messages::removal_advice(call, &owner.owner);
        remove(call, stored, (id, owner), &advice).await?;
        stored.private.entity.owners.remove(id);
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
    let session = call.session;
    if stored.private.entity.spell(owner) || find_missing(call, stored, owner).await? {
        return Ok(());
    }
    let Ok(principal) = Principal::parse(owner) else {
        return Err(call.fail(invalid_state(call.kind)));
    };
    let integration = &stored.integration;
    let new =
        NewOwner { integration: integration.clone(), owner: Some(principal.clone()), id: None };
    let found = match add(session, &new, &principal, &Existence::Absent).await {
        Ok(Added::New(found, _) | Added::Existing(found)) => found,
        Err(failure) => {
            return Err(messages::not_added(&mut call.of(&new), &new, &principal, &failure));
        }
    };
    let known = &mut stored.private.entity;
    let id = found.name.owner.to_string();
    let same =
        known.owners.get(&id).filter(|same| !same.is_missing && wanted.contains(&same.owner));
    if let Some(same) = same {
        return Err(call.fail(messages::same_owner(call, (&same.owner, owner))));
    }
    let keys = keys_of(integration, Some(owner), Some(&found.name));
    let write_id = Some(session.writes.record_write(&keys, found.create_time.as_deref()));
    let read = known.after_read(&found);
    known.owners.insert(id, KnownOwner { owner: owner.to_owned(), write_id, ..read });
    Ok(())
}

/// Looks, before an owner is added, for one that was known under an ID which the list lacks. GET
/// decides, and the list, requested anew, where GET is not offered. Returns whether the owner is
/// there.
async fn find_missing(
    call: &mut Call<'_>,
    stored: &mut Stored,
    owner: &str,
) -> Result<bool, Reported> {
    let client = &call.session.client;
    for id in stored.private.entity.missing_ids(owner) {
        let Some(name) = owner_name(&stored.integration, &id) else { continue };
        let found = match IntegrationOwner::get(client, &name).await {
            Ok(response) => Some(response.object),
            Err(error) => match error.kind() {
                ErrorKind::NotFound { .. } => None,
                ErrorKind::NotImplemented => {
                    let list =
                        List::request(client, name.parent(), Purpose::Decide.retries()).await;
                    let list = list.map_err(|failed| call.failed(&failed.error))?;
                    list.entries.get(name.id()).cloned()
                }
                _ => return Err(call.failed(&error)),
            },
        };
        let known = &mut stored.private.entity;
        let is_same = |found: &IntegrationOwner| {
            known.owners.get(&id).is_some_and(|it| it.stored == found.owner || owner == found.owner)
        };
        if let Some(found) = found.filter(is_same) {
            let read = known.after_read(&found);
            known.owners.insert(id, KnownOwner { owner: owner.to_owned(), ..read });
            return Ok(true);
        }
        known.owners.remove(&id);
    }
    Ok(false)
}

/// Removes the owners of the state, and those whose IDs private state keeps. Owners that were added
/// outside Terraform since the state was stored stay.
pub(super) async fn destroy(call: &mut Call<'_>, stored: &Stored) -> Result<(), Reported> {
    let session = call.session;
    let keys = [Key::Name(call.object.clone())];
    let _held = session.begin_write(&keys).await;
    // An apply adds and removes owners already, and a replacement would leave the integration
    // without owners.
    if let Some(successor) = &stored.private.successor
        && successor.keys.contains(&keys[0])
    {
        return Err(call.fail(messages::replaced_by_itself(call)));
    }
    if is_left(session, &stored.state.deletion_policy, &stored.private) {
        warn_abandoned(call);
        return Ok(());
    }
    // At another base address, this run may have written another integration of that name.
    let is_here = stored.private.object.is_here(session);
    let write_id = stored.private.object.write_id.as_deref();
    if is_here && !sends_delete(call, &keys, write_id)? {
        return Ok(());
    }
    let owners = stored.state.principals();
    let mut current = stored.clone();
    match session.owners.whole(&session.client, &stored.integration).await {
        Ok(_) => read_list(call, &mut current).await?,
        // The IDs are enough if all are known.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotImplemented | ErrorKind::Forbidden)
                && is_here
                && stored.private.entity.principals().is_superset(&owners) => {}
        Err(error) => {
            let private = &stored.private.object;
            return Err(messages::list_needed(call, private, (&error, "")));
        }
    }
    if !is_here && !sends_delete(call, &keys, write_id)? {
        return Ok(());
    }
    let advice = kept_advice(call.words, &stored.state.deletion_policy);
    for (id, known) in &current.private.entity.owners {
        // What the list shows, and the state lacks, was added outside Terraform.
        if owners.contains(&known.owner) || known.is_missing {
            remove(call, &current, (id, known), &advice).await?;
        }
    }
    session.writes.record_delete(&keys, None);
    Ok(())
}

/// Removes one owner, or adds an error. `advice` is the next step if the owner stays.
async fn remove(
    call: &mut Call<'_>,
    stored: &Stored,
    (id, known): (&str, &KnownOwner),
    advice: &str,
) -> Result<(), Reported> {
    let Some(name) = owner_name(&stored.integration, id) else { return Ok(()) };
    let session = call.session;
    let shown = format!("{name} ({})", session.client.presentable(&known.owner));
    let keys = keys_of(&stored.integration, Some(&known.owner), Some(&name));
    // A resource for this owner alone may be about to adopt it.
    let _held = session.begin_write(&keys).await;
    let private = ObjectPrivateState {
        // The list that names the owner has returned it.
        read_before: true,
        base_url: stored.private.object.base_url.clone(),
        write_id: known.write_id.clone(),
        ..ObjectPrivateState::default()
    };
    let known = Known { create_time: known.create_time.as_deref(), private: &private };
    let mut call = call.of(shown);
    call.kind = IntegrationOwner::WORDS.kind;
    let target = Target::<IntegrationOwner> { name: &name, keys: &keys, known };
    delete(&mut call, &target, advice).await
}
