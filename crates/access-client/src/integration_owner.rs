//! Owners: the check of a response, and CreateIntegrationOwner, which the API document shows.

use http::Method;

use crate::api::{IntegrationOwner, NewOwner, WireOwner};
use crate::client::{Client, Response, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::json::BodyError;
use crate::names::{Identifier, IntegrationOwnerName, Principal};
use crate::object::{Object, check_name, collection_path, read};
use crate::path::query;

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
            path: collection_path::<IntegrationOwnerName>(integration),
            query: query(&parameters),
            body: Some(to_json(&NewOwner { owner: &sent })),
            idempotent: false,
        };
        let read = |body: &[u8]| {
            let created: IntegrationOwner = read(body, integration, None)?;
            let same_kind =
                Principal::parse(&created.owner).is_ok_and(|stored| stored.kind() == owner.kind());
            if same_kind { Ok(created) } else { Err(BodyError::new("its body is another owner")) }
        };
        self.call_for(request, read).await
    }
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

    fn of_wire(
        wire: WireOwner,
        integration: &Identifier,
        requested: Option<&IntegrationOwnerName>,
    ) -> Result<Self, String> {
        let text = wire.name.as_deref().unwrap_or_default();
        let name = check_name(text, integration, requested)?;
        let Some(principal) = wire.owner.as_deref().filter(|text| !text.is_empty()) else {
            return Err(format!("the owner `{name}`, which has no principal"));
        };
        // A kind that this client does not know is accepted: a list must not omit such an owner.
        Principal::check_form(principal).map_err(|error| {
            format!("the owner `{name}`, which has an invalid principal: it {error}")
        })?;
        Ok(wire.into_owner(name))
    }
}
