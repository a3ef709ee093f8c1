//! Planned values of a listing role, and the causes of an update.

use access_client::{ListingRole, RoleField};
use plugin_server::plan_modifier::{requires_replace, use_state_for_unknown};
use tf_provider::AttributePath;
use tf_provider::value::Value;

use super::state::{ListingRoleState, RolePrivate, changed_fields};
use crate::repository::{ConfiguredRepository, Repository};
use crate::resource::describe::{Plan, StoredOf};
use crate::resource::entity::Convert as _;
use crate::run::Run;

impl Plan for ListingRole {
    fn planned_create(config: &Self::State, run: Option<&Run>) -> Self::State {
        // The name is known, because the service takes it from the path.
        let name = Self::state_name(config);
        let name = name.map_or(Value::Unknown, |name| Value::Value(name.to_string()));
        let (repo_uri, repo_dir) = planned_repository(run.and_then(Run::known_repository));
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
        run: Option<&Run>,
        stored: &StoredOf<Self>,
        proposed: Self::State,
        config: &Self::State,
    ) -> Self::State {
        let StoredOf::<Self> { state: prior, private } = stored;
        let private = &private.own;
        let repository = run.and_then(Run::known_repository);

        let mut planned = proposed;
        let changes = changed_fields(Some(prior), &planned, config);
        let causes = causes(&changes, prior, private, repository);
        // An apply that knows the repository may write it if anything else changes.
        let may_write = repository.is_none() && planned != *prior;
        if causes.is_empty() && !may_write {
            return planned;
        }
        planned.update_time = Value::Unknown;
        if causes.contains(&UpdateCause::Manager) {
            planned.manager = Value::Unknown;
        }
        let is_written = |ours: &ConfiguredRepository| match ours.enforced == Repository::default()
        {
            true => private.other_detected || causes.contains(&UpdateCause::Imported),
            false => ours.written.changes(&prior.repository()),
        };
        if repository.is_none_or(is_written) {
            (planned.repo_uri, planned.repo_dir) = planned_repository(repository);
        }
        planned
    }
}

/// Why the plan of a role shows an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UpdateCause {
    /// The configuration sets a field differently from the state.
    Fields,
    /// The role does not record this provider as its manager, unless the service did not record it on our
    /// last write.
    Manager,
    /// The configuration or the environment sets the repository or directory, and the role records
    /// another. A detected repository is no cause.
    Repository,
    /// The role was imported with another repository, which it still records.
    Imported,
}

/// Returns the causes of an update; empty if the apply sends nothing. The plan may still show an
/// argument that only the state has, such as `adopt_existing`. `changes` are those of
/// [`changed_fields`].
pub(super) fn causes(
    changes: &[RoleField],
    prior: &ListingRoleState,
    private: &RolePrivate,
    repository: Option<&ConfiguredRepository>,
) -> Vec<UpdateCause> {
    let recorded = prior.repository();
    let is_set_differently = repository.is_some_and(|ours| ours.enforced.changes(&recorded));
    let causes = [
        (UpdateCause::Fields, !changes.is_empty()),
        (UpdateCause::Manager, !prior.is_managed() && !private.manager_unrecorded),
        (UpdateCause::Repository, is_set_differently && !private.repository_unrecorded),
        (UpdateCause::Imported, private.imported_pair.as_ref() == Some(&recorded)),
    ];
    causes.into_iter().filter_map(|(cause, applies)| applies.then_some(cause)).collect()
}

/// Returns the planned values of a pair that will be written. A detected value is known only after
/// apply: a saved plan may be applied in another checkout.
fn planned_repository(repository: Option<&ConfiguredRepository>) -> (Value<String>, Value<String>) {
    let planned = |half: Option<String>| match half.as_deref() {
        Some("") => Value::Null,
        Some(_) => half.into(),
        None => Value::Unknown,
    };
    let Repository { uri, dir } = repository.map(|ours| ours.enforced.clone()).unwrap_or_default();
    (planned(uri), planned(dir))
}
