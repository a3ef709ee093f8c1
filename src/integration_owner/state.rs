//! An integration owner in Terraform: state and private state, and the conversions between them and
//! the API.
//!
//! An owner has no update: every change requires replacement. The service assigns its ID unless the
//! configuration sets one. Everything that reads an owner ends in
//! [`IntegrationOwnerState::set_from_response`].

use std::fmt;

use access_client::api::IntegrationOwner;
use access_client::time::is_same as is_same_time;
use access_client::{Error, Identifier, IntegrationOwnerName, ObjectName as _, Principal};
use plugin_server::hcl::quoted;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::messages::owners::InvalidPrincipal;
use crate::object::value::{known_text, set_time};
use crate::object::{Common, Convert, Message, Stored};
use crate::service::Key;

plugin_server::states! {
    IntegrationOwnerState {
        adopt_existing: Value<bool>,
        deletion_policy: Value<String>,
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

/// What the service has stored in place of the configuration's values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnerPrivateState {
    /// The principal, as the service spells it.
    pub(crate) stored: Option<String>,
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

/// A POST that is not known to have added an owner.
pub(crate) enum NotAdded {
    /// The service refused the request, or never received it.
    Refused(Error),
    /// The service may have added the owner. The error, and the owner that has the ID now.
    Unknown(Error, Option<IntegrationOwner>),
}

impl Convert for IntegrationOwner {
    type Subject = NewOwner;
    type State = IntegrationOwnerState;
    type Private = OwnerPrivateState;

    fn common(state: &Self::State) -> Common<'_> {
        Common {
            deletion_policy: &state.deletion_policy,
            create_time: &state.create_time,
            update_time: &state.update_time,
        }
    }

    fn state_name(state: &Self::State) -> Option<Self::Name> {
        IntegrationOwnerName::parse(known_text(&state.name)?).ok()
    }

    fn state_keys(state: &Self::State) -> Vec<Key> {
        let Some(name) = Self::state_name(state) else { return Vec::new() };
        keys_of(&name.integration, known_text(&state.owner), Some(&name))
    }

    fn subject(planned: &Self::State) -> Option<NewOwner> {
        let integration = Identifier::parse(known_text(&planned.integration)?).ok()?;
        let owner = known_text(&planned.owner).map(Principal::parse).transpose().ok()?;
        let id = known_text(&planned.integration_owner_id).map(Identifier::parse).transpose();
        let new = NewOwner { integration, owner, id: id.ok()? };
        (new.owner.is_some() || new.id.is_some()).then_some(new)
    }

    fn subject_parent(subject: &NewOwner) -> &Identifier {
        &subject.integration
    }

    fn subject_keys(subject: &NewOwner) -> Vec<Key> {
        let principal = subject.principal();
        keys_of(&subject.integration, principal.as_deref(), subject.fixed_name().as_ref())
    }

    fn after_read(stored: Stored<Self>, owner: Self) -> Stored<Self> {
        let Stored { mut state, mut private } = stored;
        let spelling = private.entity.stored.replace(owner.owner.clone());
        state.set_from_response(owner, spelling.as_ref());
        Stored { state, private }
    }
}

impl IntegrationOwnerState {
    /// The principal of an owner never changes, so another one under the same name and creation
    /// time is a spelling of the service's own (`users/ada` stored as `users/id-17`), and the state
    /// keeps the configuration's.
    pub(crate) fn set_from_response(&mut self, owner: IntegrationOwner, stored: Option<&String>) {
        let is_same = is_same_owner(&owner, known_text(&self.create_time), stored);
        let same_name = self.name.as_ref_option() == Some(&owner.name.to_string());
        if !(is_same && same_name && self.owner.is_value()) {
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
        stored.set_from_response(response, None);
        self.resolve_unknowns(stored)
    }
}

/// Returns whether a response shows the owner that was known under its name, and not another that
/// was added under it. Without a creation time, `stored` decides: the spelling that the service
/// returned before.
pub(crate) fn is_same_owner(
    found: &IntegrationOwner,
    create_time: Option<&str>,
    stored: Option<&String>,
) -> bool {
    match (create_time, &found.create_time) {
        (Some(known), Some(found)) => is_same_time(known, found),
        _ => stored == Some(&found.owner),
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
        IntegrationOwner::subject_keys(self)[0].fmt(f)
    }
}

/// Returns the keys of an owner: its principal, and its name, if they are known.
pub(crate) fn keys_of(
    integration: &Identifier,
    principal: Option<&str>,
    name: Option<&IntegrationOwnerName>,
) -> Vec<Key> {
    let principal = principal.map(|principal| principal_key(integration, principal));
    principal.into_iter().chain(name.map(|name| Key::Name(name.to_string()))).collect()
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
    let refuse = |fault| {
        let owner = quoted(owner);
        let message = InvalidPrincipal { argument: &attribute, owner: &owner, fault: &fault };
        Message::from(message).at(attribute).fail(diags)
    };
    Principal::parse(owner).map_err(refuse).ok()
}
