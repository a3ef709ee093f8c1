//! Adding and removing owners until the integration has those of the plan: additions first, and
//! removals only if all of them succeeded, so that the integration is never without owners.

use std::collections::{BTreeMap, BTreeSet};

use ::time::OffsetDateTime;
use access_client::{Identifier, Principal};
use tf_provider::Diagnostics;

use super::check::{check, decide_about};
use super::delete::remove;
use super::messages;
use super::read::{list_needed, resolve};
use super::state::{IntegrationOwnersState, KnownOwner, OwnersPrivateState, Private, Stored};
use crate::integration_owner::add::{Added, add};
use crate::integration_owner::state::{NewOwner, keys_of, principal_key};
use crate::object::Reported;
use crate::object::call::Call;
use crate::object::existence::{Existence, Outcome};
use crate::object::messages::{invalid_state, not_created};
use crate::service::{Held, Key, Purpose};

/// Creates the resource. Returns a state or an error, never both: Terraform would taint the resource, and
/// its destroy at the next apply would remove all owners.
pub(super) async fn create(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: IntegrationOwnersState,
) -> Result<Stored, Reported> {
    let session = call.session;
    let keys = [Key::Name(call.object.clone())];
    let _held = hold(call, integration, &planned.principals()).await;
    let created = match adopt(call, integration, &planned).await {
        Ok(private) => change_all(call, integration, &planned, private).await,
        Err(reported) => Err(reported),
    };
    let mut private = created.inspect_err(|Reported| session.writes.record_wanted(keys.clone()))?;
    // An owner that is missing, or that is to be removed, shows in the next plan.
    private.entity.incomplete = private.entity.principals() != planned.principals();
    record_write(call, &keys, &mut private);
    Ok(Stored { state: planned, private })
}

/// Waits for other resources that change these owners of the integration: a resource for one of them alone
/// may be about to add or remove it, if its name was known only after apply.
async fn hold(call: &Call<'_>, integration: &Identifier, owners: &BTreeSet<String>) -> Held {
    let mut keys = vec![Key::Name(call.object.clone())];
    keys.extend(owners.iter().map(|owner| principal_key(integration, owner)));
    call.session.begin_write(&keys).await
}

/// Reads the owners of the integration, and takes over those that the configuration contains. Adds an error
/// if there are owners that may not be adopted.
async fn adopt(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
) -> Result<Private, Reported> {
    let session = call.session;
    let name = call.object.clone();
    let wanted = planned.principals();
    let existence = check(session, integration, Purpose::Decide).await;
    if decide_about(session, &name, planned, &existence) == Outcome::Refuse {
        let existing = match &existence {
            Existence::Exists(owners) => &owners[..],
            _ => &[],
        };
        let effect = not_created(call);
        return Err(call.fail(messages::exists(call, &name, existing, &effect)));
    }
    let mut private = Private::default();
    let list = list_needed(call, integration, &private.object).await?;
    resolve(call, integration, &list, &mut private).await?;
    for owner in private.entity.principals().intersection(&wanted) {
        let keys = keys_of(integration, owner, private.entity.name_of(integration, owner).as_ref());
        let write_id = session.writes.record_write(&keys);
        private.entity.record_write(owner, &write_id);
    }
    Ok(private)
}

/// Adds and removes owners. A failure after the first write is a warning.
async fn change_all(
    call: &mut Call<'_>,
    integration: &Identifier,
    planned: &IntegrationOwnersState,
    mut private: Private,
) -> Result<Private, Reported> {
    let wanted = planned.principals();
    let removed = private.entity.principals().difference(&wanted).cloned().collect();
    let mut failures = Diagnostics::default();
    let mut owners = Owners { integration, wanted: &wanted, known: &mut private.entity };
    let wrote = owners.change(&mut call.reporting_to(&mut failures), &wanted, &removed).await;
    let has_failed = !failures.errors.is_empty();
    if has_failed && wrote {
        call.warn(messages::incomplete(&call.object));
        failures.warnings.append(&mut failures.errors);
    }
    call.diags.add_diagnostics(failures);
    if has_failed && !wrote { Err(Reported) } else { Ok(private) }
}

