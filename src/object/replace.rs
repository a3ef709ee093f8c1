//! Replacements: what the create would do, checked before anything is destroyed.
//!
//! Terraform plans a replacement by another name in two calls. It discards the warnings of the second,
//! and destroys the old object before it creates the new one. So the first call, which has the prior state,
//! checks the new name, with all retries and under every `drift_detection`: it runs only in plans, never
//! after a destroy, and may fail. The destroy of the old object checks once more, because the plan may be
//! older, and because a tainted object has no first call. Its planned private state names the new object.

use access_client::ObjectName as _;

use super::call::Call;
use super::create::{adopts, intent_of, register, warn_about_existence};
use super::existence::{Existence, Intent, Outcome, decide};
use super::message::Reported;
use super::messages::{self, Replacement};
use super::{Entity, Stored, conflicts, delete};
use crate::service::{Contradiction, Key, Origin, Purpose, Session};

/// Plans, in the first call, the create of the object that replaces `stored`. Adds an error if an apply
/// would destroy the old object and create nothing.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    stored: &Stored<E>,
    planned: &E::State,
    config: &E::State,
) -> Result<(), Reported> {
    let old = call.object.clone();
    let subject = E::subject(planned);
    if call.session.plans.is_imported(&old) {
        let new = subject.as_ref().map(ToString::to_string);
        return Err(call.fail(messages::imported_and_replaced(call, new)));
    }
    // Without a refresh, nothing has shown that the object is at this base address: another of its name may be.
    if let Some(name) = E::state_name(&stored.state)
        && stored.private.object.is_elsewhere(call.session)
    {
        delete::verify_object(call, &name, stored).await?;
    }
    delete::plan(call, stored, Some(config)).await?;
    if let Some(subject) = &subject {
        let origin = Origin::Replaces(old.clone());
        register::<E>(&mut call.of(subject), subject, planned, &origin)?;
    }
    let replacement = Replacement { old: &old, is_planned: true };
    let existence = check(call, stored, planned, replacement).await?;
    if let Some((subject, existence)) = subject.zip(existence) {
        let call = &mut call.of(&subject);
        warn_about_existence::<E>(call, &subject, &existence, planned, config);
    }
    Ok(())
}

/// Checks, before the destroy of a destroy-first replacement, what the create will do. Adds an error if it
/// would fail after the destroy.
pub(crate) async fn check_again<E: Entity>(
    call: &mut Call<'_>,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    let Some(planned) = &stored.private.replaced_by else { return Ok(()) };
    let old = call.object.clone();
    let replacement = Replacement { old: &old, is_planned: false };
    check(call, stored, planned, replacement).await.map(drop)
}

/// Checks what the create of a replacement will do, by the two tables of replacements: by another name, and
/// of a resource by itself. Returns what was found of another name.
async fn check<E: Entity>(
    call: &mut Call<'_>,
    stored: &Stored<E>,
    planned: &E::State,
    replacement: Replacement<'_>,
) -> Result<Option<Existence<E>>, Reported> {
    let session = call.session;
    let Some(old) = E::state_name(&stored.state) else { return Ok(None) };
    let subject = E::subject(planned);
    let keys = subject.as_ref().map_or_else(Vec::new, E::subject_keys);
    let own_keys = E::state_keys(&stored.state);
    let leaves = stored.is_left(session);
    let will_leave = E::abandons(session, planned);
    // An owner has two keys: its principal may stay while its ID changes, and the reverse.
    if own_keys.iter().any(|key| keys.contains(key)) {
        // What is not deleted cannot be created again.
        if (leaves || will_leave) && !adopts::<E>(planned, &keys, &old.to_string()) {
            return Err(conflicts::report(call, &Contradiction::CreatedAndAbandoned));
        }
        if keys.iter().all(|key| own_keys.contains(key)) {
            return Ok(None);
        }
    } else if will_leave && !leaves {
        return Err(call.fail(messages::abandoned_with_new_name(call.kind, &old.to_string())));
    }
    // Without a name that is known, the create decides.
    let Some(subject) = subject else { return Ok(None) };
    let call = &mut call.of(&subject);
    // The resource's own object counts only if it stays: the service may store it in another spelling.
    let own = (!leaves).then_some(&old);
    let existence = E::check(session, &subject, Purpose::Decide, own).await;
    if matches!(&existence, Existence::Exists(existing) if *existing.name() == old) {
        return Err(conflicts::report(call, &Contradiction::CreatedAndAbandoned));
    }
    let existence = tell_missing_parent::<E>(session, &old, &subject, existence).await;
    let intent = intent_of(session, &subject, &existence, planned);
    let outcome = decide(&existence, &intent);
    if outcome.would_fail() {
        return Err(fail(call, &subject, &existence, (outcome, &intent), replacement));
    }
    Ok(Some(existence))
}

/// Requests the old parent's list if that tells whether the new parent is missing.
async fn tell_missing_parent<E: Entity>(
    session: &Session,
    old: &E::Name,
    subject: &E::Subject,
    existence: Existence<E>,
) -> Existence<E> {
    let is_unknown = matches!(&existence, Existence::Unknown(response) if response.is_not_found());
    if !is_unknown || old.parent() == E::subject_parent(subject) {
        return existence;
    }
    match E::parents(session).list(&session.client, old.parent(), Purpose::Explain).await {
        Ok(_) => E::check(session, subject, Purpose::Decide, Some(old)).await,
        Err(_) => existence,
    }
}

/// Adds the error of a replacement whose create would fail. `call` is that of the new object.
fn fail<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    existence: &Existence<E>,
    (outcome, intent): (Outcome, &Intent),
    replacement: Replacement<'_>,
) -> Reported {
    let session = call.session;
    let message = match existence {
        Existence::Failed(error) => {
            let advice = messages::not_replaced_advice(call, replacement, error);
            return call.failed_with(error, advice);
        }
        Existence::Exists(existing) => {
            let found = Key::Name(existing.name().to_string());
            let existing = E::describe_existing(session, subject, existing);
            if outcome == Outcome::Undecided {
                messages::adoption_unknown(&existing, &intent.adoption, replacement)
            } else if replacement.is_planned && session.states.find(&[found]).is_some() {
                // The name belongs to another resource of this run, as far as Terraform has passed it.
                return conflicts::report(call, &Contradiction::CreatedAndKept);
            } else {
                messages::exists(call, &existing, Some(replacement))
            }
        }
        Existence::NoParent(response) => {
            let parent = call.words.parent_name(E::subject_parent(subject));
            messages::parent_not_found(call, &parent, response, Some(replacement))
        }
        _ if outcome == Outcome::FailMissing => {
            messages::must_exist(&call.object, &replacement.effect())
        }
        _ => return conflicts::report(call, &Contradiction::CreatedTwice),
    };
    call.fail(message)
}
