//! Destroying an object: the deletion policy, what this process has written since, whose the object is, and
//! the meaning of a DELETE that was refused.

use access_client::time::{is_before, is_different, is_equal};
use access_client::{Error, ErrorKind, ObjectName as _};
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::call::Call;
use super::conflicts::DEPOSED_WAYS;
use super::message::{Advice, Message, Reported, Words};
use super::messages::removed_block;
use super::read::{Conclusion, Found, get, meaning_of, warn_made_anew};
use super::{Entity, Stored, conflicts};
use crate::service::{Claim, Key};

/// Registers that the object is destroyed, and warns about the effects. `replaced_by` is the configuration
/// of an object of another name that replaces it.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    stored: &Stored<E>,
    replaced_by: Option<&E::State>,
) -> Result<(), Reported> {
    let leaves = E::abandons(call.session, &stored.state);
    if register(call, &E::state_keys(&stored.state), leaves)? {
        if replaced_by.is_none() {
            warn_found(call, stored);
        }
        E::warn_destroyed(call, &stored.state, replaced_by).await;
    }
    Ok(())
}

/// Registers that an object is destroyed, or left at the service. Returns whether its destroy is planned.
pub(crate) fn register(call: &mut Call<'_>, keys: &[Key], leaves: bool) -> Result<bool, Reported> {
    let plans = &call.session.plans;
    // This is a deposed object during an apply. `destroy` decides.
    if plans.have_ended() {
        return Ok(false);
    }
    let claim = if leaves { Claim::Abandon } else { Claim::Destroy(&call.object) };
    plans.register(keys, &claim).map_err(|found| conflicts::report(call, &found))?;
    if leaves {
        warn_abandoned(call);
    }
    Ok(!leaves)
}

/// Warns about what the refresh before a destroy has found: Terraform discards the warnings of a refresh
/// before `terraform destroy`.
fn warn_found<E: Entity>(call: &mut Call<'_>, stored: &Stored<E>) {
    let own = stored.private.object.own_create_time.as_deref();
    if is_different(own, stored.create_time()) {
        warn_made_anew(call, stored.create_time());
    }
    E::warn_found(call, stored);
}

/// Checks, before a DELETE, which names only the name, that the object is the state's. After three GETs under a
/// parent its list confirms objects, and GET reads those that it does not confirm.
pub(crate) async fn verify_object<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    let session = call.session;
    let is_elsewhere = stored.private.object.is_elsewhere(session);
    if !is_elsewhere && stored.create_time().is_none() {
        return Ok(());
    }
    if !is_elsewhere
        && let Some(entry) = E::parents(session).confirming_entry(&session.client, name).await
        && is_equal(entry.create_time(), stored.create_time())
    {
        return Ok(());
    }
    match get(call, name, stored).await? {
        Ok((response, Found::Other)) if response.object.delete_time().is_none() => {
            Err(refuse_other(call, stored, &response.object))
        }
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => Ok(()),
            _ => Err(call.failed(&error)),
        },
    }
}

/// Adds the error of another object under the name: made since, or older, as a read that lags returns it.
fn refuse_other<E: Entity>(call: &mut Call<'_>, stored: &Stored<E>, found: &E) -> Reported {
    let (kind, summary, object) = (call.kind, call.summary(), call.located_object());
    let created = call.session.client.presentable(found.create_time().unwrap_or_default());
    let block = removed_block(call.words.resource_type);
    if is_before(found.create_time(), stored.create_time()) {
        let detail = format!(
            "{object}: the service returned a {kind} (created {created}) that is older than the one in the \
             state. Reads lag behind writes, or a backup was restored. No request was sent, and the state is \
             kept. Run Terraform again in a few minutes. If the service still returns the older {kind}, \
             replace the resource block with\n\n{block}\n\nor delete the block and run `terraform state \
             rm`. To manage the older {kind}, import it afterwards."
        );
        let short = format!(
            "{summary} {object}: the service returned an older one (for all: run Terraform again later)"
        );
        return call.fail_shortened("older", Message::new(summary, detail), short);
    }
    let detail = format!(
        "{object}: the {kind} in the state was deleted, and somebody has made another one under its \
         name (created {created}). No request was sent, and the state is kept. To leave the {kind} to \
         them, replace the resource block with\n\n{block}\n\nor delete the block and run `terraform \
         state rm`. For a deposed object, delete the block and apply once with `-target` for this address \
         and ACCESS_DELETION_POLICY=abandon: with the block, the apply would write the {kind} of somebody \
         else. To take it, run `terraform state rm` and import it."
    );
    let short = format!(
        "{summary} {object}: it was made anew (for all: `terraform state rm`, then import what you want)"
    );
    call.fail_shortened("made anew", Message::new(summary, detail), short)
}

/// Destroys an object, or keeps its state with an error. The caller holds off other writes of the object, and
/// has checked what a replacement will do.
pub(crate) async fn destroy<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    if stored.is_left(call.session) {
        warn_abandoned(call);
        return Ok(());
    }
    let private = &stored.private.object;
    let is_here = private.is_here(call.session);
    // At another base address, this run may have written another object of that name.
    if !is_here {
        verify_object(call, name, stored).await?;
    }
    if !sends_delete(call, &E::state_keys(&stored.state), private.write_id.as_deref())? {
        return Ok(());
    }
    if is_here {
        verify_object(call, name, stored).await?;
    }
    let advice = kept_advice(call.words, E::common(&stored.state).deletion_policy);
    delete(call, name, stored, &advice).await
}

