//! An integration owner in Terraform: state and private state, and the conversions between them
//! and the API.
//!
//! An owner has no update: every change requires replacement. The service assigns its ID unless the
//! configuration sets one. Everything that reads an owner ends in
//! [`IntegrationOwnerState::set_from_response`].

use access_client::api::IntegrationOwner;
use access_client::{Identifier, IntegrationOwnerName, Principal};
use plugin_server::Report as _;
use plugin_server::plan_modifier::resolve_unknown;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::object::Object;
use crate::object::mark;
use crate::object::operation::report_invalid_state;
use crate::object::private_state::ObjectPrivateState;
use crate::object::read::Prior;
use crate::private_state::PrivateState;
use crate::service::Keys;

/// An integration owner in the state, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a state of a prior schema version lacks newer attributes
pub(crate) struct IntegrationOwnerState {
    pub(crate) integration: Value<String>,
    pub(crate) owner: Value<String>,
    pub(crate) integration_owner_id: Value<String>,
    pub(crate) adopt_existing: Value<bool>,
    pub(crate) deletion_policy: Value<String>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
    pub(crate) create_time: Value<String>,
    pub(crate) update_time: Value<String>,
}

/// The private state of an integration owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct IntegrationOwnerPrivateState {
    pub(crate) object: ObjectPrivateState,
    /// The principal, as the configuration spells it.
    pub(crate) owner: Option<String>,
    /// The principal, as the service spells it.
    pub(crate) stored: Option<String>,
}

/// The owner that a create adds.
#[derive(Clone)]
pub(crate) struct NewOwner {
    pub(crate) integration: Identifier,
    pub(crate) owner: Principal,
    pub(crate) id: Option<Identifier>,
}

/// The state of the resource.
pub(super) type State = IntegrationOwnerState;
/// Its private state, as Terraform stores it.
pub(super) type Private = PrivateState<IntegrationOwnerPrivateState>;
/// An owner as Terraform stores it: state and private state.
pub(super) type Stored = (IntegrationOwnerState, IntegrationOwnerPrivateState);

impl IntegrationOwnerState {
    /// Returns the owner's name, or adds an error: validation and import check it.
    pub(crate) fn require_name(&self, diags: &mut Diagnostics) -> Option<IntegrationOwnerName> {
        let name = self.stored_name();
        if name.is_none() {
            report_invalid_state(IntegrationOwner::KIND, diags);
        }
        name
    }

    /// Returns the name in the state if it is valid.
    pub(crate) fn stored_name(&self) -> Option<IntegrationOwnerName> {
        IntegrationOwnerName::parse(self.name.as_ref_option()?).ok()
    }

    /// Returns what a create sends if it is known.
    pub(crate) fn to_new_owner(&self) -> Option<NewOwner> {
        Some(NewOwner {
            integration: Identifier::parse(self.integration.as_ref_option()?).ok()?,
            owner: Principal::parse(self.owner.as_ref_option()?).ok()?,
            id: match self.integration_owner_id.as_ref_option() {
                Some(id) => Some(Identifier::parse(id).ok()?),
                None => None,
            },
        })
    }

    /// Returns a state that contains the owner's name and nothing else.
    pub(crate) fn from_name(name: &IntegrationOwnerName) -> Self {
        let full_name = name.to_string();
        Self {
            integration: Value::Value(name.integration.to_string()),
            integration_owner_id: Value::Value(name.owner.to_string()),
            id: Value::Value(full_name.clone()),
            name: Value::Value(full_name),
            ..Self::default()
        }
    }

