//! Planned values of an integration owner, and the owners that a plan leaves to an integration.

use access_client::api::IntegrationOwner;
use plugin_server::plan_modifier::{requires_replace, use_state_for_unknown};
use tf_provider::AttributePath;
use tf_provider::value::Value;

use super::state::IntegrationOwnerState;
use super::warn_without_owners;
use crate::object::call::Call;
use crate::object::conflicts::{self, Side};
use crate::object::value::known_text;
use crate::object::{Plan, Reported};
use crate::repository::OwnRepository;

impl Plan for IntegrationOwner {
    fn planned_create(config: &Self::State, _repository: Option<&OwnRepository>) -> Self::State {
        // The name stays unknown even if the configuration sets the ID: the service assigns it, and
        // an owner that was created under another name must not be lost over a broken promise.
        IntegrationOwnerState {
            integration_owner_id: use_state_for_unknown(&config.integration_owner_id),
            id: Value::Unknown,
            name: Value::Unknown,
            create_time: Value::Unknown,
            update_time: Value::Unknown,
            ..config.clone()
        }
    }

    fn requires_replace(prior: &Self::State, planned: &Self::State) -> Vec<AttributePath> {
        requires_replace(&[
            ("integration", &prior.integration, &planned.integration),
            ("owner", &prior.owner, &planned.owner),
            ("integration_owner_id", &prior.integration_owner_id, &planned.integration_owner_id),
        ])
    }

    fn plan_member(call: &mut Call<'_>, state: &Self::State) -> Result<(), Reported> {
        let Some(integration) = known_text(&state.integration) else { return Ok(()) };
        let owner = known_text(&state.owner).unwrap_or("an owner that is known only after apply");
        let registered = call.session.plans.plan_owner(integration, owner);
        registered.map_err(|found| conflicts::report_at(call, &found, Side::Creates, "integration"))
    }

    async fn warn_destroyed(
        call: &mut Call<'_>,
        name: &Self::Name,
        _has_grants: bool,
        _new_config: Option<&IntegrationOwnerState>,
    ) {
        warn_without_owners(call, &name.integration).await;
    }
}
