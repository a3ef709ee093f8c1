//! Planned values of an integration owner.

use access_client::IntegrationOwner;
use plugin_server::plan_modifier::{requires_replace, use_state_for_unknown};
use tf_provider::AttributePath;
use tf_provider::value::Value;

use super::state::IntegrationOwnerState;
use crate::resource::describe::Plan;
use crate::run::Run;

impl Plan for IntegrationOwner {
    fn planned_create(config: &Self::State, _run: Option<&Run>) -> Self::State {
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
}
