//! Adding and removing owners until the integration has those of the plan: additions first, and
//! removals only if all of them succeeded, so that the integration is never without owners.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use access_client::{Identifier, Principal};
use tf_provider::Diagnostics;
use time::OffsetDateTime;
use tokio::sync::OwnedMutexGuard;

use super::delete::remove;
use super::diagnostics::{
    delete_advice, refuse_existing, refuse_to_empty, report_list_needed, report_not_added,
    report_same_owner, warn_incomplete,
};
use super::read::{LIST_AGE, entries_of, list_owners, report_unresolved, resolve};
use super::state::{
    IntegrationOwnersPrivateState, IntegrationOwnersState, Known, KnownOwner, RESOURCE_TYPE,
    parse_principals, replaced_key,
};
use crate::integration_owner::add::{Added, add};
use crate::integration_owner::state::{NewOwner, integration_name, principal_key};
use crate::object::conflict;
use crate::object::list::reads_before_list;
use crate::object::operation::{Operation, report_invalid_state};
use crate::object::stale;
use crate::service::{Existence, Service};

/// The owners that an integration has after a create or an update.
struct OwnerSet<'a> {
    service: &'a Service,
    operation: &'a Operation<'a>,
    integration: &'a Identifier,
    wanted: &'a BTreeSet<String>,
}

/// The owners that a create finds and that are not wanted.
enum Existing<'a> {
    /// Any owner is an error.
    Refused,
    /// The plan has named them: they are removed.
    Adopted,
    /// The destroy of this apply has left them in place, by ID: they are removed. Others appeared after
    /// the plan and stay until the next one.
    Kept(&'a BTreeMap<String, String>),
    /// The replaced resource still exists: those are removed that a note of the plan names.
    Noted,
}

/// Creates the resource. Returns a state or an error, never both: Terraform would taint the
/// resource, and its destroy at the next apply would remove all owners.
pub(super) async fn create(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    planned: IntegrationOwnersState,
    diags: &mut Diagnostics,
) -> Option<Known> {
    let key = integration_name(integration);
    let _held = service.owners.conflicts.lock_object(&key).await;
    let wanted = planned.principals();
    let kept = service.owners.conflicts.take_kept(&key);
    let is_noted = service.handoff.has_same_name_replacement(&service.base_url, &key);
    let adopts = planned.adopt_existing.as_ref_option() == Some(&true);
    let existing = match &kept {
        Some(owners) => Existing::Kept(owners),
        None if is_noted => Existing::Noted,
        None if adopts => Existing::Adopted,
        None => Existing::Refused,
    };
    if matches!(existing, Existing::Refused) {
        let checked = service.owners.conflicts.check_unwritten(&key);
        conflict::check(checked, RESOURCE_TYPE, &service.at(&key), "integration", diags)?;
    }
    let mut private = IntegrationOwnersPrivateState::default();
    let set = OwnerSet { service, operation, integration, wanted: &wanted };
    let mut failures = Diagnostics::default();
    let wrote = set.create(&existing, &mut private, &mut failures).await;
    if !failures.errors.is_empty() {
        // After its own destroy, an error without a state would lose the state of the owners.
        if !wrote && kept.is_none() {
            diags.add_diagnostics(failures);
            return None;
        }
        warn_incomplete(operation, diags);
        failures.warnings.append(&mut failures.errors);
    }
    diags.add_diagnostics(failures);
    // An owner that is missing, or that is to be removed, shows in the next plan.
    private.incomplete = private.principals() != wanted;
    service.handoff.record_create(&service.base_url, &key);
    set.record(wrote, &mut private).await;
    Some((planned, private))
}

/// Waits until no resource for one of these owners alone adds or removes it, and holds off others.
async fn lock_owners(
    service: &Service,
    integration: &Identifier,
    owners: &BTreeSet<String>,
) -> Vec<OwnedMutexGuard<()>> {
    let mut held = Vec::new();
    for owner in owners {
        let key = principal_key(integration.as_str(), owner);
        held.push(service.owners.conflicts.lock_object(&key).await);
    }
    held
}

