//! Updating an object in place.

use super::call::Call;
use super::describe::Describe;
use super::describe::StoredOf;
use super::entity::Entity;
use crate::say::Reported;

/// Updating the object of a resource in place.
pub(crate) trait Update: Describe {
    /// Changes the object. After an error, the state stays.
    fn update(
        call: &mut Call<'_>,
        stored: StoredOf<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> impl Future<Output = Result<StoredOf<Self>, Reported>> + Send;
}

impl<E: Entity> Update for E {
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
