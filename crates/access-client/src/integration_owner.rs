//! Owners: their name, their fields in requests and responses, and CreateIntegrationOwner, which the
//! API document shows.

use std::fmt;

use http::Method;
use serde::{Deserialize, Serialize};

use crate::client::{Client, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::invalid::Invalid;
use crate::json::{AnyText, BodyError, Fields, Raw, name_text};
use crate::names::{Identifier, ObjectName, parse_id};
use crate::object::{Object, check_name, collection_path, read};
use crate::path::query;

/// The name of an owner: `integrations/{integration}/owners/{owner}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntegrationOwnerName {
    /// ID of the integration.
    pub integration: Identifier,
    /// ID of the owner in its integration.
    pub owner: Identifier,
}

impl ObjectName for IntegrationOwnerName {
    const WORDS: (&'static str, &'static str) = ("integration", "owner");

    fn new(integration: Identifier, owner: Identifier) -> Self {
        Self { integration, owner }
    }

    fn parent(&self) -> &Identifier {
        &self.integration
    }

    fn id(&self) -> &Identifier {
        &self.owner
    }
}

impl fmt::Display for IntegrationOwnerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "integrations/{}/owners/{}", self.integration, self.owner)
    }
}

/// The kinds of principals.
const KINDS: [&str; 3] = ["users", "groups", "teams"];

/// The principal that owns an integration: `users/{id}`, `groups/{id}` or `teams/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Principal {
    kind: &'static str,
    id: Identifier,
}

impl Principal {
    /// Parses `users/{id}`, `groups/{id}` or `teams/{id}`.
    ///
    /// # Errors
    ///
    /// Returns whether the form or the ID is invalid.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let form = "must have the form users/{id}, groups/{id} or teams/{id}";
        let (kind, id) = text.split_once('/').ok_or(form)?;
        let kind = KINDS.into_iter().find(|known| *known == kind).ok_or(form)?;
        Ok(Self { kind, id: parse_id(id)? })
    }

    /// Returns the kind: `users`, `groups` or `teams`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.id)
    }
}

/// An owner of an integration, as the service returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegrationOwner {
    /// The resource name. It belongs to the requested integration.
    pub name: IntegrationOwnerName,
    /// The principal in the service's spelling, usually `users/{id}`, `groups/{id}` or `teams/{id}`; empty
    /// if the service has a value that is no text.
    pub owner: String,
    /// RFC 3339.
    pub create_time: Option<String>,
    /// RFC 3339.
    pub update_time: Option<String>,
    /// What is missing here although the service has it.
    pub defect: Option<String>,
}

/// The request body that creates an owner.
#[derive(Serialize)]
struct OwnerBody<'a> {
    owner: &'a str,
}

impl Client {
    /// Adds an owner to an integration (CreateIntegrationOwner). The call is not idempotent. It is
    /// repeated only if the service certainly did not process it.
    ///
    /// The service may store the principal in another spelling, such as `users/id-17` for
    /// `users/ada`; the returned object contains the service's spelling.
    ///
    /// # Errors
    ///
    /// Returns an [`Error`] of any kind. [`Error::may_have_been_processed`] returns whether the
    /// owner may exist.
    pub async fn create_integration_owner(
        &self,
        integration: &Identifier,
        owner: &Principal,
        id: Option<&Identifier>,
    ) -> Result<IntegrationOwner, Error> {
        let sent = owner.to_string();
        let parameters: Vec<_> = id.iter().map(|id| ("integrationOwnerId", id.as_str())).collect();
        let request = Request {
            method: Method::POST,
            path: collection_path::<IntegrationOwnerName>(integration),
            query: query(&parameters),
            body: Some(to_json(&OwnerBody { owner: &sent })),
            idempotent: false,
        };
        let read = |body: &[u8]| {
            let created: IntegrationOwner = read(body, integration, None)?;
            // Any spelling is one of the same kind.
            match created.owner.split_once('/') {
                Some((kind, _)) if KINDS.contains(&kind) && kind != owner.kind => {
                    Err(BodyError::new("its body is another owner"))
                }
                _ => Ok(created),
            }
        };
        self.call_for(request, read).await
    }
}

/// An owner in a response body.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct WireOwner {
    name: Raw,
    owner: Raw,
    create_time: Raw,
    update_time: Raw,
}

impl Object for IntegrationOwner {
    type Name = IntegrationOwnerName;
    type Wire = WireOwner;

    const LIST_FIELDS: &'static [&'static str] = &["integrationOwners", "owners"];

    fn name(&self) -> &IntegrationOwnerName {
        &self.name
    }

    fn create_time(&self) -> Option<&str> {
        self.create_time.as_deref()
    }

    fn update_time(&self) -> Option<&str> {
        self.update_time.as_deref()
    }

    fn defect(&self) -> Option<&str> {
        self.defect.as_deref()
    }

    fn of_wire(
        wire: WireOwner,
        integration: &Identifier,
        requested: Option<&IntegrationOwnerName>,
    ) -> Result<Self, String> {
        let mut fields = Fields::default();
        let name = check_name(&name_text(&wire.name), integration, requested)?;
        let owner: String = fields.read("owner", &wire.owner);
        if owner.is_empty() {
            fields.defect.get_or_insert_with(|| "it has no `owner`".to_owned());
        }
        let AnyText(create_time) = fields.read("createTime", &wire.create_time);
        let AnyText(update_time) = fields.read("updateTime", &wire.update_time);
        Ok(Self { name, owner, create_time, update_time, defect: fields.defect })
    }
}
