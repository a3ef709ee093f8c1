//! The owners that an integration has before a create, and what the create does then.

use std::collections::BTreeSet;

use access_client::api::IntegrationOwner;
use access_client::{Error, Identifier};

use super::messages;
use super::state::{IntegrationOwnersState, Stored, integration_name};
use crate::integration_owner::existing_owners;
use crate::object::call::Call;
use crate::object::existence::{Adoption, Existence, Intent, Outcome, decide};
use crate::object::messages::{Replacement, abandoned_with_new_name};
use crate::object::{ObjectPrivateState, Reported};
use crate::service::{Key, Purpose, Session, parent_list};

pub(super) struct Found {
    pub(super) owners: BTreeSet<String>,
    pub(super) outcome: Outcome,
}

/// Checks whether an integration has owners, and decides what a create does. Without the list, nothing can
/// be created.
pub(super) async fn check(
    session: &Session,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    purpose: Purpose,
) -> Result<Found, Error> {
    let list = parent_list::shared::<IntegrationOwner>(session, integration, purpose).await;
    let list = list.map_err(|failed| failed.error)?;
    let owners: BTreeSet<String> =
        existing_owners(session, &list).map(|entry| entry.owner.clone()).collect();
    let existence: Existence<()> =
        if owners.is_empty() { Existence::Free } else { Existence::Exists(Box::new(())) };
    let adoption = planned.adoption();
    // An adoption changes what this process has written as well.
    let is_written = adoption != Adoption::Allowed
        && session.writes.is_written(&Key::Name(integration_name(integration)));
    let outcome = decide(&existence, &Intent { adoption, must_exist: false, is_written });
    Ok(Found { owners, outcome })
}

/// Checks what the create of a replacement will do. Returns what was found at another integration, or adds an
/// error if the create would fail after the destroy.
pub(super) async fn check_replacement(
    call: &mut Call<'_>,
    stored: &Stored,
    planned: &IntegrationOwnersState,
    replacement: Replacement<'_>,
) -> Result<Option<Found>, Reported> {
    let session = call.session;
    let Some(new) = planned.integration_id().filter(|new| *new != stored.integration) else {
        return Ok(None);
    };
    if !stored.is_left(session) && session.abandons(&planned.deletion_policy) {
        return Err(call.fail(abandoned_with_new_name(call.kind, replacement.old)));
    }
    let effect = replacement.effect();
    let mut create = call.of(integration_name(&new));
    match check(session, &new, planned, Purpose::Decide).await {
        Ok(found) if !found.outcome.would_fail() => Ok(Some(found)),
        Ok(found) => Err(create.fail(messages::exists(&create, &found.owners, &effect))),
        Err(error) => {
            let private = ObjectPrivateState::default();
            Err(messages::list_needed(&mut create, &private, (&error, &effect)))
        }
    }
}
