//! The list of a parent, which all reads of a run share.

use std::collections::BTreeMap;
use std::sync::Arc;

use access_client::{Error, ErrorKind, Identifier, Retries};

use super::Entity;
use crate::service::{List, Run};

/// Returns the list of a parent, which one run requests once.
///
/// # Errors
///
/// The error that ended the list, also if an earlier call met it.
pub(crate) async fn whole<E: Entity>(
    run: &Run,
    parent: &Identifier,
) -> Result<Arc<List<E>>, Error> {
    let findings = E::findings(run).parents.of(parent);
    findings.list(|retries| request(run, parent, retries)).await
}

/// Returns the list of a parent for a read that can do without it.
pub(crate) async fn optional<E: Entity>(run: &Run, parent: &Identifier) -> Option<Arc<List<E>>> {
    let findings = E::findings(run).parents.of(parent);
    findings.optional_list(|retries| request(run, parent, retries)).await
}

/// Requests the whole list of a parent, whatever this run has found before.
///
/// # Errors
///
/// The error that ended the list.
pub(crate) async fn request<E: Entity>(
    run: &Run,
    parent: &Identifier,
    retries: Retries,
) -> Result<List<E>, Error> {
    let client = run.client.with_retries(retries);
    let mut pages = E::pages(&client, parent);
    let mut list = List { entries: BTreeMap::new(), skipped: Vec::new(), date: None };
    while let Some(page) = pages.next(usize::MAX).await? {
        list.date = page.date;
        list.skipped.extend(page.skipped);
        list.entries.extend(page.items.into_iter().map(|item| (E::id(item.name()).clone(), item)));
    }
    Ok(list)
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
