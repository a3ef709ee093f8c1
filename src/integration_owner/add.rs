//! Adding an owner with one POST, and finding out what became of a POST that failed.

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Response};
use tf_provider::Diagnostics;
use time::OffsetDateTime;

use super::existence::find_after_post;
use super::state::NewOwner;
use crate::object::existence::is_older_than_run;
use crate::object::stale::{self, Reread, Rereads};
use crate::service::{Existence, Service};

/// The owner that there is after a POST.
pub(crate) enum Added {
    /// The POST added it. The time is that of the response.
    New(IntegrationOwner, Option<OffsetDateTime>),
    /// It existed before the POST.
    Existing(Box<IntegrationOwner>),
}

/// A POST after which no owner was found.
pub(crate) enum NotAdded {
    /// The service refused the request, or never received it.
    Refused(Error),
    /// The response was lost, and neither the list nor a GET of a fixed ID shows the owner.
    NotListed(Error),
    /// The response was lost, and the owners cannot be read.
    Unknown(Error),
    /// The response was lost. The ID belongs to this owner, which may be the new one in another
    /// spelling.
    Unrecognised(Error, Box<IntegrationOwner>),
}

/// Adds the owner. The POST is never repeated without a check: if its outcome is unknown, the list
/// or a GET decides. `before` is the result of the existence check.
///
/// # Errors
///
/// The reason why there is no owner, as far as the provider can tell.
pub(crate) async fn add(
    service: &Service,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
    diags: &mut Diagnostics,
) -> Result<Added, NotAdded> {
    let created = service
        .client
        .create_integration_owner(&new.integration, &new.owner, new.id.as_ref())
        .await;
    match created {
        Ok(Response { object, date }) => Ok(Added::New(object, date)),
        Err(error) => find_outcome(service, new, before, error, diags).await,
    }
}

/// Finds out what became of a POST that failed.
async fn find_outcome(
    service: &Service,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
    create_error: Error,
    diags: &mut Diagnostics,
) -> Result<Added, NotAdded> {
    let conflict = create_error.kind() == ErrorKind::Conflict;
    if !conflict && !has_unknown_outcome(&create_error) {
        return Err(NotAdded::Refused(create_error));
    }
    // The list may lag behind the create whose response was lost.
    let mut rereads = if conflict { Rereads::none() } else { Rereads::after_write() };
    let found = loop {
        let found = find_after_post(service, new, diags).await;
        match &found {
            Ok(Existence::NotFound) if rereads.wait().await == Reread::Now => {}
            _ => break found,
        }
    };
    match found {
        Ok(Existence::Exists(owner)) if conflict => Ok(Added::Existing(owner)),
        Ok(Existence::Exists(owner)) => match is_created(service, &owner, new, before) {
            Some(true) => Ok(Added::New(*owner, None)),
            Some(false) => Ok(Added::Existing(owner)),
            None => Err(NotAdded::Unrecognised(create_error, owner)),
        },
        _ if conflict => Err(NotAdded::Refused(create_error)),
        Ok(Existence::NotFound) => Err(NotAdded::NotListed(create_error)),
        Ok(Existence::NotReturned | Existence::Unknown(_)) | Err(_) => {
            Err(NotAdded::Unknown(create_error))
        }
    }
}

/// Returns whether an owner found after a lost response is the one that the create added. `None` if
/// nothing shows it.
///
/// The owner has the ID that the configuration sets, or the list lacked it before. If there is no list,
/// the ID was free if GET returned 404 before the POST and GET works: the owner was then created in this
/// run. An owner that is older than this run is another one, even if a list that lags lacked it.
fn is_created(
    service: &Service,
    found: &IntegrationOwner,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
) -> Option<bool> {
    let created_at = found.create_time.as_deref();
    if is_older_than_run::<IntegrationOwner>(service, created_at, None) {
        return Some(false);
    }
    let is_spelled_alike = found.owner == new.owner.to_string();
    if new.id.as_ref() != Some(&found.name.owner) {
        return Some(is_spelled_alike && *before == Existence::NotFound);
    }
    let is_dated = created_at.and_then(stale::parse_time).is_some();
    let is_known = match before {
        Existence::NotFound => true,
        Existence::NotReturned => is_dated,
        Existence::Exists(_) | Existence::Unknown(_) => false,
    };
    (is_spelled_alike || is_known).then_some(true)
}

/// Returns whether the service may have added the owner although the create failed. A refusal of its own
/// is a known outcome.
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
