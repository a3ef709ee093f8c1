//! What a listing role asks of the service beside its main calls: the look before a create, the
//! read that gathers evidence, the documented PATCH in place of a read, and imports.

use std::collections::BTreeMap;

use access_client::api::{ListingRole, ListingRolePatch};
use access_client::{Client, Error, FieldMask, Identifier, ListingRoleName, Meaning, Missing};
use tf_provider::Diagnostics;

use super::words::{refuse_existing, warn_adopted, warn_of_other_repository};
use super::{KIND, ListingRoleMemory, ListingRoleState, TYPE, equals_configuration};
use crate::config::DriftDetection;
use crate::diagnostic::{Attempt, Report, keep_it_advice};
use crate::private::Private;
use crate::repository::Repository;
use crate::service::Service;

/// What the look before a create has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The role, which is to be taken over.
    Role,
    /// A 404: there is no role, or there are no reads.
    Nothing,
    /// That nobody can look: no reads, or not for this key.
    Blind,
}

/// Looks whether the role exists before it is created, for `allowMissing` takes over silently.
/// `None` with an error where it does and is not to be taken over.
pub(super) async fn take_over_or_refuse(
    service: &Service,
    attempt: &Attempt<'_>,
    name: &ListingRoleName,
    planned: &ListingRoleState,
    manages_resources: bool,
    diags: &mut Diagnostics,
) -> Option<Look> {
    if service.role_reads.is_absent() {
        return Some(Look::Blind);
    }
    let role = match service.client.get_listing_role(name).await {
        Ok(role) => role,
        Err(error) => {
            return match error.meaning() {
                Meaning::NotImplemented => {
                    service.role_reads.saw_absence();
                    Some(Look::Blind)
                }
                // The PATCH decides.
                Meaning::NotFound { .. } => Some(Look::Nothing),
                Meaning::Forbidden => Some(Look::Blind),
                _ => {
                    attempt.failed(&error, None, None, diags);
                    None
                }
            };
        }
    };
    service.role_reads.saw_read();
    if role.delete_time.is_some() {
        return Some(Look::Nothing);
    }
    if planned.adopt_existing.as_ref_option() == Some(&true) {
        warn_of_other_repository(&service.client, &role, &service.repository, diags);
        return Some(Look::Role);
    }
    if equals_configuration(&role, planned, manages_resources, &service.repository) {
        warn_adopted(&service.client, &role, diags);
        return Some(Look::Role);
    }
    refuse_existing(&service.client, attempt, &role, diags);
    None
}

/// Whether reads of roles work, found out once per run after the first write.
pub(super) async fn read_back(service: &Service, name: &ListingRoleName) -> bool {
    // Evidence is for reads by GET; where nothing is read it is of no use.
    service.drift_detection.uses_get()
        && service
            .role_reads
            .gather(async { service.client.get_listing_role(name).await.is_ok() })
            .await
}

/// The role as its listing's list has it, where it does.
pub(super) async fn listed(service: &Service, name: &ListingRoleName) -> Option<ListingRole> {
    let list = || list(service, &name.listing);
    service.listed_roles.find(&name.listing, &name.role, list).await
}

/// All roles of a listing by their IDs: under `list` those that this run has listed already.
pub(super) async fn all(
    service: &Service,
    listing: &Identifier,
) -> Result<BTreeMap<Identifier, ListingRole>, Error> {
    match service.drift_detection {
        DriftDetection::List => service.listed_roles.all(listing, || list(service, listing)).await,
        DriftDetection::Auto | DriftDetection::Patch | DriftDetection::Off => {
            list(service, listing).await
        }
    }
}

/// Lists by ID: a role that moves while pages are read may be on two of them.
async fn list(
    service: &Service,
    listing: &Identifier,
) -> Result<BTreeMap<Identifier, ListingRole>, Error> {
    let roles = service.client.list_listing_roles(listing).await?;
    Ok(roles.into_iter().map(|role| (role.name.role.clone(), role)).collect())
}

/// Reads a role by the documented call: sets the repository to what the state says it is.
pub(super) async fn probe(
    service: &Service,
    name: &ListingRoleName,
    state: &ListingRoleState,
) -> Result<ListingRole, Error> {
    let known = |value: Option<&String>| value.cloned();
    let (repo_uri, repo_dir) =
        (known(state.repo_uri.as_ref_option()), known(state.repo_dir.as_ref_option()));
    // The API requires these two; the mask leaves them out, so that nothing is overwritten.
    let display_name = known(state.display_name.as_ref_option());
    let priority = state.priority.as_ref_option().and_then(crate::number::Number::integer);
    let patch = ListingRolePatch {
        display_name: display_name.unwrap_or_else(|| name.role.to_string()),
        priority: priority.unwrap_or_default(),
        description: None,
        resources: None,
        repo_uri,
        repo_dir,
    };
    let mask = FieldMask::repository();
    service.client.update_listing_role(name, &patch, &mask, Missing::Fail).await
}

