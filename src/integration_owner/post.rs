//! Adding an integration owner with one POST, and finding out what became of a POST that failed.

use std::collections::BTreeSet;

use access_client::{Error, ErrorKind, Identifier, IntegrationOwner, Principal, Retries};

use super::check::{existing_owners, find_again};
use super::say;
use super::state::NewOwner;
use crate::resource::call::Call;
use crate::resource::describe::Describe as _;
use crate::resource::entity::Convert as _;
use crate::run::{Incomplete, Key, List, Run};
use crate::say::Reported;

/// What the look before a POST has shown.
pub(crate) struct Before {
    /// The IDs of the owners that were there.
    listed: BTreeSet<Identifier>,
    /// Whether the list was readable, so what it lacks was not there. A list that has failed is not
    /// requested again, so it does not show the owner later either.
    is_whole: bool,
}

impl Before {
    pub(crate) fn of_list(run: &Run, list: &List<IntegrationOwner>) -> Self {
        let listed = existing_owners(run, list).map(|owner| owner.name.owner.clone()).collect();
        Self { listed, is_whole: list.defect.is_none() }
    }

    /// Returns what the look of a create has shown: its list, which the run still has.
    pub(super) async fn of_look(run: &Run, new: &NewOwner) -> Self {
        let keys = IntegrationOwner::keys_of_new(new);
        let listed = run.list(&new.integration, &keys, Retries::All).await;
        Self::of_list(run, &listed.unwrap_or_else(|Incomplete { seen, .. }| seen))
    }

    /// Returns whether an owner was there: the list contained it, or another create of this process has
    /// made it.
    fn contains(&self, run: &Run, owner: &IntegrationOwner) -> bool {
        self.listed.contains(&owner.name.owner)
            || run.writes.is_written(&Key::Name(owner.name.to_string()))
    }
}

/// A POST that has added no owner, as far as is known.
pub(crate) enum NotAdded {
    /// The service refused the request, or never received it.
    Refused(Error),
    /// The service answered with an owner that was there before.
    Existing(IntegrationOwner),
    /// The service may have added the owner. The error, and an owner with the ID or principal now.
    Unknown(Error, Option<IntegrationOwner>),
}

impl NotAdded {
    /// Returns whether the cause would meet every other owner as well.
    pub(crate) fn ends_all(&self) -> bool {
        let error = match self {
            Self::Refused(error) | Self::Unknown(error, _) => error,
            Self::Existing(_) => return false,
        };
        matches!(
            error.kind(),
            ErrorKind::Interrupted
                | ErrorKind::Unauthorized
                | ErrorKind::Unreachable
                | ErrorKind::Certificate { .. }
                | ErrorKind::NotTls
                | ErrorKind::Proxy { .. }
        )
    }
}

/// Adds the owner. The client sends the POST again only if the service surely did not process it. If it may
/// have, or if it answers 409 (a gateway may have sent the POST twice), this looks once more: the owner
/// under a fixed ID that was free, or one that the list lacked, is the one that it has added.
pub(crate) async fn add(
    run: &Run,
    new: &NewOwner,
    principal: &Principal,
    before: &Before,
) -> Result<IntegrationOwner, NotAdded> {
    let posted =
        run.client.create_integration_owner(&new.integration, principal, new.id.as_ref()).await;
    run.touch::<IntegrationOwner>(&IntegrationOwner::keys_of_new(new), &new.integration);
    let error = match posted {
        Ok(owner) if before.contains(run, &owner) => return Err(NotAdded::Existing(owner)),
        Ok(owner) => return Ok(owner),
        Err(error) if has_known_outcome(&error) => return Err(NotAdded::Refused(error)),
        Err(error) => error,
    };
    let found = find_again(run, new).await;
    let is_added = |owner: &IntegrationOwner| {
        let has_id = new.id.as_ref() == Some(&owner.name.owner);
        (has_id || before.is_whole) && new.is_principal_of(owner) && !before.contains(run, owner)
    };
    match found {
        Some(owner) if is_added(&owner) => Ok(owner),
        found => Err(NotAdded::Unknown(error, found)),
    }
}

/// Returns whether a POST that failed has surely added no owner.
fn has_known_outcome(error: &Error) -> bool {
    !error.may_have_been_processed()
        || matches!(
            error.kind(),
            ErrorKind::Unauthorized
                | ErrorKind::Forbidden
                | ErrorKind::NotFound
                | ErrorKind::NotImplemented
                | ErrorKind::Invalid
                | ErrorKind::Redirect
        )
}

/// Adds the error of a POST that is not known to have added the owner.
pub(crate) fn not_added(
    call: &mut Call<'_>,
    new: &NewOwner,
    principal: &Principal,
    failure: &NotAdded,
) -> Reported {
    let found = |owner: &IntegrationOwner| {
        format!("{} ({})", owner.name, call.run.client.presentable(&owner.owner))
    };
    let is_list = call.words.resource_type != IntegrationOwner::WORDS.resource_type;
    match failure {
        NotAdded::Refused(error) if matches!(error.kind(), ErrorKind::NotFound) => {
            call.failed_with(error, say::integration_missing(principal))
        }
        NotAdded::Refused(error) => call.failed(error),
        NotAdded::Existing(owner) => {
            let message = say::answered_with_existing(&found(owner), owner, is_list);
            call.fail(message)
        }
        NotAdded::Unknown(error, _) if is_list => call.failed_with(error, say::may_be_listed()),
        NotAdded::Unknown(error, Some(owner)) => {
            let advice = say::may_exist_as_other(principal, &found(owner), owner);
            call.failed_with(error, advice)
        }
        NotAdded::Unknown(error, None) => {
            let advice = say::may_exist(principal, &new.integration, new.id.as_ref());
            call.failed_with(error, advice)
        }
    }
}
