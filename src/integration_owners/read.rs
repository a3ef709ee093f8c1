//! Refreshing the owners of an integration by the list, and by GET for owners that the list lacks.

use std::time::Duration;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Identifier};
use tf_provider::Diagnostics;

use super::diagnostics::{report_not_refreshed, warn_list_unavailable};
use super::state::{
    IntegrationOwnersPrivateState, IntegrationOwnersState, Known, KnownOwner, owner_name,
};
use crate::config::DriftDetection;
use crate::integration_owner::diagnostics::warn_skipped_entries;
use crate::integration_owner::state::integration_name;
use crate::object::operation::Operation;
use crate::object::private_state::{History, ObjectPrivateState};
use crate::object::read::{
    Finding, judge, read_advice, report_other_address, warn_off, warn_stale,
};
use crate::object::{existence, list, stale};
use crate::service::{Existence, Purpose, Service, WholeList};

/// How old a list may be that decides which owners are added and removed.
pub(super) const LIST_AGE: Duration = Duration::from_secs(5);

/// The reason why a list does not show the owners.
pub(super) enum Unresolved {
    /// The list at this base address is that of another integration.
    OtherAddress,
    /// An owner that the list lacks could not be read.
    NotRead(Box<Error>),
}

/// Returns the list of owners, not older than `max_age`.
///
/// # Errors
///
/// The error that ended the list.
pub(super) async fn list_owners(
    service: &Service,
    integration: &Identifier,
    max_age: Duration,
) -> Result<WholeList<IntegrationOwner>, Error> {
    list::whole::<IntegrationOwner>(service, integration, max_age, Purpose::All).await
}

/// Returns the owners in a list, without those that this process has removed.
pub(super) fn entries_of(
    service: &Service,
    list: &WholeList<IntegrationOwner>,
) -> Vec<IntegrationOwner> {
    let existing = |owner: &IntegrationOwner| match existence::of_object(service, owner.clone()) {
        Existence::Exists(owner) => Some(*owner),
        _ => None,
    };
    list.entries.values().filter_map(existing).collect()
}

/// Refreshes the state. The resource stays in the state whatever the list contains: an integration
/// without owners is one whose owners are added again.
pub(super) async fn read(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    (prior, private): Known,
    diags: &mut Diagnostics,
) -> Known {
    match service.drift_detection {
        DriftDetection::Off => {
            warn_off(service, diags);
            return if private.incomplete { refreshed(prior, private) } else { (prior, private) };
        }
        DriftDetection::Auto => {}
    }
    let list = match list_owners(service, integration, Duration::MAX).await {
        Ok(list) => list,
        Err(error) => {
            report_no_list(service, operation, &private, &error, diags);
            return (prior, private);
        }
    };
    let mut current = private.clone();
    match resolve(service, operation, integration, &list, &mut current, diags).await {
        Ok(()) => refreshed(prior, current),
        Err(Unresolved::OtherAddress) => {
            report_other_address(service, operation, &private.object, None, diags);
            (prior, private)
        }
        Err(Unresolved::NotRead(error)) => {
            operation.failed_to_refresh(service, &error, None, diags);
            (prior, private)
        }
    }
}

/// Returns the state with the owners of its private state.
fn refreshed(
    mut state: IntegrationOwnersState,
    mut private: IntegrationOwnersPrivateState,
) -> Known {
    state.set_owners(private.principals());
    private.incomplete = false;
    (state, private)
}

/// Reports that the list could not be read, as far as it is an error. The state is kept.
fn report_no_list(
    service: &Service,
    operation: &Operation<'_>,
    private: &IntegrationOwnersPrivateState,
    error: &Error,
    diags: &mut Diagnostics,
) {
    let history = private.object.history(service);
    match judge(&error.kind(), history) {
        Finding::OtherAddress => {
            report_other_address(service, operation, &private.object, Some(error), diags);
        }
        // No call other than the list reads an integration, so a 404 has several meanings.
        Finding::NotFound if history == History::Evidence => {
            report_not_refreshed(service, operation, error, diags);
        }
        Finding::NotFound | Finding::Unavailable => {
            warn_list_unavailable(service, operation, error, diags);
        }
        Finding::Failed => {
            let next = read_advice::<IntegrationOwner>(error, operation.kind);
            operation.failed_to_refresh(service, error, next, diags);
        }
    }
}

/// Updates the private state from a list. Lists confirm, only GET contradicts: an owner that the
/// list lacks is read by GET, and counts as removed if neither shows it.
///
/// # Errors
///
/// The reason why the list does not show the owners. The private state is then not usable.
pub(super) async fn resolve(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    list: &WholeList<IntegrationOwner>,
    private: &mut IntegrationOwnersPrivateState,
    diags: &mut Diagnostics,
) -> Result<(), Unresolved> {
    warn_skipped_entries(service, integration, &list.skipped, diags);
    let entries = entries_of(service, list);
    if private.object.is_elsewhere(service) && !contains_known(private, &entries) {
        return Err(Unresolved::OtherAddress);
    }
    let now = stale::now(list.date);
    for (id, known) in private.record_list(entries, now) {
        let Some(name) = owner_name(integration, &id) else { continue };
        let create_time = known.create_time.as_deref();
        if service.owners.conflicts.is_deleted(&name.to_string(), create_time) {
            continue;
        }
        if known.may_lag(now) {
            warn_stale::<IntegrationOwner>(service, operation, diags);
            private.owners.insert(id, known);
            continue;
        }
        match service.client.get_integration_owner(&name).await {
            Ok(response) if known.is_same(&response.object) => {
                let read = KnownOwner::listed(&response.object);
                private.owners.insert(id, KnownOwner { owner: known.owner, ..read });
            }
            Ok(response) => {
                private.owners.insert(id, KnownOwner::listed(&response.object));
            }
            Err(error) => match error.kind() {
                ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {
                    // An entry that cannot be read may be this owner.
                    if !list.exhaustive {
                        private.owners.insert(id, known);
                    }
                }
                _ => return Err(Unresolved::NotRead(Box::new(error))),
            },
        }
    }
    private.object.record_presence(service, integration_name(integration));
    private.object.reads = true;
    Ok(())
}

/// Returns whether a list at another base address contains an owner of this integration, so that it is the
/// same integration there.
fn contains_known(private: &IntegrationOwnersPrivateState, entries: &[IntegrationOwner]) -> bool {
    entries.iter().any(|entry| {
        let known = private.owners.get(entry.name.owner.as_str());
        known.is_some_and(|known| {
            known.create_time.is_some() && known.create_time == entry.create_time
        })
    })
}

/// Adds the error of a list that does not show which owners there are.
pub(super) fn report_unresolved(
    service: &Service,
    operation: &Operation<'_>,
    private: &ObjectPrivateState,
    failure: &Unresolved,
    diags: &mut Diagnostics,
) {
    match failure {
        Unresolved::OtherAddress => {
            report_other_address(service, operation, private, None, diags);
        }
        Unresolved::NotRead(error) => operation.failed(service, error, None, None, diags),
    }
}
