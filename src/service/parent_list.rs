//! The list of a parent, which all reads of a run share.

use std::sync::Arc;

use access_client::api::{IntegrationOwner, ListingRole};
use access_client::{Error, ErrorKind, Identifier, Object, ObjectName as _, Retries};

use super::{Incomplete, List, Parents, Purpose, Session};

/// An object of the API whose lists a run shares.
pub(crate) trait Listable: Object {
    fn parents(session: &Session) -> &Parents<Self>;
}

impl Listable for ListingRole {
    fn parents(session: &Session) -> &Parents<Self> {
        &session.roles
    }
}

impl Listable for IntegrationOwner {
    fn parents(session: &Session) -> &Parents<Self> {
        &session.owners
    }
}

/// Returns the list of a parent, which a run requests once, or its failure.
pub(crate) async fn shared<E: Listable>(
    session: &Session,
    parent: &Identifier,
    purpose: Purpose,
) -> Result<Arc<List<E>>, Incomplete<E>> {
    E::parents(session).of(parent).list(purpose, |retries| request(session, parent, retries)).await
}

/// Returns the list where all of it matters: for what an apply does, an import or a data source returns, and
/// the refresh of all owners. Fails without the list.
pub(crate) async fn whole<E: Listable>(
    session: &Session,
    parent: &Identifier,
) -> Result<Arc<List<E>>, Error> {
    shared(session, parent, Purpose::Decide).await.map_err(|failed| failed.error)
}

/// Requests the whole list of a parent, whatever this run has found before. A failure contains the pages
/// before it.
pub(crate) async fn request<E: Listable>(
    session: &Session,
    parent: &Identifier,
    retries: Retries,
) -> Result<List<E>, Incomplete<E>> {
    let client = session.client.with_retries(retries);
    let mut pages = E::pages(&client, parent);
    let mut list = List::default();
    loop {
        match pages.next(usize::MAX).await {
            Ok(Some(page)) => {
                list.date = page.date;
                list.skipped.extend(page.skipped);
                let items = page.items.into_iter();
                list.entries.extend(items.map(|item| (item.name().id().clone(), item)));
            }
            Ok(None) => return Ok(list),
            Err(error) => return Err(Incomplete { error, seen: Arc::new(list) }),
        }
    }
}

/// What the list of a parent shows about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InList {
    Contains,
    Lacks,
    /// The entries that can be read lack the object. There are others.
    ReadableLack,
    NotFound {
        json: bool,
    },
    /// There is no list that can be read.
    NotOffered,
    /// Not allowed, or failed.
    Failed,
}

/// Looks an object up in the list of its parent. Returns its entry, or the failure of the list, as well.
pub(crate) async fn look_up<E: Listable>(
    session: &Session,
    name: &E::Name,
    purpose: Purpose,
) -> (InList, Result<Option<E>, Error>) {
    match shared::<E>(session, name.parent(), purpose).await {
        Ok(list) => match list.entries.get(name.id()) {
            Some(entry) if entry.delete_time().is_none() => {
                (InList::Contains, Ok(Some(entry.clone())))
            }
            None if !list.skipped.is_empty() => (InList::ReadableLack, Ok(None)),
            Some(_) | None => (InList::Lacks, Ok(None)),
        },
        Err(Incomplete { error, .. }) => {
            let in_list = match error.kind() {
                ErrorKind::NotFound { json } => InList::NotFound { json },
                ErrorKind::NotImplemented | ErrorKind::Unreadable => InList::NotOffered,
                _ => InList::Failed,
            };
            (in_list, Err(error))
        }
    }
}

/// Returns the entry of an object in the list that this run has. Requests nothing.
pub(crate) fn known_entry<E: Listable>(session: &Session, name: &E::Name) -> Option<E> {
    let list = E::parents(session).of(name.parent()).known_list()?;
    let entry = list.entries.get(name.id()).filter(|entry| entry.delete_time().is_none());
    entry.cloned()
}

/// Returns the entry that may confirm what is known about an object. `None` for the first objects under a
/// parent, which are read by GET instead.
pub(crate) async fn confirming_entry<E: Listable>(session: &Session, name: &E::Name) -> Option<E> {
    if E::parents(session).of(name.parent()).starts_with_get() {
        return None;
    }
    let (_, found) = look_up::<E>(session, name, Purpose::Confirm).await;
    found.ok().flatten()
}
