//! Registers what a resource does with its object, and reports what contradicts it.

use super::call::Call;
use crate::run::{Claim, Contradiction, Key, OwnersType};
use crate::say::Reported;
use crate::say::conflicts::{
    created_and_held, created_twice, kept_and_destroyed, two_owners_types,
};

/// Registers a claim of this plan, or adds the error of what contradicts it.
pub(crate) fn register(call: &mut Call<'_>, keys: &[Key], claim: &Claim) -> Result<(), Reported> {
    let words = call.words;
    call.run.plans.register(keys, claim).map_err(|found| {
        call.fail(match found {
            Contradiction::CreatedTwice => created_twice(words),
            Contradiction::CreatedAndHeld { is_replaced } => created_and_held(words, is_replaced),
            Contradiction::KeptAndDestroyed => kept_and_destroyed(words),
        })
    })
}

/// Registers a resource that manages owners of an integration, or adds the error of another type.
pub(crate) fn register_type(
    call: &mut Call<'_>,
    integration: &str,
    owners_type: OwnersType,
    stays: bool,
) -> Result<(), Reported> {
    if call.run.plans.mixes_types(integration, owners_type, stays) {
        let other = match owners_type {
            OwnersType::All => "access_integration_owner",
            OwnersType::Single => "access_integration_owners",
        };
        let goes = if stays { other } else { call.words.resource_type };
        return Err(call.of(format!("integrations/{integration}")).fail(two_owners_types(goes)));
    }
    Ok(())
}
