//! Destroying an object. [`destroy`] and [`delete`] go through these steps, and the first that
//! applies is the last:
//!
//! 1. `keep_own`: the resource replaces itself, destroy first, and could not create the object
//!    again: an error.
//! 2. `is_left`: `abandon`, by the state, the provider or the plan. Nothing is sent, with a
//!    warning.
//! 3. `sends_delete`: this process has written the object since the state. Nothing is sent, with a
//!    warning.
//! 4. `sends_delete`: a create of the object has failed in this process: an error.
//! 5. `verify_object`: a GET shows another `create_time`, or fails otherwise than by 404, 403, 405
//!    or 501: an error. No GET is sent if an entry of a list has the time, or the state has none.
//! 6. `E::delete`: the DELETE. It succeeds, or its failure is an error, except a 404.
//! 7. `is_gone`: after a 404, a GET, and perhaps the list, show whether the object is gone. If not:
//!    an error.
//!
//! If the object was not last seen at this base address, step 5 comes before step 3. All owners of
//! an integration go through steps 1 to 4 in `integration_owners/write.rs`, and through the others
//! here, each on its own.

use access_client::time::{is_before, is_different, is_equal};
use access_client::{Error, ErrorKind, ObjectName as _};
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::call::Call;
use super::conflicts::Side;
use super::message::{Advice, Message, Reported, Words};
use super::read::{Conclusion, Got, Whose, get, meaning_of, warn_recreated};
use super::{Entity, Known, PrivateState, Stored, Successor, conflicts, messages};
use crate::messages::conflicts::DEPOSED;
use crate::messages::deletes::{Abandoned, KeptInUse, OlderObject, OtherObject, Wanted};
use crate::messages::removed_block;
use crate::messages::requests::{DeleteNotOffered, NotDeleted};
use crate::service::{Claim, Key, Session};

/// Registers that the object is destroyed, and warns about the effects. `new_config` is the
/// configuration of an object of another name that replaces it.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
    new_config: Option<&E::State>,
) -> Result<(), Reported> {
    let leaves = stored.is_left(call.session);
    if register(call, &E::state_keys(&stored.state), leaves)? {
        if new_config.is_none() {
            warn_found(call, stored);
        }
        let has_grants = E::has_grants(&stored.state);
        E::warn_destroyed(call, name, has_grants, new_config).await;
    }
    Ok(())
}

/// Registers that an object is destroyed, or left at the service. Returns whether its destroy is
/// planned.
pub(crate) fn register(call: &mut Call<'_>, keys: &[Key], leaves: bool) -> Result<bool, Reported> {
    let plans = &call.session.plans;
    // A deposed object during an apply: no plan is left to compare. `destroy` checks the policy and
    // the writes.
    if plans.have_ended() {
        return Ok(false);
    }
    let name = call.object.clone();
    let claim =
        if leaves { Claim::Abandon { name } } else { Claim::Destroy { name, is_in_list: false } };
    let registered = plans.register(keys, claim);
    registered.map_err(|found| conflicts::report(call, &found, Side::Destroys))?;
    if leaves {
        warn_abandoned(call);
    }
    Ok(!leaves)
}

/// Warns about what the refresh before a destroy has found: Terraform discards the warnings of a
/// refresh before `terraform destroy`.
fn warn_found<E: Entity>(call: &mut Call<'_>, stored: &Stored<E>) {
    let own = stored.private.object.own_create_time.as_deref();
    if is_different(own, stored.create_time()) {
        warn_recreated(call, stored.create_time());
    }
    E::warn_found(call, stored);
}

/// The object that a DELETE is to delete.
pub(crate) struct Target<'t, E: Entity> {
    pub(crate) name: &'t E::Name,
    /// Its keys, which end with the name.
    pub(crate) keys: &'t [Key],
    pub(crate) known: Known<'t>,
}

