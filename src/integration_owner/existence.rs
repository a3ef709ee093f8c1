//! Whether an integration has an owner already: by the list, and by GET of a fixed ID if the list does
//! not exist, or after a POST.

use std::time::Duration;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, IntegrationOwnerName};
use tf_provider::Diagnostics;

use super::diagnostics::{warn_skipped_entries, warn_unlisted};
use super::state::NewOwner;
use crate::object::existence;
use crate::object::list;
use crate::service::{Existence, Purpose, Service};

/// Looks for the owner, or for another one with its ID. `NotFound` only if the list lacks both:
/// a 404 to a GET may mean that there is no GET. Without a list, an owner with a fixed ID is read by GET,
/// and a list that should exist is a warning.
///
/// # Errors
///
/// A failure that the create would meet as well.
pub(super) async fn find_existing(
    service: &Service,
    new: &NewOwner,
    max_age: Duration,
    diags: &mut Diagnostics,
) -> Result<Existence<IntegrationOwner>, Error> {
    let error =
        match list::whole::<IntegrationOwner>(service, &new.integration, max_age, Purpose::Others)
            .await
        {
            Ok(list) => {
                warn_skipped_entries(service, &new.integration, &list.skipped, diags);
                let principal = new.owner.to_string();
                let is_wanted = |owner: &&IntegrationOwner| {
                    owner.owner == principal || Some(&owner.name.owner) == new.id.as_ref()
                };
                let found = list
                    .entries
                    .values()
                    .filter(is_wanted)
                    .map(|owner| existence::of_object(service, owner.clone()))
                    .find(|existence| matches!(existence, Existence::Exists(_)));
                return Ok(found.unwrap_or(Existence::NotFound));
            }
            Err(error) => error,
        };
    let (is_absent, warns) = match error.kind() {
        ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {
            (true, false)
        }
        // The service offers something else than the list.
        ErrorKind::Invalid | ErrorKind::Unreadable => (true, true),
        ErrorKind::Server | ErrorKind::Conflict | ErrorKind::Redirect => (false, true),
        // A reason that would keep a GET from the service as well.
        _ => return Err(error),
    };
    let found = match fixed_name(new) {
        Some(name) => match existence::check::<IntegrationOwner>(service, &name).await {
            Ok(Existence::NotFound) => Existence::NotReturned,
            Ok(Existence::Unknown(_)) | Err(_) if !is_absent => return Err(error),
            checked => checked?,
        },
        None if is_absent => Existence::Unknown(error.to_string()),
        None => return Err(error),
    };
    if warns && !matches!(found, Existence::Exists(_)) {
        warn_unlisted(service, &new.integration, &error, diags);
    }
    Ok(found)
}

/// Looks for the owner after a POST that failed. A list may lag behind the POST, so an owner with a
/// fixed ID that it lacks is read by GET as well.
///
/// # Errors
///
/// A failure of the list that a GET does not make up for.
pub(super) async fn find_after_post(
    service: &Service,
    new: &NewOwner,
    diags: &mut Diagnostics,
) -> Result<Existence<IntegrationOwner>, Error> {
    let found = find_existing(service, new, Duration::ZERO, diags).await;
    // Otherwise the service does not list owners, and GET was tried.
    if !matches!(found, Ok(Existence::NotFound) | Err(_)) {
        return found;
    }
    match find_by_id(service, new).await {
        Some(existing @ Existence::Exists(_)) => Ok(existing),
        _ => found,
    }
}

/// Looks for the owner by GET. Returns `None` without a fixed ID, or if the GET fails.
async fn find_by_id(service: &Service, new: &NewOwner) -> Option<Existence<IntegrationOwner>> {
    existence::check(service, &fixed_name(new)?).await.ok()
}

/// Returns the name of the owner if the configuration sets its ID.
fn fixed_name(new: &NewOwner) -> Option<IntegrationOwnerName> {
    let owner = new.id.clone()?;
    Some(IntegrationOwnerName { integration: new.integration.clone(), owner })
}