    /// Returns the owner as the shared procedures need it.
    pub(crate) fn as_prior<'a>(
        &'a self,
        name: &'a IntegrationOwnerName,
        private: &'a IntegrationOwnerPrivateState,
    ) -> Prior<'a, IntegrationOwner> {
        Prior::new(name, &private.object, &self.create_time, &self.update_time)
    }

    /// Sets the attributes from an API response.
    ///
    /// The principal of an owner never changes, so another one under the same name and creation
    /// time is a spelling of the service's own (`users/ada` stored as `users/id-17`), and the state
    /// keeps the configuration's. Without a creation time, `stored` decides: the spelling that the
    /// service returned before.
    pub(crate) fn set_from_response(&mut self, owner: IntegrationOwner, stored: Option<&String>) {
        let is_same = match (self.create_time.as_ref_option(), &owner.create_time) {
            (Some(known), Some(found)) => known == found,
            _ => stored == Some(&owner.owner),
        };
        let same_name = self.name.as_ref_option() == Some(&owner.name.to_string());
        if !(is_same && same_name && self.owner.is_value()) {
            self.owner = Value::Value(owner.owner);
        }
        self.integration = Value::Value(owner.name.integration.to_string());
        self.integration_owner_id = Value::Value(owner.name.owner.to_string());
        self.id = Value::Value(owner.name.to_string());
        self.name = self.id.clone();
        // A response that omits the times does not take them away.
        if owner.create_time.is_some() {
            self.create_time = owner.create_time.into();
        }
        if owner.update_time.is_some() {
            self.update_time = owner.update_time.into();
        }
        for computed in [&mut self.create_time, &mut self.update_time] {
            if computed.is_unknown() {
                *computed = Value::Null;
            }
        }
    }

    /// Returns the state after a create or an adoption.
    pub(crate) fn after_write(self, response: IntegrationOwner) -> Self {
        let mut stored = self.clone();
        stored.set_from_response(response, None);
        Self {
            integration: self.integration,
            owner: resolve_unknown(self.owner, stored.owner),
            integration_owner_id: resolve_unknown(
                self.integration_owner_id,
                stored.integration_owner_id,
            ),
            // Unknown only as the mark of a same-name replacement.
            adopt_existing: resolve_unknown(self.adopt_existing, Value::Null),
            deletion_policy: resolve_unknown(self.deletion_policy, Value::Null),
            id: resolve_unknown(self.id, stored.id),
            name: resolve_unknown(self.name, stored.name),
            create_time: resolve_unknown(self.create_time, stored.create_time),
            update_time: resolve_unknown(self.update_time, stored.update_time),
        }
    }

    /// Returns the plan of a create.
    ///
    /// The name stays unknown even if the configuration sets the ID: the service assigns it, and an
    /// owner that was created under another name must not be lost over a broken promise.
    pub(crate) fn planned_create(self, config: &Self) -> Self {
        let integration_owner_id = match self.integration_owner_id {
            Value::Null => Value::Unknown,
            set => set,
        };
        Self {
            integration_owner_id,
            adopt_existing: config.adopt_existing,
            deletion_policy: config.deletion_policy.clone(),
            id: Value::Unknown,
            name: Value::Unknown,
            create_time: Value::Unknown,
            update_time: Value::Unknown,
            ..self
        }
    }

    /// Marks the plan of a create as a same-name replacement (`object/mark.rs`), if the configuration
    /// omits both arguments.
    pub(crate) fn mark_same_name_replacement(self, config: &Self) -> Self {
        let Self { adopt_existing, deletion_policy, .. } = config;
        if !mark::is_mark(&[adopt_existing.is_null(), deletion_policy.is_null()]) {
            return self;
        }
        Self { adopt_existing: Value::Unknown, deletion_policy: Value::Unknown, ..self }
    }

    /// Returns whether the plan has the mark of a same-name replacement.
    pub(crate) fn is_marked_same_name_replacement(&self) -> bool {
        mark::is_mark(&[self.adopt_existing.is_unknown(), self.deletion_policy.is_unknown()])
    }

    /// Returns the keys under which the owner is registered for conflicts.
    pub(crate) fn keys(&self) -> Keys {
        let principal = match (self.integration.as_ref_option(), self.owner.as_ref_option()) {
            (Some(integration), Some(owner)) => Some(principal_key(integration, owner)),
            _ => None,
        };
        let name = self.name.as_ref_option().cloned();
        principal.into_iter().chain(name).collect()
    }
}

impl IntegrationOwnerPrivateState {
    /// Records what a create that replaces the owner of this state has to know of it.
    pub(crate) fn identify(&mut self, state: &IntegrationOwnerState) {
        self.object.identify(&state.name, &state.create_time);
        if self.owner.is_none() {
            self.owner = state.owner.as_ref_option().cloned();
        }
    }

    /// Returns the keys under which the owner is registered for conflicts.
    pub(crate) fn keys(&self) -> Keys {
        let name = self.object.name.clone();
        let integration = name.as_deref().and_then(|name| name.split('/').nth(1));
        let principal = integration.zip(self.owner.as_deref());
        let key = principal.map(|(integration, owner)| principal_key(integration, owner));
        key.into_iter().chain(name).collect()
    }
}

impl NewOwner {
    /// Returns the keys under which the owner is registered for conflicts: by principal, and by
    /// name if the configuration sets the ID.
    pub(crate) fn keys(&self) -> Keys {
        let principal = principal_key(self.integration.as_str(), &self.owner.to_string());
        let name = self.id.as_ref().map(|id| {
            IntegrationOwnerName { integration: self.integration.clone(), owner: id.clone() }
                .to_string()
        });
        std::iter::once(principal).chain(name).collect()
    }

    /// Returns the first key: the one that create and delete wait for each other by.
    pub(crate) fn key(&self) -> String {
        principal_key(self.integration.as_str(), &self.owner.to_string())
    }
}

/// Returns the name of an integration, under which its owners as a whole are registered for
/// conflicts.
pub(crate) fn integration_name(integration: &Identifier) -> String {
    format!("integrations/{integration}")
}

/// Returns the key of a principal in an integration.
pub(crate) fn principal_key(integration: &str, owner: &str) -> String {
    format!("{owner} of integrations/{integration}")
}

/// Returns the principal in a configuration, or adds an error. Unknown and null pass.
pub(crate) fn validate_principal(
    owner: &Value<String>,
    diags: &mut Diagnostics,
) -> Option<Principal> {
    let owner = owner.as_ref_option()?;
    match Principal::parse(owner) {
        Ok(principal) => Some(principal),
        Err(error) => {
            diags.report_attribute_error(
                "owner",
                "Invalid owner",
                format!("{owner:?} is not a user, group or team: it {error}."),
            );
            None
        }
    }
}
