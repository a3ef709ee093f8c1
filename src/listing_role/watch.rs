//! What plans, refreshes and imports of a listing role warn about.

use access_client::time::is_before;
use access_client::{ListingRole, RoleField};
use serde_json::Value as Json;

use super::say;
use super::state::{ListingRoleState, changed_fields, known_resources};
use crate::repository::Repository;
use crate::resource::call::Call;
use crate::resource::describe::StoredOf;
use crate::resource::entity::{Convert as _, Watch};
use crate::run::Run;

impl Watch for ListingRole {
    fn warn_created(call: &mut Call<'_>) {
        if let Some(reason) = &call.run.repository.missing {
            call.warn(say::no_repository(reason));
        }
    }

    fn warn_updated(
        call: &mut Call<'_>,
        stored: &StoredOf<Self>,
        planned: &Self::State,
        config: &Self::State,
    ) {
        // Every write changes it.
        if planned.update_time.is_unknown() {
            Self::warn_created(call);
        }
        if planned.manager.is_unknown() && !stored.private.own.imported_unmanaged {
            call.warn(say::manager_will_be_recorded(&stored.state));
        }
        let changes = changed_fields(Some(&stored.state), planned, config);
        if changes.contains(&RoleField::Resources) {
            call.warn(say::entitlements_stay());
        }
    }

    fn leaves_out(config: &ListingRoleState) -> bool {
        config.resources.is_null()
    }

    fn warn_replaced(call: &mut Call<'_>, stored: &StoredOf<Self>, leaves_out: bool) {
        call.warn(say::entitlements_stay());
        let has_grants =
            known_resources(&stored.state.resources).is_none_or(|known| !known.is_empty());
        if leaves_out && has_grants {
            call.warn(say::resources_not_carried_over());
        }
    }

    async fn warn_destroyed(call: &mut Call<'_>, stored: &StoredOf<Self>, leaves_out: bool) {
        Self::warn_replaced(call, stored, leaves_out);
        // Terraform discards the warnings of the refresh before `terraform destroy`.
        if stored.state.is_managed()
            && let Some(ours) = &stored.private.own.own_repository
            && is_of_other(&stored.state, ours)
        {
            call.warn(say::recorded_by_other(call.run, &stored.state));
        }
    }

    fn warn_read(call: &mut Call<'_>, stored: &StoredOf<Self>, read: &StoredOf<Self>) {
        let is_later =
            is_before(Self::state_update_time(&stored.state), Self::state_update_time(&read.state));
        let changes = changes(call.run, &stored.state, &read.state);
        if is_later && read.state.is_managed() && !changes.is_empty() {
            call.warn(say::written_by_other(call.run, &read.state, &changes));
        }
    }

    fn after_import(call: &mut Call<'_>, stored: &mut StoredOf<Self>) {
        let ours = &call.run.repository.written;
        let recorded = stored.state.repository();
        if ours.changes(&recorded) {
            stored.private.own.imported_pair = Some(recorded.clone());
        }
        // With detection off, nothing of the pair is compared or written.
        let has_pair = !ours.is_empty() || call.run.repository.missing.is_some();
        if has_pair && is_of_other(&stored.state, ours) {
            call.warn(say::imported_from_other(call.run, &stored.state));
        }
        stored.private.own.imported_unmanaged = !stored.state.is_managed();
        stored.private.own.own_repository = Some(recorded);
    }
}

/// Returns whether a role records a repository or directory, and another one than `ours`.
fn is_of_other(role: &ListingRoleState, ours: &Repository) -> bool {
    let recorded = role.repository();
    !recorded.is_empty() && !recorded.is_same(ours)
}

/// Returns the attributes that differ, with their values after the change. `update_time` alone is no
/// change.
fn changes(
    run: &Run,
    before: &ListingRoleState,
    after: &ListingRoleState,
) -> Vec<(String, String)> {
    let [before, after] = [before, after].map(|state| serde_json::to_value(state).ok());
    let (Some(Json::Object(before)), Some(Json::Object(after))) = (before, after) else {
        return Vec::new();
    };
    let differs =
        |(name, value): &(String, Json)| name != "update_time" && before.get(name) != Some(value);
    after.into_iter().filter(differs).map(|(name, value)| (name, say::shown(run, &value))).collect()
}
