//! Integration owners: the resource `access_integration_owner` and its data sources.
//!
//! Calls: list and GET (existence check, refresh, import, outcome of a POST), POST, DELETE. POST is
//! not idempotent: after a failure that the service may have processed it is never sent again.

pub(crate) mod attributes;
mod check;
pub(crate) mod messages;
mod plan;
mod query;
mod schema;
pub(crate) mod state;
pub(crate) mod write;

use access_client::Identifier;
use access_client::api::IntegrationOwner;

use crate::messages::owners::WithoutOwners;
use crate::object::call::Call;
use crate::service::{Key, List, Session};

/// Returns the owners in a list, without those that this process has removed.
pub(crate) fn existing_owners<'l>(
    session: &'l Session,
    list: &'l List<IntegrationOwner>,
) -> impl Iterator<Item = &'l IntegrationOwner> {
    list.entries.values().filter(|owner| {
        let key = Key::Name(owner.name.to_string());
        !session.writes.is_deleted(&key, owner.create_time.as_deref())
    })
}

/// Warns if the plan so far destroys every owner that the list shows. Entries that cannot be read
/// do not count: they must not hide that the others are destroyed.
pub(crate) async fn warn_without_owners(call: &mut Call<'_>, integration: &Identifier) {
    let session = call.session;
    if !session.detects_drift {
        return;
    }
    let Ok(list) = session.owners.whole(&session.client, integration).await else {
        return;
    };
    messages::warn_skipped(call, integration, &list.skipped);
    let names = list.entries.values().map(|owner| owner.name.to_string());
    if !list.entries.is_empty() && session.plans.destroys_all(names) {
        let name = call.words.parent_name(integration);
        call.of(&name).warn_once(WithoutOwners { integration: &name });
    }
}