/// Adds the owners that the plan adds, and removes those that it removes. What changed at the
/// service after the plan is left alone, and shows in the next plan. After a failure in the middle
/// it returns the true state together with the error.
pub(super) async fn update(
    service: &Service,
    operation: &Operation<'_>,
    integration: &Identifier,
    (prior, private): Known,
    planned: IntegrationOwnersState,
    diags: &mut Diagnostics,
) -> Option<Known> {
    let (had, wanted) = (prior.principals(), planned.principals());
    if had == wanted {
        // `adopt_existing` or `deletion_policy`.
        return Some((planned, private));
    }
    let _held = service.owners.conflicts.lock_object(&integration_name(integration)).await;
    let list = match list_owners(service, integration, LIST_AGE).await {
        Ok(list) => list,
        Err(error) => {
            report_list_needed(service, operation, &private.object, &error, diags);
            return None;
        }
    };
    let mut current = private.clone();
    if let Err(failure) = resolve(service, operation, integration, &list, &mut current, diags).await
    {
        report_unresolved(service, operation, &private.object, &failure, diags);
        return None;
    }
    if let Some(pair) = current.find_same(&wanted) {
        report_same_owner(pair, diags);
        return None;
    }
    let added = wanted.difference(&had).cloned().collect();
    let removed = had.difference(&wanted).cloned().collect();
    let set = OwnerSet { service, operation, integration, wanted: &wanted };
    let mut failures = Diagnostics::default();
    let wrote = set.apply(&added, &removed, &mut current, &mut failures).await;
    let failed = !failures.errors.is_empty();
    diags.add_diagnostics(failures);
    set.record(wrote, &mut current).await;
    let mut state = planned;
    if failed {
        state.set_owners(current.principals());
    }
    Some((state, current))
}

