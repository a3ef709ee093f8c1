//! Refreshing an object. `decide` has the rules, `seen` the requests.

use access_client::ErrorKind;
use access_client::time::is_different;

use super::call::Call;
use super::decide::{OnRefresh, refresh};
use super::describe::{Describe, StoredOf};
use super::entity::{Convert, Entity};
use super::seen::{Seen, ask_whole, find_later, of_list};
use super::stored::LastSeen;
use super::whose::tell_whose;
use crate::run::Run;
use crate::say::read::{could_not_read, deleted_outside, not_refreshed};

/// Refreshing the state of a resource.
pub(crate) trait Read: Describe {
    /// Refreshes a state. `None` removes the object from the state. After an error, the state is kept.
    fn read(
        call: &mut Call<'_>,
        stored: StoredOf<Self>,
    ) -> impl Future<Output = Option<StoredOf<Self>>> + Send;
}

impl<E: Entity> Read for E {
    async fn read(call: &mut Call<'_>, mut stored: StoredOf<Self>) -> Option<StoredOf<Self>> {
        let run = call.run;
        if !run.detects_drift {
            return Some(stored);
        }
        let Some(name) = E::state_name(&stored.state) else { return Some(stored) };
        if is_confirmed::<E>(run, &name, &stored).await {
            E::record_run(&mut stored.private.own, &stored.state, run);
            return Some(stored);
        }
        // After an error, the state is kept.
        let seen = ask_whole::<E>(run, &name, &E::keys(&stored.state)).await;
        let Ok((seen, _)) = tell_whose::<E>(call, &name, &stored, seen) else {
            return Some(stored);
        };
        let is_older = |it: &E| is_different(it.create_time(), E::state_create_time(&stored.state));
        let seen = match seen {
            // Both may lag behind a create: another object of the name was deleted before.
            Seen::Deleted(object) if !is_older(&object) => Seen::Deleted(object),
            Seen::Deleted(_) | Seen::Gone => match find_later::<E>(run, &name).await {
                Ok(Some(_)) => return Some(stored),
                Ok(None) => Seen::Gone,
                Err(list) if list.kind() == ErrorKind::Interrupted => Seen::Failed(list),
                Err(list) => Seen::Unexplained(of_list::<E>(&list)),
            },
            seen => seen,
        };
        match (seen.decide(&name, refresh), seen) {
            (OnRefresh::Record, Seen::Present(object)) => {
                let mut read = E::after_read(stored.clone(), object);
                E::warn_read(call, &stored, &read);
                read.private.record_seen(run, name.to_string());
                E::record_run(&mut read.private.own, &read.state, run);
                return Some(read);
            }
            (OnRefresh::Drop, _) => {
                run.plans.withdraw(&E::keys(&stored.state), &call.object);
                call.warn(deleted_outside(call.words));
                return None;
            }
            (OnRefresh::Fail, Seen::Forbidden(error)) => {
                call.failed_with(&error, not_refreshed(call.words));
            }
            (OnRefresh::Fail, Seen::Failed(error)) => {
                call.failed(&error);
            }
            (_, seen) => call.warn(could_not_read(&seen.text())),
        }
        Some(stored)
    }
}

/// Returns whether the parent's list contains the object as it is in the state.
async fn is_confirmed<E: Entity>(run: &Run, name: &E::Name, stored: &StoredOf<E>) -> bool {
    if stored.private.last_seen(run) != LastSeen::Here {
        return false;
    }
    let entry = run.lists.confirming_entry::<E>(&run.client, name).await;
    entry.is_some_and(|entry| {
        // An entry without `update_time` may omit fields; then it confirms nothing.
        let has_time =
            entry.update_time().is_some() || E::state_update_time(&stored.state).is_none();
        has_time
            && entry.defect().is_none()
            && <E as Convert>::after_read(stored.clone(), entry).state == stored.state
    })
}
