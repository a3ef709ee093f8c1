//! The list of a parent, which all reads of a run share.

use std::sync::Arc;

use access_client::{Error, ErrorKind, Identifier, Retries};

use super::Entity;
use crate::service::{Incomplete, List, Purpose, Session};

/// Returns the list of a parent, which one run requests once.
///
/// # Errors
///
/// The failure that ended the list, also if an earlier call met it.
pub(crate) async fn shared<E: Entity>(
    session: &Session,
    parent: &Identifier,
    purpose: Purpose,
) -> Result<Arc<List<E>>, Incomplete<E>> {
    E::parents(session).of(parent).list(purpose, |retries| request(session, parent, retries)).await
}

/// Returns the list that decides what an apply does, or what an import or a data source returns.
///
/// # Errors
///
/// The error that ended the list, also if an earlier call met it.
pub(crate) async fn whole<E: Entity>(
    session: &Session,
    parent: &Identifier,
) -> Result<Arc<List<E>>, Error> {
    shared(session, parent, Purpose::Decide).await.map_err(|failed| failed.error)
}

/// Requests the whole list of a parent, whatever this run has found before.
///
/// # Errors
///
/// The error that ended the list, with the pages before it.
pub(crate) async fn request<E: Entity>(
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
                list.entries.extend(items.map(|item| (E::id(item.name()).clone(), item)));
            }
            Ok(None) => return Ok(list),
            Err(error) => return Err(Incomplete { error, seen: Arc::new(list) }),
        }
    }
}

/// Returns the advice after a list that failed; `None` if the status alone determines it. `base_url` is
/// the setting's name, and `instead` does without lists.
pub(crate) fn advice<E: Entity>(error: &Error, base_url: &str, instead: &str) -> Option<String> {
    match error.kind() {
        ErrorKind::NotImplemented => Some(format!("The service does not offer lists. {instead}")),
        ErrorKind::NotFound { .. } => Some(format!(
            "The {} does not exist, this API key may not see it, or the service does not offer lists. \
             Check the ID and {base_url}. {instead}",
            E::PARENT_KIND
        )),
        _ => None,
    }
}
