//! Destroying an object: the deletion policy, what this process has written since, and the meaning of a
//! DELETE that was refused.

use access_client::{Error, ErrorKind};
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::Entity;
use super::call::{Advice, Call, Message, Reported};
use super::messages::removed_block;
use super::read::{Conclusion, Prior, meaning_of, verify_address};
use crate::config::DeletionPolicy;
use crate::service::Key;

/// What handles all objects that the service does not delete.
const FOR_ALL: &str = "ACCESS_DELETION_POLICY=abandon leaves all of them at the service";

/// Destroys an object, or keeps its state with an error. The first of `keys` is the one that writes wait
/// for.
pub(crate) async fn destroy<E: Entity>(
    call: &mut Call<'_>,
    prior: &Prior<'_, E>,
    keys: &[Key],
    policy: DeletionPolicy,
) -> Result<(), Reported> {
    let run = call.run;
    let _held = run.registry.begin_write(&keys[0]).await;
    if policy == DeletionPolicy::Abandon {
        warn_abandoned(call);
        return Ok(());
    }
    let name = Key::Name(prior.name.to_string());
    if run.registry.is_written_since(&name, prior.private.write_id.as_deref()) {
        warn_superseded(call);
        return Ok(());
    }
    if run.registry.is_refused(keys) {
        return Err(refuse_wanted(call));
    }
    verify_address(call, prior).await?;
    delete(call, prior, keys, &kept_advice(E::TYPE, E::KIND)).await
}

/// Deletes an object, or adds an error. `advice` is the next step if the object stays.
pub(crate) async fn delete<E: Entity>(
    call: &mut Call<'_>,
    prior: &Prior<'_, E>,
    keys: &[Key],
    advice: &str,
) -> Result<(), Reported> {
    let run = call.run;
    let deleted = E::delete(&run.client, prior.name).await;
    E::findings(run).parents.of(E::parent(prior.name)).record_write();
    if let Err(error) = deleted {
        match error.kind() {
            ErrorKind::NotFound { .. } => confirm_not_found(call, prior, &error, advice).await?,
            ErrorKind::NotImplemented => return Err(not_deleted(call, &error, advice)),
            _ => return Err(call.failed(&error)),
        }
    }
    run.registry.record_delete(keys, prior.create_time);
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
    match E::get(&call.run.client, prior.name).await {
        Ok(response) if response.object.delete_time().is_some() => Ok(()),
        Ok(_) => Err(not_deleted(call, delete_error, advice)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound { .. }) => {
            match meaning_of(call, prior, &error).await {
                (Conclusion::Deleted, _) => Ok(()),
                (Conclusion::Kept, _) => Err(not_deleted(call, delete_error, advice)),
                (_, next) => Err(call.failed_with(&error, Advice { next, ..Advice::default() })),
            }
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
         or run `terraform state rm`. To stop managing everything that the apply destroys, also deposed \
         objects, run it once with ACCESS_DELETION_POLICY=abandon. The argument is `deletion_policy = \
         \"abandon\"`.",
        removed_block(resource_type)
    )
}

/// Adds the error of an object that another resource creates.
pub(crate) fn refuse_wanted(call: &mut Call<'_>) -> Reported {
    let kind = call.operation.kind;
    call.fail(Message::new(
        call.operation.summary(),
        format!(
            "{}: another resource of this configuration creates this {kind}, and its create was refused \
             in this run because the {kind} exists. It was not deleted, and its state is kept. If the \
             resource was renamed, add a `moved` block. If not, remove one of the two resources.",
            call.run.at(&call.operation.object)
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
