//! The calls for owners. The API document shows CreateIntegrationOwner. GET, list and DELETE are
//! assumed from the resource names.

use http::Method;

use crate::api::{IntegrationOwner, NewOwner, WireOwner};
use crate::client::{Client, Response, expect_deleted, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::json::{self, BodyError};
use crate::names::{Identifier, IntegrationOwnerName, Principal};
use crate::pages::{Pages, SkippedItem};
use crate::path::{path, query};

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
    ) -> Result<Response<IntegrationOwner>, Error> {
        let sent = owner.to_string();
        let parameters: Vec<_> = id.iter().map(|id| ("integrationOwnerId", id.as_str())).collect();
        let request = Request {
            method: Method::POST,
            path: path(&["integrations", integration.as_str(), "owners"]),
            query: query(&parameters),
            body: Some(to_json(&NewOwner { owner: &sent })),
            idempotent: false,
        };
        let read = |body: &[u8]| {
            let created = read_owner(body, integration)?;
            let same_kind =
                Principal::parse(&created.owner).is_ok_and(|stored| stored.kind() == owner.kind());
            if same_kind { Ok(created) } else { Err(BodyError::new("its body is another owner")) }
        };
        self.call_for(request, read).await
    }

    /// Reads an owner. Not documented: the service may not offer it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind.
    pub async fn get_integration_owner(
        &self,
        name: &IntegrationOwnerName,
    ) -> Result<Response<IntegrationOwner>, Error> {
        self.call_for(Request::get(owner_path(name)), |body| read_named_owner(body, name)).await
    }

    /// Removes an owner. Not documented: the service may not offer it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind.
    pub async fn delete_integration_owner(&self, name: &IntegrationOwnerName) -> Result<(), Error> {
        self.call(Request::delete(owner_path(name)), expect_deleted).await
    }

    /// Returns the owners of an integration, page by page. Not documented: the service may not offer
    /// it.
    pub fn integration_owner_pages<'c>(
        &'c self,
        integration: &'c Identifier,
    ) -> Pages<'c, IntegrationOwner> {
        let path = path(&["integrations", integration.as_str(), "owners"]);
        let read = |item: &_| owner_of(json::item(item)?, integration);
        Pages::new(self, path, &["integrationOwners", "owners"], Box::new(read))
    }
}

fn owner_path(name: &IntegrationOwnerName) -> String {
    path(&["integrations", name.integration.as_str(), "owners", name.owner.as_str()])
}

pub(crate) fn read_owner(
    body: &[u8],
    integration: &Identifier,
) -> Result<IntegrationOwner, BodyError> {
    let unusable = |skipped: SkippedItem| BodyError::new(format!("its body is {}", skipped.reason));
    owner_of(json::object(body)?, integration).map_err(unusable)
}

fn read_named_owner(
    body: &[u8],
    name: &IntegrationOwnerName,
) -> Result<IntegrationOwner, BodyError> {
    let owner = read_owner(body, &name.integration)?;
    if owner.name == *name { Ok(owner) } else { Err(BodyError::new("its body is another owner")) }
}

/// Checks an owner on the wire.
pub(crate) fn owner_of(
    wire: WireOwner,
    integration: &Identifier,
) -> Result<IntegrationOwner, SkippedItem> {
    let text = wire.name.as_deref().unwrap_or_default();
    let name = IntegrationOwnerName::parse(text).map_err(|error| SkippedItem {
        reason: format!("an owner with the name `{text}`, which {error}"),
    })?;
    if name.integration != *integration {
        let reason = format!("the owner `{name}`, which belongs to another integration");
        return Err(SkippedItem { reason });
    }
    let Some(principal) = wire.owner.as_deref().filter(|principal| !principal.is_empty()) else {
        let reason = format!("the owner `{name}`, which has no principal");
        return Err(SkippedItem { reason });
    };
    // A kind that this client does not know is accepted: a list must not omit such an owner.
    Principal::check_form(principal).map_err(|error| SkippedItem {
        reason: format!("the owner `{name}`, which has an invalid principal: it {error}"),
    })?;
    Ok(wire.into_owner(name))
}
