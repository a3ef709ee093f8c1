//! Destroying an object. A destroy goes through these steps, and the first that applies is the last:
//!
//! 1. The resource replaces itself under `abandon`: an error (`check_successor` in `replace.rs`).
//! 2. The table of creates stops the create that follows (there as well): an error.
//! 3. `abandon`, by the provider or the plan: nothing is sent, with a warning.
//! 4. This process has written the object since the state: nothing is sent, with a warning.
//! 5. A create of the object has failed in this process: an error.
//! 6. A GET shows another `create_time`, or fails otherwise than by 403, 404, 405 or 501: an error. No
//!    GET is sent if an entry of a list has the time, or the state has none. If the object was last
//!    seen at another address, a GET has to show it.
//! 7. The DELETE. It succeeds, or its failure is an error, except a 404.
//! 8. After a 404, reads show that the object is gone, or it is an error.
//!
//! If the object was not last seen at this base address, step 6 comes before step 4: elsewhere,
//! "written by this process" may mean another object.

use access_client::time::is_equal;
use access_client::{Error, ErrorKind, Object, ObjectName as _, Retries};

use super::call::Call;
use super::conflicts;
use super::decide::{AfterDelete, Whose, after_delete, may_delete};
use super::describe::{Describe, StoredOf};
use super::entity::Entity;
use super::seen::{Seen, ask};
use super::stored::LastSeen;
use super::whose::ask_and_identify;
use crate::run::{Claim, Keys};
use crate::say::Reported;
use crate::say::call::invalid_state;
use crate::say::delete::{
    abandoned, delete_not_offered, not_shown_gone, other_object, wanted, written_since,
};

/// Destroying the object of a resource.
pub(crate) trait Delete: Describe {
    /// Registers that the object is destroyed, or left at the service, and warns about the effects.
    fn plan_destroy(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
    ) -> impl Future<Output = Result<(), Reported>> + Send;
    /// What a comparison has found.
    type Found: Send;
    /// Compares the object with the state, before anything is sent. Fails for another object.
    fn verify(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
    ) -> impl Future<Output = Result<Self::Found, Reported>> + Send;
    /// Sends the DELETE. The caller holds the locks of the object.
    fn remove(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        found: Self::Found,
    ) -> impl Future<Output = Result<(), Reported>> + Send;

    /// Deletes the object, or leaves it at the service under `abandon`. After an error, the state stays.
    fn destroy(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
    ) -> impl Future<Output = Result<(), Reported>> + Send {
        async {
            let run = call.run;
            let keys = Self::keys(&stored.state);
            if stored.private.leaves(run) {
                call.warn(abandoned());
                return Ok(());
            }
            let _held = run.hold(&keys).await;
            // Elsewhere, the identity comes first. Here, no request is needed if nothing is sent.
            let is_here = stored.private.last_seen(run) == LastSeen::Here;
            let write_id = stored.private.write_id.as_deref();
            if is_here && !sends_delete(call, &keys, write_id)? {
                return Ok(());
            }
            let found = Self::verify(call, stored).await?;
            if !is_here && !sends_delete(call, &keys, write_id)? {
                return Ok(());
            }
            Self::remove(call, stored, found).await?;
            if let Some(successor) = &stored.private.successor {
                run.writes.record_destroyed_for(&successor.keys, &call.object);
            }
            Ok(())
        }
    }
}

impl<E: Entity> Delete for E {
    type Found = E::Name;

    async fn plan_destroy(call: &mut Call<'_>, stored: &StoredOf<Self>) -> Result<(), Reported> {
        register_destroy::<E>(call, stored)?;
        warn_destroy::<E>(call, stored, false).await;
        Ok(())
    }

    async fn verify(call: &mut Call<'_>, stored: &StoredOf<Self>) -> Result<E::Name, Reported> {
        let Some(name) = E::state_name(&stored.state) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        verify::<E>(call, &name, stored).await?;
        Ok(name)
    }

    async fn remove(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        name: E::Name,
    ) -> Result<(), Reported> {
        let keys = E::keys(&stored.state);
        delete::<E>(call, &name, &keys, E::state_create_time(&stored.state)).await?;
        if let Some(successor) = &stored.private.successor
            && successor.keys.are_among(&keys)
        {
            E::warn_replaced(call, stored, successor.leaves_out);
        }
        Ok(())
    }
}

