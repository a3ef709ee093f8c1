//! An owner of an integration: its state, and the mapping between the state and the API.
//!
//! An owner has no update: whatever changes replaces it. The service gives it an ID unless the
//! configuration does. Everything that reads an owner ends in [`IntegrationOwnerState::fill`].

mod attributes;
mod calls;
mod data_source;
mod function;
mod identity;
mod list_resource;
mod owners_data_source;
mod resource;
mod stored;
mod words;

use access_client::api::IntegrationOwner;
use access_client::{Identifier, IntegrationOwnerName, NameError, Principal};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::value::Value;

use crate::diagnostic::{Report, report_unnamed};
use crate::plan::settle;

#[cfg(test)]
pub(crate) use data_source::IntegrationOwnerData;
pub(crate) use data_source::IntegrationOwnerDataSource;
pub(crate) use function::{IntegrationOwnerNameFunction, ParseIntegrationOwnerNameFunction};
#[cfg(test)]
pub(crate) use owners_data_source::IntegrationOwnersData;
pub(crate) use owners_data_source::IntegrationOwnersDataSource;
pub(crate) use resource::IntegrationOwnerResource;

const KIND: &str = "integration owner";
const TYPE: &str = "access_integration_owner";

/// An integration owner as Terraform keeps it, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)] // a stored state may lack what a later version of the schema has
pub(crate) struct IntegrationOwnerState {
    pub(crate) integration: Value<String>,
    pub(crate) owner: Value<String>,
    pub(crate) integration_owner_id: Value<String>,
    pub(crate) adopt_existing: Value<bool>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
    pub(crate) create_time: Value<String>,
    pub(crate) update_time: Value<String>,
}

/// What the provider remembers of an owner beside its state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct IntegrationOwnerMemory {
    /// A read of this owner was seen to work: a later 404 means that it is gone.
    pub(crate) reads: bool,
}

impl IntegrationOwnerState {
    /// A state that says nothing but which owner it is.
    pub(crate) fn of(name: &IntegrationOwnerName) -> Self {
        let full_name = name.to_string();
        Self {
            integration: Value::Value(name.integration.to_string()),
            integration_owner_id: Value::Value(name.owner.to_string()),
            id: Value::Value(full_name.clone()),
            name: Value::Value(full_name),
            ..Self::default()
        }
    }

    /// Takes over what the service says of the owner.
    pub(crate) fn fill(&mut self, owner: IntegrationOwner) {
        self.integration = Value::Value(owner.name.integration.to_string());
        self.owner = Value::Value(owner.owner);
        self.integration_owner_id = Value::Value(owner.name.owner.to_string());
        self.id = Value::Value(owner.name.to_string());
        self.name = self.id.clone();
        self.create_time = owner.create_time.into();
        self.update_time = owner.update_time.into();
    }

    /// The state after a create or a take-over: what was planned, and for the rest what the
    /// service answered.
    pub(crate) fn written(self, answer: IntegrationOwner) -> Self {
        let mut answered = self.clone();
        answered.fill(answer);
        Self {
            integration: self.integration,
            owner: settle(self.owner, answered.owner),
            integration_owner_id: settle(self.integration_owner_id, answered.integration_owner_id),
            adopt_existing: self.adopt_existing,
            id: settle(self.id, answered.id),
            name: settle(self.name, answered.name),
            create_time: settle(self.create_time, answered.create_time),
            update_time: settle(self.update_time, answered.update_time),
        }
    }

    /// The plan of an owner that does not exist yet.
    ///
    /// Its name stays unknown even where the configuration gives the ID: the service assigns it,
    /// and an owner that was created under another name must not be lost over a broken promise.
    pub(crate) fn all_computed_unknown(self) -> Self {
        let integration_owner_id = match self.integration_owner_id {
            Value::Null => Value::Unknown,
            set => set,
        };
        Self {
            integration_owner_id,
            id: Value::Unknown,
            name: Value::Unknown,
            create_time: Value::Unknown,
            update_time: Value::Unknown,
            ..self
        }
    }
}

/// The name in a state, or an error: validation and import let no other in.
pub(crate) fn known_name(
    state: &IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<IntegrationOwnerName> {
    let name = state.name.as_ref_option().and_then(|name| IntegrationOwnerName::parse(name).ok());
    if name.is_none() {
        report_unnamed(KIND, diags);
    }
    name
}

/// The name in an import ID or a function's argument: the full one, or integration and owner ID
/// with a slash.
pub(crate) fn parse_name(text: &str) -> Result<IntegrationOwnerName, NameError> {
    match text.split_once('/') {
        Some((integration, owner)) if !owner.contains('/') => Ok(IntegrationOwnerName {
            integration: Identifier::parse(integration)?,
            owner: Identifier::parse(owner)?,
        }),
        _ => IntegrationOwnerName::parse(text),
    }
}

/// The user, group or team in a configuration, or an error where it is none. Unknown and null
/// pass.
pub(crate) fn validate_owner(owner: &Value<String>, diags: &mut Diagnostics) -> Option<Principal> {
    let owner = owner.as_ref_option()?;
    match Principal::parse(owner) {
        Ok(principal) => Some(principal),
        Err(error) => {
            diags.report_error(
                "Invalid owner".to_owned(),
                format!("{owner:?} is no owner: it {error}."),
                Some("owner"),
            );
            None
        }
    }
}

/// What a create sends.
pub(crate) struct Wanted {
    pub(crate) integration: Identifier,
    pub(crate) owner: Principal,
    pub(crate) id: Option<Identifier>,
}

/// What a plan asks to create, or an error: validation lets nothing else through.
pub(crate) fn to_create(
    planned: &IntegrationOwnerState,
    diags: &mut Diagnostics,
) -> Option<Wanted> {
    let parse = || {
        Some(Wanted {
            integration: Identifier::parse(planned.integration.as_ref_option()?).ok()?,
            owner: Principal::parse(planned.owner.as_ref_option()?).ok()?,
            id: match planned.integration_owner_id.as_ref_option() {
                Some(id) => Some(Identifier::parse(id).ok()?),
                None => None,
            },
        })
    };
    let wanted = parse();
    if wanted.is_none() {
        report_unnamed(KIND, diags);
    }
    wanted
}
