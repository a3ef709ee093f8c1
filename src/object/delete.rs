//! Destroying an object: the deletion policy, writes of other resources since, and the meaning of a
//! DELETE that was refused.

use std::future::Future;

use access_client::{Error, ErrorKind};
use plugin_server::Report as _;
use plugin_server::validator::Validate as _;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::operation::{Operation, keep_object_advice};
use super::private_state::ObjectPrivateState;
use super::read::{Prior, Read, not_read, verify_address};
use super::stale::{Reread, Rereads};
use super::{Object, ResourceType};
use crate::config::DeletionPolicy;
use crate::service::{Conflicts, Keys, Service};

/// Whether an object for which DELETE returned 404 exists, according to another call.
pub(crate) enum Presence {
    /// The object does not exist.
    Deleted,
    /// The object exists.
    Exists,
    /// No call showed whether the object exists, for this reason if there is one.
    Unknown(Option<String>),
}

/// The advice of the error of a DELETE that did not delete the object.
pub(crate) struct DeleteAdvice {
    /// The alternatives if the object stays.
    pub(crate) kept: String,
    /// The alternatives if it is unknown whether the object stays.
    pub(crate) unknown: String,
}

/// Returns the policy that applies to a resource.
pub(crate) fn policy_of(service: &Service, own: &Value<String>) -> DeletionPolicy {
    own.as_ref_option()
        .and_then(|text| DeletionPolicy::parse(text))
        .unwrap_or(service.deletion_policy)
}

/// Destroys an object, or keeps it with an error (`None`). `presence` checks in the entity's own
/// way whether the object exists; it is called if GET does not show it.
pub(crate) async fn destroy<O: Object, F>(
    service: &Service,
    operation: &Operation<'_>,
    prior: &Prior<'_, O>,
    keys: &Keys,
    policy: DeletionPolicy,
    presence: impl FnOnce() -> F + Send,
    diags: &mut Diagnostics,
) -> Option<()>
where
    F: Future<Output = Presence> + Send,
{
    let run = O::run(service);
    let _held = run.conflicts.lock_object(keys.first().map_or("", String::as_str)).await;
    let name = prior.name.to_string();
    if sends_nothing(&run.conflicts, operation, &name, prior.private, policy, diags) {
        return Some(());
    }
    verify_address(service, operation, prior, diags).await?;
    let kept = keep_object_advice(O::TYPE, O::KIND);
    let unknown = format!(
        "{kept} If you know that the {} does not exist any more, `terraform state rm` removes it \
         from the state.",
        O::KIND
    );
    let advice = DeleteAdvice { kept, unknown };
    delete_object(service, operation, prior, keys, presence, &advice, diags).await
}

/// Returns whether a destroy sends no request, and warns with the reason: this run has written the
/// object since the state was stored, or the policy is `abandon`.
pub(crate) fn sends_nothing(
    conflicts: &Conflicts,
    operation: &Operation<'_>,
    name: &str,
    private: &ObjectPrivateState,
    policy: DeletionPolicy,
    diags: &mut Diagnostics,
) -> bool {
    if conflicts.is_superseded(name, private.write_id.as_deref()) {
        warn_superseded(operation, diags);
        return true;
    }
    if policy == DeletionPolicy::Abandon {
        warn_abandoned(operation, diags);
        return true;
    }
    false
}

/// Deletes an object, or keeps it with an error (`None`). `presence` is as for [`destroy`].
pub(crate) async fn delete_object<O: Object, F>(
    service: &Service,
    operation: &Operation<'_>,
    prior: &Prior<'_, O>,
    keys: &Keys,
    presence: impl FnOnce() -> F + Send,
    advice: &DeleteAdvice,
    diags: &mut Diagnostics,
) -> Option<()>
where
    F: Future<Output = Presence> + Send,
{
    let run = O::run(service);
    let deleted = O::delete(&service.client, prior.name).await;
    run.lists.invalidate(O::parent(prior.name), O::id(prior.name));
    if let Err(error) = deleted {
        match error.kind() {
            ErrorKind::NotFound { .. } => {
                decide_not_found(service, operation, prior, &error, presence, advice, diags)
                    .await?;
            }
            ErrorKind::NotImplemented => {
                let next = format!("The service does not offer this operation. {}", advice.kept);
                operation.failed(service, &error, Some(next), None, diags);
                return None;
            }
            _ => {
                operation.failed_by_status(service, &error, diags);
                return None;
            }
        }
    }
    run.conflicts.record_delete(keys, prior.create_time.map(str::to_owned));
    Some(())
}

