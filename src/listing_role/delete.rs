//! Destroying a listing role.

use access_client::{ErrorKind, ListingRoleName};
use tf_provider::Diagnostics;

use super::read::{patch_display_name, patch_repository};
use super::state::{ListingRolePrivateState, ListingRoleState, keys_of};
use crate::object::delete::{self, Presence};
use crate::object::operation::Operation;
use crate::service::Service;

/// Destroys the role, or keeps the state with an error (`None`).
pub(super) async fn destroy(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    prior: &ListingRoleState,
    private: &ListingRolePrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let policy = delete::policy_of(service, &prior.deletion_policy);
    let known = prior.as_prior(name, private);
    let presence = || presence(service, name, prior, private);
    delete::destroy(service, operation, &known, &keys_of(name), policy, presence, diags).await
}

/// Checks by the documented PATCH whether the role exists.
async fn presence(
    service: &Service,
    name: &ListingRoleName,
    prior: &ListingRoleState,
    private: &ListingRolePrivateState,
) -> Presence {
    let patched = match patch_repository(service, name, prior, private).await {
        None if !private.unread => patch_display_name(service, name, prior).await,
        patched => patched,
    };
    match patched {
        None => Presence::Unknown(None),
        Some(Ok(response)) if response.object.delete_time.is_some() => Presence::Deleted,
        Some(Ok(_)) => Presence::Exists,
        Some(Err(error)) if error.kind() == (ErrorKind::NotFound { json: true }) => {
            Presence::Deleted
        }
        Some(Err(error)) => Presence::Unknown(Some(error.to_string())),
    }
}
