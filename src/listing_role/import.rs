//! Importing a listing role: by GET, by the documented PATCH, or by its name alone.

use access_client::api::ListingRole;
use access_client::{Error, ErrorKind, ListingRoleName, Response};
use tf_provider::Diagnostics;

use super::diagnostics::{
    MISSING_AT_IMPORT, report_deleted, report_patch_read_failure, report_read_failure,
    warn_imported_by_name, warn_imported_by_patch,
};
use super::read::patch_repository;
use super::state::{ListingRolePrivateState, ListingRoleState, Stored, planned_text};
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::repository::Pair;
use crate::service::Service;

/// The next step of an import under `drift_detection = "patch"` that met a 404 or 403, and could not send
/// the documented update.
const NO_REPOSITORY_AT_IMPORT: &str = "The role does not exist, this API key may not read it, or the \
    service does not offer reads. `drift_detection = \"patch\"` reads by an update of the repository, and \
    none is set or detected, so no request was sent. Check the ID and `base_url`, and set `repo_uri`. \
    \"off\" imports the name alone.";

/// Imports a role. Sends no write, except under `drift_detection = "patch"`.
pub(super) async fn import(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    let error = match service.client.get_listing_role(name).await {
        Ok(response) => {
            let mut imported = from_response(service, operation, response.object, diags)?;
            imported.1.object.record_read(service, name.to_string());
            return Some(imported);
        }
        Err(error) => error,
    };
    let mode = service.drift_detection;
    if mode == DriftDetection::Patch
        && matches!(
            error.kind(),
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden
        )
        && let Some((repository, read)) = read_by_patch(service, name).await
    {
        return from_patch(service, operation, repository, read, diags);
    }
    match error.kind() {
        ErrorKind::NotImplemented => Some(by_name_alone(operation, name, &error, diags)),
        ErrorKind::NotFound { .. } | ErrorKind::Forbidden if mode == DriftDetection::Off => {
            Some(by_name_alone(operation, name, &error, diags))
        }
        // Without a repository, no PATCH could be sent, so nothing shows that the role exists.
        ErrorKind::NotFound { .. } | ErrorKind::Forbidden if mode == DriftDetection::Patch => {
            let next = NO_REPOSITORY_AT_IMPORT.to_owned();
            operation.failed(service, &error, Some(next), None, diags);
            None
        }
        ErrorKind::NotFound { .. } => {
            operation.failed(service, &error, Some(MISSING_AT_IMPORT.to_owned()), None, diags);
            None
        }
        _ => {
            report_read_failure(service, operation, &error, diags);
            None
        }
    }
}

fn from_response(
    service: &Service,
    operation: &Operation<'_>,
    role: ListingRole,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    if role.delete_time.is_some() {
        report_deleted(service, operation, &role, diags);
        return None;
    }
    let private = ListingRolePrivateState::default();
    let mut state = ListingRoleState::default();
    state.set_from_response(role, &private);
    Some((state, private))
}

/// Reads the role by the documented call. It has to set the repository to something: to this
/// configuration's. Without one, nothing is sent, and `None` is returned.
async fn read_by_patch<'s>(
    service: &'s Service,
    name: &ListingRoleName,
) -> Option<(Pair<'s>, Result<Response<ListingRole>, Error>)> {
    // A directory alone would be mixed with the URI that the role may record.
    service.repository.uri.as_ref()?;
    let repository = service.repository.pair();
    let state = ListingRoleState {
        repo_uri: planned_text(repository.uri),
        repo_dir: planned_text(repository.dir),
        ..ListingRoleState::from_name(name)
    };
    let read = patch_repository(service, name, &state, &ListingRolePrivateState::default()).await?;
    Some((repository, read))
}

/// Imports the role that the documented call returned.
fn from_patch(
    service: &Service,
    operation: &Operation<'_>,
    repository: Pair<'_>,
    read: Result<Response<ListingRole>, Error>,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    match read {
        Ok(response) => {
            warn_imported_by_patch(operation, repository, diags);
            let mut imported = from_response(service, operation, response.object, diags)?;
            imported.1.object.record_presence(service, operation.name.to_string());
            Some(imported)
        }
        Err(error) => {
            report_patch_read_failure(service, operation, &error, diags);
            None
        }
    }
}

/// Imports the name if nothing can be read. The next apply writes the whole configuration.
fn by_name_alone(
    operation: &Operation<'_>,
    name: &ListingRoleName,
    error: &Error,
    diags: &mut Diagnostics,
) -> Stored {
    warn_imported_by_name(operation, error, diags);
    let private = ListingRolePrivateState { unread: true, ..ListingRolePrivateState::default() };
    (ListingRoleState::from_name(name), private)
}
