//! Destroying the resource: removes the owners that the state contains, each by its ID.

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier};
use tf_provider::Diagnostics;

use super::diagnostics::{destroy_advice, report_list_needed, warn_kept_for_create};
use super::read::{LIST_AGE, entries_of, list_owners, report_unresolved, resolve};
use super::state::{IntegrationOwnersPrivateState, IntegrationOwnersState, KnownOwner, owner_name};
use crate::integration_owner::delete::presence;
use crate::integration_owner::state::{integration_name, principal_key};
use crate::object::delete::{DeleteAdvice, delete_object, policy_of, sends_nothing};
use crate::object::operation::Operation;
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::{Prior, report_tainted};
use crate::object::stale;
use crate::service::Service;

/// Removes the owners of the state, or keeps the state with an error (`None`). Owners that were
/// added outside Terraform since the state was stored stay.
///
/// In a same-name replacement, nothing is removed: the create that follows finds the owners, and the
/// integration always has some.
pub(super) async fn destroy(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    prior: &IntegrationOwnersState,
    private: &IntegrationOwnersPrivateState,
    diags: &mut Diagnostics,
) -> Option<()> {
    let key = integration_name(integration);
    let conflicts = &service.owners.conflicts;
    let _held = conflicts.lock_object(&key).await;
    if private.same_name_replacement {
        // The create needs the list: without it, it could return neither a state nor an error.
        let list = match list_owners(service, integration, LIST_AGE).await {
            Ok(list) => list,
            Err(error) => {
                report_list_needed(service, operation, &private.object, &error, diags);
                return None;
            }
        };
        let mut listed = private.clone();
        listed.record_list(entries_of(service, &list), stale::now(list.date));
        let owners = listed.owners.into_iter().map(|(id, known)| (id, known.owner));
        let had = prior.principals();
        conflicts.keep_for_create(&key, owners.filter(|(_, owner)| had.contains(owner)).collect());
        warn_kept_for_create(operation, diags);
        return Some(());
    }
    let policy = policy_of(service, &prior.deletion_policy);
    if sends_nothing(conflicts, operation, &key, &private.object, policy, diags) {
        return Some(());
    }
    if private.object.is_unverified {
        report_tainted(
            service,
            operation,
            "A list of owners has no creation time to compare.",
            diags,
        );
        return None;
    }
    let mut current = private.clone();
    let owners = prior.principals();
    match list_owners(service, integration, LIST_AGE).await {
        Ok(list) => {
            if let Err(failure) =
                resolve(service, operation, integration, &list, &mut current, diags).await
            {
                report_unresolved(service, operation, &private.object, &failure, diags);
                return None;
            }
        }
        // The IDs are enough if all are known.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotImplemented | ErrorKind::Forbidden)
                && !private.object.is_elsewhere(service)
                && private.principals().is_superset(&owners) => {}
        Err(error) => {
            report_list_needed(service, operation, &private.object, &error, diags);
            return None;
        }
    }
    let advice = destroy_advice();
    for (id, known) in current.owners.iter().filter(|(_, known)| owners.contains(&known.owner)) {
        remove(service, operation, integration, (id, known), &advice, diags).await?;
    }
    conflicts.record_delete(&vec![key], None);
    Some(())
}

/// Removes one owner, or adds an error.
pub(super) async fn remove(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    (id, known): (&str, &KnownOwner),
    advice: &DeleteAdvice,
    diags: &mut Diagnostics,
) -> Option<()> {
    let name = owner_name(integration, id)?;
    let shown = format!("{name} ({})", service.client.presentable(&known.owner));
    let operation = Operation { name: &shown, ..*operation };
    let private = ObjectPrivateState::default();
    let prior = Prior::<IntegrationOwner> {
        name: &name,
        private: &private,
        create_time: known.create_time.as_deref(),
        update_time: None,
    };
    let keys = vec![principal_key(integration.as_str(), &known.owner), name.to_string()];
    // A resource for this owner alone may be about to adopt it.
    let _held = service.owners.conflicts.lock_object(&keys[0]).await;
    // The same user, group or team under another ID is another owner, which is removed as well.
    let presence = || presence(service, &name, None);
    delete_object(service, &operation, &prior, &keys, presence, advice, diags).await
}
