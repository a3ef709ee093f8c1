//! Creating, updating and destroying the owners of an integration. A create only adds. An update adds
//! owners first, and removes others only if all additions succeeded, so it never leaves the integration
//! without owners. A destroy removes the owners of the state.

use std::collections::BTreeSet;

use access_client::{Identifier, IntegrationOwner, Invalid, Principal, Retries};

use super::IntegrationOwners;
use super::read::{Owners, Stored, list_or_fail, principals, verify_integration, whole_list};
use super::say::{
    LIST_REPLACED, half_way, never_empty, not_addable, not_listed, others_exist,
    replacement_effect, shown,
};
use super::state::{IntegrationOwnersState, OwnersPrivate, integration_name};
use crate::integration_owner::check::existing_owners;
use crate::integration_owner::post::{Before, NotAdded, add, not_added};
use crate::integration_owner::say::not_addressable;
use crate::integration_owner::state::{NewOwner, keys_of, principal_key};
use crate::integration_owner::watch::{register_type, warn_without_owners};
use crate::resource::call::Call;
use crate::resource::conflicts;
use crate::resource::create::Create;
use crate::resource::delete::{Delete, delete, sends_delete};
use crate::resource::describe::{Describe as _, Plan as _};
use crate::resource::replace::Replace;
use crate::resource::stored::{Private, Successor};
use crate::resource::update::Update;
use crate::run::{Claim, Held, Key, Keys, Run};
use crate::say::Reported;
use crate::say::call::invalid_state;
use crate::say::create::{
    could_not_look, destroyed_before, imported_and_replaced, made_by_this_run,
};
use crate::say::delete::{abandoned, replaces_itself};

type State = IntegrationOwnersState;

/// Returns the integration of a state, or adds an error.
fn require(call: &mut Call<'_>, state: &State) -> Result<Identifier, Reported> {
    state.integration_id().ok_or_else(|| call.fail(invalid_state(call.words.noun)))
}

/// Registers that this resource creates, keeps or destroys the owners of an integration.
fn claim(call: &mut Call<'_>, integration: &Identifier, claim: &Claim) -> Result<(), Reported> {
    let stays = !matches!(claim, Claim::Destroy(_));
    register_type(call, integration.as_str(), stays)?;
    conflicts::register(call, &Keys::of_name(integration_name(integration)), claim)
}

impl Create for IntegrationOwners {
    async fn plan_create(
        call: &mut Call<'_>,
        planned: &State,
        _config: &State,
        mut private: Private<OwnersPrivate>,
    ) -> Result<Private<OwnersPrivate>, Reported> {
        let run = call.run;
        private.is_left = private.leaves(run);
        let Some(integration) = planned.integration_id() else {
            check_added(call, planned, &BTreeSet::new())?;
            private.successor = Some(Successor::default());
            return Ok(private);
        };
        let keys = Keys::of_name(integration_name(&integration));
        claim(call, &integration, &Claim::Create { replaces: private.name.clone() })?;
        // The first plan call of a replacement has looked and warned already.
        if private.name.is_none() && !run.plans.have_ended() && !run.plans.has_state(&keys) {
            let there = look_in_plan(call, planned, &integration).await;
            check_added(call, planned, &there)?;
        }
        private.successor = Some(Successor { keys, adopts: true, leaves_out: false });
        Ok(private)
    }

    async fn create(
        call: &mut Call<'_>,
        planned: State,
        _config: &State,
    ) -> Result<Stored, Reported> {
        // It may have been planned before the integration was known.
        let planned = Self::planned_create(&planned, None);
        let integration = require(call, &planned)?;
        let wanted = planned.principals();
        let _held = hold(call.run, &integration, &wanted).await;
        let keys = Keys::of_name(integration_name(&integration));
        let call = &mut call.with_remark(&destroyed_before(call.run.writes.destroyed_for(&keys)));
        if keys.main().is_some_and(|key| call.run.writes.is_written(key)) {
            return Err(call.fail(made_by_this_run(call.words)));
        }
        let mut stored = Stored { state: planned, private: Private::default() };
        let change = Change { new: wanted, ..Change::default() };
        let added = add_missing(call, &mut stored, &integration, &change).await;
        if added.is_err() {
            call.run.writes.record_wanted(&keys);
        }
        added?;
        Ok(stored)
    }
}

