//! Destroying an object: the deletion policy, what this process has written since, and the meaning of a
//! DELETE that was refused.

use access_client::{Error, ErrorKind};
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::call::{Advice, Call, Message, Reported};
use super::message::COMPLETE;
use super::messages::{DEPOSED_WAYS, removed_block};
use super::read::{Conclusion, Prior, meaning_of, report_elsewhere, warn_made_anew};
use super::{Entity, Stored, conflicts, parent_list, replace};
use crate::config::DeletionPolicy;
use crate::service::{Cause, Key, Purpose};
use crate::time::{is_different, is_equal};

/// What handles all objects that the service does not delete.
const FOR_ALL: &str = "ACCESS_DELETION_POLICY=abandon leaves all of them at the service";

/// Registers that the object is destroyed, and warns about the effects. `replaced_by` is the configuration
/// of an object of another name that replaces it.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    stored: &Stored<E>,
    replaced_by: Option<&E::State>,
) -> Result<(), Reported> {
    let session = call.session;
    // This is a deposed object during an apply. `destroy` decides.
    if session.plans.have_ended() {
        return Ok(());
    }
    let keys = E::state_keys(&stored.state);
    if E::policy(session, &stored.state) == DeletionPolicy::Abandon {
        let registered = session.plans.plan_abandon(&keys);
        registered.map_err(|found| conflicts::report::<E>(call, &found))?;
        warn_will_abandon(call);
        return Ok(());
    }
    let name = call.operation.object.clone();
    let registered = session.plans.plan_destroy(&keys, &name);
    registered.map_err(|found| conflicts::report::<E>(call, &found))?;
    if replaced_by.is_none() {
        warn_found(call, stored);
    }
    E::warn_destroyed(call, &stored.state, replaced_by).await;
    Ok(())
}

/// Warns about what the refresh before a destroy has found: Terraform discards the warnings of a refresh
/// before `terraform destroy`.
fn warn_found<E: Entity>(call: &mut Call<'_>, stored: &Stored<E>) {
    let own = stored.private.object.own_create_time.as_deref();
    let create_time = E::common(&stored.state).create_time.as_ref_option().map(String::as_str);
    if is_different(own, create_time) {
        warn_made_anew::<E>(call, create_time);
    }
    E::warn_found(call, stored);
}

/// Destroys an object, or keeps its state with an error.
pub(crate) async fn destroy<E: Entity>(
    call: &mut Call<'_>,
    name: &E::Name,
    stored: &Stored<E>,
) -> Result<(), Reported> {
    let session = call.session;
    let keys = E::state_keys(&stored.state);
    let _held = session.begin_write(&keys).await;
    replace::check_again(call, stored).await?;
    if E::policy(session, &stored.state) == DeletionPolicy::Abandon {
        warn_abandoned(call);
        return Ok(());
    }
    let prior = Prior::new(name, stored);
    let key = Key::Name(name.to_string());
    if session.writes.is_written_since(&key, prior.private.write_id.as_deref()) {
        warn_superseded(call);
        return Ok(());
    }
    if session.writes.is_wanted(&keys) {
        return Err(refuse_wanted(call));
    }
    verify_object(call, &prior).await?;
    delete(call, &prior, &keys, &kept_advice(E::TYPE, E::KIND)).await
}

/// Checks, before a DELETE, that the object is the state's, and not another one under its name: the DELETE
/// names the object, not the name. After three GETs under a parent its list confirms objects, and GET reads
/// those that it does not confirm.
async fn verify_object<E: Entity>(
    call: &mut Call<'_>,
    prior: &Prior<'_, E>,
) -> Result<(), Reported> {
    let session = call.session;
    let is_elsewhere = prior.private.is_elsewhere(session);
    if !is_elsewhere && prior.create_time.is_none() {
        return Ok(());
    }
    let parent = E::parent(prior.name);
    let is_same = |object: &E| is_equal(object.create_time(), prior.create_time);
    if !is_elsewhere
        && !E::parents(session).of(parent).starts_with_get()
        && let Ok(list) = parent_list::shared::<E>(session, parent, Purpose::Confirm).await
        && list.entries.get(E::id(prior.name)).is_some_and(is_same)
    {
        return Ok(());
    }
    match E::get(&session.client, prior.name).await {
        Ok(response) if is_same(&response.object) => Ok(()),
        Ok(_) if is_elsewhere => Err(report_elsewhere(call, prior.private, None)),
        Ok(response) if !prior.differs_from(&response.object) => Ok(()),
        Ok(_) if prior.is_address_lost() => Err(report_elsewhere(call, prior.private, None)),
        Ok(response) => Err(refuse_other(call, &response.object)),
        Err(error) if is_elsewhere => Err(report_elsewhere(call, prior.private, Some(&error))),
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => Ok(()),
            _ => Err(call.failed(&error)),
        },
    }
}

/// Deletes an object, or adds an error. `advice` is the next step if the object stays.
pub(crate) async fn delete<E: Entity>(
    call: &mut Call<'_>,
    prior: &Prior<'_, E>,
    keys: &[Key],
    advice: &str,
) -> Result<(), Reported> {
    let session = call.session;
    let deleted = E::delete(&session.client, prior.name).await;
    E::parents(session).of(E::parent(prior.name)).record_write();
    if let Err(error) = deleted {
        match error.kind() {
            ErrorKind::NotFound { .. } => confirm_not_found(call, prior, &error, advice).await?,
            ErrorKind::NotImplemented => return Err(not_deleted(call, &error, advice)),
            _ => return Err(call.failed(&error)),
        }
    }
    session.writes.record_delete(keys, prior.create_time);
    Ok(())
}

