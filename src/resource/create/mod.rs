//! Creating an object, and planning a create.
//!
//! A create overwrites (PATCH with `allowMissing`) or doubles (POST) what exists, so it looks first,
//! under a lock of the object, and acts by what it finds: `look` asks, `decide` decides. The plan looks
//! as well, and only warns: if the plan inside an apply fails, Terraform does not restore an object
//! that it has deposed, whereas it does if the create fails.

pub(crate) mod decide;
pub(crate) mod existence;
pub(crate) mod look;
pub(crate) mod replace;

use self::decide::{Outcome, stops_replacement};
use self::existence::Existence;
use self::look::{Look, existence_of, look};
use super::call::Call;
use super::conflicts;
use super::describe::{Describe, PrivateOf, StoredOf};
use super::entity::{Check, Created, Entity};
use super::stored::Successor;
use crate::run::{Claim, Key, Purpose};
use crate::say::Reported;
use crate::say::call::invalid_state;
use crate::say::create::{
    Renaming, could_not_look, destroyed_before, exists, exists_in_replacement,
    failed_in_replacement, made_by_this_run, made_in_replacement, not_found_in_replacement,
    will_be_adopted, will_be_refused, writes_unchecked, written_unchecked,
};
use crate::say::requests::by_status;

/// Creating the object of a resource.
pub(crate) trait Create: Describe {
    /// Plans a create. `private` is that of the object which the resource replaces, or empty. Returns
    /// the private state of the plan, which Terraform passes to the destroy of that object.
    fn plan_create(
        call: &mut Call<'_>,
        planned: &Self::State,
        config: &Self::State,
        private: PrivateOf<Self>,
    ) -> impl Future<Output = Result<PrivateOf<Self>, Reported>> + Send;
    /// Makes or adopts the object. Returns a state or an error, never both: Terraform would taint the
    /// object, and destroy it at the next apply.
    fn create(
        call: &mut Call<'_>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<StoredOf<Self>, Reported>> + Send;
}

impl<E: Entity> Create for E {
    async fn plan_create(
        call: &mut Call<'_>,
        planned: &Self::State,
        config: &Self::State,
        mut private: PrivateOf<Self>,
    ) -> Result<PrivateOf<Self>, Reported> {
        private.is_left = private.leaves(call.run);
        E::register_member(call, planned, true)?;
        let leaves_out = E::leaves_out(config);
        let Some(new) = E::to_create(planned) else {
            private.successor = Some(Successor { leaves_out, ..Default::default() });
            E::warn_created(call);
            return Ok(private);
        };
        let keys = E::keys_of_new(&new);
        let replaces = private.name.clone();
        conflicts::register(call, &keys, &Claim::Create { replaces })?;
        // The first plan call of a replacement has looked and warned already.
        if private.name.is_none() {
            look_in_plan::<E>(call, &new, planned, config).await;
        }
        private.successor = Some(Successor { keys, adopts: E::adopts(planned), leaves_out });
        E::warn_created(call);
        Ok(private)
    }

