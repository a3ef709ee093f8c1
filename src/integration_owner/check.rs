//! What decides about the create of an integration owner: whether the integration has it already,
//! by the list, and by GET of a fixed ID where there is no list.

use std::sync::Arc;

use access_client::api::IntegrationOwner;
use access_client::{Error, ErrorKind, IntegrationOwnerName, Object as _, Retries};

use super::existing_owners;
use super::state::NewOwner;
use crate::object::Check;
use crate::object::existence::{Adoption, Existence, Unclear, check_by_get, existence_of};
use crate::service::{Incomplete, List, Purpose, Session};

impl Check for IntegrationOwner {
    /// Checks whether the integration has the owner, or another owner with its ID. What a page
    /// shows is there, whatever follows it. Only the whole list shows what is not. The owner `own`
    /// does not count.
    async fn check(
        session: &Session,
        new: &NewOwner,
        purpose: Purpose,
        own: Option<&IntegrationOwnerName>,
    ) -> Existence<Self> {
        let list = session.owners.list(&session.client, &new.integration, purpose).await;
        let seen = match &list {
            Ok(list) => list,
            Err(Incomplete { seen, .. }) => seen,
        };
        if let Some(owner) = find(session, new, seen, own) {
            return Existence::Exists(Box::new(owner));
        }
        let unclear = match list {
            Ok(list) if list.skipped.is_empty() => return Existence::Absent,
            Ok(list) => {
                let text =
                    format!("entries of the list could not be read: {}", list.skipped.join("; "));
                Unclear { error: None, is_not_found: false, text }
            }
            Err(Incomplete { error, .. }) if is_without_list(&error) => error.into(),
            Err(Incomplete { error, .. }) => return Existence::Failed(error),
        };
        if let Some(name) = new.fixed_name().filter(|name| Some(name) != own) {
            let found = check_by_get::<Self>(session, &name, purpose).await;
            if matches!(found, Existence::Exists(_) | Existence::Failed(_)) {
                return found;
            }
        }
        Existence::Unknown(unclear)
    }

    fn adoption(planned: &Self::State) -> Adoption {
        match Adoption::by(&[("adopt_existing", &planned.adopt_existing, true)]) {
            // Only the owner with this principal is adopted.
            Adoption::Allowed if planned.owner.is_unknown() => Adoption::DependsOn(vec!["owner"]),
            adoption => adoption,
        }
    }

    fn is_adoptable(subject: &NewOwner, existing: &Self) -> bool {
        subject.id.as_ref().is_none_or(|id| *id == existing.name.owner)
            && (subject.owner.is_none() || subject.is_principal_of(existing))
    }
}

/// Returns whether the list is not offered, or not to this key, or cannot be read.
fn is_without_list(error: &Error) -> bool {
    error.status() == Some(400)
        || matches!(
            error.kind(),
            ErrorKind::NotFound { .. }
                | ErrorKind::NotImplemented
                | ErrorKind::Forbidden
                | ErrorKind::Unreadable
        )
}

/// Returns an owner in a list with the principal or the ID of the new one.
fn find(
    session: &Session,
    new: &NewOwner,
    list: &List<IntegrationOwner>,
    own: Option<&IntegrationOwnerName>,
) -> Option<IntegrationOwner> {
    let is_wanted = |owner: &&IntegrationOwner| {
        let has_id = new.id.as_ref() == Some(&owner.name.owner);
        (has_id || new.is_principal_of(owner)) && own != Some(&owner.name)
    };
    existing_owners(session, list).find(is_wanted).cloned()
}

/// Looks for the owner after a POST whose outcome is not known: by a list that is requested now,
/// and by GET of a fixed ID, because a list may lag. Returns `None` if neither shows it.
pub(super) async fn find_again(session: &Session, new: &NewOwner) -> Option<IntegrationOwner> {
    let list = match List::request(&session.client, &new.integration, Retries::All).await {
        Ok(list) => Arc::new(list),
        Err(Incomplete { seen, .. }) => seen,
    };
    if let Some(owner) = find(session, new, &list, None) {
        return Some(owner);
    }
    let found = IntegrationOwner::get(&session.client, &new.fixed_name()?).await.ok()?;
    match existence_of(session, found.object) {
        Existence::Exists(owner) => Some(*owner),
        _ => None,
    }
}