/// Decides about a DELETE that returned 404, which alone proves nothing: the DELETE may not exist, or the
/// key may not see the object.
async fn confirm_not_found<E: Entity>(
    call: &mut Call<'_>,
    prior: &Prior<'_, E>,
    delete_error: &Error,
    advice: &str,
) -> Result<(), Reported> {
    match E::get(&call.session.client, prior.name).await {
        Ok(response) if response.object.delete_time().is_some() => Ok(()),
        Ok(_) => Err(not_deleted(call, delete_error, advice)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound { .. }) => {
            match meaning_of(call, prior, &error).await {
                (Conclusion::Deleted, _) => Ok(()),
                (Conclusion::Kept, _) => Err(not_deleted(call, delete_error, advice)),
                (_, advice) => Err(call.failed_with(&error, advice)),
            }
        }
        Err(error) if error.kind() == ErrorKind::NotImplemented => {
            Err(not_deleted(call, delete_error, advice))
        }
        Err(error) => Err(call.failed(&error)),
    }
}

fn not_deleted(call: &mut Call<'_>, error: &Error, advice: &str) -> Reported {
    let next = match error.kind() {
        ErrorKind::NotImplemented => format!("The service does not offer this operation. {advice}"),
        _ => format!("No response shows that the {} was deleted. {advice}", call.operation.kind),
    };
    call.failed_with(error, Advice { for_all: Some(FOR_ALL), ..Advice::next(next) })
}

/// Returns the next step if the service does not delete an object.
pub(crate) fn kept_advice(resource_type: &str, kind: &str) -> String {
    format!(
        "The {kind} and its state are kept. To stop managing it, replace its resource block with\n\n{}\n\n\
         or run `terraform state rm`. To stop managing everything that the apply destroys, run it once with \
         ACCESS_DELETION_POLICY=abandon; `-target=ADDRESS` limits it to single objects, also deposed ones. \
         The argument is `deletion_policy = \"abandon\"`.",
        removed_block(resource_type)
    )
}

/// Adds the error of an object that a resource of this run could not create.
pub(crate) fn refuse_wanted(call: &mut Call<'_>) -> Reported {
    let kind = call.operation.kind;
    let (summary, object) =
        (call.operation.summary(), call.session.with_base_url(&call.operation.object));
    if call.session.causes.count(Cause::Conflict(format!("{summary}: wanted"))) >= COMPLETE {
        let summary = format!("{summary} {object}: a resource of this configuration wants it");
        return call.fail(Message::new(summary, ""));
    }
    call.fail(Message::new(
        summary,
        format!(
            "{object}: a resource of this configuration wants this {kind}, and its create has failed in \
             this run. The {kind} was not deleted, and its state is kept. If the resource was renamed, add \
             a `moved` block. If not, remove one of the two resources. {DEPOSED_WAYS}"
        ),
    ))
}

/// Adds the error of an object that somebody else has made under the name.
fn refuse_other<E: Entity>(call: &mut Call<'_>, found: &E) -> Reported {
    let (kind, session) = (E::KIND, call.session);
    let (summary, object) =
        (call.operation.summary(), session.with_base_url(&call.operation.object));
    if session.causes.count(Cause::Conflict(format!("{summary}: made anew"))) >= COMPLETE {
        return call.fail(Message::new(format!("{summary} {object}: it was made anew"), ""));
    }
    let created = session.client.presentable(found.create_time().unwrap_or_default());
    call.fail(Message::new(
        summary,
        format!(
            "{object}: the {kind} in the state was deleted, and somebody has made another one under its \
             name (created {created}). No request was sent, and the state is kept. To leave the {kind} to \
             them, replace the resource block with\n\n{}\n\nor run `terraform state rm`, or apply once \
             with `-target` for this address and ACCESS_DELETION_POLICY=abandon. To take it, run \
             `terraform state rm` and import it.",
            removed_block(E::TYPE)
        ),
    ))
}

/// Warns that an object was written since, and not deleted.
pub(crate) fn warn_superseded(call: &mut Call<'_>) {
    let kind = call.operation.kind;
    call.warn(Message::new(
        format!("{} was not deleted", call.operation.object),
        format!(
            "This run has written the {kind} for a resource that keeps it. Deleting it for this older \
             state would delete the {kind} in use. No request was sent, and the older state was \
             discarded."
        ),
    ));
}

/// Warns that an object was abandoned.
pub(crate) fn warn_abandoned(call: &mut Call<'_>) {
    let kind = call.operation.kind;
    call.warn(Message::new(
        format!("Abandoned {kind}s stay at the service"),
        format!(
            "{}: the deletion policy is `abandon`. No request was sent.",
            call.operation.object
        ),
    ));
}

/// Warns that a planned destroy will abandon the object.
pub(crate) fn warn_will_abandon(call: &mut Call<'_>) {
    let kind = call.operation.kind;
    call.warn(Message::new(
        format!("Abandoned {kind}s will stay at the service"),
        format!("{}: the deletion policy is `abandon`.", call.operation.object),
    ));
}

/// Adds an error for a deletion policy that does not exist. Unknown and null pass.
pub(crate) fn validate_deletion_policy(policy: &Value<String>, diags: &mut Diagnostics) {
    diags.validate("deletion_policy", policy).one_of(&["delete", "abandon"]);
}
