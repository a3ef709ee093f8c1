//! Destroying the resource: removes the owners that the state contains, each by its ID.

use access_client::api::IntegrationOwner;
use access_client::{ErrorKind, Identifier};
use tf_provider::value::Value;

use super::check::check_replacement;
use super::messages;
use super::read::resolve;
use super::state::{KnownOwner, Stored as StoredOwners, owner_name};
use crate::object::call::Call;
use crate::object::delete::{delete, kept_advice, sends_delete, warn_abandoned};
use crate::object::messages::Replacement;
use crate::object::{Convert as _, Reported, Stored};
use crate::service::{Key, parent_list};

/// Removes the owners of the state. Owners that were added outside Terraform since the state was stored
/// stay.
pub(super) async fn destroy(call: &mut Call<'_>, stored: &StoredOwners) -> Result<(), Reported> {
    let session = call.session;
    let StoredOwners { integration, state: prior, private } = stored;
    let keys = [Key::Name(call.object.clone())];
    let _held = session.begin_write(&keys).await;
    if let Some(planned) = &private.replaced_by {
        let old = call.object.clone();
        let replacement = Replacement { old: &old, is_planned: false };
        check_replacement(call, stored, planned, replacement).await?;
    }
    if stored.is_left(session) {
        warn_abandoned(call);
        return Ok(());
    }
    // At another base address, this run may have written another integration of that name.
    let is_elsewhere = private.object.is_elsewhere(session);
    let write_id = private.object.write_id.as_deref();
    if !is_elsewhere && !sends_delete(call, &keys, write_id)? {
        return Ok(());
    }
    let owners = prior.principals();
    let mut current = stored.clone();
    match parent_list::whole(session, integration).await {
        Ok(list) => resolve(call, &mut current, &list).await?,
        // The IDs are enough if all are known.
        Err(error)
            if matches!(error.kind(), ErrorKind::NotImplemented | ErrorKind::Forbidden)
                && !is_elsewhere
                && private.entity.principals().is_superset(&owners) => {}
        Err(error) => return Err(messages::list_needed(call, &private.object, (&error, ""))),
    }
    if is_elsewhere && !sends_delete(call, &keys, write_id)? {
        return Ok(());
    }
    let advice = kept_advice(call.words, &prior.deletion_policy);
    for (id, known) in &current.private.entity.owners {
        if owners.contains(&known.owner) {
            remove(call, integration, (id, known), &advice).await?;
        }
    }
    session.writes.record_delete(&keys, None);
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
    let mut owner = Stored::<IntegrationOwner>::default();
    owner.state.name = Value::Value(name.to_string());
    owner.state.owner = Value::Value(known.owner.clone());
    owner.state.create_time = known.create_time.clone().into();
    // The list that names the owner has returned it.
    owner.private.object.read_before = true;
    let keys = IntegrationOwner::state_keys(&owner.state);
    // A resource for this owner alone may be about to adopt it.
    let _held = session.begin_write(&keys).await;
    let mut call = call.of(shown);
    if !sends_delete(&mut call, &keys, known.write_id.as_deref())? {
        return Ok(());
    }
    delete(&mut call, &name, &owner, advice).await
}
