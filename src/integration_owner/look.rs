//! Whether an integration has an owner already: by the list, and by GET of a fixed ID where there is no
//! list.

use ::time::OffsetDateTime;
use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, Retries};

use super::state::NewOwner;
use crate::object::create::{Existence, Unchecked, existence_of, look_by_get};
use crate::object::{Entity as _, list};
use crate::service::{List, Run};

/// Looks for the owner, or for another one with its ID.
///
/// # Errors
///
/// A failure that shows nothing, and that the create would meet as well.
pub(super) async fn look(run: &Run, new: &NewOwner) -> Result<Existence<IntegrationOwner>, Error> {
    let response = match list::whole::<IntegrationOwner>(run, &new.integration).await {
        Ok(list) => match find(run, new, &list) {
            Existence::NotFound if !list.skipped.is_empty() => Unchecked {
                kind: None,
                text: format!("entries of the list could not be read: {}", list.skipped.join("; ")),
            },
            existence => return Ok(existence),
        },
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. }
            | ErrorKind::NotImplemented
            | ErrorKind::Forbidden
            | ErrorKind::Unreadable => error.into(),
            _ => return Err(error),
        },
    };
    if let Some(name) = new.fixed_name()
        && let Existence::Exists(owner) = look_by_get::<IntegrationOwner>(run, &name).await?
    {
        return Ok(Existence::Exists(owner));
    }
    Ok(Existence::Unchecked(response))
}

fn find(run: &Run, new: &NewOwner, list: &List<IntegrationOwner>) -> Existence<IntegrationOwner> {
    let is_wanted = |owner: &&IntegrationOwner| {
        new.is_principal_of(owner) || Some(&owner.name.owner) == new.id.as_ref()
    };
    let mut existing = list
        .entries
        .values()
        .filter(is_wanted)
        .map(|owner| existence_of(run, owner.clone()))
        .filter(|existence| matches!(existence, Existence::Exists(_)));
    existing.next().unwrap_or(Existence::NotFound)
}

/// Looks for the owner after a POST whose outcome is not known: by a list that is requested now, and by
/// GET of a fixed ID, because a list may lag. Returns it with the time of the response; `None` if neither
/// shows it.
pub(super) async fn look_again(
    run: &Run,
    new: &NewOwner,
) -> Option<(IntegrationOwner, Option<OffsetDateTime>)> {
    let list = list::request::<IntegrationOwner>(run, &new.integration, Retries::All).await;
    if let Ok(list) = &list
        && let Existence::Exists(owner) = find(run, new, list)
    {
        return Some((*owner, list.date));
    }
    let name = new.fixed_name()?;
    let response = IntegrationOwner::get(&run.client, &name).await.ok()?;
    Some((response.object, response.date))
}
