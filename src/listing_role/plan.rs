//! Planned values of a listing role, and the effects of changes on access.

use access_client::RoleField;
use access_client::api::ListingRole;
use plugin_server::plan_modifier::{requires_replace, use_state_for_unknown};
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

use super::messages;
use super::state::{ListingRoleState, changed_fields, known_resources};
use crate::object::call::Call;
use crate::object::existence::Adoption;
use crate::object::{Convert as _, Plan, PrivateOf, Stored};
use crate::repository::{OwnRepository, Repository};
use crate::service::Session;

impl Plan for ListingRole {
    fn adoption(planned: &Self::State) -> Adoption {
        Adoption::by(&[
            ("adopt_existing", &planned.adopt_existing, true),
            ("allow_missing", &planned.allow_missing, false),
        ])
    }

    fn must_exist(planned: &Self::State) -> bool {
        planned.allow_missing.as_ref_option() == Some(&false)
    }

    fn planned_create(config: &Self::State, repository: Option<&OwnRepository>) -> Self::State {
        // The name is known, because the service takes it from the path.
        let name = Self::state_name(config);
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

    fn requires_replace(prior: &Self::State, planned: &Self::State) -> Vec<AttributePath> {
        requires_replace(&[
            ("listing", &prior.listing, &planned.listing),
            ("role", &prior.role, &planned.role),
        ])
    }

    fn planned_update(
        session: Option<&Session>,
        stored: &Stored<Self>,
        proposed: Self::State,
        config: &Self::State,
        diags: &mut Diagnostics,
    ) -> Self::State {
        let Stored { state: prior, private } = stored;
        let repository = session.map(|session| &session.repository);
        let recorded = prior.repository();
        let enforces = !private.entity.repository_unrecorded
            && repository.is_some_and(|repository| repository.enforced.changes(&recorded));
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
        let is_written = |repository| repository_to_write(repository, private).changes(&recorded);
        if repository.is_none_or(is_written) {
            (planned.repo_uri, planned.repo_dir) = planned_repository(repository);
        }
        if changes.contains(&RoleField::Resources)
            && let Some(message) = messages::entitlements_stay(prior, &planned)
        {
            message.warn(diags);
        }
        planned
    }

    async fn warn_destroyed(
        call: &mut Call<'_>,
        prior: &Self::State,
        replaced_by: Option<&ListingRoleState>,
    ) {
        let object = call.object.clone();
        call.warn(messages::access_is_not_revoked(&object, replaced_by.is_some()));
        let has_resources = known_resources(&prior.resources).is_none_or(|known| !known.is_empty());
        if replaced_by.is_some_and(|config| config.resources.is_null()) && has_resources {
            call.warn(messages::resources_not_carried_over(&call.object));
        }
    }
}

/// Returns the planned values of a pair that will be written. A detected value is known only after apply:
/// a saved plan may be applied in another checkout.
fn planned_repository(repository: Option<&OwnRepository>) -> (Value<String>, Value<String>) {
    let planned = |half: Option<String>| match half.as_deref() {
        Some("") => Value::Null,
        Some(_) => half.into(),
        None => Value::Unknown,
    };
    let Repository { uri, dir } = repository.map(|own| own.enforced.clone()).unwrap_or_default();
    (planned(uri), planned(dir))
}

/// Returns the repository that an update is compared with: explicit values, or what the last refresh detected.
fn repository_to_write<'r>(
    repository: &'r OwnRepository,
    private: &'r PrivateOf<ListingRole>,
) -> &'r Repository {
    match &private.entity.detected {
        Some(detected) if repository.enforced == Repository::default() => detected,
        _ => &repository.written,
    }
}
