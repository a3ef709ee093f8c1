//! Creating and updating a listing role: one PATCH each.

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{ErrorKind, FieldMask, ListingRoleName, Missing, Response, RoleField};
use tf_provider::Diagnostics;

use super::diagnostics::{
    refuse_existing, report_create_failure, report_deleted, report_write_failure,
    warn_adopted_from, warn_of_difference, warn_of_manager, warn_overwritten,
    warn_unchecked_create,
};
use super::plan::{adopts, replaces_itself};
use super::state::{
    ListingRolePrivateState, ListingRoleState, Resources, Stored, keys_of, to_patch,
};
use crate::object::operation::Operation;
use crate::object::read::verify_address;
use crate::object::{conflict, existence};
use crate::repository::Pair;
use crate::service::{Conflict, Existence, ReadBack, Service};

/// Creates the role, or adopts it if the configuration allows that. Returns a state or an error, never
/// both: Terraform would taint the role and destroy it at the next apply.
pub(super) async fn create(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    planned: ListingRoleState,
    resources: Resources,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    let _held = service.roles.conflicts.lock_object(&name.to_string()).await;
    let existence = check_existence(service, operation, name, &planned, diags).await?;
    let repository = created_pair(service, &planned, &existence);
    let (patch, mask) = to_patch(None, &planned, resources, Some(repository))?;
    let requires_existing = planned.allow_missing.as_ref_option() == Some(&false);
    let missing = if requires_existing { Missing::Fail } else { Missing::Create };
    let response = send_create(service, operation, name, (&patch, &mask), missing, diags).await?;
    let role = response.object.clone();
    let created_at = role.create_time.as_deref();
    service.handoff.was_created(&service.base_url, &name.to_string());
    let older = existence::is_older_than_run::<ListingRole>(service, created_at, response.date);
    let private = ListingRolePrivateState::default();
    let (written, read_back) =
        finish(service, planned, private, &patch, response, resources, diags).await;
    warn_about_existence(service, &role, &existence, read_back, older, &written.0, diags);
    Some(written)
}

/// Sends the PATCH of a create. Adds an error and returns `None` if it fails.
async fn send_create(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    (patch, mask): (&ListingRolePatch, &FieldMask),
    missing: Missing,
    diags: &mut Diagnostics,
) -> Option<Response<ListingRole>> {
    let written = service.client.update_listing_role(name, patch, mask, missing).await;
    service.roles.lists.invalidate(&name.listing, &name.role);
    match written {
        Ok(response) if response.object.delete_time.is_some() => {
            report_deleted(service, operation, &response.object, diags);
            None
        }
        Ok(response) => Some(response),
        Err(error) => {
            let sends_resources = mask.contains(RoleField::Resources);
            report_create_failure(service, operation, &error, missing, sends_resources, diags);
            None
        }
    }
}

/// Checks whether the role exists, because `allowMissing` would overwrite it silently. Adds an
/// error and returns `None` if it exists and must not be adopted.
async fn check_existence(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    planned: &ListingRoleState,
    diags: &mut Diagnostics,
) -> Option<Existence<ListingRole>> {
    let may_exist = adopts(planned) || replaces_itself(service, planned, name);
    if !may_exist && service.roles.conflicts.is_written(&name.to_string()) {
        let found = Conflict::CreatedTwice;
        conflict::report::<ListingRole>(found, &name.to_string(), "role", diags);
        return None;
    }
    let existence = match existence::take_recent(service, &keys_of(name)) {
        Some(existence) => existence,
        None => match existence::check::<ListingRole>(service, name).await {
            Ok(existence) => existence,
            Err(error) => {
                operation.failed_by_status(service, &error, diags);
                return None;
            }
        },
    };
    if let Existence::Exists(role) = &existence
        && !may_exist
    {
        refuse_existing(service, operation, role, diags);
        return None;
    }
    Some(existence)
}

/// Warns if the create may have overwritten, or did overwrite, a role without being asked to adopt it;
/// and about an adopted role of another repository.
fn warn_about_existence(
    service: &Service,
    role: &ListingRole,
    existence: &Existence<ListingRole>,
    read_back: Option<ReadBack<ListingRole>>,
    older_than_run: bool,
    state: &ListingRoleState,
    diags: &mut Diagnostics,
) {
    match existence {
        Existence::Exists(existing) => warn_adopted_from(service, existing, diags),
        _ if adopts(state) => {}
        _ if older_than_run => warn_overwritten(service, role, diags),
        Existence::Unknown(found) => warn_unchecked_create(&role.name, found, diags),
        // A 404 shows that the role did not exist only if reads work.
        Existence::NotFound => {
            if matches!(read_back, Some(ReadBack::Nothing)) {
                let found = "the service returned 404 before and after the write";
                warn_unchecked_create(&role.name, found, diags);
            }
        }
    }
}