/// Compares the creation time before a DELETE, which contains only the name. After three GETs under
/// a parent its list confirms objects, and GET reads those that it does not confirm.
pub(crate) async fn verify_object<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    known: Known<'_>,
) -> Result<(), Reported> {
    let session = call.session;
    let is_elsewhere = known.private.is_elsewhere(session);
    if !is_elsewhere && known.create_time.is_none() {
        return Ok(());
    }
    let is_known = |entry: Option<E>| {
        entry.is_some_and(|entry| is_equal(entry.create_time(), known.create_time))
    };
    let parents = E::parents(session);
    if !is_elsewhere
        && (is_known(parents.known_entry(name))
            || is_known(parents.confirming_entry(&session.client, name).await))
    {
        return Ok(());
    }
    match get::<E>(call, name, known).await? {
        Got::Object(response, Whose::Other) if response.object.delete_time().is_none() => {
            Err(refuse_other(call, known.create_time, response.object.create_time()))
        }
        Got::Object(..) => Ok(()),
        Got::Failure(error) => match error.kind() {
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => Ok(()),
            _ => Err(call.failed(&error)),
        },
    }
}

/// Returns the way out for a deposed object. Empty if the object cannot be one.
fn deposed_ways(call: &Call<'_>) -> &'static str {
    if call.may_be_deposed { DEPOSED } else { "" }
}

/// Adds the error of another object under the name: made since, or older, as a read that lags
/// returns it.
fn refuse_other(call: &mut Call<'_>, known: Option<&str>, found: Option<&str>) -> Reported {
    let kind = &call.kind;
    let summary = &call.summary();
    let object = &call.located_object();
    let created = &call.session.client.presentable(found.unwrap_or_default());
    let removed = &removed_block(call.words.resource_type);
    let message: Message = if is_before(found, known) {
        OlderObject { object, summary, kind, created, removed }.into()
    } else {
        OtherObject { object, summary, kind, created, removed, deposed: &deposed_ways(call) }.into()
    };
    call.fail(message)
}

/// Destroys an object, or keeps its state with an error. The caller holds off other writes of the
/// object.
pub(crate) async fn destroy<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    let keys = E::state_keys(&stored.state);
    let leaves = stored.is_left(call.session);
    let successor = stored.private.successor.as_ref();
    call.may_be_deposed = successor.is_none();
    keep_own(call, successor, &keys, &name.to_string(), leaves)?;
    if leaves {
        warn_abandoned(call);
        return Ok(());
    }
    let target = Target { name, keys: &keys, known: stored.known() };
    let advice = kept_advice(call.words, E::common(&stored.state).deletion_policy);
    delete::<E>(call, &target, &advice).await
}

/// Returns whether a destroy leaves an object at the service: by the policy of its state, else of
/// the provider, or because its plan has left it, even if the apply runs without
/// `ACCESS_DELETION_POLICY`.
pub(crate) fn is_left<P>(
    session: &Session,
    policy: &Value<String>,
    private: &PrivateState<P>,
) -> bool {
    private.is_abandoned || session.abandons(policy)
}

/// Adds an error if a resource replaces itself, destroy first, under `abandon`: the object would
/// stay, and the create would be refused. `keys` and `name` are those of the object.
fn keep_own(
    call: &mut Call<'_>,
    successor: Option<&Successor>,
    keys: &[Key],
    name: &str,
    leaves: bool,
) -> Result<(), Reported> {
    let Some(new) = successor else { return Ok(()) };
    let is_own = new.keys.iter().any(|key| keys.contains(key));
    let has_other_name = |key: &Key| matches!(key, Key::Name(other) if other != name);
    let adopts = new.adopts && !new.keys.iter().any(has_other_name);
    if leaves && is_own && !adopts {
        return Err(call.fail(messages::abandons_itself(call, name)));
    }
    Ok(())
}