    async fn create(
        call: &mut Call<'_>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<StoredOf<Self>, Reported> {
        let Some(new) = E::to_create(&planned) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let run = call.run;
        let keys = E::keys_of_new(&new);
        let mut held = run.hold(&keys).await;
        let (old, others) = run.writes.destroyed_for(&keys);
        let call = &mut call.with_remark(&destroyed_before(old, &others));

        let adopts = E::adopts(&planned);
        let mut looked = look::<E>(run, &new, adopts, Purpose::Decide, None).await;
        if let Existence::Exists(existing) = &looked.existence
            && keys.iter().all(|key| !matches!(key, Key::Name(_)))
        {
            // A delete of this owner by its name may have been running when the look was made.
            held.extend(run.writes.hold(&[Key::Name(existing.name().to_string())]).await);
            if matches!(existence_of(run, (**existing).clone()), Existence::Absent) {
                looked = look::<E>(run, &new, adopts, Purpose::Decide, None).await;
            }
        }
        let created = write::<E>(call, &new, looked, planned, config).await;
        if created.is_err() {
            // A configuration wants the object: its delete under another address is refused.
            run.writes.record_wanted(keys);
        }
        created
    }
}

/// Looks in the plan of a create, and warns about what exists. Only the create decides.
///
/// An object that a refresh of this run was called for is the resource's own, or another resource has
/// it, whose error says more than a warning.
async fn look_in_plan<E: Entity>(
    call: &mut Call<'_>,
    new: &E::New,
    planned: &E::State,
    config: &E::State,
) {
    let run = call.run;
    let keys = E::keys_of_new(new);
    if !run.looks_in_plans() || run.plans.is_refreshed(&keys) {
        return;
    }
    let looked = look::<E>(run, new, E::adopts(planned), Purpose::Confirm, None).await;
    // During the request, another call may have refreshed the object.
    if !run.plans.is_refreshed(&keys) {
        warn_about(call, new, &looked, planned, config);
    }
}

/// Warns about what a plan has found.
fn warn_about<E: Entity>(
    call: &mut Call<'_>,
    new: &E::New,
    looked: &Look<E>,
    planned: &E::State,
    config: &E::State,
) {
    let run = call.run;
    match &looked.existence {
        Existence::Exists(found) => {
            let existing = E::describe_existing(run, new, found);
            if looked.outcome == Outcome::Adopt {
                let effects = E::describe_adoption(run, found, planned, config);
                call.warn(will_be_adopted(call.words, &existing, Some(&effects)));
            } else {
                call.warn(will_be_refused(&existing));
            }
        }
        Existence::Unexplained(response) | Existence::NoAnswer(response) => {
            call.warn(could_not_look(call.words, response, &writes_unchecked(call.words, E::RISK)));
        }
        Existence::Failed(error) => {
            run.record_failed_look(error);
            call.warn(could_not_look(call.words, &error.to_string(), &by_status(error).step));
        }
        Existence::Absent => {}
    }
}

/// Acts by what the look has found.
async fn write<E: Entity>(
    call: &mut Call<'_>,
    new: &E::New,
    looked: Look<E>,
    planned: E::State,
    config: &E::State,
) -> Result<StoredOf<E>, Reported> {
    let Look { existence, outcome } = looked;
    match (outcome, &existence) {
        (Outcome::Fail, Existence::Failed(error)) => return Err(call.failed(error)),
        (Outcome::RefuseMade, _) => return Err(call.fail(made_by_this_run(call.words))),
        (Outcome::Refuse, Existence::Exists(existing)) => {
            return Err(refuse::<E>(call, new, existing));
        }
        _ => {}
    }
    let Created { object, state, own } =
        E::write_new(call, new, &existence, planned, config).await?;
    let name = object.name().to_string();
    // The service may have given the object another ID than was asked for. Nothing was written under
    // that one.
    let mut keys = E::keys_of_new(new);
    keys.retain(|key| !matches!(key, Key::Name(_)));
    keys.push(Key::Name(name.clone()));
    let write_id = call.run.writes.record_write(&keys);
    let mut stored = StoredOf::<E> { state, private: PrivateOf::<E> { own, ..Default::default() } };
    stored.private.record_written(call.run, name, write_id);
    // What the first refresh would record: it then changes nothing.
    E::record_run(&mut stored.private.own, &stored.state, call.run);
    if let Existence::Unexplained(response) | Existence::NoAnswer(response) = &existence {
        call.warn(written_unchecked(call.words, E::RISK, response));
    }
    Ok(stored)
}

/// Adds the error of an object that exists and may not be adopted.
fn refuse<E: Check>(call: &mut Call<'_>, new: &E::New, existing: &E) -> Reported {
    // Its delete under another address is refused.
    call.run.writes.record_wanted([Key::Name(existing.name().to_string())]);
    let existing = E::describe_existing(call.run, new, existing);
    call.fail(exists(call.words, &existing))
}

/// Adds an error if the table stops the replacement. `call` is that of the new object; `old` has the name
/// and the keys of the present one.
pub(crate) fn stop<E: Check>(
    call: &mut Call<'_>,
    new: &E::New,
    looked: &Look<E>,
    (old, old_keys): (&E::Name, &[Key]),
) -> Result<(), Reported> {
    if !stops_replacement(looked.existence.found(), looked.outcome) {
        return Ok(());
    }
    let (words, run) = (call.words, call.run);
    // The new object needs the ID of the old one, or its principal.
    let is_exclusive = E::keys_of_new(new).iter().any(|key| old_keys.contains(key));
    let renaming = &Renaming { old: &old.to_string(), is_exclusive };
    let message = match &looked.existence {
        Existence::Failed(error) => failed_in_replacement(words, error, renaming),
        _ if looked.outcome == Outcome::RefuseMade => made_in_replacement(words, renaming),
        Existence::Exists(existing) => {
            let existing = E::describe_existing(run, new, existing);
            exists_in_replacement(words, &existing, renaming)
        }
        Existence::Unexplained(response) | Existence::NoAnswer(response) => {
            not_found_in_replacement(words, response, renaming)
        }
        Existence::Absent => return Ok(()),
    };
    Err(call.fail(message))
}