/// Looks in the plan of a create, warns about what it finds, and returns who is there.
async fn look_in_plan(
    call: &mut Call<'_>,
    planned: &State,
    integration: &Identifier,
) -> BTreeSet<String> {
    let run = call.run;
    if !run.looks_in_plans() {
        return BTreeSet::new();
    }
    match whole_list(run, integration, Retries::Throttled).await {
        Ok(list) => {
            warn_about_others(call, planned, &list);
            principals(run, &list)
        }
        Err(error) => {
            run.record_failed_look(&error);
            let step = "The apply needs the list of owners, and fails without it.";
            call.warn(could_not_look(call.words, &error.to_string(), step));
            BTreeSet::new()
        }
    }
}

/// Checks, in a plan, that each owner who is added can be: `there` are not added.
fn check_added(
    call: &mut Call<'_>,
    planned: &State,
    there: &BTreeSet<String>,
) -> Result<(), Reported> {
    for owner in &planned.principals() - there {
        if let Err(fault) = Principal::parse(&owner) {
            return Err(call.fail(not_addable(&owner, &fault.to_string())));
        }
    }
    Ok(())
}

/// Warns about owners that a create does not list.
fn warn_about_others(call: &mut Call<'_>, planned: &State, list: &Owners) {
    let others = &principals(call.run, list) - &planned.principals();
    if planned.is_known() && !others.is_empty() {
        call.warn(others_exist(&shown(call.run, &others)));
    }
}

/// Waits for other calls about these owners of the integration: a resource for one of them alone may be
/// about to add or remove it, if its name was known only after apply.
async fn hold(run: &Run, integration: &Identifier, owners: &BTreeSet<String>) -> Held {
    let mut keys = vec![Key::Name(integration_name(integration))];
    keys.extend(owners.iter().map(|owner| principal_key(integration, owner)));
    run.hold(&keys).await
}

/// What a write changes.
#[derive(Default)]
struct Change {
    /// The owners of the state.
    had: BTreeSet<String>,
    new: BTreeSet<String>,
    removed: BTreeSet<String>,
}

/// Reads the list anew, and adds the new owners whom it lacks: each is tried although another one has failed.
/// Records all new ones as written. Returns all owners that there are now, and who was added. An owner that
/// another create of this run has made is refused.
async fn add_missing(
    call: &mut Call<'_>,
    stored: &mut Stored,
    integration: &Identifier,
    change: &Change,
) -> Result<(Vec<IntegrationOwner>, BTreeSet<String>), Reported> {
    let run = call.run;
    let owners = &change.new;
    let keys = Keys::of_name(integration_name(integration));
    run.touch::<IntegrationOwner>(&keys, integration);
    let list = list_or_fail(call, integration, &change.had, "").await?;
    verify_integration(call, stored, &list)?;
    if let Some(owner) =
        owners.iter().find(|it| run.writes.is_written(&principal_key(integration, it)))
    {
        let message = made_by_this_run(call.words);
        return Err(call.of(principal_key(integration, owner)).fail(message));
    }
    let mut all: Vec<IntegrationOwner> = existing_owners(run, &list).cloned().collect();
    let present: BTreeSet<String> = all.iter().map(|owner| owner.owner.clone()).collect();
    let missing = owners - &present;
    let before = Before::of_list(run, &list);
    let (added, failures) = add_each(run, integration, missing, &before, &mut all).await;
    if !failures.is_empty() {
        let remark = half_way(run, &added, &(&change.removed & &present));
        return Err(fail_half_way(&mut call.with_remark(&remark), integration, failures));
    }
    for present in all.iter().filter(|present| owners.contains(&present.owner)) {
        run.writes.record_write(&keys_of(integration, Some(&present.owner), Some(&present.name)));
    }
    let write_id = run.writes.record_write(&keys);
    stored.private.record_written(run, integration_name(integration), write_id);
    stored.private.own.record(all.iter());
    Ok((all, added))
}

/// An owner who was not added.
enum Failed {
    /// Not in the form of one.
    Form(String, Invalid),
    Post(NewOwner, Principal, Box<NotAdded>),
}

