//! Whether an integration has an owner already: by the list, and by GET of a fixed ID where there is no
//! list.

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, IntegrationOwnerName, Object as _, Retries};

use super::state::NewOwner;
use crate::object::existence::{Existence, Unclear, check_by_get, existence_of};
use crate::service::{Incomplete, List, Purpose, Session, parent_list};

/// Checks whether the integration has the owner, or another owner with its ID. What a page shows is there,
/// whatever follows it. Only the whole list shows what is not. The owner `own` does not count.
pub(super) async fn check(
    session: &Session,
    new: &NewOwner,
    purpose: Purpose,
    own: Option<&IntegrationOwnerName>,
) -> Existence<IntegrationOwner> {
    let unclear = match parent_list::shared::<IntegrationOwner>(session, &new.integration, purpose)
        .await
    {
        Ok(list) => match find(session, new, &list, own) {
            Existence::Free if !list.skipped.is_empty() => Unclear {
                kind: None,
                text: format!("entries of the list could not be read: {}", list.skipped.join("; ")),
            },
            existence => return existence,
        },
        Err(Incomplete { error, seen }) => match find(session, new, &seen, own) {
            found @ Existence::Exists(_) => return found,
            _ if is_without_list(&error) => error.into(),
            _ => return Existence::Failed(error),
        },
    };
    if let Some(name) = new.fixed_name().filter(|name| Some(name) != own) {
        let found = check_by_get::<IntegrationOwner>(session, &name, purpose).await;
        if matches!(found, Existence::Exists(_) | Existence::Failed(_)) {
            return found;
        }
    }
    let lists_work = session.owners.lists_work_elsewhere(&new.integration);
    if unclear.is_not_found() && lists_work {
        return Existence::NoParent(unclear);
    }
    Existence::Unknown(unclear)
}

/// Returns whether the list is not offered, or not to this key.
fn is_without_list(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound { .. }
            | ErrorKind::NotImplemented
            | ErrorKind::Forbidden
            | ErrorKind::Unreadable
    )
}

fn find(
    session: &Session,
    new: &NewOwner,
    list: &List<IntegrationOwner>,
    own: Option<&IntegrationOwnerName>,
) -> Existence<IntegrationOwner> {
    let is_wanted = |owner: &&IntegrationOwner| {
        (new.is_principal_of(owner) || Some(&owner.name.owner) == new.id.as_ref())
            && own != Some(&owner.name)
    };
    let mut existing = list
        .entries
        .values()
        .filter(is_wanted)
        .map(|owner| existence_of(session, owner.clone()))
        .filter(|existence| matches!(existence, Existence::Exists(_)));
    existing.next().unwrap_or(Existence::Free)
}

/// Looks for the owner after a POST whose outcome is not known: by a list that is requested now, and by
/// GET of a fixed ID, because a list may lag. Returns `None` if neither shows it.
pub(super) async fn find_again(session: &Session, new: &NewOwner) -> Option<IntegrationOwner> {
    let list =
        parent_list::request::<IntegrationOwner>(session, &new.integration, Retries::All).await;
    let found = match &list {
        Ok(list) => find(session, new, list, None),
        Err(Incomplete { seen, .. }) => find(session, new, seen, None),
    };
    if let Existence::Exists(owner) = found {
        return Some(*owner);
    }
    let name = new.fixed_name()?;
    IntegrationOwner::get(&session.client, &name).await.ok().map(|response| response.object)
}
