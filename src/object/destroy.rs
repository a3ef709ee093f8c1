//! The destroy of an object: what its replacement will do, the deletion policy, what this process has written
//! since, and whether the object under the name is the state's.

use super::call::{Call, Message, Reported};
use super::delete::{delete, kept_advice, refuse_wanted, warn_abandoned, warn_superseded};
use super::message::COMPLETE;
use super::messages::removed_block;
use super::read::{Prior, report_elsewhere};
use super::{Entity, Stored, replace};
use crate::config::DeletionPolicy;
use crate::service::{Cause, Key, Purpose, parent_list};
use crate::time::is_equal;
use access_client::{ErrorKind, ObjectName as _};

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
    // At another base address, this run has written another object of that name.
    if !prior.private.is_elsewhere(session)
        && session.writes.is_written_since(&key, prior.private.write_id.as_deref())
    {
        warn_superseded(call);
        return Ok(());
    }
    if session.writes.is_wanted(&keys) {
        return Err(refuse_wanted(call));
    }
    verify_object(call, &prior).await?;
    let own_policy = E::common(&stored.state).deletion_policy;
    delete(call, &prior, &keys, &kept_advice(E::WORDS.resource_type, E::WORDS.kind, own_policy))
        .await
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
    let parent = prior.name.parent();
    let is_same = |object: &E| is_equal(object.create_time(), prior.create_time);
    if !is_elsewhere
        && !E::parents(session).of(parent).starts_with_get()
        && let Ok(list) = parent_list::shared::<E>(session, parent, Purpose::Confirm).await
        && list.entries.get(prior.name.id()).is_some_and(is_same)
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

/// Adds the error of an object that somebody else has made under the name.
fn refuse_other<E: Entity>(call: &mut Call<'_>, found: &E) -> Reported {
    let (kind, session) = (E::WORDS.kind, call.session);
    let (summary, object) =
        (call.operation.summary(), session.with_base_url(&call.operation.object));
    if session.causes.count(Cause::Conflict(format!("{summary}: made anew")), &object) >= COMPLETE {
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
            removed_block(E::WORDS.resource_type)
        ),
    ))
}
