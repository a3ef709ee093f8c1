//! Whether an integration has owners already, and what a create of all its owners does then.

use access_client::Identifier;
use access_client::api::IntegrationOwner;

use super::messages;
use super::read::entries_of;
use super::state::{IntegrationOwnersState, Stored, integration_name};
use crate::config::DeletionPolicy;
use crate::object::call::Call;
use crate::object::existence::{Adoption, Existence, Intent, Outcome, decide};
use crate::object::messages::{Replacement, abandoned_with_new_name};
use crate::object::{ObjectPrivateState, Reported};
use crate::service::{Key, Purpose, Session, parent_list};

pub(super) type Owners = Vec<IntegrationOwner>;

/// Checks whether an integration has owners. Without the list, nothing can be created.
pub(super) async fn check(
    session: &Session,
    integration: &Identifier,
    purpose: Purpose,
) -> Existence<Owners> {
    match parent_list::shared::<IntegrationOwner>(session, integration, purpose).await {
        Ok(list) => {
            let owners = entries_of(session, &list);
            if owners.is_empty() { Existence::Free } else { Existence::Exists(Box::new(owners)) }
        }
        Err(failed) => Existence::Failed(failed.error),
    }
}

/// Decides what a create of all owners of an integration does.
pub(super) fn decide_about(
    session: &Session,
    name: &str,
    planned: &IntegrationOwnersState,
    existence: &Existence<Owners>,
) -> Outcome {
    let adoption = Adoption::by(&[("adopt_existing", &planned.adopt_existing, true)]);
    // An adoption changes what this process has written as well.
    let is_written =
        adoption != Adoption::Allowed && session.writes.is_written(&Key::Name(name.to_owned()));
    decide(existence, &Intent { adoption, must_exist: false, is_written })
}

/// Checks what the create of a replacement will do. Returns what was found, or adds an error if the create
/// would fail after the destroy.
pub(super) async fn check_replacement(
    call: &mut Call<'_>,
    stored: &Stored,
    planned: &IntegrationOwnersState,
    replacement: Replacement<'_>,
) -> Result<Option<Existence<Owners>>, Reported> {
    let session = call.session;
    let Some(new) = planned.integration_id() else { return Ok(None) };
    if stored.state.integration_id().as_ref() == Some(&new) {
        return Ok(None);
    }
    if !stored.is_left(session)
        && session.policy_of(&planned.deletion_policy) == DeletionPolicy::Abandon
    {
        return Err(call.fail(abandoned_with_new_name(call.kind, replacement.old)));
    }
    let existence = check(session, &new, Purpose::Decide).await;
    let name = integration_name(&new);
    if !decide_about(session, &name, planned, &existence).would_fail() {
        return Ok(Some(existence));
    }
    let effect = replacement.effect();
    Err(match &existence {
        Existence::Failed(error) => {
            messages::list_needed(call, &ObjectPrivateState::default(), (error, &effect))
        }
        Existence::Exists(owners) => call.fail(messages::exists(call, &name, owners, &effect)),
        _ => call.fail(messages::exists(call, &name, &[], &effect)),
    })
}
