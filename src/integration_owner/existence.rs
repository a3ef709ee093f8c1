//! Whether an integration has an owner already: by the list, otherwise by GET of a fixed ID.

use std::time::Duration;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, IntegrationOwnerName};
use tf_provider::Diagnostics;

use super::diagnostics::warn_skipped_entries;
use super::state::NewOwner;
use crate::object::existence;
use crate::object::list;
use crate::service::{Existence, Purpose, Service};

/// Looks for the owner, or for another one with its ID. `NotFound` only if the list lacks both:
/// a 404 to a GET may mean that there is no GET.
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
    match error.kind() {
        ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {}
        _ => return Err(error),
    }
    let Some(id) = &new.id else { return Ok(Existence::Unknown(error.to_string())) };
    let name = IntegrationOwnerName { integration: new.integration.clone(), owner: id.clone() };
    match existence::check::<IntegrationOwner>(service, &name).await? {
        Existence::NotFound => Ok(Existence::Unknown(error.to_string())),
        existence => Ok(existence),
    }
}
