//! Adding an owner with one POST, and finding out what became of a POST that failed.

use ::time::OffsetDateTime;
use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind};

use super::look::look_again;
use super::state::NewOwner;
use crate::object::create::{Existence, is_older_than_run};
use crate::service::Run;

/// The owner that there is after a POST.
pub(crate) enum Added {
    /// The POST added it. The time is that of the response.
    New(IntegrationOwner, Option<OffsetDateTime>),
    /// It existed before the POST.
    Existing(IntegrationOwner),
}

/// A POST after which no owner is known to be the one that it added.
pub(crate) enum NotAdded {
    /// The service refused the request, or never received it.
    Refused(Error),
    /// The service may have added the owner. The error, and the owner that has the ID now.
    Unknown(Error, Option<IntegrationOwner>),
}

/// Adds the owner. The client sends the POST again only if the service surely did not process it. After
/// any other failure, this looks once more. `before` is the result of the look before the POST.
///
/// # Errors
///
/// The reason why no owner is known to be the one that the POST added.
pub(crate) async fn add(
    run: &Run,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
) -> Result<Added, NotAdded> {
    let client = &run.client;
    let posted =
        client.create_integration_owner(&new.integration, &new.owner, new.id.as_ref()).await;
    run.owners.parents.of(&new.integration).record_write();
    let error = match posted {
        Ok(response) => return Ok(Added::New(response.object, response.date)),
        Err(error) => error,
    };
    let conflict = error.kind() == ErrorKind::Conflict;
    if !conflict && !has_unknown_outcome(&error) {
        return Err(NotAdded::Refused(error));
    }
    let found = look_again(run, new).await;
    match found {
        Some((owner, _)) if conflict => Ok(Added::Existing(owner)),
        None if conflict => Err(NotAdded::Refused(error)),
        Some((owner, date)) if is_older_than_run(run, owner.create_time.as_deref(), date) => {
            Ok(Added::Existing(owner))
        }
        Some((owner, date)) if is_added(&owner, new, before) => Ok(Added::New(owner, date)),
        found => Err(NotAdded::Unknown(error, found.map(|(owner, _)| owner))),
    }
}

/// Returns whether an owner that was found after a POST is the one that the POST added: the list lacked
/// it before, or its fixed ID was free.
fn is_added(
    found: &IntegrationOwner,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
) -> bool {
    let has_id = new.id.as_ref() == Some(&found.name.owner);
    match before {
        Existence::NotFound => has_id || new.is_principal_of(found),
        // Without a list, GET did not return the fixed ID before, and does now.
        Existence::Unchecked(_) => has_id,
        Existence::Exists(_) => false,
    }
}

/// Returns whether the service may have added the owner although the POST failed. A refusal of its own is
/// a known outcome.
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
