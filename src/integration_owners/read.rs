//! Reading the owners of an integration by the list, and by GET for owners that the list lacks.

use std::sync::Arc;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Identifier, Object as _};

use super::messages;
use super::state::{
    IntegrationOwnersState, KnownOwner, OwnersPrivateState, Private, Stored, owner_name,
};
use crate::integration_owner::warn_skipped;
use crate::object::call::Call;
use crate::object::existence::{Existence, existence_of};
use crate::object::read::{report_elsewhere, warn_stale};
use crate::object::{ObjectPrivateState, Reported};
use crate::service::{Key, List, Session, parent_list};
use crate::time::is_equal;

/// Returns the list of owners, which a run requests once.
pub(super) async fn list_owners(
    session: &Session,
    integration: &Identifier,
) -> Result<Arc<List<IntegrationOwner>>, Error> {
    parent_list::whole::<IntegrationOwner>(session, integration).await
}

/// Returns the list of owners, or adds an error: the operation needs it.
pub(super) async fn list_needed(
    call: &mut Call<'_>,
    integration: &Identifier,
    private: &ObjectPrivateState,
) -> Result<Arc<List<IntegrationOwner>>, Reported> {
    let list = list_owners(call.session, integration).await;
    list.map_err(|error| messages::list_needed(call, private, (&error, "")))
}

/// Returns the owners in a list, without those that this process has removed.
pub(super) fn entries_of(
    session: &Session,
    list: &List<IntegrationOwner>,
) -> Vec<IntegrationOwner> {
    let existing = |owner: &IntegrationOwner| match existence_of(session, owner.clone()) {
        Existence::Exists(owner) => Some(*owner),
        _ => None,
    };
    list.entries.values().filter_map(existing).collect()
}

/// Refreshes the state. The resource stays in the state whatever the list contains: an integration
/// without owners is one whose owners are added again.
pub(super) async fn read(call: &mut Call<'_>, integration: &Identifier, stored: Stored) -> Stored {
    let session = call.session;
    if !session.detects_drift() {
        return if stored.private.entity.incomplete { refreshed(stored) } else { stored };
    }
    let list = match list_owners(session, integration).await {
        Ok(list) => list,
        Err(error) => {
            report_no_list(call, &stored.private, &error);
            return stored;
        }
    };
    let mut private = stored.private.clone();
    match resolve(call, integration, &list, &mut private).await {
        Ok(()) => refreshed(Stored { private, ..stored }),
        Err(Reported) => stored,
    }
}

/// Imports the owners by the list. Sends no write.
pub(super) async fn import(
    call: &mut Call<'_>,
    integration: &Identifier,
) -> Result<Stored, Reported> {
    let mut private = Private::default();
    let list = list_needed(call, integration, &private.object).await?;
    resolve(call, integration, &list, &mut private).await?;
    if private.entity.owners.is_empty() {
        return Err(call.fail(messages::no_owners(call)));
    }
    call.session.plans.record_import(&call.object);
    let state = IntegrationOwnersState::new(integration, private.entity.principals());
    Ok(Stored { state, private })
}

/// Returns the state with the owners of its private state.
fn refreshed(mut stored: Stored) -> Stored {
    stored.state.set_owners(stored.private.entity.principals());
    stored.private.entity.incomplete = false;
    stored
}

/// Reports that the list could not be read, as far as it is an error. The state is kept.
fn report_no_list(call: &mut Call<'_>, private: &Private, error: &Error) {
    if private.object.is_elsewhere(call.session) {
        report_elsewhere(call, &private.object, Some(error));
        return;
    }
    match error.kind() {
        ErrorKind::NotImplemented => {
            call.warn_once(messages::list_unavailable(call, error));
        }
        // No call other than the list reads an integration, so a 404 has several meanings.
        ErrorKind::NotFound { .. } => {
            messages::list_not_found(call, error);
        }
        _ => {
            call.failed(error);
        }
    }
}

/// Updates the private state from a list. Lists confirm, only GET contradicts: an owner that the list has
/// and the private state lacks, or the reverse, is read by GET before it counts as added or removed. After
/// an error, the private state is not usable.
pub(super) async fn resolve(
    call: &mut Call<'_>,
    integration: &Identifier,
    list: &List<IntegrationOwner>,
    private: &mut Private,
) -> Result<(), Reported> {
    let session = call.session;
    warn_skipped(call, integration, &list.skipped);
    let mut entries = entries_of(session, list);
    if private.object.is_elsewhere(session) && !contains_known(&private.entity, &entries) {
        return Err(report_elsewhere(call, &private.object, None));
    }
    // A create and an import know nothing yet, and take the list as it is.
    if !private.entity.owners.is_empty() {
        entries = without_removed(call, entries, &private.entity).await?;
    }
    let owners = &mut private.entity;
    for (id, known) in owners.record_list(entries) {
        let Some(name) = owner_name(integration, &id) else { continue };
        let key = Key::Name(name.to_string());
        if session.writes.is_deleted(&key, known.create_time.as_deref()) {
            continue;
        }
        if known.may_lag(list.date) {
            // Somebody has removed the owner and added it again. If both counted, the next apply would remove
            // the only one that there is.
            if let Some(again) = owners.find_stored(&known.stored) {
                again.owner = known.owner;
                continue;
            }
            warn_stale(call);
            owners.owners.insert(id, known);
            continue;
        }
        match IntegrationOwner::get(&session.client, &name).await {
            Ok(response) => {
                let read = KnownOwner::listed(&response.object);
                let same = known.is_same(&response.object);
                let owner = if same { known.owner } else { read.owner.clone() };
                owners.owners.insert(id, KnownOwner { owner, ..read });
            }
            Err(error) => match error.kind() {
                ErrorKind::NotFound { json: true } | ErrorKind::NotImplemented => {
                    // An entry that cannot be read may be this owner.
                    if !list.skipped.is_empty() {
                        owners.owners.insert(id, known);
                    }
                }
                _ => return Err(call.failed(&error)),
            },
        }
    }
    private.object.record_read(session, call.object.clone());
    Ok(())
}

/// Returns the entries of a list without those that are new and that GET does not find: a list that lags
/// still contains an owner that the last apply has removed.
async fn without_removed(
    call: &mut Call<'_>,
    entries: Vec<IntegrationOwner>,
    known: &OwnersPrivateState,
) -> Result<Vec<IntegrationOwner>, Reported> {
    let mut present = Vec::new();
    for entry in entries {
        if known.contains(&entry) {
            present.push(entry);
            continue;
        }
        match IntegrationOwner::get(&call.session.client, &entry.name).await {
            Ok(response) => present.push(response.object),
            Err(error) => match error.kind() {
                ErrorKind::NotFound { json: true } => {}
                // Without GET, the list is all there is.
                ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {
                    present.push(entry);
                }
                _ => return Err(call.failed(&error)),
            },
        }
    }
    Ok(present)
}

/// Returns whether a list at another base address contains an owner of this integration, so it is the
/// same integration there.
fn contains_known(private: &OwnersPrivateState, entries: &[IntegrationOwner]) -> bool {
    entries.iter().any(|entry| {
        let known = private.owners.get(entry.name.owner.as_str());
        known.is_some_and(|known| {
            is_equal(known.create_time.as_deref(), entry.create_time.as_deref())
        })
    })
}
