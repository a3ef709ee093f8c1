//! An integration owner in Terraform: state and private state, the conversions between them and the API,
//! and the values that the service can never accept.
//!
//! An owner has no update: every change requires replacement. The service assigns its ID unless the
//! configuration sets one. Everything that reads an owner ends in
//! [`IntegrationOwnerState::set_from_response`].

use std::fmt;

use access_client::time::is_equal;
use access_client::{
    Identifier, IntegrationOwner, IntegrationOwnerName, ObjectName as _, Principal,
};
use plugin_server::schema::new_schema;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;
use tf_provider::value::Value;

use super::attributes::{ATTRIBUTES, RESOURCE, WORDS};
use super::say::invalid_principal;
use crate::resource::attributes::resource_attributes;
use crate::resource::describe::{Describe, StoredOf};
use crate::resource::entity::Convert;
use crate::resource::value::{known_text, set_time, validate_identifier};
use crate::run::{Key, Keys};
use crate::say::Words;

plugin_server::states! {
    IntegrationOwnerState {
        adopt_existing: Value<bool>,
    }
    IntegrationOwnerData {
        integration: Value<String>,
        integration_owner_id: Value<String>,
        owner: Value<String>,
        id: Value<String>,
        name: Value<String>,
        create_time: Value<String>,
        update_time: Value<String>,
    }
}

/// The owner that a create adds. Its principal or its ID is known.
#[derive(Clone)]
pub(crate) struct NewOwner {
    pub(crate) integration: Identifier,
    /// `None` in a plan if it is known only after apply.
    pub(crate) owner: Option<Principal>,
    /// The ID that the configuration sets.
    pub(crate) id: Option<Identifier>,
}

impl Describe for IntegrationOwner {
    type State = IntegrationOwnerState;
    type Private = ();
    const WORDS: &'static Words = WORDS;

    fn resource_schema() -> Schema {
        new_schema(0, RESOURCE, resource_attributes(ATTRIBUTES))
    }

    fn full_name(state: &Self::State) -> Option<String> {
        Some(Self::state_name(state)?.to_string())
    }

    fn keys(state: &Self::State) -> Keys {
        let Some(name) = Self::state_name(state) else { return Keys::default() };
        keys_of(&name.integration, known_text(&state.owner), Some(&name))
    }

    fn new_name(planned: &Self::State) -> Option<String> {
        Some(Self::to_create(planned)?.to_string())
    }

    fn generate_config(state: Self::State) -> Self::State {
        IntegrationOwnerState { adopt_existing: Value::Null, ..state }
    }

    fn validate(config: &Self::State, diags: &mut Diagnostics) {
        validate_identifier("integration", &config.integration, diags);
        validate_identifier("integration_owner_id", &config.integration_owner_id, diags);
        validate_principal("owner", &config.owner, diags);
    }
}

impl Convert for IntegrationOwner {
    type New = NewOwner;

    fn state_create_time(state: &Self::State) -> Option<&str> {
        known_text(&state.create_time)
    }

    fn state_update_time(state: &Self::State) -> Option<&str> {
        known_text(&state.update_time)
    }

    fn state_name(state: &Self::State) -> Option<Self::Name> {
        IntegrationOwnerName::parse(known_text(&state.name)?).ok()
    }

    fn to_create(planned: &Self::State) -> Option<NewOwner> {
        let integration = Identifier::parse(known_text(&planned.integration)?).ok()?;
        let owner = known_text(&planned.owner).map(Principal::parse).transpose().ok()?;
        let id = known_text(&planned.integration_owner_id).map(Identifier::parse).transpose();
        let new = NewOwner { integration, owner, id: id.ok()? };
        (new.owner.is_some() || new.id.is_some()).then_some(new)
    }

