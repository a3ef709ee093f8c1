//! Replacements by another name: what the create would refuse is refused before anything is lost.
//!
//! Terraform plans such a replacement in two calls, and discards the warnings of the second. The first
//! one has the prior state, so it runs only in plans, and may fail. The destroy that comes before the
//! create gets what the plan of the create wrote into its private state. Both look for the new name,
//! with all retries and under every `drift_detection`, and both decide by the same table.

use super::look::look;
use super::{stop, warn_about};
use crate::resource::call::Call;
use crate::resource::conflicts;
use crate::resource::delete::plan_delete;
use crate::resource::describe::{Describe, StoredOf};
use crate::resource::entity::Entity;
use crate::resource::stored::LastSeen;
use crate::resource::whose::ask_and_identify;
use crate::run::{Claim, Purpose};
use crate::say::Reported;
use crate::say::conflicts::created_and_held;
use crate::say::create::imported_and_replaced;

/// Replacing the object of a resource by one of another name.
pub(crate) trait Replace: Describe {
    /// Plans a replacement by another name, in its first call.
    fn plan_replace(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        planned: &Self::State,
        config: &Self::State,
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
        plan_delete::<E>(call, stored, E::leaves_out(config)).await?;
        // Without a name that is known, the create decides.
        let Some(new) = new else {
            E::warn_created(call);
            return Ok(());
        };
        let call = &mut call.of(&new);
        let old_keys = E::keys(&stored.state);
        let mut keys = E::keys_of_new(&new);
        let replaces = Some(old.to_string());
        conflicts::register(call, &keys, &Claim::Create { replaces })?;
        // Another resource of this configuration has it, although it is not planned yet.
        keys.retain(|key| !old_keys.contains(key));
        if run.plans.is_refreshed(&keys) {
            return Err(call.fail(created_and_held(call.words, true)));
        }
        let replaced = (!stored.private.leaves(run)).then_some(&old);
        let looked = look::<E>(run, &new, E::adopts(planned), Purpose::Decide, replaced).await;
        stop::<E>(call, &new, &looked, (&old, &old_keys))?;
        warn_about(call, &new, &looked, planned, config);
        E::warn_created(call);
        Ok(())
    }
}
