//! Creating an object, and planning a create.
//!
//! A create overwrites (PATCH with `allowMissing`) or doubles (POST) what exists, so it looks first,
//! under a lock of the object, and acts by what it finds: `seen` asks, `decide` decides. The plan looks
//! as well, and fails for an object that exists.

use access_client::Retries;

use super::call::Call;
use super::conflicts;
use super::decide::{self, Intent, OnCreate};
use super::describe::{Describe, PrivateOf, StoredOf};
use super::entity::{Check, Created, Entity};
use super::seen::Seen;
use super::stored::Successor;
use crate::run::{Claim, Key, Keys, Run};
use crate::say::Reported;
use crate::say::call::invalid_state;
use crate::say::create::{
    Holder, could_not_look, destroyed_before, exists, made_by_this_run, not_answered,
    will_be_adopted, written_unchecked,
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

/// What was seen before a create, and what the create does.
pub(crate) struct Found<E> {
    pub(crate) seen: Seen<E>,
    pub(crate) answer: OnCreate,
}

/// Looks for the object of a create. `adopts` is whether the configuration allows an adoption, and
/// `replaced` the object that is destroyed before, which does not count.
pub(crate) async fn look<E: Check>(
    run: &Run,
    new: &E::New,
    adopts: bool,
    retries: Retries,
    replaced: Option<&E::Name>,
) -> Found<E> {
    let keys = E::keys_of_new(new);
    let mut seen = E::see(run, new, &keys, retries, replaced).await;
    // What this process has deleted it makes again.
    if seen.is_unclear() && keys.main().is_some_and(|key| run.writes.has_deleted(key)) {
        seen = Seen::Gone;
    }
    let intent = Intent {
        may_adopt: adopts && seen.object().is_none_or(|existing| E::is_adoptable(new, existing)),
        is_written: keys.main().is_some_and(|key| run.writes.is_written(key)),
    };
    let answer = seen.decide(new, |seen| decide::create(seen, intent));
    Found { seen, answer }
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
        // The first plan call of a replacement has looked already.
        let mut is_refused = false;
        if private.name.is_none() {
            is_refused = look_in_plan::<E>(call, &new, &keys, planned, config).await?;
        }
        private.successor = Some(Successor { keys, adopts: E::adopts(planned), leaves_out });
        if !is_refused {
            E::warn_created(call);
        }
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
        let call = &mut call.with_remark(&destroyed_before(run.writes.destroyed_for(&keys)));

        let adopts = E::adopts(&planned);
        let mut looked = look::<E>(run, &new, adopts, Retries::All, None).await;
        if let (Seen::Present(existing) | Seen::OnlyListed(existing, _), None) =
            (&looked.seen, &keys.name)
        {
            // A delete of this owner by its name may have been running when the look was made.
            let name = Key::Name(existing.name().to_string());
            held.extend(run.writes.hold([&name]).await);
            if run.writes.is_deleted(&name, existing.create_time()) {
                looked = look::<E>(run, &new, adopts, Retries::All, None).await;
            }
        }
        let created = write::<E>(call, &new, &keys, looked, planned, config).await;
        if created.is_err() {
            // A configuration wants the object: its delete under another address is refused.
            run.writes.record_wanted(&keys);
        }
        created
    }
}

/// Looks in the plan of a create. Fails for an object that exists, and warns about any other response: only
/// the create decides by those.
///
/// An object of which this run has a state is the resource's own, or another resource has it, whose error
/// says more. Returns whether an object exists for which another one's error stands.
async fn look_in_plan<E: Entity>(
    call: &mut Call<'_>,
    new: &E::New,
    keys: &Keys,
    planned: &E::State,
    config: &E::State,
) -> Result<bool, Reported> {
    let run = call.run;
    if !run.looks_in_plans() || run.plans.has_state(keys) {
        return Ok(false);
    }
    let adopts = E::adopts(planned);
    let looked = look::<E>(run, new, adopts, Retries::Throttled, None).await;
    // During the request, another call may have found a state of the object, or begun the apply.
    if run.plans.has_state(keys) || run.plans.have_ended() {
        return Ok(false);
    }
    let Some(existing) = looked.seen.object().filter(|_| looked.answer == OnCreate::Refuse) else {
        warn_about(call, new, &looked, planned, config);
        return Ok(false);
    };
    let message = exists(call.words, &E::describe_existing(run, new, existing), Holder::Unknown);
    if E::adopt_existing(planned).is_unknown() && E::is_adoptable(new, existing) {
        call.warn(message.into_warning());
        return Ok(false);
    }
    // Without a mark, this may be inside an apply: its delete under another address is refused.
    run.writes.record_wanted(keys);
    call.fold(message)?;
    Ok(true)
}

/// Warns about what a plan has found, other than an object that it refuses.
pub(crate) fn warn_about<E: Entity>(
    call: &mut Call<'_>,
    new: &E::New,
    looked: &Found<E>,
    planned: &E::State,
    config: &E::State,
) {
    let run = call.run;
    match &looked.seen {
        Seen::Present(found) | Seen::OnlyListed(found, _) => {
            let existing = E::describe_existing(run, new, found);
            let effects = E::describe_adoption(run, found, planned, config);
            call.warn(will_be_adopted(call.words, &existing, Some(&effects)));
        }
        Seen::Unexplained(_) | Seen::NotOffered(_) | Seen::Forbidden(_) => {
            call.warn(not_answered(call.words, &looked.seen, E::RISK));
        }
        Seen::Failed(error) => {
            run.record_failed_look(error);
            call.warn(could_not_look(call.words, &error.to_string(), &by_status(error).step));
        }
        Seen::Deleted(_) | Seen::Gone => {}
    }
}

/// Acts by what the look has found.
async fn write<E: Entity>(
    call: &mut Call<'_>,
    new: &E::New,
    keys: &Keys,
    Found { seen, answer }: Found<E>,
    planned: E::State,
    config: &E::State,
) -> Result<StoredOf<E>, Reported> {
    match (answer, &seen) {
        (OnCreate::Fail, Seen::Failed(error)) => return Err(call.failed(error)),
        (OnCreate::RefuseMade, _) => return Err(call.fail(made_by_this_run(call.words))),
        (OnCreate::Refuse, Seen::Present(existing) | Seen::OnlyListed(existing, _)) => {
            // Its delete under another address is refused.
            call.run.writes.record_wanted([&Key::Name(existing.name().to_string())]);
            let holder = match call.run.plans.has_state(keys) {
                true => Holder::ThisRun,
                false => Holder::ThisResource,
            };
            let existing = E::describe_existing(call.run, new, existing);
            return Err(call.fail(exists(call.words, &existing, holder)));
        }
        _ => {}
    }
    let Created { object, state, own } = E::write_new(call, new, &seen, planned, config).await?;
    let name = object.name().to_string();
    // The service may have given the object another ID than was asked for. Nothing was written under
    // that one.
    let written = Keys { name: Some(Key::Name(name.clone())), principal: keys.principal.clone() };
    let write_id = call.run.writes.record_write(&written);
    let mut stored = StoredOf::<E> { state, private: PrivateOf::<E> { own, ..Default::default() } };
    stored.private.record_written(call.run, name, write_id);
    // What the first refresh would record: it then changes nothing.
    E::record_run(&mut stored.private.own, &stored.state, call.run);
    if answer == OnCreate::WriteUnchecked {
        call.warn(written_unchecked(call.words, E::RISK, &seen.text()));
    }
    Ok(stored)
}
