//! Destroying an integration owner.

use access_client::IntegrationOwnerName;
use access_client::api::IntegrationOwner;
use std::time::Duration;
use tf_provider::Diagnostics;

use super::state::{IntegrationOwnerPrivateState, IntegrationOwnerState};
use crate::object::delete::{self, Presence};
use crate::object::list;
use crate::object::operation::Operation;
use crate::service::{Purpose, Service};

/// Destroys the owner, or keeps the state with an error (`None`).
pub(super) async fn destroy(
    service: &Service,
    operation: &Operation<'_>,
    name: &IntegrationOwnerName,
    prior: &IntegrationOwnerState,
    private: &IntegrationOwnerPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let policy = delete::policy_of(service, &prior.deletion_policy);
    let known = prior.as_prior(name, private);
    let presence = || presence(service, name, prior.owner.as_ref_option());
    delete::destroy(service, operation, &known, &prior.keys(), policy, presence, diags).await
}

/// Finds out by the list whether the owner exists. A principal that owns the integration under
/// another ID has not been removed either: the ID in the state may never have been the right one.
pub(crate) async fn presence(
    service: &Service,
    name: &IntegrationOwnerName,
    principal: Option<&String>,
) -> Presence {
    let list = match list::whole::<IntegrationOwner>(
        service,
        &name.integration,
        Duration::ZERO,
        Purpose::All,
    )
    .await
    {
        Ok(list) => list,
        Err(error) => return Presence::Unknown(Some(error.to_string())),
    };
    if list.entries.contains_key(&name.owner) {
        return Presence::Exists;
    }
    match list.entries.values().find(|owner| Some(&owner.owner) == principal) {
        Some(owner) => Presence::Unknown(Some(format!(
            "{} is still an owner under another ID: {}. Remove this resource from the state with \
             `terraform state rm` and import that owner to remove it",
            owner.owner, owner.name
        ))),
        None if list.exhaustive => Presence::Deleted,
        None => Presence::Unknown(Some("the list has entries that cannot be read".to_owned())),
    }
}