/// Adds the owners that the plan adds, and removes those that it removes. What changed at the service
/// after the plan is left alone, and shows in the next plan. After a failure in the middle it returns the
/// true state together with the error.
pub(super) async fn update(
    call: &mut Call<'_>,
    integration: &Identifier,
    stored: Stored,
    planned: IntegrationOwnersState,
) -> Result<Stored, Reported> {
    let Stored { state: prior, mut private } = stored;
    let (had, wanted) = (prior.principals(), planned.principals());
    if had == wanted {
        // `adopt_existing` or `deletion_policy`.
        return Ok(Stored { state: planned, private });
    }
    let keys = [Key::Name(call.object.clone())];
    let added = wanted.difference(&had).cloned().collect();
    let removed = had.difference(&wanted).cloned().collect();
    let _held = hold(call, integration, &added).await;
    let list = list_needed(call, integration, &private.object).await?;
    resolve(call, integration, &list, &mut private).await?;
    if let Some(pair) = private.entity.find_same(&wanted) {
        return Err(call.fail(messages::same_owner(call, pair)));
    }
    let errors = call.diags.errors.len();
    let mut owners = Owners { integration, wanted: &wanted, known: &mut private.entity };
    owners.change(call, &added, &removed).await;
    record_write(call, &keys, &mut private);
    let mut state = planned;
    if call.diags.errors.len() > errors {
        state.set_owners(private.entity.principals());
    }
    Ok(Stored { state, private })
}

fn record_write(call: &Call<'_>, keys: &[Key], private: &mut Private) {
    let write_id = call.session.writes.record_write(keys);
    private.object.record_write(call.session, call.object.clone(), write_id, None);
}

/// The owners of an integration while they change. What is known of them follows each step.
struct Owners<'a> {
    integration: &'a Identifier,
    wanted: &'a BTreeSet<String>,
    known: &'a mut OwnersPrivateState,
}

impl Owners<'_> {
    /// Adds owners, and then removes owners if that succeeded. Returns whether anything was written.
    async fn change(
        &mut self,
        call: &mut Call<'_>,
        added: &BTreeSet<String>,
        removed: &BTreeSet<String>,
    ) -> bool {
        let errors = call.diags.errors.len();
        let mut wrote = false;
        for owner in added {
            match self.add(call, owner).await {
                Ok(was_added) => wrote |= was_added,
                // Nothing is sent for the owners after an interrupt.
                Err(Reported) if plugin_server::stop_token().is_cancelled() => break,
                Err(Reported) => {}
            }
        }
        if call.diags.errors.len() > errors {
            return wrote;
        }
        let (leaving, staying): (BTreeMap<_, _>, BTreeMap<_, _>) = (self.known.owners.clone())
            .into_iter()
            .partition(|(_, known)| removed.contains(&known.owner));
        // An owner whom no read has shown yet may be gone.
        let is_there =
            |known: &KnownOwner| known.added_at.is_none() || added.contains(&known.owner);
        if !leaving.is_empty() && !staying.values().any(is_there) {
            call.fail(messages::never_empty(call));
            return wrote;
        }
        for (id, known) in leaving {
            let advice = messages::removal_advice(call, &known.owner);
            if remove(call, self.integration, (&id, &known), &advice).await.is_err() {
                break;
            }
            self.known.owners.remove(&id);
            wrote = true;
        }
        wrote
    }

    /// Adds an owner unless the integration has it. Returns whether it was added.
    async fn add(&mut self, call: &mut Call<'_>, owner: &str) -> Result<bool, Reported> {
        if self.known.spell(owner) {
            return Ok(false);
        }
        let session = call.session;
        let Ok(principal) = Principal::parse(owner) else {
            return Err(call.fail(invalid_state(call.kind)));
        };
        let new = NewOwner { integration: self.integration.clone(), owner: principal, id: None };
        let (found, added_at) = match add(session, &new, &Existence::Free).await {
            Ok(Added::New(found, date)) => (found, date.map(OffsetDateTime::unix_timestamp)),
            Ok(Added::Existing(found)) => (found, None),
            Err(failure) => return Err(messages::not_added(&mut call.of(&new), &new, &failure)),
        };
        let id = found.name.owner.to_string();
        if let Some(known) = self.known.owners.get(&id)
            && self.wanted.contains(&known.owner)
        {
            return Err(call.fail(messages::same_owner(call, (&known.owner, owner))));
        }
        let keys = keys_of(self.integration, owner, Some(&found.name));
        let write_id = Some(session.writes.record_write(&keys));
        let listed = KnownOwner::listed(&found);
        let known = KnownOwner { owner: owner.to_owned(), added_at, write_id, ..listed };
        self.known.owners.insert(id, known);
        Ok(true)
    }
}
