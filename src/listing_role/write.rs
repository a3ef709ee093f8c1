//! Creating and updating a listing role: one PATCH each.

use access_client::time::is_different;
use access_client::{Error, ErrorKind, FieldMask, ListingRole, Missing, RoleField};

use super::say;
use super::state::{ListingRoleState, RolePrivate, to_patch};
use crate::resource::call::{Call, Operation};
use crate::resource::describe::{Describe as _, StoredOf};
use crate::resource::entity::{Convert as _, Created, Watch as _, Write};
use crate::resource::seen::Seen;
use crate::resource::value::known_text;
use crate::resource::whose::verify_address;
use crate::say::call::{invalid_state, was_deleted};
use crate::say::requests::by_status;
use crate::say::{Advice, Reported};

impl Write for ListingRole {
    async fn write_new(
        call: &mut Call<'_>,
        name: &Self::Name,
        seen: &Seen<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<Created<Self>, Reported> {
        let mut repository = call.run.repository.written.clone();
        if matches!(seen, Seen::Deleted(_) | Seen::Gone) {
            // A new role records nothing that would have to be cleared.
            repository.uri = repository.uri.filter(|uri| !uri.is_empty());
            repository.dir = repository.dir.filter(|dir| !dir.is_empty());
        }
        let Some((patch, mask)) = to_patch(None, &planned, config, Some(&repository)) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let client = &call.run.client;
        let written = client.update_listing_role(name, &patch, &mask, Missing::Create).await;
        call.run.touch::<Self>(&Self::keys_of_new(name), &name.listing);
        let role = accept(call, written, &mask)?;
        let own = RolePrivate::default().after_write(&patch, &role);
        let state = finish(call, planned, config, &own, &role);
        Ok(Created { object: role, state, own })
    }

    async fn write_changes(
        call: &mut Call<'_>,
        mut stored: StoredOf<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<StoredOf<Self>, Reported> {
        let run = call.run;
        let prior = &stored.state;
        let Some(name) = Self::state_name(prior) else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let changes_repository =
            prior.repo_uri != planned.repo_uri || prior.repo_dir != planned.repo_dir;
        let repository = changes_repository.then_some(&run.repository.written);
        let Some((patch, mask)) = to_patch(Some(prior), &planned, config, repository) else {
            // `adopt_existing`, or the spelling of an empty description. Or an imported role, of which
            // this checkout has no repository to record.
            stored.private.own.imported_pair = None;
            stored.state = planned.resolve_unknowns(stored.state);
            return Ok(stored);
        };
        verify_address::<Self>(call, &name, &stored).await?;
        let written = run.client.update_listing_role(&name, &patch, &mask, Missing::Fail).await;
        run.touch::<Self>(&Self::keys(prior), &name.listing);
        let role = accept(call, written, &mask)?;
        if is_different(role.create_time.as_deref(), known_text(&prior.create_time)) {
            let created = role.create_time.as_deref().unwrap_or_default();
            call.warn(say::updated_other(&run.client.presentable(created)));
        }
        let write_id = run.writes.record_write(&Self::keys(prior));
        let mut private = stored.private;
        private.record_written(run, name.to_string(), write_id);
        private.own = private.own.after_write(&patch, &role);
        let state = finish(call, planned, config, &private.own, &role);
        Self::record_run(&mut private.own, &state, run);
        Ok(StoredOf::<Self> { state, private })
    }
}

/// Returns the role of a response, or adds an error.
fn accept(
    call: &mut Call<'_>,
    written: Result<ListingRole, Error>,
    mask: &FieldMask,
) -> Result<ListingRole, Reported> {
    let role = match written {
        Ok(role) => role,
        Err(error) => {
            let advice = write_advice(call, &error, mask);
            return Err(call.failed_with(&error, advice));
        }
    };
    let Some(at) = &role.delete_time else { return Ok(role) };
    let deleted = was_deleted(call.operation.failure(), &call.run.client.presentable(at));
    Err(call.fail(deleted.at("role")))
}

/// Returns the state after a write. Warns about values that the service did not record or changed.
fn finish(
    call: &mut Call<'_>,
    planned: ListingRoleState,
    config: &ListingRoleState,
    own: &RolePrivate,
    role: &ListingRole,
) -> ListingRoleState {
    ListingRole::warn_created(call);
    if own.manager_unrecorded {
        call.warn(say::manager_not_recorded(role));
    }
    let (state, differing) = planned.after_write(role.clone(), config);
    if let Some(first) = differing.first() {
        call.warn(say::stored_differently(&differing).at(*first));
    }
    state
}

/// Returns what to do after a write that has failed.
fn write_advice(call: &Call<'_>, error: &Error, mask: &FieldMask) -> Advice {
    let is_create = call.operation == Operation::Create;
    match error.kind() {
        ErrorKind::NotFound if is_create => say::listing_missing(),
        ErrorKind::NotFound => say::role_gone(call.run.detects_drift),
        ErrorKind::Unreadable | ErrorKind::TooLarge => say::written_unreadable(is_create),
        ErrorKind::Forbidden if mask.contains(RoleField::Resources) => say::resources_forbidden(),
        _ => by_status(error),
    }
}
