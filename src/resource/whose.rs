//! Whose an object is that was found under the name in a state: asked in front of a refresh, a delete,
//! an update of an object that was not last seen here, and a replacement of one that was last seen
//! elsewhere.

use access_client::time::{is_different, is_equal};

use super::call::Call;
use super::describe::StoredOf;
use super::entity::Entity;
use super::read::ask::{Answer, ask};
use super::stored::{LastSeen, Private};
use crate::run::Purpose;
use crate::say::Reported;
use crate::say::read::elsewhere;

/// Whose an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose {
    /// The state's, as far as is known.
    OfState,
    /// Another object: somebody has made it under the name.
    Other,
    /// Nothing shows that it is the state's, which may be at another address.
    Elsewhere,
}

/// Decides whose an object is. `times` are the creation times of the state and of the object.
fn identify(last_seen: LastSeen, times: (Option<&str>, Option<&str>)) -> Whose {
    let is_other = is_different(times.0, times.1);
    match last_seen {
        // Only the same time shows that the object at this address is the state's.
        LastSeen::Elsewhere if !is_equal(times.0, times.1) => Whose::Elsewhere,
        // Private state is lost: the state's object may be at another address.
        LastSeen::Unknown if is_other => Whose::Elsewhere,
        LastSeen::Here if is_other => Whose::Other,
        LastSeen::Here | LastSeen::Elsewhere | LastSeen::Unknown => Whose::OfState,
    }
}

/// Asks for the object of a state, and tells whose the object is that GET has returned.
///
/// # Errors
///
/// Adds an error for an object that was last seen at another address, and is not shown to be here.
pub(crate) async fn ask_and_identify<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &StoredOf<E>,
) -> Result<(Answer<E>, Whose), Reported> {
    let last_seen = stored.private.last_seen(call.run);
    let answer = ask::<E>(call.run, name, &E::keys(&stored.state), Purpose::Decide).await;
    let found = if let Answer::Object(response) = &answer {
        let times = (E::state_create_time(&stored.state), response.object.create_time());
        match identify(last_seen, times) {
            Whose::Elsewhere => {
                "An object of this name is here, but not with the creation time in the state"
                    .to_owned()
            }
            whose => return Ok((answer, whose)),
        }
    } else if last_seen == LastSeen::Elsewhere {
        answer.text()
    } else {
        return Ok((answer, Whose::OfState));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn object_at_another_address_is_the_states_only_if_its_creation_time_is() {
        let (old, new) = (Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z"));
        // Creation times of the state and of the object; found at the same address, at another one,
        // and if the address is not known.
        let cases = [
            ((old, old), [Whose::OfState, Whose::OfState, Whose::OfState]),
            ((old, new), [Whose::Other, Whose::Elsewhere, Whose::Elsewhere]),
            ((old, None), [Whose::OfState, Whose::Elsewhere, Whose::OfState]),
            ((None, new), [Whose::OfState, Whose::Elsewhere, Whose::OfState]),
            ((None, None), [Whose::OfState, Whose::Elsewhere, Whose::OfState]),
        ];
        for (times, expected) in cases {
            let found = [LastSeen::Here, LastSeen::Elsewhere, LastSeen::Unknown]
                .map(|last_seen| identify(last_seen, times));
            assert_eq!(found, expected, "{times:?}");
        }
    }
}
