//! Creating and updating a listing role: one PATCH each.

use access_client::api::ListingRole;
use access_client::time::is_different;
use access_client::{Error, ErrorKind, FieldMask, ListingRoleName, Missing, Response, RoleField};
use plugin_server::hcl::quoted;

use super::messages;
use super::state::{ListingRoleState, RolePrivateState, to_patch};
use crate::messages::import_block;
use crate::messages::requests::{
    CreatedUnderOtherSpelling, CreatedUnreadable, ListingMissing, MustExist, ResourcesForbidden,
    RoleGone, SomethingMissing, UpdatedUnreadable,
};
use crate::object::call::Call;
use crate::object::create::record_other_spelling;
use crate::object::existence::{Existence, Look};
use crate::object::messages::{invalid_state, was_deleted};
use crate::object::read::verify_address;
use crate::object::value::known_text;
use crate::object::{Advice, Convert as _, Created, Reported, Stored, Write, by_status, forbidden};

impl Write for ListingRole {
    async fn create(
        call: &mut Call<'_>,
        name: &Self::Name,
        look: &Look<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<Created<Self>, Reported> {
        let mut repository = call.session.repository.written.clone();
        if matches!(look.existence, Existence::Absent) {
            // A new role records nothing that would have to be cleared.
            repository.uri = repository.uri.filter(|uri| !uri.is_empty());
            repository.dir = repository.dir.filter(|dir| !dir.is_empty());
        }
        let Some((patch, mask)) = to_patch(None, &planned, config, Some(&repository)) else {
            return Err(call.fail(invalid_state(call.kind)));
        };
        // What this process has deleted, as the first half of a replacement, is created again.
        let missing = if look.intent.must_exist { Missing::Fail } else { Missing::Create };
        let written = call.session.client.update_listing_role(name, &patch, &mask, missing).await;
        let Response { object: role, date, .. } =
            accept(call, written, Some(missing), (name, &mask))?;
        let private = RolePrivateState::default().after_write(&patch, &role);
        let state = finish(call, planned, config, &private, &role);
        Ok(Created { object: role, date, state, private })
    }

    async fn update(
        call: &mut Call<'_>,
        mut stored: Stored<Self>,
        planned: Self::State,
        config: &Self::State,
    ) -> Result<Stored<Self>, Reported> {
        let session = call.session;
        let Stored { state: prior, .. } = &stored;
        let name = Self::state_name(prior).ok_or_else(|| call.fail(invalid_state(call.kind)))?;
        let changes_repository =
            prior.repo_uri != planned.repo_uri || prior.repo_dir != planned.repo_dir;
        let repository = changes_repository.then_some(&session.repository.written);
        let Some((patch, mask)) = to_patch(Some(prior), &planned, config, repository) else {
            // `adopt_existing`, `allow_missing`, `deletion_policy`, or the spelling of an empty
            // description. Or an imported role, of which this checkout has no repository to record.
            stored.private.entity.imported_pair = None;
            return Ok(Stored { state: planned.resolve_unknowns(stored.state), ..stored });
        };
        verify_address(call, &name, &stored).await?;
        let written = session.client.update_listing_role(&name, &patch, &mask, Missing::Fail).await;
        session.roles.of(&name.listing).record_write();
        let Response { object: role, date, .. } = accept(call, written, None, (&name, &mask))?;
        if is_different(role.create_time.as_deref(), known_text(&stored.state.create_time)) {
            call.warn(messages::updated_other(call, &role));
        }
        let mut private = stored.private;
        let write_id = session.writes.record_write(&Self::subject_keys(&name), None);
        private.object.record_write(session, name.to_string(), write_id, date);
        private.object.record_own(role.create_time.as_deref());
        private.entity = private.entity.after_write(&patch, &role);
        let state = finish(call, planned, config, &private.entity, &role);
        Self::record_run(&mut private.entity, &state, session);
        Ok(Stored { state, private })
    }
}

/// Returns a response that contains a role, or adds an error. `create` is `None` for an update.
fn accept(
    call: &mut Call<'_>,
    written: Result<Response<ListingRole>, Error>,
    create: Option<Missing>,
    written_role: (&ListingRoleName, &FieldMask),
) -> Result<Response<ListingRole>, Reported> {
    let response = written.map_err(|error| {
        record_other_spelling(call.session, &error);
        let advice = write_advice(call, &error, create, written_role);
        call.failed_with(&error, advice)
    })?;
    match &response.object.delete_time {
        Some(at) => Err(call.fail(was_deleted(call, at).at("role"))),
        None => Ok(response),
    }
}

/// Returns the state after a write. Warns about values that the service did not record or changed.
fn finish(
    call: &mut Call<'_>,
    planned: ListingRoleState,
    config: &ListingRoleState,
    private: &RolePrivateState,
    role: &ListingRole,
) -> ListingRoleState {
    if private.manager_unrecorded {
        call.warn_once(messages::manager_not_recorded(role));
    }
    let (state, differing) = planned.after_write(role.clone(), config);
    if !differing.is_empty() {
        call.warn(messages::stored_differently(&role.name, &differing));
    }
    state
}

/// Returns what to do after a write that has failed. `create` is `None` for an update.
fn write_advice(
    call: &Call<'_>,
    error: &Error,
    create: Option<Missing>,
    (name, mask): (&ListingRoleName, &FieldMask),
) -> Advice {
    if let (Some(spelling), Some(_)) = (error.other_spelling(), create) {
        let id = quoted(spelling.rsplit('/').next().unwrap_or_default());
        let import = import_block(call.words.resource_type, spelling);
        return CreatedUnderOtherSpelling { name: &spelling, id: &id, import: &import }.into();
    }
    match (error.kind(), create) {
        (ErrorKind::NotFound { json: true }, Some(Missing::Fail)) => MustExist.into(),
        (ErrorKind::NotFound { json: true }, Some(Missing::Create)) => {
            let was_read = call.session.roles.of(&name.listing).reads_work();
            if was_read { SomethingMissing.into() } else { ListingMissing.into() }
        }
        (ErrorKind::NotFound { json: true }, None) => RoleGone.into(),
        (ErrorKind::Unreadable | ErrorKind::TooLarge, Some(_)) => CreatedUnreadable.into(),
        (ErrorKind::Unreadable | ErrorKind::TooLarge, None) => UpdatedUnreadable.into(),
        (ErrorKind::Forbidden, _) if mask.contains(RoleField::Resources) => {
            forbidden(error, ResourcesForbidden.into())
        }
        _ => by_status(error),
    }
}
