//! Whose an object is that was found under the name in a state: asked in front of a refresh, a delete,
//! an update of an object that was not last seen here, and a replacement of one that was last seen
//! elsewhere.

use access_client::Retries;

use super::call::Call;
use super::decide::{Whose, identify};
use super::describe::StoredOf;
use super::entity::Entity;
use super::seen::{Seen, ask};
use super::stored::{LastSeen, Private};
use crate::say::Reported;
use crate::say::read::elsewhere;

/// Asks for the object of a state, and tells whose the object is that GET has returned.
///
/// # Errors
///
/// Adds an error for an object that was last seen at another address, and is not shown to be here.
pub(crate) async fn ask_and_identify<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &StoredOf<E>,
) -> Result<(Seen<E>, Whose), Reported> {
    let seen = ask::<E>(call.run, name, &E::keys(&stored.state), Retries::All).await;
    tell_whose(call, name, stored, seen)
}

/// Tells whose an object is that a read of the name in a state has shown, or adds an error.
pub(crate) fn tell_whose<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &StoredOf<E>,
    seen: Seen<E>,
) -> Result<(Seen<E>, Whose), Reported> {
    let last_seen = stored.private.last_seen(call.run);
    let found = if let Seen::Present(object) = &seen {
        let times = (E::state_create_time(&stored.state), object.create_time());
        match seen.decide(name, |_| identify(last_seen, times)) {
            Whose::Elsewhere => {
                "An object of this name is here, but not with the creation time in the state"
                    .to_owned()
            }
            whose => return Ok((seen, whose)),
        }
    } else if last_seen == LastSeen::Elsewhere {
        seen.text()
    } else {
        return Ok((seen, Whose::OfState));
    };
    Err(report_elsewhere(call, &stored.private, &found))
}

/// Checks, before an update, that the object at this base address is the state's. Last seen here: no
/// request. Last seen elsewhere: a GET has to show it. If no address is known, a GET must not show
/// another object.
pub(crate) async fn verify_address<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &StoredOf<E>,
) -> Result<(), Reported> {
    if stored.private.last_seen(call.run) != LastSeen::Here {
        ask_and_identify::<E>(call, name, stored).await?;
    }
    Ok(())
}

/// Adds the error of an object that was last seen at another base address. `found` is what reads show
/// here.
pub(crate) fn report_elsewhere<P>(
    call: &mut Call<'_>,
    private: &Private<P>,
    found: &str,
) -> Reported {
    let seen = private.base_url.as_deref().unwrap_or("an address that is not known");
    let here = call.run.base_url.as_deref().unwrap_or_default();
    call.fail(elsewhere(call.words, seen, here, found))
}