/// Tries to add each of these owners, and adds those who are there now to `all`. A failure that the others
/// would meet as well is the last. Returns who was added, and the failures.
async fn add_each(
    run: &Run,
    integration: &Identifier,
    owners: BTreeSet<String>,
    before: &Before,
    all: &mut Vec<IntegrationOwner>,
) -> (BTreeSet<String>, Vec<Failed>) {
    let (mut added, mut failures) = (BTreeSet::new(), Vec::new());
    for owner in owners {
        let principal = match Principal::parse(&owner) {
            Ok(principal) => principal,
            Err(fault) => {
                failures.push(Failed::Form(owner, fault));
                continue;
            }
        };
        let (integration, id) = (integration.clone(), None);
        let new = NewOwner { integration, owner: Some(principal.clone()), id };
        match add(run, &new, &principal, before).await {
            Ok(found) => {
                let keys = keys_of(&new.integration, Some(&owner), Some(&found.name));
                run.writes.record_write(&keys);
                all.push(found);
                added.insert(owner);
            }
            Err(failure) => {
                let ends_all = failure.ends_all();
                failures.push(Failed::Post(new, principal, Box::new(failure)));
                if ends_all {
                    break;
                }
            }
        }
    }
    (added, failures)
}

/// Adds an error for each owner who was not added.
fn fail_half_way(call: &mut Call<'_>, integration: &Identifier, failures: Vec<Failed>) -> Reported {
    for failure in failures {
        match failure {
            Failed::Form(owner, fault) => {
                let message = not_addable(&owner, &fault.to_string());
                call.of(principal_key(integration, &owner)).fail(message)
            }
            Failed::Post(new, principal, failure) => {
                not_added(&mut call.of(&new), &new, &principal, &failure)
            }
        };
    }
    Reported
}

impl Update for IntegrationOwners {
    fn plan_update(
        call: &mut Call<'_>,
        stored: &Stored,
        planned: &State,
        _config: &State,
    ) -> Result<(), Reported> {
        let integration = require(call, &stored.state)?;
        check_added(call, planned, &stored.state.principals())?;
        claim(call, &integration, &Claim::Keep(integration_name(&integration)))
    }

    /// Adds the owners that the plan adds, and removes those that it removes. What changed at the service
    /// after the plan is left alone, and shows in the next plan.
    async fn update(
        call: &mut Call<'_>,
        mut stored: Stored,
        planned: State,
        _config: &State,
    ) -> Result<Stored, Reported> {
        let run = call.run;
        let integration = require(call, &stored.state)?;
        let (had, wanted) = (stored.state.principals(), planned.principals());
        let (new, removed) = (&wanted - &had, &had - &wanted);
        let _held = hold(run, &integration, &new).await;
        let change = Change { had, new, removed };
        let (all, added) = add_missing(call, &mut stored, &integration, &change).await?;
        let call = &mut call.with_remark(&half_way(run, &added, &BTreeSet::new()));
        let (leaving, staying): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|owner| change.removed.contains(&owner.owner));
        if !leaving.is_empty() && staying.is_empty() {
            let message = never_empty(call.operation.failure());
            return Err(call.fail(message));
        }
        remove_all(call, &integration, &leaving.iter().collect::<Vec<_>>()).await?;
        stored.private.own.record(staying.iter());
        stored.state = planned;
        Ok(stored)
    }
}

/// Removes owners that the list shows, or adds an error. Those whom no request can name are the last.
async fn remove_all(
    call: &mut Call<'_>,
    integration: &Identifier,
    owners: &[&IntegrationOwner],
) -> Result<(), Reported> {
    let (named, others): (Vec<_>, Vec<_>) =
        owners.iter().partition(|owner| owner.name.owner.check().is_ok());
    for owner in named {
        remove(call, integration, owner).await?;
    }
    let mut result = Ok(());
    for owner in others {
        if let Err(fault) = owner.name.owner.check() {
            let message = not_addressable(&fault);
            result = Err(call.of(title(call.run, owner)).fail(message));
        }
    }
    result
}

/// Returns what messages call an owner.
fn title(run: &Run, owner: &IntegrationOwner) -> String {
    run.client.presentable(&format!("{} ({})", owner.name, owner.owner))
}

