//! An integration owner as the shared procedures see it.

use access_client::api::IntegrationOwner;
use access_client::{Client, Error, Identifier, IntegrationOwnerName, NameError, Pages, Response};

use super::schema;
use crate::object::Object;
use crate::service::{Run, Service};

impl Object for IntegrationOwner {
    const KIND: &'static str = "integration owner";
    const TYPE: &'static str = "access_integration_owner";
    const CREATE_IS_IDEMPOTENT: bool = false;
    const PARENT_KIND: &'static str = "integration";
    const A_KIND: &'static str = "an integration owner";
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2] =
        [("integration", schema::INTEGRATION), ("owner", schema::INTEGRATION_OWNER_ID)];
    const NAME_FORM: &'static str = "integrations/{integration}/owners/{owner}";
    type Name = IntegrationOwnerName;

    fn name(&self) -> &IntegrationOwnerName {
        &self.name
    }

    fn parent(name: &IntegrationOwnerName) -> &Identifier {
        &name.integration
    }

    fn id(name: &IntegrationOwnerName) -> &Identifier {
        &name.owner
    }

    fn create_time(&self) -> Option<&str> {
        self.create_time.as_deref()
    }

    fn update_time(&self) -> Option<&str> {
        self.update_time.as_deref()
    }

    fn delete_time(&self) -> Option<&str> {
        None
    }

    fn name_of(integration: Identifier, owner: Identifier) -> IntegrationOwnerName {
        IntegrationOwnerName { integration, owner }
    }

    fn parse_name(text: &str) -> Result<IntegrationOwnerName, NameError> {
        IntegrationOwnerName::parse(text)
    }

    fn parse_body(body: &[u8], name: &IntegrationOwnerName) -> Result<Self, String> {
        Self::from_body(body, name)
    }

    async fn get(client: &Client, name: &IntegrationOwnerName) -> Result<Response<Self>, Error> {
        client.get_integration_owner(name).await
    }

    async fn delete(client: &Client, name: &IntegrationOwnerName) -> Result<(), Error> {
        client.delete_integration_owner(name).await
    }

    fn pages<'c>(client: &'c Client, integration: &'c Identifier) -> Pages<'c, Self> {
        client.integration_owner_pages(integration)
    }

    fn run(service: &Service) -> &Run<Self> {
        &service.owners
    }
}
