//! Adding an owner to an integration: one POST, which is never repeated without a check.

use std::time::Duration;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Response};
use tf_provider::Diagnostics;
use time::OffsetDateTime;

use super::diagnostics::{
    refuse_existing, report_create_failure, report_not_listed, report_unknown_outcome,
    warn_other_id,
};
use super::existence::find_existing;
use super::plan::is_adoptable;
use super::state::{IntegrationOwnerPrivateState, IntegrationOwnerState, NewOwner, Stored};
use crate::object::existence::{read_back, record_write};
use crate::object::operation::Operation;
use crate::object::read::wait_unless_stopped;
use crate::object::stale;
use crate::service::{Existence, ReadBack, Service};

/// The largest age of a list that shows whether an owner exists right before it is added.
const LIST_AGE: Duration = Duration::from_secs(5);

/// Adds the owner, or adopts it if the configuration allows that.
pub(super) async fn create(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    planned: IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    let key = new.key();
    let _held = service.owners.conflicts.lock_object(&key).await;
    let existence = match service.owners.checks.take(&key) {
        Some(existence) => existence,
        None => match find_existing(service, new, LIST_AGE, diags).await {
            Ok(existence) => existence,
            Err(error) => {
                operation.failed_by_status(service, &error, diags);
                return None;
            }
        },
    };
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    if let Existence::Exists(existing) = &existence {
        let own = service.handoff.is_replaced_by_itself(&service.base_url, &key);
        let replaces_id = own && new.id.as_ref().is_some_and(|id| *id != existing.name.owner);
        if !replaces_id {
            if (adopts || own) && is_adoptable(new, existing) {
                return Some(finish(service, planned, new, (**existing).clone(), None).await);
            }
            refuse_existing(service, operation, new, existing, diags);
            return None;
        }
    }
    let created = service
        .client
        .create_integration_owner(&new.integration, &new.owner, new.id.as_ref())
        .await;
    let (owner, date) = match created {
        Ok(Response { object, date }) => (object, date),
        Err(error) => {
            let found = recover(service, operation, new, &existence, adopts, &error, diags).await?;
            (found, None)
        }
    };
    warn_other_id(new, &owner.name, diags);
    Some(finish(service, planned, new, owner, date).await)
}

async fn finish(
    service: &Service,
    planned: IntegrationOwnerState,
    new: &NewOwner,
    owner: IntegrationOwner,
    date: Option<OffsetDateTime>,
) -> Stored {
    let mut private = IntegrationOwnerPrivateState {
        owner: Some(new.owner.to_string()),
        ..IntegrationOwnerPrivateState::default()
    };
    let keys = vec![new.key(), owner.name.to_string()];
    service.owners.lists.invalidate(&owner.name.integration, &owner.name.owner);
    private.object.write_id = Some(service.owners.conflicts.written(&keys));
    _ = record_write(service, &owner, date, &mut private.object).await;
    if !private.object.seen && private.object.reads {
        // A lost state would add a second owner, so each one is read by itself.
        let own = read_back(service, &owner).await;
        private.object.seen = matches!(own, Some(ReadBack::Current(_)));
    }
    (planned.after_write(owner), private)
}

/// Finds out what became of a create that failed. It is not sent again.
async fn recover(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
    adopts: bool,
    create_error: &Error,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwner> {
    let conflict = create_error.kind() == ErrorKind::Conflict;
    if !conflict && !has_unknown_outcome(create_error) {
        report_create_failure(service, operation, create_error, new, diags);
        return None;
    }
    // The list may lag behind the create whose response was lost.
    let mut waits = stale::WAITS.iter().take(if conflict { 0 } else { 5 });
    let found = loop {
        let found = find_existing(service, new, Duration::ZERO, diags).await;
        match (&found, waits.next()) {
            (Ok(Existence::NotFound), Some(wait)) if wait_unless_stopped(*wait).await => {}
            _ => break found,
        }
    };
    match found {
        Ok(Existence::Exists(owner)) if !conflict && is_created(&owner, new, before) => {
            Some(*owner)
        }
        Ok(Existence::Exists(owner)) if adopts && is_adoptable(new, &owner) => Some(*owner),
        Ok(Existence::Exists(owner)) => {
            refuse_existing(service, operation, new, &owner, diags);
            None
        }
        _ if conflict => {
            report_create_failure(service, operation, create_error, new, diags);
            None
        }
        Ok(Existence::NotFound) => {
            report_not_listed(service, operation, new, create_error, diags);
            None
        }
        Ok(Existence::Unknown(_)) | Err(_) => {
            report_unknown_outcome(service, operation, new, create_error, diags);
            None
        }
    }
}

/// Returns whether an owner found after a lost response is the one that the create added: it has
/// the ID that the configuration sets, or the list lacked it before.
fn is_created(
    found: &IntegrationOwner,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
) -> bool {
    let absent_before = matches!(before, Existence::NotFound);
    match &new.id {
        Some(id) if *id == found.name.owner => {
            absent_before || found.owner == new.owner.to_string()
        }
        _ => absent_before && found.owner == new.owner.to_string(),
    }
}

/// Returns whether the service may have added the owner although the create failed. A refusal of
/// its own is a known outcome.
fn has_unknown_outcome(error: &Error) -> bool {
    let refused = matches!(
        error.kind(),
        ErrorKind::Unauthorized
            | ErrorKind::Forbidden
            | ErrorKind::NotFound { .. }
            | ErrorKind::NotImplemented
            | ErrorKind::Invalid
            | ErrorKind::Redirect
    );
    !refused && error.may_have_been_processed()
}
