//! Replacements by another name: what the create would refuse is refused before anything is lost.
//!
//! Terraform plans such a replacement in two calls, and discards the warnings of the second. The first
//! one has the prior state, so it runs only in plans, and may fail. The destroy that comes before the
//! create gets what the plan of the create wrote into its private state. Both look for the new name,
//! with all retries and under every `drift_detection`, and both decide by the same table.

use access_client::Retries;

use super::call::Call;
use super::conflicts;
use super::create::{Found, look, warn_about};
use super::decide::{OnCreate, stops_replacement};
use super::delete::{register_destroy, warn_destroy};
use super::describe::{Describe, StoredOf};
use super::entity::{Check, Entity};
use super::seen::Seen;
use super::stored::{LastSeen, Successor};
use super::whose::ask_and_identify;
use crate::run::{Claim, Keys};
use crate::say::Reported;
use crate::say::call::invalid_state;
use crate::say::conflicts::created_and_held;
use crate::say::create::{
    Renaming, exists_in_replacement, failed_in_replacement, imported_and_replaced,
    made_in_replacement, not_found_in_replacement, will_be_adopted,
};
use crate::say::delete::{LEFT_AT_THE_SERVICE, replaces_itself};

/// Replacing the object of a resource.
pub(crate) trait Replace: Describe {
    /// Plans a replacement by another name, in its first call.
    fn plan_replace(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<(), Reported>> + Send;
    /// Fails, before a destroy, if the create that follows would be refused, or if the resource may not
    /// replace itself. `successor` is what the plan of that create has recorded.
    fn check_successor(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        successor: &Successor,
    ) -> impl Future<Output = Result<(), Reported>> + Send;
}

impl<E: Entity> Replace for E {
    async fn plan_replace(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) -> Result<(), Reported> {
        let run = call.run;
        let new = E::to_create(planned);
        if run.plans.is_imported(&call.object) {
            let name = new.map(|new| new.to_string());
            return Err(call.fail(imported_and_replaced(call.words, name.as_deref())));
        }
        let Some(old) = E::state_name(&stored.state) else { return Ok(()) };
        // After `-refresh=false`, the object at this base address may be another one.
        if stored.private.last_seen(run) == LastSeen::Elsewhere {
            ask_and_identify::<E>(call, &old, stored).await?;
        }
        register_destroy::<E>(call, stored)?;
        let leaves_out = E::leaves_out(config);
        // Without a name that is known, the create decides.
        let Some(new) = new else {
            warn_destroy::<E>(call, stored, leaves_out).await;
            E::warn_created(call);
            return Ok(());
        };
        let old_keys = E::keys(&stored.state);
        let found = {
            let call = &mut call.of(&new);
            let keys = E::keys_of_new(&new);
            let replaces = Some(old.to_string());
            conflicts::register(call, &keys, &Claim::Create { replaces })?;
            // Another resource of this configuration has it, although it is not planned yet.
            if run.plans.has_state(keys.into_iter().filter(|key| !old_keys.contains(key))) {
                return Err(call.fail(created_and_held(call.words, true, true)));
            }
            let replaced = (!stored.private.leaves(run)).then_some(&old);
            let found = look::<E>(run, &new, E::adopts(planned), Retries::All, replaced).await;
            stop::<E>(call, &new, &found, (&old, &old_keys))?;
            found
        };
        warn_destroy::<E>(call, stored, leaves_out).await;
        let call = &mut call.of(&new);
        warn_about(call, &new, &found, planned, config);
        E::warn_created(call);
        Ok(())
    }

    /// Holds the lock of the new object meanwhile. Warns about an adoption.
    async fn check_successor(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        successor: &Successor,
    ) -> Result<(), Reported> {
        let run = call.run;
        let Some(old) = E::state_name(&stored.state) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let keys = E::keys(&stored.state);
        let is_left = stored.private.leaves(run);
        if successor.keys.are_among(&keys) {
            let refused = || replaces_itself(call.words, LEFT_AT_THE_SERVICE);
            return if is_left { Err(call.fail(refused())) } else { Ok(()) };
        }
        let Some(new) = E::new_of_keys(&successor.keys) else { return Ok(()) };
        let _held = run.hold(&successor.keys).await;
        let replaced = (!is_left).then_some(&old);
        let found = look::<E>(run, &new, successor.adopts, Retries::All, replaced).await;
        let call = &mut call.of(&new);
        stop::<E>(call, &new, &found, (&old, &keys))?;
        // It may have been made since the plan, which has warned about what existed then.
        if let Some(existing) = found.seen.object() {
            let existing = E::describe_existing(run, &new, existing);
            call.warn(will_be_adopted(call.words, &existing, None));
        }
        Ok(())
    }
}

/// Adds an error if the table stops the replacement. `call` is that of the new object; `old` has the name
/// and the keys of the present one.
fn stop<E: Check>(
    call: &mut Call<'_>,
    new: &E::New,
    found: &Found<E>,
    (old, old_keys): (&E::Name, &Keys),
) -> Result<(), Reported> {
    let Found { seen, answer } = found;
    if !seen.decide(new, |seen| stops_replacement(seen, *answer)) {
        return Ok(());
    }
    let (words, run) = (call.words, call.run);
    // The new object needs the ID of the old one, or its principal.
    let keys = E::keys_of_new(new);
    let is_exclusive = keys.into_iter().any(|key| old_keys.contains(key));
    let renaming = &Renaming { old: &old.to_string(), is_exclusive };
    let message = match seen {
        Seen::Failed(error) => failed_in_replacement(words, error, renaming),
        _ if *answer == OnCreate::RefuseMade => made_in_replacement(words, renaming),
        Seen::Present(existing) | Seen::OnlyListed(existing, _) => {
            let existing = E::describe_existing(run, new, existing);
            exists_in_replacement(words, &existing, renaming)
        }
        seen => not_found_in_replacement(words, &seen.text(), renaming),
    };
    Err(call.fail(message))
}
