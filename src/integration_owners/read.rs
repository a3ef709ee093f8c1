//! Reading the owners of an integration by the list, and by GET where the list and the state differ.

use std::collections::BTreeMap;

use access_client::api::IntegrationOwner;
use access_client::time::{is_equal, is_within_lag};
use access_client::{Error, ErrorKind, Identifier, IntegrationOwnerName, Object as _};
use tf_provider::value::Value;

use super::messages;
use super::state::{
    IntegrationOwnersState, KnownOwner, OwnersPrivateState, Private, Stored, owner_name,
};
use crate::integration_owner::existing_owners;
use crate::integration_owner::messages::warn_skipped;
use crate::object::Reported;
use crate::object::call::Call;
use crate::object::read::{report_elsewhere, warn_stale, warn_unavailable};
use crate::service::{Key, List};

/// Refreshes the state. The resource stays in the state whatever the list contains: an integration
/// without owners is one whose owners are added again.
pub(super) async fn read(call: &mut Call<'_>, mut stored: Stored) -> Stored {
    if call.session.detects_drift {
        let list = match call.session.owners.whole(&call.session.client, &stored.integration).await
        {
            Ok(list) => list,
            Err(error) => {
                report_no_list(call, &stored.private, &error);
                return stored;
            }
        };
        if resolve(call, &mut stored, &list).await.is_err() {
            return stored;
        }
    } else if !stored.private.entity.incomplete {
        return stored;
    }
    stored.private.entity.incomplete = false;
    Stored { state: stored.state.with_owners(stored.private.entity.principals()), ..stored }
}

/// Imports the owners by the list. Sends no write.
pub(super) async fn import(
    call: &mut Call<'_>,
    integration: Identifier,
) -> Result<Stored, Reported> {
    let stored = read_all(call, integration).await?;
    if stored.private.entity.owners.is_empty() {
        return Err(call.fail(messages::no_owners(call)));
    }
    call.session.plans.record_import(&call.object);
    Ok(stored)
}

/// Returns all owners that the integration has, or adds an error.
pub(super) async fn read_all(
    call: &mut Call<'_>,
    integration: Identifier,
) -> Result<Stored, Reported> {
    let name = Value::Value(integration.to_string());
    let state = IntegrationOwnersState { integration: name, ..Default::default() };
    let mut stored = Stored { integration, state, private: Private::default() };
    read_list(call, &mut stored).await?;
    let owners = stored.private.entity.principals();
    Ok(Stored { state: stored.state.planned_create().with_owners(owners), ..stored })
}

/// Updates the private state from the list, or adds an error: the operation needs the list.
pub(super) async fn read_list(call: &mut Call<'_>, stored: &mut Stored) -> Result<(), Reported> {
    match call.session.owners.whole(&call.session.client, &stored.integration).await {
        Ok(list) => resolve(call, stored, &list).await,
        Err(error) => Err(messages::list_needed(call, &stored.private.object, (&error, ""))),
    }
}

/// Reports that the list could not be read, as far as it is an error. The state is kept.
fn report_no_list(call: &mut Call<'_>, private: &Private, error: &Error) {
    if private.object.is_elsewhere(call.session) {
        report_elsewhere(call, &private.object, Some(error));
        return;
    }
    match error.kind() {
        ErrorKind::NotImplemented => warn_unavailable(call, error),
        // No call other than the list reads an integration, so a 404 has several meanings.
        ErrorKind::NotFound { .. } => drop(messages::list_not_found(call, error)),
        _ => drop(call.failed(error)),
    }
}