/// Decides about a DELETE that returned 404, which alone proves nothing: the DELETE may not exist,
/// or the key may not see the object.
async fn decide_not_found<O: Object, F>(
    service: &Service,
    operation: &Operation<'_>,
    prior: &Prior<'_, O>,
    delete_error: &Error,
    presence: impl FnOnce() -> F + Send,
    advice: &DeleteAdvice,
    diags: &mut Diagnostics,
) -> Option<()>
where
    F: Future<Output = Presence> + Send,
{
    // An earlier attempt, whose response was lost, may have deleted the object, and reads may lag.
    let mut rereads =
        if delete_error.attempts() > 1 { Rereads::after_write() } else { Rereads::none() };
    let read_error = loop {
        match O::get(&service.client, prior.name).await {
            Ok(response) if response.object.delete_time().is_some() => return Some(()),
            Ok(_) if rereads.wait().await == Reread::Now => {}
            Ok(_) => {
                report_still_there::<O>(service, operation, delete_error, advice, diags);
                return None;
            }
            Err(error) => break error,
        }
    };
    let not_found =
        read_error.kind() == (ErrorKind::NotFound { json: true }) && prior.private.reads;
    if not_found {
        return match not_read(service, operation, prior, &read_error, diags).await {
            Read::NotFound => Some(()),
            _ => None,
        };
    }
    match read_error.kind() {
        ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {}
        _ => {
            operation.failed_by_status(service, &read_error, diags);
            return None;
        }
    }
    match presence().await {
        Presence::Deleted => Some(()),
        Presence::Exists => {
            report_still_there::<O>(service, operation, delete_error, advice, diags);
            None
        }
        Presence::Unknown(reason) => {
            let found = reason.map_or_else(String::new, |reason| format!(" ({reason})"));
            let next = format!(
                "This does not distinguish a missing {} from a missing operation or permission, and no \
                 other call decided it{found}. {}",
                O::KIND,
                advice.unknown
            );
            operation.failed(service, delete_error, Some(next), None, diags);
            None
        }
    }
}

fn report_still_there<O: Object>(
    service: &Service,
    operation: &Operation<'_>,
    error: &Error,
    advice: &DeleteAdvice,
    diags: &mut Diagnostics,
) {
    let next = format!(
        "The {} still exists, so the service does not delete it by this operation, or not with \
         this API key. {}",
        O::KIND,
        advice.kept
    );
    operation.failed(service, error, Some(next), None, diags);
}

fn warn_superseded(operation: &Operation<'_>, diags: &mut Diagnostics) {
    diags.report_warning(
        format!("The {} was not deleted", operation.kind),
        format!(
            "{}: this run has just written the {kind} for a resource that keeps it, so that \
             deleting it for this older state would delete the {kind} in use. No request was \
             sent, and the older state was discarded.",
            operation.name,
            kind = operation.kind
        ),
    );
}

fn warn_abandoned(operation: &Operation<'_>, diags: &mut Diagnostics) {
    diags.report_warning(
        format!("The {} stays at the service", operation.kind),
        format!(
            "{}: the deletion policy is `abandon`. No request was sent: the {kind} stays as it is \
             and is no longer managed by this configuration.",
            operation.name,
            kind = operation.kind
        ),
    );
}

/// Returns the policy of a planned destroy, and warns if it abandons the object. `own` is the deletion
/// policy of the resource itself.
pub(crate) fn planned_policy(
    service: &Service,
    resource: ResourceType,
    own: &Value<String>,
    name: &Value<String>,
    diags: &mut Diagnostics,
) -> DeletionPolicy {
    let kind = resource.kind;
    let policy = policy_of(service, own);
    if policy == DeletionPolicy::Abandon {
        let name = name.as_ref_option().map_or(kind, String::as_str);
        diags.report_warning(
            format!("The {kind} will stay at the service"),
            format!(
                "{name}: the deletion policy is `abandon`. Destroying the resource sends no \
                 request. The {kind} stays as it is and is no longer managed."
            ),
        );
    }
    policy
}

/// Adds an error for a deletion policy that does not exist. Unknown and null pass.
pub(crate) fn validate_deletion_policy(policy: &Value<String>, diags: &mut Diagnostics) {
    diags.validate("deletion_policy", policy).one_of(&["delete", "abandon"]);
}
