//! Reading the owners of an integration, by its list alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use access_client::{Error, ErrorKind, Identifier, IntegrationOwner, Retries};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::IntegrationOwners;
use super::say::{list_needed, nothing_to_import, without_principal};
use super::state::{IntegrationOwnersState, integration_name};
use crate::integration_owner::check::existing_owners;
use crate::resource::call::Call;
use crate::resource::describe::{Describe as _, Plan as _, StoredOf};
use crate::resource::import::Import;
use crate::resource::read::Read;
use crate::resource::stored::LastSeen;
use crate::resource::whose::report_elsewhere;
use crate::run::{Configured, Keys, List, Run};
use crate::say::call::invalid_state;
use crate::say::read::{could_not_read, invalid_import_id, not_refreshed};
use crate::say::{Message, Reported};

/// The owners of an integration, with the private state.
pub(super) type Stored = StoredOf<IntegrationOwners>;

/// The list of an integration's owners.
pub(super) type Owners = Arc<List<IntegrationOwner>>;

/// Returns the list of an integration, complete and readable.
pub(super) async fn whole_list(
    run: &Run,
    integration: &Identifier,
    retries: Retries,
) -> Result<Owners, Error> {
    let keys = Keys::of_name(integration_name(integration));
    match run.list(integration, &keys, retries).await {
        Ok(list) => match &list.defect {
            None => Ok(list),
            Some(defect) => Err(defect.clone()),
        },
        Err(failed) => Err(failed.error),
    }
}

/// Returns the list for an operation that needs it, or adds an error. Of `owners`, it lacks only who is gone.
/// `effect` is a sentence, or empty.
pub(super) async fn list_or_fail(
    call: &mut Call<'_>,
    integration: &Identifier,
    owners: &BTreeSet<String>,
    effect: &str,
) -> Result<Owners, Reported> {
    settled_list(call.run, integration, owners).await.map_err(|error| {
        let advice = list_needed(call.words, &error, effect);
        call.failed_with(&error, advice)
    })
}

/// Returns the list by which those owners count as gone whom it lacks: a later one if the first lacks
/// somebody, because reads may lag behind an addition.
///
/// # Errors
///
/// Returns the failure of either list.
async fn settled_list(
    run: &Run,
    integration: &Identifier,
    owners: &BTreeSet<String>,
) -> Result<Owners, Error> {
    let list = whole_list(run, integration, Retries::All).await?;
    if owners.is_subset(&list.existing().map(|owner| owner.owner.clone()).collect()) {
        return Ok(list);
    }
    let later = run.later_list(integration).await.map_err(|failed| failed.error)?;
    match &later.defect {
        None => Ok(later),
        Some(defect) => Err(defect.clone()),
    }
}

/// Returns the users, groups and teams in a list, without those that this process has removed.
pub(super) fn principals(run: &Run, list: &List<IntegrationOwner>) -> BTreeSet<String> {
    let principals = existing_owners(run, list).map(|owner| owner.owner.clone());
    principals.filter(|owner| !owner.is_empty()).collect()
}

/// Checks that the integration at this base address is the state's, or adds an error: if it was last
/// seen elsewhere, an owner with its time of creation has to be here.
pub(super) fn verify_integration(
    call: &mut Call<'_>,
    stored: &Stored,
    list: &List<IntegrationOwner>,
) -> Result<(), Reported> {
    let run = call.run;
    let is_elsewhere = stored.private.last_seen(run) == LastSeen::Elsewhere;
    if is_elsewhere && !stored.private.own.knows(existing_owners(run, list)) {
        let found = "No owner that is here has the creation time that it had there";
        return Err(report_elsewhere(call, &stored.private, found));
    }
    Ok(())
}

impl Read for IntegrationOwners {
    /// The resource stays in the state whatever the list contains: an integration without owners is one
    /// whose owners are added again.
    async fn read(call: &mut Call<'_>, mut stored: Stored) -> Option<Stored> {
        let run = call.run;
        let Some(integration) = stored.state.integration_id() else { return Some(stored) };
        if !run.detects_drift {
            return Some(stored);
        }
        let owners = stored.state.principals();
        match settled_list(run, &integration, &owners).await {
            Ok(list) => {
                if verify_integration(call, &stored, &list).is_ok() {
                    record(call, &mut stored, &list);
                }
            }
            Err(error) if stored.private.last_seen(run) == LastSeen::Elsewhere => {
                report_elsewhere(call, &stored.private, &error.to_string());
            }
            Err(error) => match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotImplemented => {
                    call.warn(could_not_read(&error.to_string()));
                }
                ErrorKind::Forbidden => {
                    call.failed_with(&error, not_refreshed(Self::WORDS).spares_destroy(false));
                }
                _ => {
                    call.failed(&error);
                }
            },
        }
        Some(stored)
    }
}

/// Records the owners that a list shows. While an entry may be anybody, nobody is gone.
fn record(call: &mut Call<'_>, stored: &mut Stored, list: &List<IntegrationOwner>) {
    let run = call.run;
    stored.private.record_seen(run, call.object.clone());
    stored.private.own.record(existing_owners(run, list));
    let mut owners = principals(run, list);
    if let Some(unknown) = existing_owners(run, list).find(|owner| owner.owner.is_empty()) {
        owners.extend(stored.state.principals());
        call.warn(without_principal(&run.client.presentable(&unknown.name.to_string())));
    }
    let state = std::mem::take(&mut stored.state);
    stored.state = state.with_owners(owners);
}

impl Import for IntegrationOwners {
    /// Imports by `integrations/{integration}` or `{integration}`.
    async fn find_import(
        _configured: &Configured,
        id: &str,
        diags: &mut Diagnostics,
    ) -> Result<String, Reported> {
        let integration = Identifier::parse(id.strip_prefix("integrations/").unwrap_or(id));
        let form = "`integrations/{integration}` or `{integration}`; a single owner is imported into \
                    `access_integration_owner`";
        let refused = |reason: access_client::Invalid| {
            invalid_import_id(id, &reason.to_string(), form).refuse(diags)
        };
        Ok(integration_name(&integration.map_err(refused)?))
    }

    async fn import(call: &mut Call<'_>) -> Result<Stored, Reported> {
        let id = call.object.strip_prefix("integrations/").unwrap_or_default();
        let Ok(integration) = Identifier::parse(id) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let list = list_or_fail(call, &integration, &BTreeSet::new(), "").await?;
        if principals(call.run, &list).is_empty() {
            let message: Message = nothing_to_import(call.operation.failure());
            return Err(call.fail(message));
        }
        let state = IntegrationOwnersState {
            integration: Value::Value(integration.to_string()),
            ..IntegrationOwnersState::default()
        };
        let state = Self::planned_create(&state, None);
        let mut stored = Stored { state, private: crate::resource::stored::Private::default() };
        record(call, &mut stored, &list);
        call.run.plans.record_import(&call.object);
        Ok(stored)
    }
}
