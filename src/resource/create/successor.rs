//! The object that comes next in a replacement by another name: whether the table stops the replacement.

use super::decide::{Outcome, stops_replacement};
use super::existence::Existence;
use super::look::{Look, look};
use crate::resource::call::Call;
use crate::resource::describe::StoredOf;
use crate::resource::entity::Check;
use crate::resource::stored::Successor;
use crate::run::{Key, Purpose};
use crate::say::Reported;
use crate::say::create::{
    Renaming, exists_in_replacement, failed_in_replacement, made_in_replacement,
    not_found_in_replacement, will_be_adopted,
};

/// Checks, in the destroy that comes before a create, that the table does not stop it, and warns about an
/// adoption. Holds the lock of the new object meanwhile.
pub(crate) async fn check_successor<E: Check>(
    call: &mut Call<'_>,
    old: &E::Name,
    stored: &StoredOf<E>,
    successor: &Successor,
) -> Result<(), Reported> {
    let run = call.run;
    let Some(new) = E::new_of_keys(&successor.keys) else { return Ok(()) };
    let _held = run.hold(&successor.keys).await;
    let replaced = (!stored.private.leaves(run)).then_some(old);
    let looked = look::<E>(run, &new, successor.adopts, Purpose::Decide, replaced).await;
    let call = &mut call.of(&new);
    stop::<E>(call, &new, &looked, (old, &E::keys(&stored.state)))?;
    // It may have been made since the plan, which has warned about what existed then.
    if let Existence::Exists(existing) = &looked.existence {
        let existing = E::describe_existing(run, &new, existing);
        call.warn(will_be_adopted(call.words, &existing, None));
    }
    Ok(())
}

/// Adds an error if the table stops the replacement. `call` is that of the new object; `old` has the name
/// and the keys of the present one.
pub(crate) fn stop<E: Check>(
    call: &mut Call<'_>,
    new: &E::New,
    looked: &Look<E>,
    (old, old_keys): (&E::Name, &[Key]),
) -> Result<(), Reported> {
    if !stops_replacement(looked.existence.found(), looked.outcome) {
        return Ok(());
    }
    let (words, run) = (call.words, call.run);
    // The new object needs the ID of the old one, or its principal.
    let is_exclusive = E::keys_of_new(new).iter().any(|key| old_keys.contains(key));
    let renaming = &Renaming { old: &old.to_string(), is_exclusive };
    let message = match &looked.existence {
        Existence::Failed(error) => failed_in_replacement(words, error, renaming),
        _ if looked.outcome == Outcome::RefuseMade => made_in_replacement(words, renaming),
        Existence::Exists(existing) => {
            let existing = E::describe_existing(run, new, existing);
            exists_in_replacement(words, &existing, renaming)
        }
        Existence::Unexplained(response) | Existence::NoAnswer(response) => {
            not_found_in_replacement(words, response, renaming)
        }
        Existence::Absent => return Ok(()),
    };
    Err(call.fail(message))
}