/// Registers that an object is destroyed.
pub(crate) fn register_destroy<E: Entity>(
    call: &mut Call<'_>,
    stored: &StoredOf<E>,
) -> Result<(), Reported> {
    E::register_member(call, &stored.state, false)?;
    conflicts::register(call, &E::keys(&stored.state), &Claim::Destroy(call.object.clone()))
}

/// Warns about the effects of a destroy. `leaves_out` is whether an object of another name replaces it
/// without what this one may have.
pub(crate) async fn warn_destroy<E: Entity>(
    call: &mut Call<'_>,
    stored: &StoredOf<E>,
    leaves_out: bool,
) {
    // A deposed object during an apply: its plan has warned.
    if call.run.plans.have_ended() {
        return;
    }
    if stored.private.leaves(call.run) {
        call.warn(abandoned());
    } else {
        E::warn_destroyed(call, stored, leaves_out).await;
    }
}

/// Returns whether a destroy sends a DELETE. It does not for what this run has written since, and it
/// fails if a create of the object has failed.
pub(crate) fn sends_delete(
    call: &mut Call<'_>,
    keys: &Keys,
    write_id: Option<&str>,
) -> Result<bool, Reported> {
    let writes = &call.run.writes;
    if keys.name.as_ref().is_some_and(|name| writes.is_written_since(name, write_id)) {
        call.warn(written_since(call.words));
        return Ok(false);
    }
    if writes.is_wanted(keys) {
        return Err(call.fail(wanted(call.words)));
    }
    Ok(true)
}

/// Compares the creation time before a DELETE, which contains only the name. After three GETs under a
/// parent its list confirms objects, and GET reads those that it does not confirm.
async fn verify<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &StoredOf<E>,
) -> Result<(), Reported> {
    let run = call.run;
    let create_time = E::state_create_time(&stored.state);
    if stored.private.last_seen(run) != LastSeen::Elsewhere {
        if create_time.is_none() {
            return Ok(());
        }
        let entry = run.lists.confirming_entry::<E>(&run.client, name).await;
        if entry.is_some_and(|entry| is_equal(entry.create_time(), create_time)) {
            return Ok(());
        }
    }
    let (seen, whose) = ask_and_identify::<E>(call, name, stored).await?;
    match (seen.decide(name, may_delete), seen) {
        (_, Seen::Present(object)) if whose == Whose::Other => {
            let created = object.create_time().unwrap_or_default();
            Err(call.fail(other_object(call.words, &run.client.presentable(created))))
        }
        (false, Seen::Failed(error)) => Err(call.failed(&error)),
        _ => Ok(()),
    }
}

/// Deletes an object, or adds an error. The caller holds its locks, and has compared it.
pub(crate) async fn delete<E: Object>(
    call: &mut Call<'_>,
    name: &E::Name,
    keys: &Keys,
    create_time: Option<&str>,
) -> Result<(), Reported> {
    let run = call.run;
    let deleted = E::delete(&run.client, name).await;
    // A DELETE that was answered 404 at once has written nothing.
    let is_not_found = |error: &Error| matches!(error.kind(), ErrorKind::NotFound);
    if !matches!(&deleted, Err(error) if is_not_found(error) && error.attempts() == 1) {
        run.touch::<E>(keys, name.parent());
    }
    match deleted {
        Ok(()) => {}
        Err(error) if is_not_found(&error) => {
            let seen = ask::<E>(run, name, keys, Retries::All).await;
            match (seen.decide(name, after_delete), &seen) {
                (AfterDelete::Gone, _) => {}
                (AfterDelete::Unread, Seen::Failed(failure)) => {
                    return Err(call.failed(failure));
                }
                _ => {
                    let advice = not_shown_gone(call.words, &seen.text());
                    return Err(call.failed_with(&error, advice));
                }
            }
        }
        Err(error) if error.kind() == ErrorKind::NotImplemented => {
            return Err(call.failed_with(&error, delete_not_offered(call.words)));
        }
        Err(error) => return Err(call.failed(&error)),
    }
    run.writes.record_delete(keys, create_time);
    Ok(())
}