/// Removes one owner that the list shows, or adds an error.
async fn remove(
    call: &mut Call<'_>,
    integration: &Identifier,
    owner: &IntegrationOwner,
) -> Result<(), Reported> {
    let run = call.run;
    let keys = keys_of(integration, Some(&owner.owner), Some(&owner.name));
    // A resource for this owner alone may be about to adopt it.
    let _held = run.hold(&keys).await;
    let call = &mut call.of(title(run, owner));
    if !sends_delete(call, &keys, None)? {
        return Ok(());
    }
    delete::<IntegrationOwner>(call, &owner.name, &keys, owner.create_time.as_deref()).await
}

impl Replace for IntegrationOwners {
    async fn plan_replace(
        call: &mut Call<'_>,
        stored: &Stored,
        planned: &State,
        _config: &State,
    ) -> Result<(), Reported> {
        let old = call.object.clone();
        let new = planned.integration_id();
        if call.run.plans.is_imported(&old) {
            let new = new.as_ref().map(integration_name);
            return Err(call.fail(imported_and_replaced(call.words, new.as_deref())));
        }
        Self::plan_destroy(call, stored).await?;
        let Some(new) = new else { return Ok(()) };
        let call = &mut call.of(integration_name(&new));
        claim(call, &new, &Claim::Create { replaces: Some(old.clone()) })?;
        let nobody = BTreeSet::new();
        let list = list_or_fail(call, &new, &nobody, &replacement_effect(&old)).await?;
        check_added(call, planned, &principals(call.run, &list))?;
        warn_about_others(call, planned, &list);
        Ok(())
    }

    async fn check_successor(
        call: &mut Call<'_>,
        stored: &Stored,
        successor: &Successor,
    ) -> Result<(), Reported> {
        if successor.keys.are_among(&Self::keys(&stored.state)) {
            return Err(call.fail(replaces_itself(call.words, LIST_REPLACED)));
        }
        let Some(new) = State::of_keys(&successor.keys) else { return Ok(()) };
        let effect = replacement_effect(&call.object);
        let nobody = BTreeSet::new();
        list_or_fail(&mut call.of(integration_name(&new)), &new, &nobody, &effect).await?;
        Ok(())
    }
}

impl Delete for IntegrationOwners {
    async fn plan_destroy(call: &mut Call<'_>, stored: &Stored) -> Result<(), Reported> {
        let run = call.run;
        // A deposed object during an apply: no plan is left to compare.
        if run.plans.have_ended() {
            return Ok(());
        }
        let integration = require(call, &stored.state)?;
        claim(call, &integration, &Claim::Destroy(integration_name(&integration)))?;
        if stored.private.leaves(run) {
            call.warn(abandoned());
            return Ok(());
        }
        if run.detects_drift
            && let Ok(list) = whole_list(run, &integration, Retries::Throttled).await
        {
            let owners = stored.state.principals();
            for owner in existing_owners(run, &list).filter(|it| owners.contains(&it.owner)) {
                // No other resource has it: that would be an error already.
                let name = owner.name.to_string();
                _ = run.plans.register(&Keys::of_name(&name), &Claim::Destroy(name));
            }
        }
        warn_without_owners(call, &integration).await;
        Ok(())
    }

    type Found = (Identifier, Owners);

    async fn verify(call: &mut Call<'_>, stored: &Stored) -> Result<Self::Found, Reported> {
        let integration = require(call, &stored.state)?;
        let owners = stored.state.principals();
        let list = list_or_fail(call, &integration, &owners, "").await?;
        verify_integration(call, stored, &list)?;
        Ok((integration, list))
    }

    /// Removes the owners of the state that the list still shows. Owners that were added outside
    /// Terraform since the state was stored stay.
    async fn remove(
        call: &mut Call<'_>,
        stored: &Stored,
        (integration, list): Self::Found,
    ) -> Result<(), Reported> {
        let run = call.run;
        let owners = stored.state.principals();
        let listed = existing_owners(run, &list).filter(|it| owners.contains(&it.owner));
        remove_all(call, &integration, &listed.collect::<Vec<_>>()).await?;
        let missing = &owners - &list.existing().map(|it| it.owner.clone()).collect();
        if !missing.is_empty() {
            call.warn(not_listed(&shown(run, &missing)));
        }
        Ok(())
    }
}

impl State {
    /// Returns the integration that has these keys.
    fn of_keys(keys: &Keys) -> Option<Identifier> {
        let Some(Key::Name(name)) = &keys.name else { return None };
        Identifier::parse(name.strip_prefix("integrations/")?).ok()
    }
}
