//! Destroying the resource: removes the owners that the state contains, each by its ID.

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier};

use super::check::fail_replacement;
use super::messages;
use super::read::{list_owners, resolve};
use super::state::{KIND, KnownOwner, Stored, TYPE, owner_name};
use crate::config::DeletionPolicy;
use crate::integration_owner::state::keys_of;
use crate::object::call::{Call, Reported};
use crate::object::delete::{delete, kept_advice, refuse_wanted, warn_abandoned, warn_superseded};
use crate::object::messages::Moment;
use crate::object::read::Prior;
use crate::object::{History, ObjectPrivateState};
use crate::service::Key;

/// Removes the owners of the state. Owners that were added outside Terraform since the state was stored
/// stay.
pub(super) async fn destroy(
    call: &mut Call<'_>,
    integration: &Identifier,
    stored: &Stored,
) -> Result<(), Reported> {
    let session = call.session;
    let Stored { state: prior, private } = stored;
    let key = Key::Name(call.operation.object.clone());
    let _held = session.begin_write(std::slice::from_ref(&key)).await;
    if let Some(planned) = &private.replaced_by {
        let old = call.operation.object.clone();
        fail_replacement(call, stored, planned, Moment::Destroy { old: &old }).await?;
    }
    if session.policy_of(&prior.deletion_policy) == DeletionPolicy::Abandon {
        warn_abandoned(call);
        return Ok(());
    }
    if !private.object.is_elsewhere(session)
        && session.writes.is_written_since(&key, private.object.write_id.as_deref())
    {
        warn_superseded(call);
        return Ok(());
    }
    if session.writes.is_wanted(std::slice::from_ref(&key)) {
        return Err(refuse_wanted(call));
    }
    let owners = prior.principals();
    let mut current = private.clone();
    match list_owners(session, integration).await {
        Ok(list) => resolve(call, integration, &list, &mut current).await?,
        // The IDs are enough if all are known.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotImplemented | ErrorKind::Forbidden)
                && !private.object.is_elsewhere(session)
                && private.entity.principals().is_superset(&owners) => {}
        Err(error) => return Err(messages::list_needed(call, &private.object, (&error, ""))),
    }
    let advice = kept_advice(TYPE, KIND, &prior.deletion_policy);
    let owners = current.entity.owners.iter().filter(|(_, known)| owners.contains(&known.owner));
    for (id, known) in owners {
        remove(call, integration, (id, known), &advice).await?;
    }
    session.writes.record_delete(&[key], None);
    Ok(())
}

/// Removes one owner, or adds an error. `advice` is the next step if the owner stays.
pub(super) async fn remove(
    call: &mut Call<'_>,
    integration: &Identifier,
    (id, known): (&str, &KnownOwner),
    advice: &str,
) -> Result<(), Reported> {
    let Some(name) = owner_name(integration, id) else { return Ok(()) };
    let session = call.session;
    let shown = format!("{name} ({})", session.client.presentable(&known.owner));
    // The list that names the owner has returned it.
    let private =
        ObjectPrivateState { history: History::ReadBefore, ..ObjectPrivateState::default() };
    let prior = Prior::<IntegrationOwner> {
        name: &name,
        private: &private,
        create_time: known.create_time.as_deref(),
        update_time: None,
    };
    let keys = keys_of(integration, &known.owner, Some(&name));
    // A resource for this owner alone may be about to adopt it.
    let _held = session.begin_write(&keys).await;
    let mut call = call.of(shown);
    let key = Key::Name(name.to_string());
    if session.writes.is_written_since(&key, known.write_id.as_deref()) {
        warn_superseded(&mut call);
        return Ok(());
    }
    if session.writes.is_wanted(&keys) {
        return Err(refuse_wanted(&mut call));
    }
    delete(&mut call, &prior, &keys, advice).await
}
