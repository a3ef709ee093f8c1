//! Registers what a resource does with its object, and reports what contradicts it.

use super::call::Call;
use crate::run::{Claim, Contradiction, Keys};
use crate::say::Reported;
use crate::say::conflicts::{created_and_held, created_twice, kept_and_destroyed};

/// Registers a claim of this plan, or adds the error of what contradicts it.
pub(crate) fn register(call: &mut Call<'_>, keys: &Keys, claim: &Claim) -> Result<(), Reported> {
    let words = call.words;
    call.run.plans.register(keys, claim).map_err(|found| {
        call.fail(match found {
            Contradiction::CreatedTwice => created_twice(words),
            Contradiction::CreatedAndHeld { is_replaced, creates } => {
                created_and_held(words, is_replaced, creates)
            }
            Contradiction::KeptAndDestroyed => kept_and_destroyed(words),
        })
    })
}
