//! Importing a listing role: by GET, by the documented PATCH, or by its name alone.

use access_client::api::ListingRole;
use access_client::{Error, ErrorKind, ListingRoleName};
use tf_provider::Diagnostics;

use super::diagnostics::{
    MISSING_AT_IMPORT, report_deleted, report_patch_read_failure, report_read_failure,
    warn_imported_by_name, warn_imported_by_patch,
};
use super::read::patch_repository;
use super::state::{ListingRolePrivateState, ListingRoleState, Stored, planned_text};
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::service::Service;

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
    match error.kind() {
        ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden
            if mode == DriftDetection::Patch =>
        {
            import_by_patch(service, operation, name, &error, diags).await
        }
        ErrorKind::NotImplemented => Some(by_name_alone(operation, name, &error, diags)),
        ErrorKind::NotFound { .. } | ErrorKind::Forbidden if mode == DriftDetection::Off => {
            Some(by_name_alone(operation, name, &error, diags))
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

/// Imports by the documented call. It has to set the repository to something: to this
/// configuration's. Without one, nothing is sent.
async fn import_by_patch(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    get_error: &Error,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    // A directory alone would be mixed with the URI that the role may record.
    let repository = service.repository.uri.as_ref().map(|_| service.repository.pair());
    let repository = repository.unwrap_or_default();
    let state = ListingRoleState {
        repo_uri: planned_text(repository.uri),
        repo_dir: planned_text(repository.dir),
        ..ListingRoleState::from_name(name)
    };
    match patch_repository(service, name, &state, &ListingRolePrivateState::default()).await {
        None => Some(by_name_alone(operation, name, get_error, diags)),
        Some(Ok(response)) => {
            warn_imported_by_patch(operation, repository, diags);
            let mut imported = from_response(service, operation, response.object, diags)?;
            imported.1.object.record_presence(service, name.to_string());
            Some(imported)
        }
        Some(Err(error)) => {
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
