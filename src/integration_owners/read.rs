//! Reading the owners of an integration: a refresh is the list.

use access_client::time::is_equal;
use access_client::{Error, ErrorKind, Identifier};
use tf_provider::value::Value;

use super::messages;
use super::state::{IntegrationOwnersState, Private, Stored};
use crate::integration_owner::existing_owners;
use crate::integration_owner::messages::warn_skipped;
use crate::object::Reported;
use crate::object::call::Call;
use crate::object::read::{read_advice, report_elsewhere, warn_unavailable};

/// Refreshes the state. The resource stays in the state whatever the list contains: an integration
/// without owners is one whose owners are added again.
pub(super) async fn read(call: &mut Call<'_>, mut stored: Stored) -> Stored {
    let session = call.session;
    if session.detects_drift {
        let list = session.owners.whole(&session.client, &stored.integration).await;
        let recorded = match list {
            Ok(list) => record_list(call, &mut stored, &list),
            Err(error) => {
                report_no_list(call, &stored.private, &error);
                return stored;
            }
        };
        if recorded.is_err() {
            return stored;
        }
    } else if !stored.private.entity.incomplete {
        return stored;
    }
    stored.private.entity.incomplete = false;
    let owners = stored.private.entity.principals();
    Stored { state: stored.state.with_owners(owners), ..stored }
}

/// Imports the owners by the list. Sends no write.
pub(super) async fn import(
    call: &mut Call<'_>,
    integration: Identifier,
) -> Result<Stored, Reported> {
    let stored = read_all(call, integration).await?;
    if stored.private.entity.owners.is_empty() {
        return Err(call.fail(messages::no_owners(call)));
    }
    call.session.plans.record_import(&call.object);
    Ok(stored)
}

/// Returns all owners that the integration has, or adds an error.
pub(super) async fn read_all(
    call: &mut Call<'_>,
    integration: Identifier,
) -> Result<Stored, Reported> {
    let name = Value::Value(integration.to_string());
    let state = IntegrationOwnersState { integration: name, ..Default::default() };
    let mut stored = Stored { integration, state, private: Private::default() };
    read_list(call, &mut stored).await?;
    let owners = stored.private.entity.principals();
    Ok(Stored { state: stored.state.planned_create().with_owners(owners), ..stored })
}

/// Updates the private state from the list, or adds an error: the operation needs the list.
pub(super) async fn read_list(call: &mut Call<'_>, stored: &mut Stored) -> Result<(), Reported> {
    match call.session.owners.whole(&call.session.client, &stored.integration).await {
        Ok(list) => record_list(call, stored, &list),
        Err(error) => Err(messages::list_needed(call, &stored.private.object, (&error, ""))),
    }
}

/// Reports that the list could not be read, as far as it is an error. The state is kept.
fn report_no_list(call: &mut Call<'_>, private: &Private, error: &Error) {
    if private.object.is_elsewhere(call.session) {
        report_elsewhere(call, &private.object, Some(error));
        return;
    }
    match error.kind() {
        ErrorKind::NotImplemented => warn_unavailable(call, error),
        // No call other than the list reads an integration, so a 404 has several meanings.
        ErrorKind::NotFound { .. } => drop(messages::list_not_found(call, error)),
        _ => {
            let advice = read_advice(call, error);
            call.failed_with(error, advice);
        }
    }
}

/// Updates the private state from a list, or adds an error if the integration was last seen at
/// another base address and none of its owners is here.
fn record_list(
    call: &mut Call<'_>,
    stored: &mut Stored,
    list: &crate::service::List<access_client::api::IntegrationOwner>,
) -> Result<(), Reported> {
    let session = call.session;
    warn_skipped(call, &stored.integration, &list.skipped);
    let private = &mut stored.private;
    let is_same_integration = existing_owners(session, list).any(|entry| {
        let known = private.entity.owners.get(entry.name.owner.as_str());
        known.is_some_and(|known| {
            is_equal(known.create_time.as_deref(), entry.create_time.as_deref())
        })
    });
    if private.object.is_elsewhere(session) && !is_same_integration {
        return Err(report_elsewhere(call, &private.object, None));
    }
    private.entity.record_list(existing_owners(session, list));
    private.object.record_read(session, call.object.clone());
    Ok(())
}
