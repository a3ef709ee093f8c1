//! The destroy of an object: what its replacement will do, the deletion policy, what this process has written
//! since, and whether the object under the name is the state's.

use super::call::Call;
use super::delete::{delete, kept_advice, sends_delete, verify_object, warn_abandoned};
use super::message::Reported;
use super::read::Prior;
use super::{Entity, Stored, replace};

/// Destroys an object, or keeps its state with an error.
pub(crate) async fn destroy<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    let session = call.session;
    let keys = E::state_keys(&stored.state);
    let _held = session.begin_write(&keys).await;
    replace::check_again(call, stored).await?;
    if stored.is_left(session) {
        warn_abandoned(call);
        return Ok(());
    }
    let prior = Prior::new(name, stored);
    let is_here = prior.private.is_here(session);
    // At another base address, this run may have written another object of that name.
    if !is_here {
        verify_object(call, &prior).await?;
    }
    if !sends_delete(call, &keys, prior.private.write_id.as_deref())? {
        return Ok(());
    }
    if is_here {
        verify_object(call, &prior).await?;
    }
    let advice = kept_advice(call.words, E::common(&stored.state).deletion_policy);
    delete(call, &prior, &keys, &advice).await
}