/// Deletes an object, or adds an error. `advice` is the next step if the object stays.
pub(crate) async fn delete<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
    advice: &str,
) -> Result<(), Reported> {
    let session = call.session;
    let deleted = E::delete(&session.client, name).await;
    E::parents(session).of(name.parent()).record_write();
    if let Err(error) = deleted {
        match error.kind() {
            ErrorKind::NotFound { .. } => {
                if !is_gone(call, name, stored).await? {
                    return Err(not_deleted(call, &error, advice));
                }
            }
            ErrorKind::NotImplemented => return Err(not_deleted(call, &error, advice)),
            _ => return Err(call.failed(&error)),
        }
    }
    session.writes.record_delete(&E::state_keys(&stored.state), stored.create_time());
    Ok(())
}

/// Returns whether reads show that an object is gone whose DELETE returned 404, which alone proves nothing: the
/// DELETE may not exist, or the key may not see the object.
async fn is_gone<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<bool, Reported> {
    match E::get(&call.session.client, name).await {
        Ok(response) => Ok(response.object.delete_time().is_some()),
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } => match meaning_of(call, name, stored, &error).await {
                (Conclusion::Deleted, _) => Ok(true),
                (Conclusion::Kept, _) => Ok(false),
                (_, advice) => Err(call.failed_with(&error, advice)),
            },
            ErrorKind::NotImplemented => Ok(false),
            _ => Err(call.failed(&error)),
        },
    }
}

fn not_deleted(call: &mut Call<'_>, error: &Error, advice: &str) -> Reported {
    let next = match error.kind() {
        ErrorKind::NotImplemented => format!("The service does not offer this operation. {advice}"),
        _ => format!("No response shows that the {} was deleted. {advice}", call.kind),
    };
    let for_all = "ACCESS_DELETION_POLICY=abandon leaves them at the service";
    call.failed_with(error, Advice::next(next).for_all(for_all))
}

/// Returns the next step if the service does not delete an object. `own_policy` is that of its state.
pub(crate) fn kept_advice(words: &Words, own_policy: &Value<String>) -> String {
    let (kind, removed) = (words.kind, removed_block(words.resource_type));
    let all = if own_policy.is_value() {
        "The state sets `deletion_policy`, so ACCESS_DELETION_POLICY does not reach it; `terraform state rm` \
         discards a deposed object as well. Or apply `deletion_policy = \"abandon\"` first."
    } else {
        "To stop managing everything that the apply destroys, run it once with \
         ACCESS_DELETION_POLICY=abandon; `-target=ADDRESS` limits it to single objects, also deposed ones. \
         The argument is `deletion_policy = \"abandon\"`."
    };
    format!(
        "The {kind} and its state are kept. To stop managing it, replace its resource block \
         with\n\n{removed}\n\nor run `terraform state rm`. {all}"
    )
}

/// Returns whether a destroy sends a DELETE. It does not for what this run has written since, and it fails if
/// a resource of this run could not create the object. The keys of an object end with its name.
pub(crate) fn sends_delete(
    call: &mut Call<'_>,
    keys: &[Key],
    write_id: Option<&str>,
) -> Result<bool, Reported> {
    let (writes, kind) = (&call.session.writes, call.kind);
    if keys.last().is_some_and(|name| writes.is_written_since(name, write_id)) {
        let detail = format!(
            "This run has written the {kind} for a resource that keeps it. Deleting it for this older \
             state would delete the {kind} in use. No request was sent, and the older state was \
             discarded."
        );
        call.warn(Message::new(format!("{} was not deleted", call.object), detail));
        return Ok(false);
    }
    if !writes.is_wanted(keys) {
        return Ok(true);
    }
    let (summary, object) = (call.summary(), call.located_object());
    let short = format!(
        "{summary} {object}: a resource of this configuration wants it (for all: add `moved` blocks)"
    );
    let detail = format!(
        "{object}: a resource of this configuration wants this {kind}, and its create has failed in \
         this run. The {kind} was not deleted, and its state is kept. If the resource was renamed, add \
         a `moved` block. If not, remove one of the two resources. {DEPOSED_WAYS}"
    );
    Err(call.fail_shortened("wanted", Message::new(summary, detail), short))
}

pub(crate) fn warn_abandoned(call: &mut Call<'_>) {
    let summary = format!("Abandoned {} stay at the service", call.words.kinds);
    let detail = format!(
        "{}: with `abandon`, its destroy sends no request. The same holds for all other {} that this run \
         abandons.",
        call.object, call.words.kinds
    );
    call.warn(Message::new(summary, detail));
}

/// Adds an error for a deletion policy that does not exist. Unknown and null pass.
pub(crate) fn validate_deletion_policy(policy: &Value<String>, diags: &mut Diagnostics) {
    diags.validate("deletion_policy", policy).one_of(&["delete", "abandon"]);
}
