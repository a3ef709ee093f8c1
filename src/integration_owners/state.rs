//! The owners of an integration in Terraform: schema, state and private state.

use std::collections::{BTreeMap, BTreeSet};

use access_client::time::is_same;
use access_client::{Identifier, IntegrationOwner};
use plugin_server::plan_modifier::requires_replace;
use plugin_server::schema::{computed, new_schema, required, set_of_strings};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;
use tf_provider::{AttributePath, Diagnostics};

use super::IntegrationOwners;
use super::say::no_owners;
use crate::integration_owner::attributes::INTEGRATION;
use crate::resource::describe::{Describe, Plan};
use crate::resource::value::validate_identifier;
use crate::run::{Keys, Run};
use crate::say::Words;

const RESOURCE: &str = "Manages all owners of an integration. A create only adds owners; an update adds those that are missing, and removes those that are not in the configuration.";
const OWNERS: &str = "Users, groups and teams that own the integration: `users/{id}`, `groups/{id}` or `teams/{id}`. At least one. Any other owner is removed by the apply after the create.";

/// The owners of an integration in the state, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct IntegrationOwnersState {
    pub(crate) integration: Value<String>,
    pub(crate) owners: Value<Vec<Value<String>>>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
}

/// The times of creation of the owners that were listed or added last, by ID. They show that an
/// integration at another base address is the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnersPrivate {
    pub(crate) times: BTreeMap<String, String>,
}

impl Describe for IntegrationOwners {
    type State = IntegrationOwnersState;
    type Private = OwnersPrivate;
    const WORDS: &'static Words = &Words {
        noun: "list of owners",
        resource_type: "access_integration_owners",
        parent_noun: "integration",
        name_arguments: [("integration", INTEGRATION), ("owners", OWNERS)],
        main_argument: "integration",
    };

    /// It has no table of attributes, because no data source shows this resource.
    fn resource_schema() -> Schema {
        let text = AttributeType::String;
        let integration = format!("{INTEGRATION} Changing it replaces the resource.");
        let name = "Name of the integration, `integrations/{integration}`.";
        let attributes = [
            ("integration", required(text.clone(), &integration)),
            ("owners", required(set_of_strings(), OWNERS)),
            ("id", computed(text.clone(), "Same as `name`.")),
            ("name", computed(text, name)),
        ];
        new_schema(0, RESOURCE, attributes)
    }

    fn validate(config: &IntegrationOwnersState, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        if config.owners.as_ref_option().is_some_and(Vec::is_empty) {
            no_owners().refuse(diags);
        }
    }

    fn full_name(state: &IntegrationOwnersState) -> Option<String> {
        Some(integration_name(&state.integration_id()?))
    }

    fn keys(state: &IntegrationOwnersState) -> Keys {
        Self::full_name(state).map(Keys::of_name).unwrap_or_default()
    }

    fn new_name(planned: &IntegrationOwnersState) -> Option<String> {
        Self::full_name(planned)
    }

    fn generate_config(state: IntegrationOwnersState) -> IntegrationOwnersState {
        state
    }
}

impl Plan for IntegrationOwners {
    fn planned_create(
        config: &IntegrationOwnersState,
        _run: Option<&Run>,
    ) -> IntegrationOwnersState {
        let name = config.integration_id();
        let name = name.map_or(Value::Unknown, |id| Value::Value(integration_name(&id)));
        IntegrationOwnersState { id: name.clone(), name, ..config.clone() }
    }

    fn requires_replace(
        prior: &IntegrationOwnersState,
        planned: &IntegrationOwnersState,
    ) -> Vec<AttributePath> {
        requires_replace(&[("integration", &prior.integration, &planned.integration)])
    }
}

impl IntegrationOwnersState {
    /// Returns the ID of the integration if it is known and valid.
    pub(crate) fn integration_id(&self) -> Option<Identifier> {
        Identifier::parse(self.integration.as_ref_option()?).ok()
    }

    /// Returns the known owners, in order.
    pub(crate) fn principals(&self) -> BTreeSet<String> {
        let owners = self.owners.as_ref_option().map_or(&[][..], Vec::as_slice);
        owners.iter().filter_map(|owner| owner.as_ref_option().cloned()).collect()
    }

    /// Returns whether all owners are known.
    pub(crate) fn is_known(&self) -> bool {
        self.owners.as_ref_option().is_some_and(|owners| owners.iter().all(Value::is_value))
    }

    /// Returns the state with other owners. The same ones keep their order.
    pub(crate) fn with_owners(self, owners: BTreeSet<String>) -> Self {
        if self.is_known() && self.principals() == owners {
            return self;
        }
        Self { owners: Value::Value(owners.into_iter().map(Value::Value).collect()), ..self }
    }
}

impl OwnersPrivate {
    /// Records the owners that there are. A time that a response cuts stays.
    pub(crate) fn record<'o>(&mut self, owners: impl Iterator<Item = &'o IntegrationOwner>) {
        let mut known = std::mem::take(&mut self.times);
        for owner in owners {
            let id = owner.name.owner.to_string();
            let Some(time) = &owner.create_time else { continue };
            let kept = known.remove(&id).filter(|kept| is_same(kept, time));
            self.times.insert(id, kept.unwrap_or_else(|| time.clone()));
        }
    }

    /// Returns whether one of these owners is one that was known.
    pub(crate) fn knows<'o>(&self, mut owners: impl Iterator<Item = &'o IntegrationOwner>) -> bool {
        owners.any(|owner| {
            let known = self.times.get(owner.name.owner.as_str());
            known.zip(owner.create_time.as_ref()).is_some_and(|(known, time)| is_same(known, time))
        })
    }
}

/// Returns the name of an integration, under which its owners as a whole are registered.
pub(super) fn integration_name(integration: &Identifier) -> String {
    format!("integrations/{integration}")
}

#[cfg(test)]
mod tests {
    use access_client::{IntegrationOwnerName, ObjectName as _};

    use super::*;

    fn owner(id: &str, create_time: Option<&str>) -> IntegrationOwner {
        IntegrationOwner {
            name: IntegrationOwnerName::parse(&format!("integrations/github/owners/{id}")).unwrap(),
            owner: format!("users/{id}"),
            create_time: create_time.map(str::to_owned),
            update_time: None,
            defect: None,
        }
    }

    #[test]
    fn integration_is_the_same_if_an_owner_has_its_time() {
        let mut private = OwnersPrivate::default();
        let exact = Some("2026-01-01T00:00:00.123Z");
        private.record([owner("1", exact), owner("2", None)].iter());
        let before = private.clone();
        private.record([owner("1", Some("2026-01-01T00:00:00Z"))].iter());
        assert_eq!(private, before, "a list cuts the time");
        for (found, is_known) in [
            (owner("1", Some("2026-01-01T00:00:00Z")), true),
            (owner("1", Some("2026-01-02T00:00:00Z")), false),
            (owner("1", None), false),
            (owner("2", exact), false),
        ] {
            assert_eq!(private.knows([found.clone()].iter()), is_known, "{found:?}");
        }
        private.record([owner("3", exact)].iter());
        assert_eq!(private.times.keys().collect::<Vec<_>>(), ["3"], "who is gone is forgotten");
    }
}