/// Deletes the object of a state, unless this run has written it since, or adds an error. `advice`
/// is the next step if the object stays.
pub(crate) async fn delete<E: Entity>(
    call: &mut Call<'_>,
    target: &Target<'_, E>,
    advice: &str,
) -> Result<(), Reported> {
    let session = call.session;
    let Target { name, keys, known } = *target;
    let _held = session.writes.hold_delete(&Key::Name(name.to_string())).await;
    let is_here = known.private.is_here(session);
    // Elsewhere, "written by this run" may mean another object, so the identity comes first. Here,
    // no request is needed if nothing is sent.
    if !is_here {
        verify_object::<E>(call, name, known).await?;
    }
    if !sends_delete(call, keys, known.private.write_id.as_deref())? {
        return Ok(());
    }
    if is_here {
        verify_object::<E>(call, name, known).await?;
    }
    let deleted = E::delete(&session.client, name).await;
    E::parents(session).of(name.parent()).record_write();
    if let Err(error) = deleted {
        match error.kind() {
            ErrorKind::NotFound { .. } => {
                if !is_gone::<E>(call, name, known).await? {
                    return Err(not_deleted(call, &error, advice));
                }
            }
            ErrorKind::NotImplemented => return Err(not_deleted(call, &error, advice)),
            _ => return Err(call.failed(&error)),
        }
    }
    session.writes.record_delete(keys, known.create_time);
    Ok(())
}

/// Returns, after a DELETE with 404, whether reads show that the object is gone. The 404 alone
/// proves nothing: the DELETE may not exist, or the key may not see the object.
async fn is_gone<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    known: Known<'_>,
) -> Result<bool, Reported> {
    match E::get(&call.session.client, name).await {
        Ok(response) => Ok(response.object.delete_time().is_some()),
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } => match meaning_of::<E>(call, name, known, &error).await {
                (Conclusion::Deleted, _) => Ok(true),
                (Conclusion::ReadsUnavailable, _) => Ok(false),
                (_, advice) => Err(call.failed_with(&error, advice)),
            },
            ErrorKind::NotImplemented => Ok(false),
            _ => Err(call.failed(&error)),
        },
    }
}

/// Adds the error of a DELETE that a service does not offer, or after which the object is still
/// there. `advice` is the next step.
fn not_deleted(call: &mut Call<'_>, error: &Error, advice: &str) -> Reported {
    let advice: Advice = match error.kind() {
        ErrorKind::NotImplemented => DeleteNotOffered { ways: &advice }.into(),
        _ => NotDeleted { kind: &call.kind, ways: &advice }.into(),
    };
    call.failed_with(error, advice)
}

/// Returns the next step if the service does not delete an object. `own_policy` is that of its
/// state.
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

/// Returns whether a destroy sends a DELETE. It does not for what this run has written since, and
/// it fails if a resource of this run could not create the object. The keys of an object end with
/// its name.
pub(crate) fn sends_delete(
    call: &mut Call<'_>,
    keys: &[Key],
    write_id: Option<&str>,
) -> Result<bool, Reported> {
    let (writes, kind) = (&call.session.writes, call.kind);
    if keys.last().is_some_and(|name| writes.is_written_since(name, write_id)) {
        let message = Message::from(KeptInUse { object: &call.object, kind: &kind });
        call.warn(message);
        return Ok(false);
    }
    if !writes.is_wanted(keys) {
        return Ok(true);
    }
    let message = Message::from(Wanted {
        object: &call.located_object(),
        summary: &call.summary(),
        kind: &kind,
        deposed: &deposed_ways(call),
    });
    Err(call.fail(message))
}

/// Warns that a destroy sends no request, so the object stays at the service.
pub(crate) fn warn_abandoned(call: &mut Call<'_>) {
    let message = Message::from(Abandoned { object: &call.object, kinds: &call.words.kinds });
    call.warn(message);
}

/// Adds an error for a deletion policy that does not exist. Unknown and null pass.
pub(crate) fn validate_deletion_policy(policy: &Value<String>, diags: &mut Diagnostics) {
    diags.validate("deletion_policy", policy).one_of(&["delete", "abandon"]);
}
