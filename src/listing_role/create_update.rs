//! Creating and updating a listing role: one PATCH each.

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{ErrorKind, FieldMask, ListingRoleName, Missing, Response, RoleField};
use tf_provider::Diagnostics;

use super::diagnostics::{
    Overwrites, refuse_existing, report_create_failure, report_deleted, report_write_failure,
    warn_adopted_from, warn_of_difference, warn_of_manager, warn_overwrites, warn_overwritten,
    warn_same_name_replacement, warn_unchecked_create,
};
use super::plan::{adopts, is_same_name_replacement, is_unannounced_replacement};
use super::state::{
    ListingRolePrivateState, ListingRoleState, Resources, Stored, keys_of, to_patch,
};
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::object::read::verify_address;
use crate::object::read_back::probe_reads;
use crate::object::{Object as _, conflict, existence};
use crate::repository::Pair;
use crate::service::{Existence, ReadBack, Service};

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
    let (existence, checked_by) =
        check_existence(service, operation, name, &planned, diags).await?;
    // The plan of this apply, which made the check, has warned about an adoption.
    let adopts_silently = checked_by == CheckedBy::Create
        && adopts(&planned)
        && !is_same_name_replacement(service, &planned, name);
    let is_unannounced = is_unannounced_replacement(service, &planned, name);
    let repository = created_pair(service, &planned, &existence);
    let (patch, mask) = to_patch(None, &planned, resources, Some(repository))?;
    let requires_existing = planned.allow_missing.as_ref_option() == Some(&false);
    let missing = if requires_existing { Missing::Fail } else { Missing::Create };
    let response = send_create(service, operation, name, (&patch, &mask), missing, diags).await?;
    let role = response.object.clone();
    let created_at = role.create_time.as_deref();
    service.handoff.record_create(&service.base_url, &name.to_string());
    let older = existence::is_older_than_run::<ListingRole>(service, created_at, response.date);
    let private = ListingRolePrivateState::default();
    let (written, read_back) =
        finish(service, planned, private, &patch, response, resources, diags).await;
    if let Existence::Exists(existing) = &existence
        && adopts_silently
    {
        warn_overwrites(service, existing, &written.0, resources, &Overwrites::Done, diags);
    }
    warn_about_existence(service, &role, &existence, read_back, older, &written.0, diags);
    if is_unannounced {
        warn_same_name_replacement(&written.0, &existence, resources, diags);
    }
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

/// The call that made the existence check of a create.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckedBy {
    Plan,
    Create,
}

/// Checks whether the role exists, because `allowMissing` would overwrite it silently. Adds an
/// error and returns `None` if it exists and must not be adopted.
async fn check_existence(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    planned: &ListingRoleState,
    diags: &mut Diagnostics,
) -> Option<(Existence<ListingRole>, CheckedBy)> {
    let may_exist = adopts(planned) || is_same_name_replacement(service, planned, name);
    if !may_exist {
        let checked = service.roles.conflicts.check_unwritten(&name.to_string());
        conflict::check(checked, ListingRole::RESOURCE_TYPE, &service.at(name), "role", diags)?;
    }
    let recent = existence::take_recent(service, &keys_of(name));
    let (existence, checked_by) = match recent {
        Some(existence) => (existence, CheckedBy::Plan),
        None => match existence::check::<ListingRole>(service, name).await {
            Ok(existence) => (existence, CheckedBy::Create),
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
    Some((existence, checked_by))
}

/// Warns if the create may have overwritten, or did overwrite, a role that its check did not find,
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
        _ if older_than_run => warn_overwritten(service, role, diags),
        Existence::Unknown(found) => warn_unchecked_create(service, state, found, diags),
        // A 404 shows that the role did not exist only if reads work.
        Existence::NotFound | Existence::NotReturned => {
            if matches!(read_back, Some(ReadBack::Nothing)) {
                let found = "no read found the role, before or after the write";
                warn_unchecked_create(service, state, found, diags);
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
    private.object.write_id = Some(service.roles.conflicts.record_write(&keys_of(&role.name)));
    private.record_write(sent, &role);
    if private.manager_unrecorded && service.manager_warning.claim() {
        warn_of_manager(&role, diags);
    }
    // `off` reads nothing. A create still has to learn whether the 404 of its check counts.
    let probes = service.drift_detection != DriftDetection::Off || private.object.name.is_none();
    private.object.record_write(service, role.name.to_string(), date);
    let read_back =
        if probes { probe_reads(service, &role, &mut private.object).await } else { None };
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

/// Returns the pair that a create records. A role that does not exist records nothing that would
/// have to be cleared.
fn created_pair<'a>(
    service: &'a Service,
    planned: &'a ListingRoleState,
    existence: &Existence<ListingRole>,
) -> Pair<'a> {
    let mut pair = planned_pair(service, planned);
    if matches!(existence, Existence::NotFound) {
        pair.uri = pair.uri.filter(|uri| !uri.is_empty());
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
    let clears = prior.is_some() && planned.repo_uri.is_null() && planned.repo_dir.is_null();
    let cleared = Pair { uri: Some(""), dir: Some("") };
    changed.then(|| if clears { cleared } else { planned_pair(service, planned) })
}
