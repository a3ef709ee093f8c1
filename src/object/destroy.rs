//! The destroy of an object: what its replacement will do, the deletion policy, what this process has written
//! since, and whether the object under the name is the state's.

use access_client::{ErrorKind, ObjectName as _};

use super::call::Call;
use super::delete::{delete, kept_advice, sends_delete, warn_abandoned};
use super::message::{Message, Reported};
use super::messages::removed_block;
use super::read::{Found, Prior, get};
use super::{Entity, Stored, replace};
use crate::config::DeletionPolicy;
use crate::service::{Purpose, parent_list};
use crate::time::is_equal;

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
    let is_elsewhere = prior.private.is_elsewhere(session);
    // At another base address, this run may have written another object of that name.
    if is_elsewhere {
        verify_object(call, &prior).await?;
    }
    if !sends_delete(call, &keys, prior.private.write_id.as_deref())? {
        return Ok(());
    }
    if !is_elsewhere {
        verify_object(call, &prior).await?;
    }
    let advice = kept_advice(call.words, E::common(&stored.state).deletion_policy);
    delete(call, &prior, &keys, &advice).await
}

/// Checks, before a DELETE, that the object is the state's. Somebody may have made another object under the
/// name since, and the DELETE names only that. After three GETs under a parent its list confirms objects, and GET reads
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
    match get(call, prior).await? {
        Ok((response, Found::Other)) => Err(refuse_other(call, &response.object)),
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => Ok(()),
            _ => Err(call.failed(&error)),
        },
    }
}

/// Adds the error of an object that somebody else has made under the name.
fn refuse_other<E: Entity>(call: &mut Call<'_>, found: &E) -> Reported {
    let (kind, summary, object) = (call.kind, call.summary(), call.located_object());
    let created = call.session.client.presentable(found.create_time().unwrap_or_default());
    let block = removed_block(call.words.resource_type);
    let detail = format!(
        "{object}: the {kind} in the state was deleted, and somebody has made another one under its \
         name (created {created}). No request was sent, and the state is kept. To leave the {kind} to \
         them, replace the resource block with\n\n{block}\n\nor run `terraform state rm`, or apply once \
         with `-target` for this address and ACCESS_DELETION_POLICY=abandon. To take it, run \
         `terraform state rm` and import it."
    );
    let short = format!("{summary} {object}: it was made anew");
    call.fail_shortened("made anew", Message::new(summary, detail), short)
}