/// Updates the role with the smallest mask of the changed fields.
pub(super) async fn update(
    service: &Service,
    operation: &Operation<'_>,
    (prior, private): Stored,
    planned: ListingRoleState,
    resources: Resources,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    let name = prior.require_name(diags)?;
    // The attributes of a role imported by its name alone are not known: all are written.
    let base = (!private.unread).then_some(&prior);
    let repository = changed_pair(service, base, &planned);
    let Some((patch, mask)) = to_patch(base, &planned, resources, repository) else {
        // `adopt_existing`, `allow_missing`, `deletion_policy`, or the spelling of an empty
        // description.
        return Some((planned.resolve_unknowns(prior), private));
    };
    let _held = service.roles.conflicts.lock_object(&name.to_string()).await;
    verify_address(service, operation, &prior.as_prior(&name, &private), diags).await?;
    let written = service.client.update_listing_role(&name, &patch, &mask, Missing::Fail).await;
    service.roles.lists.invalidate(&name.listing, &name.role);
    let mut private = private;
    match written {
        Ok(response) if response.object.delete_time.is_some() => {
            report_deleted(service, operation, &response.object, diags);
            private.not_found = true;
            Some((prior, private))
        }
        Ok(response) => {
            Some(finish(service, planned, private, &patch, response, resources, diags).await.0)
        }
        Err(error) if error.kind() == (ErrorKind::NotFound { json: true }) => {
            let next = "The role was deleted outside Terraform after the plan. The next plan \
                creates it again.";
            operation.failed(service, &error, Some(next.to_owned()), None, diags);
            private.not_found = true;
            Some((prior, private))
        }
        Err(error) => {
            let sends_resources = mask.contains(RoleField::Resources);
            report_write_failure(service, operation, &error, sends_resources, diags);
            None
        }
    }
}

/// Returns state and private state after a successful write, and the result of the read-back. Warns
/// about values that the service did not record or changed.
async fn finish(
    service: &Service,
    planned: ListingRoleState,
    mut private: ListingRolePrivateState,
    sent: &ListingRolePatch,
    response: Response<ListingRole>,
    resources: Resources,
    diags: &mut Diagnostics,
) -> (Stored, Option<ReadBack<ListingRole>>) {
    let Response { object: role, date } = response;
    private.object.write_id = Some(service.roles.conflicts.written(&keys_of(&role.name)));
    private.record_write(sent, &role);
    if private.manager_unrecorded && service.manager_warning.first() {
        warn_of_manager(&role, diags);
    }
    let read_back = existence::record_write(service, &role, date, &mut private.object).await;
    if let Some(ReadBack::Current(read)) = &read_back {
        // It may be a sibling's: a service omits fields for all roles alike.
        private.record_read_back(&role, read);
    }
    let name = role.name.clone();
    let (state, differing) = planned.after_write(role, &private, resources);
    if !differing.is_empty() {
        warn_of_difference(&name, &differing, diags);
    }
    ((state, private), read_back)
}

/// Returns the planned pair.
fn planned_pair<'a>(service: &'a Service, planned: &'a ListingRoleState) -> Pair<'a> {
    if planned.repo_uri.is_unknown() || planned.repo_dir.is_unknown() {
        // Planned before the provider was configured.
        return service.repository.pair();
    }
    Pair::whole(planned.repo_uri.as_ref_option(), planned.repo_dir.as_ref_option())
}

/// Returns the pair that a create records. A role that does not exist records no directory that
/// would have to be cleared.
fn created_pair<'a>(
    service: &'a Service,
    planned: &'a ListingRoleState,
    existence: &Existence<ListingRole>,
) -> Pair<'a> {
    let mut pair = planned_pair(service, planned);
    if matches!(existence, Existence::NotFound) {
        pair.dir = pair.dir.filter(|dir| !dir.is_empty());
    }
    pair
}

/// Returns the pair that an update records; `None` if the plan does not change it.
fn changed_pair<'a>(
    service: &'a Service,
    prior: Option<&ListingRoleState>,
    planned: &'a ListingRoleState,
) -> Option<Pair<'a>> {
    let changed = prior.is_none_or(|prior| {
        prior.repo_uri != planned.repo_uri || prior.repo_dir != planned.repo_dir
    });
    changed.then(|| planned_pair(service, planned))
}