/// Settles whether a role is gone where DELETE answered a 404 that proves nothing. `known` is its
/// state, where there is one: of a role imported by its name alone the call would clear what is
/// recorded.
pub(super) async fn settle_missing(
    service: &Service,
    attempt: &Attempt<'_>,
    name: &ListingRoleName,
    known: Option<&ListingRoleState>,
    delete_error: &Error,
    diags: &mut Diagnostics,
) -> Option<()> {
    let Some(known) = known else {
        attempt.failed(delete_error, Some(keep_it_advice(TYPE, KIND)), None, diags);
        return None;
    };
    match probe(service, name, known).await {
        Ok(role) if role.delete_time.is_some() => Some(()),
        Err(error) if error.meaning() == (Meaning::NotFound { json: true }) => Some(()),
        Ok(_) => {
            attempt.failed(delete_error, Some(keep_it_advice(TYPE, KIND)), None, diags);
            None
        }
        Err(error) => {
            attempt.failed(
                &error,
                Some(format!(
                    "{delete_error}, which does not tell a missing role from a missing operation, \
                     and the update that would tell failed as well. The state is kept."
                )),
                None,
                diags,
            );
            None
        }
    }
}

/// The state of an imported role that was read.
pub(super) fn imported(
    client: &Client,
    attempt: &Attempt<'_>,
    role: ListingRole,
    reads: bool,
    diags: &mut Diagnostics,
) -> Option<(ListingRoleState, Private<ListingRoleMemory>)> {
    if let Some(delete_time) = &role.delete_time {
        let delete_time = client.presentable(delete_time);
        diags.report_error(
            attempt.summary(),
            format!("{}: the role was deleted at {delete_time}.", attempt.name),
            None,
        );
        return None;
    }
    let mut state = ListingRoleState::default();
    state.fill(role);
    Some((state, Private(ListingRoleMemory { reads, ..ListingRoleMemory::default() })))
}

/// Imports by the documented call. It has to set the repository to something: to ours.
pub(super) async fn import_by_patch(
    service: &Service,
    attempt: &Attempt<'_>,
    name: &ListingRoleName,
    diags: &mut Diagnostics,
) -> Option<(ListingRoleState, Private<ListingRoleMemory>)> {
    let mut state = ListingRoleState::of(name);
    state.repo_uri = service.repository.uri_text().map(str::to_owned).into();
    state.repo_dir = service.repository.dir_text().map(str::to_owned).into();
    match probe(service, name, &state).await {
        Ok(role) => {
            warn_imported_by_patch(attempt, &service.repository, diags);
            imported(&service.client, attempt, role, false, diags)
        }
        Err(error) => {
            attempt.failed(&error, None, None, diags);
            None
        }
    }
}

fn warn_imported_by_patch(attempt: &Attempt<'_>, repository: &Repository, diags: &mut Diagnostics) {
    let recorded = match repository.uri_text() {
        Some(uri) => format!("now records {uri:?}"),
        None => "now records no repository, for none was found".to_owned(),
    };
    diags.report_warning(
        "Import read the role by an update".to_owned(),
        format!(
            "{}: reads by GET do not exist here, and drift_detection = \"patch\" reads by the \
             documented update of the recorded repository. The role {recorded}, and this provider \
             as its manager.",
            attempt.name
        ),
        None,
    );
}

/// Imports the name where nothing can be read: the next apply writes the configuration.
pub(super) fn by_name_alone(
    attempt: &Attempt<'_>,
    name: &ListingRoleName,
    error: &Error,
    diags: &mut Diagnostics,
) -> (ListingRoleState, Private<ListingRoleMemory>) {
    diags.report_warning(
        "Imported by name alone".to_owned(),
        format!(
            "{}: {error}.\n\nThe role could not be read, so nobody knows whether it exists and \
             what it says. The next apply writes the whole configuration to it.",
            attempt.name
        ),
        None,
    );
    let memory = ListingRoleMemory { unread: true, ..ListingRoleMemory::default() };
    (ListingRoleState::of(name), Private(memory))
}
