//! Refreshing a listing role.

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{Error, FieldMask, ListingRoleName, Missing, Response, RoleField};
use plugin_server::value::Number;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::state::{ListingRolePrivateState, ListingRoleState, Stored, after_read};
use crate::config::DriftDetection;
use crate::object::operation::Operation;
use crate::object::read::{Read, refresh, warn_off};
use crate::service::Service;

/// Refreshes the state. `None` removes the role from the state, unless an error is added.
pub(super) async fn read(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    (prior, private): Stored,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    match service.drift_detection {
        DriftDetection::Off => {
            warn_off(service, diags);
            state_after_last_write(prior, private)
        }
        DriftDetection::Auto => read_by_get(service, operation, name, prior, private, diags).await,
    }
}

async fn read_by_get(
    service: &Service,
    operation: &Operation<'_>,
    name: &ListingRoleName,
    prior: ListingRoleState,
    mut private: ListingRolePrivateState,
    diags: &mut Diagnostics,
) -> Option<Stored> {
    let confirms = |entry: &ListingRole| {
        let mut listed = prior.clone();
        listed.set_from_response(entry.clone(), &ListingRolePrivateState::default());
        listed == prior && !private.unread
    };
    let known = prior.as_prior(name, &private);
    match refresh(service, operation, &known, confirms, diags).await {
        Read::ByGet(role) => {
            private.object.record_read(service, name.to_string());
            Some(after_read(prior, private, *role))
        }
        Read::Confirmed => {
            private.object.record_presence(service, name.to_string());
            Some((prior, private))
        }
        Read::NotFound => None,
        Read::Unavailable => state_after_last_write(prior, private),
        Read::Failed => Some((prior, private)),
    }
}

/// Sends the documented PATCH that changes nothing: the repository last seen on the role. `None` if
/// that is not known, as after a write whose values the service did not record.
pub(super) async fn patch_repository(
    service: &Service,
    name: &ListingRoleName,
    state: &ListingRoleState,
    private: &ListingRolePrivateState,
) -> Option<Result<Response<ListingRole>, Error>> {
    let (uri, dir) = (&private.repo_uri_unrecorded, &private.repo_dir_unrecorded);
    let known = |value: &Value<String>, unrecorded: &Option<String>| {
        let value = value.as_ref_option().filter(|text| !private.unread && !text.is_empty());
        value.filter(|_| unrecorded.is_none()).cloned()
    };
    let repo_uri = known(&state.repo_uri, uri);
    // A recorded URI without a directory is a pair that was written whole.
    let top = repo_uri.as_ref().filter(|_| dir.is_none()).map(|_| String::new());
    let repo_dir = known(&state.repo_dir, dir).or(top);
    let fields = [
        repo_uri.as_ref().map(|_| RoleField::RepoUri),
        repo_dir.as_ref().map(|_| RoleField::RepoDir),
    ];
    let mask = FieldMask::new(fields.into_iter().flatten())?;
    let patch = ListingRolePatch { repo_uri, repo_dir, ..required_fields(name, state) };
    Some(service.client.update_listing_role(name, &patch, &mask, Missing::Fail).await)
}

/// Sends the documented PATCH that writes the display name of the state: for a role that is about
/// to be deleted. `None` if it is not known.
pub(super) async fn patch_display_name(
    service: &Service,
    name: &ListingRoleName,
    state: &ListingRoleState,
) -> Option<Result<Response<ListingRole>, Error>> {
    state.display_name.as_ref_option()?;
    let mask = FieldMask::new([RoleField::DisplayName])?;
    let patch = required_fields(name, state);
    Some(service.client.update_listing_role(name, &patch, &mask, Missing::Fail).await)
}

/// Returns a patch with the two fields that the API requires in every body, whatever the mask.
fn required_fields(name: &ListingRoleName, state: &ListingRoleState) -> ListingRolePatch {
    let display_name = state.display_name.as_ref_option().cloned();
    let priority = state.priority.as_ref_option().and_then(Number::as_i64);
    ListingRolePatch {
        display_name: display_name.unwrap_or_else(|| name.role.to_string()),
        priority: priority.unwrap_or_default(),
        description: None,
        resources: None,
        repo_uri: None,
        repo_dir: None,
    }
}

/// Returns the state of a role that could not be read, according to its last write: `None` if that
/// returned 404 or a deleted role, and without a manager if the service did not record one.
fn state_after_last_write(
    mut prior: ListingRoleState,
    private: ListingRolePrivateState,
) -> Option<Stored> {
    if private.not_found {
        return None;
    }
    if private.manager_unrecorded {
        prior.manager = Value::Null;
    }
    Some((prior, private))
}