/// Updates the private state from a list. Lists confirm, only GET contradicts: an owner that the list has
/// and the private state lacks, or the reverse, is read by GET before it counts as added or removed. After
/// an error, the private state is as before.
pub(super) async fn resolve(
    call: &mut Call<'_>,
    stored: &mut Stored,
    list: &List<IntegrationOwner>,
) -> Result<(), Reported> {
    let session = call.session;
    let Stored { integration, private, .. } = stored;
    warn_skipped(call, integration, &list.skipped);
    let known = &private.entity;
    let entries: Vec<_> = existing_owners(session, list).collect();
    // The same integration has an owner with the same creation time.
    let is_at_home = entries.iter().any(|entry| {
        let known = known.owners.get(entry.name.owner.as_str());
        known.is_some_and(|known| {
            is_equal(known.create_time.as_deref(), entry.create_time.as_deref())
        })
    });
    if private.object.is_elsewhere(session) && !is_at_home {
        return Err(report_elsewhere(call, &private.object, None));
    }
    let mut owners = BTreeMap::new();
    for entry in entries {
        // A create and an import know nothing yet, and take the list as it is.
        let is_confirmed = known.owners.is_empty() || known.find(entry).is_some();
        let mut owner = Some(known.after_read(entry));
        if !is_confirmed {
            owner = look_up(call, &entry.name, known, owner, Listed::Yes).await?;
        }
        owners.extend(owner.map(|owner| (entry.name.owner.to_string(), owner)));
    }
    for (id, missing) in &known.owners {
        let Some(name) = owner_name(integration, id).filter(|_| !owners.contains_key(id)) else {
            continue;
        };
        let key = Key::Name(name.to_string());
        if session.writes.is_deleted(&key, missing.create_time.as_deref()) {
            continue;
        }
        // An owner that stays without being shown does not count as the last one.
        let added_at = missing.added_at.or(Some(0));
        let mut owner = Some(KnownOwner { added_at, ..missing.clone() });
        // It was added a moment ago, and no read has shown it yet.
        if is_within_lag(missing.added_at, list.date) {
            // Somebody has removed the owner and added it again. If both counted, the next apply would remove
            // the only one that there is.
            if let Some(again) = owners.values_mut().find(|other| other.stored == missing.stored) {
                again.owner.clone_from(&missing.owner);
                continue;
            }
            warn_stale(call);
        } else {
            let listed = match missing.added_at {
                _ if list.skipped.is_empty() => Listed::No,
                None => Listed::Unclear,
                Some(_) => Listed::Unseen,
            };
            owner = look_up(call, &name, known, owner, listed).await?;
        }
        owners.extend(owner.map(|owner| (id.clone(), owner)));
    }
    private.entity.owners = owners;
    private.object.record_read(session, call.object.clone());
    Ok(())
}

/// Whether the list contains an owner.
#[derive(Clone, Copy, Debug)]
enum Listed {
    Yes,
    No,
    /// An entry that cannot be read may be the owner.
    Unclear,
    /// The same, and the last read has not shown the owner either.
    Unseen,
}

/// Reads, by GET, an owner about which list and private state differ. Returns `None` if it does not exist, and
/// `unread` if it exists and the GET does not show it.
async fn look_up(
    call: &mut Call<'_>,
    name: &IntegrationOwnerName,
    known: &OwnersPrivateState,
    unread: Option<KnownOwner>,
    listed: Listed,
) -> Result<Option<KnownOwner>, Reported> {
    let error = match IntegrationOwner::get(&call.session.client, name).await {
        Ok(response) => return Ok(Some(known.after_read(&response.object))),
        Err(error) => error,
    };
    match exists(error.kind(), listed) {
        Some(exists) => Ok(unread.filter(|_| exists)),
        None => Err(call.failed(&error)),
    }
}

/// Returns whether an owner exists whose GET has failed. `None` if the failure shows nothing.
fn exists(kind: ErrorKind, listed: Listed) -> Option<bool> {
    match (kind, listed) {
        (ErrorKind::NotFound { json: true } | ErrorKind::NotImplemented, Listed::No)
        | (ErrorKind::NotFound { json: true }, Listed::Yes | Listed::Unclear) => Some(false),
        (ErrorKind::NotFound { json: true } | ErrorKind::NotImplemented, _)
        // Without GET, the list is all there is.
        | (ErrorKind::NotFound { .. } | ErrorKind::Forbidden, Listed::Yes) => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_get_decides_only_what_the_list_leaves_open() {
        let all = [Listed::Yes, Listed::No, Listed::Unclear, Listed::Unseen];
        let (yes, no) = (Some(true), Some(false));
        let cases = [
            (ErrorKind::NotFound { json: true }, [no, no, no, yes]),
            (ErrorKind::NotImplemented, [yes, no, yes, yes]),
            (ErrorKind::NotFound { json: false }, [yes, None, None, None]),
            (ErrorKind::Forbidden, [yes, None, None, None]),
            (ErrorKind::Unauthorized, [None; 4]),
            (ErrorKind::Server, [None; 4]),
        ];
        for (kind, expected) in cases {
            assert_eq!(all.map(|listed| exists(kind, listed)), expected, "{kind:?}");
        }
    }
}