impl OwnerSet<'_> {
    /// Makes the changes of a create. The private state follows each step. Returns whether anything was
    /// written.
    async fn create(
        &self,
        existing: &Existing<'_>,
        private: &mut IntegrationOwnersPrivateState,
        failures: &mut Diagnostics,
    ) -> bool {
        let Self { service, operation, integration, wanted } = *self;
        let held_owners = lock_owners(service, integration, wanted).await;
        // The destroy has requested the list before, and has failed without it.
        let is_listed = matches!(existing, Existing::Kept(_));
        let list_age = if is_listed { Duration::MAX } else { LIST_AGE };
        let list = match list_owners(service, integration, list_age).await {
            Ok(list) => list,
            Err(error) => {
                report_list_needed(service, operation, &private.object, &error, failures);
                return false;
            }
        };
        let found = entries_of(service, &list);
        if !found.is_empty() && matches!(existing, Existing::Refused) {
            refuse_existing(service, operation, &found, failures);
            return false;
        }
        let mut current = private.clone();
        let resolved = resolve(service, operation, integration, &list, &mut current, failures);
        if let Err(failure) = resolved.await {
            report_unresolved(service, operation, &private.object, &failure, failures);
            return false;
        }
        *private = current;
        if let Existing::Kept(kept) = existing {
            private.spell_by_id(kept);
        }
        let present = private.principals();
        // A resource for one of these owners alone must not delete it from now on.
        let adopted = present.intersection(wanted).cloned().collect();
        service.owners.conflicts.record_write(&private.keys_of(integration, &adopted));
        drop(held_owners);
        let may_remove = |owner: &&String| match existing {
            Existing::Refused => false,
            Existing::Adopted => true,
            Existing::Kept(kept) => kept.values().any(|kept| kept == *owner),
            Existing::Noted => {
                let note = replaced_key(&integration_name(integration), owner);
                service.handoff.has_same_name_replacement(&service.base_url, &note)
            }
        };
        let removed: BTreeSet<String> =
            present.difference(wanted).filter(may_remove).cloned().collect();
        for owner in &removed {
            let note = replaced_key(&integration_name(integration), owner);
            service.handoff.record_create(&service.base_url, &note);
        }
        self.apply(wanted, &removed, private, failures).await
    }

    /// Adds owners, and then removes owners if that succeeded. The private state follows each
    /// step. Returns whether anything was written.
    async fn apply(
        &self,
        added: &BTreeSet<String>,
        removed: &BTreeSet<String>,
        private: &mut IntegrationOwnersPrivateState,
        failures: &mut Diagnostics,
    ) -> bool {
        let Some(principals) = parse_principals(added) else {
            report_invalid_state(self.operation.kind, failures);
            return false;
        };
        let mut wrote = false;
        for principal in principals {
            wrote |= self.add(principal, private, failures).await;
            // The first owner after an interrupt is an error: nothing is sent for it.
            if plugin_server::stop_token().is_cancelled() && !failures.errors.is_empty() {
                break;
            }
        }
        if !failures.errors.is_empty() {
            return wrote;
        }
        let removed: Vec<(String, KnownOwner)> = private
            .owners
            .iter()
            .filter(|(_, known)| removed.contains(&known.owner))
            .map(|(id, known)| (id.clone(), known.clone()))
            .collect();
        if !removed.is_empty() && removed.len() == private.owners.len() {
            refuse_to_empty(self.operation, failures);
            return wrote;
        }
        for (id, known) in removed {
            let advice = delete_advice(self.operation, &known.owner);
            let removing = remove(
                self.service,
                self.operation,
                self.integration,
                (&id, &known),
                &advice,
                failures,
            );
            if removing.await.is_none() {
                break;
            }
            private.record_removal(&id, OffsetDateTime::now_utc());
            wrote = true;
        }
        wrote
    }

    /// Adds an owner unless the integration has it. Returns whether it was added.
    async fn add(
        &self,
        principal: Principal,
        private: &mut IntegrationOwnersPrivateState,
        failures: &mut Diagnostics,
    ) -> bool {
        let owner = principal.to_string();
        if private.spell(&owner) {
            return false;
        }
        let key = principal_key(self.integration.as_str(), &owner);
        let operation = Operation { name: &key, ..*self.operation };
        let new = NewOwner { integration: self.integration.clone(), owner: principal, id: None };
        let added = add(self.service, &new, &Existence::NotFound, failures).await;
        let (found, added_at) = match added {
            Ok(Added::New(found, date)) => (found, Some(stale::now(date).unix_timestamp())),
            Ok(Added::Existing(found)) => (*found, None),
            Err(failure) => {
                report_not_added(self.service, &operation, &new, &failure, failures);
                return false;
            }
        };
        let id = found.name.owner.to_string();
        if let Some(known) = private.owners.get(&id)
            && self.wanted.contains(&known.owner)
        {
            report_same_owner((&known.owner, &owner), failures);
            return false;
        }
        self.service.owners.lists.invalidate(self.integration, &found.name.owner);
        self.service.owners.conflicts.record_write(&vec![key, found.name.to_string()]);
        let known = KnownOwner { owner, added_at, ..KnownOwner::listed(&found) };
        private.owners.insert(id, known);
        true
    }

    /// Records a write, and reads the list back, so that owners that it shows count as seen: if a
    /// later list lacks them, they have been removed.
    async fn record(&self, wrote: bool, private: &mut IntegrationOwnersPrivateState) {
        let key = integration_name(self.integration);
        private.object.write_id =
            Some(self.service.owners.conflicts.record_write(&vec![key.clone()]));
        private.object.record_presence(self.service, key);
        if !wrote || reads_before_list(self.service.drift_detection).is_none() {
            return;
        }
        let Ok(list) = list_owners(self.service, self.integration, Duration::ZERO).await else {
            return;
        };
        for entry in list.entries.values() {
            if let Some(known) = private.owners.get_mut(entry.name.owner.as_str())
                && known.is_same(entry)
            {
                known.added_at = None;
            }
        }
    }
}
