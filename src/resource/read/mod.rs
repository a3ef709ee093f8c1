//! Refreshing an object. `decide` has the rules, `ask` the requests.

pub(crate) mod ask;
pub(crate) mod decide;
pub(crate) mod import;

use access_client::ErrorKind;
use access_client::time::is_young;

use self::ask::Answer;
use self::decide::{Refresh, refresh};
use super::call::Call;
use super::describe::StoredOf;
use super::entity::{Convert, Entity};
use super::stored::LastSeen;
use super::whose::ask_and_identify;
use crate::run::Run;
use crate::say::read::{could_not_read, deleted_outside, not_refreshed};
use crate::say::requests::by_status;

/// Why a state is kept although nothing shows the object.
const NEW: &str = "it is not found, and was created less than five minutes before";

/// Refreshing the state of a resource.
pub(crate) trait Read: super::describe::Describe {
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
        let Ok((answer, _)) = ask_and_identify::<E>(call, &name, &stored).await else {
            return Some(stored);
        };
        let date = if let Answer::Gone(date) = &answer { *date } else { None };
        let is_new = is_young(E::state_create_time(&stored.state), date);
        match (refresh(answer.shown(), is_new), answer) {
            (Refresh::Record, Answer::Object(response)) => {
                let mut read = E::after_read(stored.clone(), response.object);
                E::warn_read(call, &stored, &read);
                read.private.record_seen(run, name.to_string());
                E::record_run(&mut read.private.own, &read.state, run);
                return Some(read);
            }
            (Refresh::Drop, _) => {
                run.plans.withdraw(&E::keys(&stored.state), &call.object);
                call.warn(deleted_outside(call.words));
                return None;
            }
            (Refresh::Fail, Answer::Failure(error)) => {
                let is_forbidden = error.kind() == ErrorKind::Forbidden;
                let advice =
                    if is_forbidden { not_refreshed(call.words) } else { by_status(&error) };
                call.failed_with(&error, advice);
            }
            (_, Answer::Gone(_)) => call.warn(could_not_read(NEW)),
            (_, answer) => call.warn(could_not_read(&answer.text())),
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
