//! Adding an owner to an integration: one POST, which is never repeated without a check.

use std::time::Duration;

use access_client::api::IntegrationOwner;
use tf_provider::Diagnostics;
use time::OffsetDateTime;

use super::add::{Added, NotAdded, add};
use super::diagnostics::{
    refuse_existing, report_create_failure, report_not_listed, report_unknown_outcome,
    report_unrecognised, warn_added_before, warn_other_id,
};
use super::existence::find_existing;
use super::plan::is_adoptable;
use super::state::{IntegrationOwnerPrivateState, IntegrationOwnerState, NewOwner, Stored};
use crate::object::existence::{is_older_than_run, take_recent};
use crate::object::operation::Operation;
use crate::object::read_back::{probe_reads, read_back};
use crate::object::{Object as _, conflict};
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
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    let own = service.handoff.has_same_name_replacement(&service.base_url, &key);
    if !adopts && !own {
        let checked = service.owners.conflicts.check_unwritten(&key);
        let resource = IntegrationOwner::RESOURCE_TYPE;
        conflict::check(checked, resource, &service.at(&key), "owner", diags)?;
    }
    let existence = match take_recent(service, &new.keys()) {
        Some(existence) => existence,
        None => match find_existing(service, new, LIST_AGE, diags).await {
            Ok(existence) => existence,
            Err(error) => {
                operation.failed_by_status(service, &error, diags);
                return None;
            }
        },
    };
    if let Existence::Exists(existing) = &existence {
        let replaces_id = own && new.id.as_ref().is_some_and(|id| *id != existing.name.owner);
        if !replaces_id {
            if (adopts || own) && is_adoptable(new, existing) {
                return Some(adopt(service, planned, new, (**existing).clone()).await);
            }
            refuse_existing(service, operation, new, existing, diags);
            return None;
        }
    }
    let (owner, date) = match add(service, new, &existence, diags).await {
        Ok(Added::New(owner, date)) => {
            let created_at = owner.create_time.as_deref();
            if !adopts && !own && is_older_than_run::<IntegrationOwner>(service, created_at, date) {
                warn_added_before(service, &owner, diags);
            }
            (owner, date)
        }
        Ok(Added::Existing(owner)) if adopts && is_adoptable(new, &owner) => {
            return Some(adopt(service, planned, new, *owner).await);
        }
        Ok(Added::Existing(owner)) => {
            refuse_existing(service, operation, new, &owner, diags);
            return None;
        }
        Err(failure) => {
            report_not_added(service, operation, new, &failure, diags);
            return None;
        }
    };
    warn_other_id(new, &owner.name, diags);
    Some(finish(service, planned, new, owner, date).await)
}

/// Returns state and private state of an owner that existed. The check that found it is evidence if it
/// was a GET.
async fn adopt(
    service: &Service,
    planned: IntegrationOwnerState,
    new: &NewOwner,
    owner: IntegrationOwner,
) -> Stored {
    let name = owner.name.to_string();
    let (state, mut private) = finish(service, planned, new, owner, None).await;
    if service.owners.checks.is_read(&name) {
        private.object.record_read(service, name);
    }
    (state, private)
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
        stored: Some(owner.owner.clone()),
        ..IntegrationOwnerPrivateState::default()
    };
    for key in new.keys() {
        service.handoff.record_create(&service.base_url, &key);
    }
    let keys = vec![new.key(), owner.name.to_string()];
    service.owners.lists.invalidate(&owner.name.integration, &owner.name.owner);
    private.object.write_id = Some(service.owners.conflicts.record_write(&keys));
    private.object.record_write(service, owner.name.to_string(), date);
    probe_reads(service, &owner, &mut private.object).await;
    if !private.object.seen && private.object.reads {
        // A lost state would add a second owner, so each one is read by itself.
        let own = read_back(service, &owner).await;
        private.object.seen = matches!(own, Some(ReadBack::Current(_)));
    }
    (planned.after_write(owner), private)
}

fn report_not_added(
    service: &Service,
    operation: &Operation<'_>,
    new: &NewOwner,
    failure: &NotAdded,
    diags: &mut Diagnostics,
) {
    match failure {
        NotAdded::Refused(error) => report_create_failure(service, operation, error, new, diags),
        NotAdded::NotListed(error) => report_not_listed(service, operation, new, error, diags),
        NotAdded::Unknown(error) => report_unknown_outcome(service, operation, new, error, diags),
        NotAdded::Unrecognised(error, found) => {
            report_unrecognised(service, operation, new, error, found, diags);
        }
    }
}
