//! Planned values of a listing role, and the effects of changes on access.

use access_client::RoleField;
use access_client::api::ListingRole;
use plugin_server::plan_modifier::use_state_for_unknown;
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use super::messages;
use super::state::{ListingRoleState, changed_fields, known_resources};
use crate::object::call::Call;
use crate::object::{Entity as _, PrivateOf, Stored};
use crate::repository::{Pair, Repository, same_dir, same_uri};
use crate::service::Session;

/// Returns the planned values of a create. The name is known, because the service takes it from the
/// path.
pub(super) fn planned_create(
    config: &ListingRoleState,
    repository: Option<&Repository>,
) -> ListingRoleState {
    let name = ListingRole::state_name(config);
    let name = name.map_or(Value::Unknown, |name| Value::Value(name.to_string()));
    let (repo_uri, repo_dir) = planned_repository(repository);
    ListingRoleState {
        resources: use_state_for_unknown(&config.resources),
        id: name.clone(),
        name,
        management: Value::Unknown,
        manager: Value::Unknown,
        repo_uri,
        repo_dir,
        create_time: Value::Unknown,
        update_time: Value::Unknown,
        ..config.clone()
    }
}

/// Returns the planned values of a pair that will be written. A detected value is known only after apply:
/// a saved plan may be applied in another checkout.
fn planned_repository(repository: Option<&Repository>) -> (Value<String>, Value<String>) {
    let explicit = repository.map(Repository::enforced).unwrap_or_default();
    let planned = |explicit: Option<&str>| match explicit {
        Some("") => Value::Null,
        Some(value) => Value::Value(value.to_owned()),
        None => Value::Unknown,
    };
    (planned(explicit.uri), planned(explicit.dir))
}

/// Returns the planned values of an update: the changes of the configuration, the manager if it is not
/// recorded, and the repository if it is enforced or another field is written.
pub(super) fn planned_update(
    session: Option<&Session>,
    stored: &Stored<ListingRole>,
    proposed: ListingRoleState,
    config: &ListingRoleState,
    diags: &mut Diagnostics,
) -> ListingRoleState {
    let Stored { state: prior, private } = stored;
    let repository = session.map(|session| &session.repository);
    let enforced = repository.map(Repository::enforced).unwrap_or_default();
    let enforces = !private.entity.repository_unrecorded && differs(enforced, prior);
    let claims = !prior.is_managed() && !private.entity.manager_unrecorded;

    let mut planned = proposed;
    let changes = changed_fields(Some(prior), &planned, config);
    if changes.is_empty() && !claims && !enforces {
        return planned;
    }
    planned.update_time = Value::Unknown;
    if claims {
        planned.manager = Value::Unknown;
        messages::manager_will_be_recorded(prior).warn(diags);
    }
    if repository.is_none_or(|repository| differs(pair_to_write(repository, private), prior)) {
        (planned.repo_uri, planned.repo_dir) = planned_repository(repository);
    }
    if changes.contains(&RoleField::Resources)
        && let Some(message) = messages::entitlements_stay(prior, &planned)
    {
        message.warn(diags);
    }
    planned
}

/// Returns the pair that an update writes: explicit values, or what the last refresh detected.
fn pair_to_write<'r>(repository: &'r Repository, private: &'r PrivateOf<ListingRole>) -> Pair<'r> {
    match &private.entity.detected {
        Some(detected) if repository.enforced() == Pair::default() => detected.as_pair(),
        _ => repository.pair(),
    }
}

/// Warns about the effects of a destroy or a replacement on access.
pub(super) fn warn_destroyed(
    call: &mut Call<'_>,
    prior: &ListingRoleState,
    replaced_by: Option<&ListingRoleState>,
) {
    let object = call.operation.object.clone();
    call.warn(messages::access_is_not_revoked(&object, replaced_by.is_some()));
    let has_resources = known_resources(&prior.resources).is_none_or(|known| !known.is_empty());
    if replaced_by.is_some_and(|config| config.resources.is_null()) && has_resources {
        call.warn(messages::resources_not_carried_over(&object));
    }
}

/// Returns whether the role records another repository than this pair.
fn differs(repository: Pair<'_>, prior: &ListingRoleState) -> bool {
    let owned = |text: &str| Some(text.to_owned());
    repository.uri.is_some_and(|uri| !same_uri(prior.repo_uri.as_ref_option(), owned(uri).as_ref()))
        || repository
            .dir
            .is_some_and(|dir| !same_dir(prior.repo_dir.as_ref_option(), owned(dir).as_ref()))
}