    fn new_of_keys(keys: &Keys) -> Option<NewOwner> {
        let name = match &keys.name {
            Some(Key::Name(name)) => Some(IntegrationOwnerName::parse(name).ok()?),
            _ => None,
        };
        let (integration, owner) = match &keys.principal {
            Some(Key::Principal { integration, owner }) => {
                (Identifier::parse(integration).ok()?, Some(Principal::parse(owner).ok()?))
            }
            _ => (name.clone()?.integration, None),
        };
        Some(NewOwner { integration, owner, id: name.map(|name| name.owner) })
    }

    fn keys_of_new(new: &NewOwner) -> Keys {
        let principal = new.principal();
        keys_of(&new.integration, principal.as_deref(), new.fixed_name().as_ref())
    }

    fn after_read(stored: StoredOf<Self>, owner: Self) -> StoredOf<Self> {
        let StoredOf::<Self> { mut state, private } = stored;
        state.set_from_response(owner);
        StoredOf::<Self> { state, private }
    }
}

impl IntegrationOwnerState {
    /// Sets all attributes from a response. `owner` is set once: while the ID and the creation time are
    /// the same, the state keeps the configuration's spelling.
    pub(crate) fn set_from_response(&mut self, owner: IntegrationOwner) {
        let same_name = self.name.as_ref_option() == Some(&owner.name.to_string());
        let same_time = is_equal(owner.create_time.as_deref(), known_text(&self.create_time));
        if !(same_name && same_time && self.owner.is_value()) {
            self.owner = Value::Value(owner.owner);
        }
        self.integration = Value::Value(owner.name.integration.to_string());
        self.integration_owner_id = Value::Value(owner.name.owner.to_string());
        self.id = Value::Value(owner.name.to_string());
        self.name = self.id.clone();
        set_time(&mut self.create_time, owner.create_time);
        set_time(&mut self.update_time, owner.update_time);
    }

    /// Returns the planned state with the values of the response where they were unknown.
    pub(crate) fn after_write(self, response: IntegrationOwner) -> Self {
        let mut stored = self.clone();
        stored.set_from_response(response);
        self.resolve_unknowns(stored)
    }
}

impl NewOwner {
    /// Returns the name of the owner if the configuration sets its ID.
    pub(crate) fn fixed_name(&self) -> Option<IntegrationOwnerName> {
        let owner = self.id.clone()?;
        Some(IntegrationOwnerName { integration: self.integration.clone(), owner })
    }

    /// Returns the user, group or team, as the configuration spells it.
    pub(crate) fn principal(&self) -> Option<String> {
        self.owner.as_ref().map(ToString::to_string)
    }

    /// Returns whether an owner has this principal, in this spelling.
    pub(crate) fn is_principal_of(&self, owner: &IntegrationOwner) -> bool {
        self.principal().as_ref() == Some(&owner.owner)
    }
}

impl fmt::Display for NewOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        IntegrationOwner::keys_of_new(self).main().map_or(Ok(()), |key| key.fmt(f))
    }
}

/// Returns the keys of an owner: its principal, and its name, if they are known.
pub(crate) fn keys_of(
    integration: &Identifier,
    principal: Option<&str>,
    name: Option<&IntegrationOwnerName>,
) -> Keys {
    Keys {
        principal: principal.map(|principal| principal_key(integration, principal)),
        name: name.map(|name| Key::Name(name.to_string())),
    }
}

/// Returns the key of a user, group or team in an integration, in this spelling.
pub(crate) fn principal_key(integration: &Identifier, owner: &str) -> Key {
    Key::Principal { integration: integration.to_string(), owner: owner.to_owned() }
}

/// Returns a principal in the configuration of an attribute, or adds an error. Unknown and null
/// pass.
pub(crate) fn validate_principal(
    attribute: &'static str,
    owner: &Value<String>,
    diags: &mut Diagnostics,
) -> Option<Principal> {
    let owner = owner.as_ref_option()?;
    let refuse = |fault: access_client::Invalid| {
        invalid_principal(owner, &fault.to_string()).at(attribute).refuse(diags)
    };
    Principal::parse(owner).map_err(refuse).ok()
}
