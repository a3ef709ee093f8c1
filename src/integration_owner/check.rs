//! What decides about the create of an integration owner: whether the integration has it already, by
//! the list, and by GET of a fixed ID where there is no list.

use std::sync::Arc;

use access_client::{Error, ErrorKind, IntegrationOwner, IntegrationOwnerName, Retries};
use plugin_server::hcl::quoted;
use tf_provider::value::Value;

use super::state::NewOwner;
use crate::resource::describe::Describe as _;
use crate::resource::entity::{Check, Convert as _};
use crate::resource::seen::{Seen, ask, is_deleted, of_list};
use crate::run::{Incomplete, Keys, List, Run};
use crate::say::blocks::import_block;
use crate::say::create::{Effects, Existing};

impl Check for IntegrationOwner {
    const RISK: &'static str = "may have been added twice";

    /// Looks whether the integration has the owner, or another owner with its ID. What a page shows is
    /// there, whatever follows it. Only the whole list shows what is not.
    async fn see(
        run: &Run,
        new: &NewOwner,
        keys: &Keys,
        retries: Retries,
        replaced: Option<&IntegrationOwnerName>,
    ) -> Seen<Self> {
        let listed = run.list::<Self>(&new.integration, keys, retries).await;
        let (list, error) = match listed {
            Ok(list) => (Arc::clone(&list), list.defect.clone()),
            Err(Incomplete { seen, error }) => (seen, Some(error)),
        };
        if let Some(owner) = find(run, new, &list, replaced) {
            return Seen::Present(owner);
        }
        let unclear = match error {
            None => match unclear(run, &list, new) {
                Some(unclear) => Seen::NotOffered(unclear),
                None => return Seen::Gone,
            },
            Some(error) if error.kind() == ErrorKind::NotFound => {
                Seen::Unexplained(of_list::<Self>(&error))
            }
            Some(error) if is_refused(&error) => Seen::NotOffered(error.to_string()),
            Some(error) => return Seen::Failed(error),
        };
        if let Some(name) = new.fixed_name().filter(|name| Some(name) != replaced) {
            let found = ask::<Self>(run, &name, keys, retries).await.unless_deleted(run);
            // A 404 is one that no list explains.
            if !matches!(
                found,
                Seen::Gone | Seen::Deleted(_) | Seen::NotOffered(_) | Seen::Forbidden(_)
            ) {
                return found;
            }
        }
        unclear
    }

    fn adopt_existing(planned: &Self::State) -> &Value<bool> {
        &planned.adopt_existing
    }

    fn is_adoptable(new: &NewOwner, existing: &Self) -> bool {
        let is_id = new.id.as_ref().is_none_or(|id| *id == existing.name.owner);
        is_id && new.is_principal_of(existing) && existing.name.owner.check().is_ok()
    }

    fn describe_existing(run: &Run, new: &NewOwner, existing: &Self) -> Existing {
        let owner = run.client.presentable(&existing.owner);
        let is_same = new.is_principal_of(existing);
        let import = || import_block(Self::WORDS.resource_type, &existing.name);
        let id = quoted(existing.name.owner.as_str());
        let fault = existing.name.owner.check().err();
        let (sentence, instead, attribute) = match &new.id {
            _ if let Some(fault) = fault => (
                format!(
                    "{owner} is an owner already, as {}",
                    run.client.presentable(&existing.name.to_string())
                ),
                Some(format!(
                    "No request can name it, because its ID {fault}: it can be neither imported nor removed here. \
                     `access_integration_owners` keeps it."
                )),
                "owner",
            ),
            Some(other) if is_same && *other != existing.name.owner => (
                format!(
                    "{owner} is an owner already, as {}, not under the ID {other}",
                    existing.name
                ),
                Some(format!(
                    "Set `integration_owner_id = {id}`, or omit it. Then import the owner, or set `adopt_existing = \
                     true`:\n\n{}",
                    import()
                )),
                "integration_owner_id",
            ),
            _ if is_same => {
                (format!("{owner} is an owner already, as {}", existing.name), None, "owner")
            }
            _ => (
                format!("the ID of {} belongs to {owner}", existing.name),
                Some(format!(
                    "Unless `owner` is {owner}, choose another `integration_owner_id`, or omit it."
                )),
                "integration_owner_id",
            ),
        };
        Existing {
            name: existing.name.to_string(),
            sentence,
            may_be_ours: false,
            may_be_own: true,
            adoption: "changes nothing about it",
            instead,
            attribute,
        }
    }

    fn describe_adoption(
        _run: &Run,
        _existing: &Self,
        _planned: &Self::State,
        _config: &Self::State,
    ) -> Effects {
        Effects::new(&[], "Destroying this resource removes the owner.")
    }
}

/// Returns why a readable list does not show that an owner is missing whom it does not contain.
fn unclear(run: &Run, list: &List<IntegrationOwner>, new: &NewOwner) -> Option<String> {
    let shown = |owner: &IntegrationOwner| run.client.presentable(&owner.name.to_string());
    if let (_, Some(other)) = new.id.as_ref().map_or((None, None), |id| list.find(id)) {
        return Some(format!("the list has it in another spelling, {}", shown(other)));
    }
    // It may be the user, group or team.
    let unknown = existing_owners(run, list).find(|owner| owner.owner.is_empty());
    unknown.map(|owner| format!("{} has no `owner` in the list", shown(owner)))
}

/// Returns whether the list is not offered, or not to this key, or cannot be read.
fn is_refused(error: &Error) -> bool {
    error.status() == Some(400)
        || matches!(
            error.kind(),
            ErrorKind::NotImplemented | ErrorKind::Forbidden | ErrorKind::Unreadable
        )
}

/// Returns an owner in a list with the principal or the ID of the new one. Those that this process has
/// deleted do not count, nor does `replaced`.
fn find(
    run: &Run,
    new: &NewOwner,
    list: &List<IntegrationOwner>,
    replaced: Option<&IntegrationOwnerName>,
) -> Option<IntegrationOwner> {
    let is_wanted = |owner: &&IntegrationOwner| {
        let has_id = new.id.as_ref() == Some(&owner.name.owner);
        (has_id || new.is_principal_of(owner)) && replaced != Some(&owner.name)
    };
    existing_owners(run, list).find(is_wanted).cloned()
}

/// Returns the owners in a list, without those that this process has deleted.
pub(crate) fn existing_owners<'l>(
    run: &'l Run,
    list: &'l List<IntegrationOwner>,
) -> impl Iterator<Item = &'l IntegrationOwner> {
    list.existing().filter(|owner| !is_deleted(run, *owner))
}

/// Looks for the owner after a POST whose outcome is not known: by the list, and by GET of a fixed ID.
pub(super) async fn find_again(run: &Run, new: &NewOwner) -> Option<IntegrationOwner> {
    let keys = IntegrationOwner::keys_of_new(new);
    let list = match run.list(&new.integration, &keys, Retries::All).await {
        Ok(list) => list,
        Err(Incomplete { seen, .. }) => Arc::clone(&seen),
    };
    if let Some(owner) = find(run, new, &list, None) {
        return Some(owner);
    }
    let found = ask::<IntegrationOwner>(run, &new.fixed_name()?, &keys, Retries::All).await;
    found.unless_deleted(run).object().cloned()
}
