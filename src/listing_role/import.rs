//! Importing a listing role: by GET, or by its name alone.

use access_client::api::ListingRole;
use access_client::{Error, ErrorKind, ListingRoleName};
use tf_provider::Diagnostics;

use super::diagnostics::{
    MISSING_AT_IMPORT, report_deleted, report_read_failure, warn_imported_by_name,
};
use super::state::{ListingRolePrivateState, ListingRoleState, Stored};
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::service::Service;

/// Imports a role. Sends no write.
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
