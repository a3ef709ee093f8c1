//! Replacements by another name: what the create would do, looked up before anything is destroyed.
//!
//! Terraform plans such a replacement in two calls. It discards the warnings of the second, and
//! destroys the old object before it creates the new one. So the first call, which has the prior
//! state, looks for the new name, with all retries and under every `drift_detection`: it runs only
//! in plans, never after a destroy, and may fail. A replacement of a resource by itself has no plan
//! rule of its own. The destroy protects the one case in which it would lose the state (`keep_own`
//! in `delete`).

use super::call::Call;
use super::create::{register, warn_about_existence};
use super::existence::{Existence, Look, Outcome, replacement_fails};
use super::message::{Message, Reported};
use super::messages::{self, Renaming};
use super::{Entity, Stored, conflicts, delete};
use crate::messages::existing::AbandonedWithNewName;
use crate::service::{Contradiction, Key, Purpose};

/// Plans, in the first call, the create of the object that replaces `stored`. Adds an error if an
/// apply would destroy the old object and create nothing.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    stored: &Stored<E>,
    planned: &E::State,
    config: &E::State,
) -> Result<(), Reported> {
    let session = call.session;
    let subject = E::subject(planned);
    if session.plans.is_imported(&call.object) {
        let new = subject.as_ref().map(ToString::to_string);
        return Err(call.fail(messages::imported_and_replaced(call, new)));
    }
    let Some(old) = E::state_name(&stored.state) else { return Ok(()) };
    // After `-refresh=false`, verify first that the object at this base address is the state's.
    if stored.private.object.is_elsewhere(session) {
        delete::verify_object::<E>(call, &old, stored.known()).await?;
    }
    delete::plan(call, &old, stored, Some(config)).await?;
    let leaves = stored.is_left(session);
    if !leaves && session.abandons(E::common(planned).deletion_policy) {
        let message = Message::from(AbandonedWithNewName { old: &old, kind: &call.kind });
        return Err(call.fail(message));
    }
    // Without a name that is known, the create decides.
    let Some(subject) = subject else { return Ok(()) };
    let call = &mut call.of(&subject);
    register::<E>(call, &subject, planned, Some(old.to_string()))?;
    // The old object does not count: it is destroyed before.
    let own = (!leaves).then_some(&old);
    let existence = E::check(session, &subject, Purpose::Decide, own).await;
    let look = Look::of(session, &subject, existence, planned);
    if replacement_fails(look.existence.found(), look.outcome, leaves) {
        // Under `abandon`, the new name may be the old object in another spelling.
        if matches!(&look.existence, Existence::Exists(existing) if *existing.name() == old) {
            return Err(call.fail(messages::abandons_itself(call, &old.to_string())));
        }
        return Err(fail::<E>(call, &subject, &look, &old.to_string()));
    }
    warn_about_existence::<E>(call, &subject, &look, planned, config);
    Ok(())
}

/// Adds the error of a replacement whose create would fail. `call` is that of the new object.
fn fail<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    look: &Look<E>,
    old: &str,
) -> Reported {
    let session = call.session;
    let parent = call.words.parent_name(E::subject_parent(subject));
    let has_same_id = E::subject_keys(subject).contains(&Key::Name(old.to_owned()));
    let renaming = &Renaming { old, has_same_id };
    let message = match &look.existence {
        Existence::Failed(error) => {
            return call.failed_with(error, messages::not_replaced_advice(call, error, renaming));
        }
        Existence::Unknown(response) => {
            messages::not_found_unclear(call, &parent, response, renaming)
        }
        Existence::Absent if look.outcome == Outcome::WriteIfExists => {
            messages::missing_in_replacement(call, renaming)
        }
        Existence::Absent => {
            let found = &Contradiction::CreatedTwice;
            return conflicts::report(call, found, conflicts::Side::Creates);
        }
        Existence::Exists(existing) => {
            let found = Key::Name(existing.name().to_string());
            let existing = E::describe_existing(session, subject, existing);
            if look.outcome == Outcome::Undecided {
                messages::adoption_unknown(&existing, &look.intent.adoption, renaming)
            } else if session.states.find(&[found]).is_some() {
                // The name belongs to another resource of this run, as far as Terraform has passed
                // it.
                let found = &Contradiction::CreatedAndKept;
                return conflicts::report(call, found, conflicts::Side::Creates);
            } else {
                messages::exists_in_replacement(call, &existing, renaming)
            }
        }
    };
    call.fail(message)
}
