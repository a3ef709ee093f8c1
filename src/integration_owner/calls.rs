//! What an owner asks of the service beside its main calls: who is there before a create, what
//! became of a create whose answer was lost, and the read that gathers evidence.

use std::collections::BTreeMap;

use access_client::api::IntegrationOwner;
use access_client::{Error, Identifier, IntegrationOwnerName, Meaning};
use tf_provider::Diagnostics;

use super::Wanted;
use super::words::{
    refuse_existing, report_create_failure, report_lost, report_not_created, report_other_id,
    report_undecided,
};
use crate::config::DriftDetection;
use crate::diagnostic::Attempt;
use crate::service::Service;

/// Who was there before a create.
pub(super) enum Before {
    /// The wanted owner, or another one under the wanted ID.
    Exists(Box<IntegrationOwner>),
    /// Surely nobody.
    Nobody,
    /// The service does not say.
    Unknown,
}

/// Looks for the owner before it is created. `None` with an error where the look failed for a
/// reason that the create would meet as well.
pub(super) async fn existing_owner(
    service: &Service,
    attempt: &Attempt<'_>,
    wanted: &Wanted,
    diags: &mut Diagnostics,
) -> Option<Before> {
    match find(service, wanted).await {
        Ok(Some(owner)) => Some(Before::Exists(Box::new(owner))),
        Ok(None) => Some(Before::Nobody),
        Err(error) => match error.meaning() {
            Meaning::NotFound { .. } | Meaning::NotImplemented | Meaning::Forbidden => {
                Some(Before::Unknown)
            }
            _ => {
                attempt.failed(&error, None, None, diags);
                None
            }
        },
    }
}

/// The wanted owner, or another one under the wanted ID: by listing, else by the fixed ID.
/// `Ok(None)` only where the list says so: a 404 to a GET may mean that there is no GET.
async fn find(service: &Service, wanted: &Wanted) -> Result<Option<IntegrationOwner>, Error> {
    let error = match service.client.list_integration_owners(&wanted.integration).await {
        Ok(owners) => {
            let principal = wanted.owner.to_string();
            let found = owners.into_iter().find(|owner| {
                owner.owner == principal || Some(&owner.name.owner) == wanted.id.as_ref()
            });
            return Ok(found);
        }
        Err(error) => error,
    };
    let listless = matches!(
        error.meaning(),
        Meaning::NotFound { .. } | Meaning::NotImplemented | Meaning::Forbidden
    );
    match &wanted.id {
        Some(id) if listless => {
            let name =
                IntegrationOwnerName { integration: wanted.integration.clone(), owner: id.clone() };
            service.client.get_integration_owner(&name).await.map(Some)
        }
        _ => Err(error),
    }
}

/// Takes over an owner that exists, where that was asked for and it is the wanted one.
pub(super) fn take_over_or_refuse(
    attempt: &Attempt<'_>,
    wanted: &Wanted,
    adopts: bool,
    existing: IntegrationOwner,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwner> {
    let same_id = wanted.id.as_ref().is_none_or(|id| *id == existing.name.owner);
    if adopts && same_id && existing.owner == wanted.owner.to_string() {
        return Some(existing);
    }
    refuse_existing(attempt, wanted, &existing, diags);
    None
}

/// Finds out what became of a create that failed. It is not sent again.
pub(super) async fn recover(
    service: &Service,
    attempt: &Attempt<'_>,
    wanted: &Wanted,
    before: &Before,
    adopts: bool,
    create_error: &Error,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwner> {
    let conflict = create_error.meaning() == Meaning::Conflict;
    if !conflict && !has_unknown_outcome(create_error) {
        report_create_failure(attempt, create_error, wanted, diags);
        return None;
    }
    match find(service, wanted).await {
        Ok(Some(owner)) if !conflict && is_ours(&owner, wanted, before) => Some(owner),
        Ok(Some(owner)) => take_over_or_refuse(attempt, wanted, adopts, owner, diags),
        _ if conflict => {
            report_create_failure(attempt, create_error, wanted, diags);
            None
        }
        Ok(None) => {
            report_not_created(attempt, create_error, diags);
            None
        }
        Err(_) => {
            report_lost(attempt, wanted, create_error, diags);
            None
        }
    }
}

/// Whether an owner found after a lost answer is the one that the create made: nobody was there
/// before, or it has the ID that we gave it.
fn is_ours(found: &IntegrationOwner, wanted: &Wanted, before: &Before) -> bool {
    found.owner == wanted.owner.to_string()
        && (matches!(before, Before::Nobody) || Some(&found.name.owner) == wanted.id.as_ref())
}

/// Whether the service may have added the owner although the create failed. A refusal in its own
/// words is none of these.
fn has_unknown_outcome(error: &Error) -> bool {
    let refused = matches!(
        error.meaning(),
        Meaning::Unauthorized
            | Meaning::Forbidden
            | Meaning::NotFound { .. }
            | Meaning::NotImplemented
            | Meaning::Invalid
            | Meaning::Redirect
    );
    !refused && error.may_have_been_processed()
}

/// Whether reads of owners work, found out once per run after the first create.
pub(super) async fn read_back(service: &Service, name: &IntegrationOwnerName) -> bool {
    service.drift_detection.uses_get()
        && service
            .owner_reads
            .gather(async { service.client.get_integration_owner(name).await.is_ok() })
            .await
}

/// The owner as its integration's list has it, where it does.
pub(super) async fn listed(
    service: &Service,
    name: &IntegrationOwnerName,
) -> Option<IntegrationOwner> {
    let list = || list(service, &name.integration);
    service.listed_owners.find(&name.integration, &name.owner, list).await
}

/// All owners of an integration by their IDs: under `list` those that this run has listed already.
pub(super) async fn all(
    service: &Service,
    integration: &Identifier,
) -> Result<BTreeMap<Identifier, IntegrationOwner>, Error> {
    match service.drift_detection {
        DriftDetection::List => {
            service.listed_owners.all(integration, || list(service, integration)).await
        }
        DriftDetection::Auto | DriftDetection::Patch | DriftDetection::Off => {
            list(service, integration).await
        }
    }
}

/// Lists by ID: an owner that moves while pages are read may be on two of them.
async fn list(
    service: &Service,
    integration: &Identifier,
) -> Result<BTreeMap<Identifier, IntegrationOwner>, Error> {
    let owners = service.client.list_integration_owners(integration).await?;
    Ok(owners.into_iter().map(|owner| (owner.name.owner.clone(), owner)).collect())
}

/// Settles whether an owner is gone where DELETE answered a 404 that proves nothing: by the list.
///
/// Who owns the integration by another ID is not gone either: the ID in the state may never have
/// been the right one.
pub(super) async fn settle_missing(
    service: &Service,
    attempt: &Attempt<'_>,
    name: &IntegrationOwnerName,
    principal: Option<&String>,
    delete_error: &Error,
    diags: &mut Diagnostics,
) -> Option<()> {
    let Ok(owners) = service.client.list_integration_owners(&name.integration).await else {
        report_undecided(attempt, delete_error, diags);
        return None;
    };
    let still_there =
        owners.iter().find(|owner| owner.name == *name || Some(&owner.owner) == principal);
    match still_there {
        None => Some(()),
        Some(owner) if owner.name == *name => {
            report_undecided(attempt, delete_error, diags);
            None
        }
        Some(owner) => {
            report_other_id(attempt, owner, delete_error, diags);
            None
        }
    }
}
