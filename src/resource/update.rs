//! Updating an object in place, and planning an update.

use super::call::Call;
use super::conflicts;
use super::describe::{Describe, StoredOf};
use super::entity::Entity;
use crate::run::Claim;
use crate::say::Reported;

/// Updating the object of a resource in place.
pub(crate) trait Update: Describe {
    /// Registers that the resource keeps its object, changed or not, and warns about the effects. Fails
    /// if another resource of the plan contradicts that.
    fn plan_update(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) -> Result<(), Reported>;
    /// Changes the object. After an error, the state stays.
    fn update(
        call: &mut Call<'_>,
        stored: StoredOf<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<StoredOf<Self>, Reported>> + Send;
}

impl<E: Entity> Update for E {
    fn plan_update(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) -> Result<(), Reported> {
        E::register_member(call, &stored.state, true)?;
        let claim = Claim::Keep(call.object.clone());
        conflicts::register(call, &E::keys(&stored.state), &claim)?;
        E::warn_updated(call, stored, planned, config);
        Ok(())
    }

    async fn update(
        call: &mut Call<'_>,
        stored: StoredOf<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<StoredOf<Self>, Reported> {
        let _held = call.run.hold(&E::keys(&stored.state)).await;
        E::write_changes(call, stored, planned, config).await
    }
}
