//! A listing role as the shared procedures see it.

use access_client::api::ListingRole;
use access_client::{Client, Error, Identifier, ListingRoleName, NameError, Pages, Response};

use super::schema;
use crate::object::Object;
use crate::service::{Run, Service};

impl Object for ListingRole {
    const KIND: &'static str = "listing role";
    const TYPE: &'static str = "access_listing_role";
    const CREATE_IS_IDEMPOTENT: bool = true;
    const PARENT_KIND: &'static str = "listing";
    const A_KIND: &'static str = "a listing role";
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2] =
        [("listing", schema::LISTING), ("role", schema::ROLE)];
    const NAME_FORM: &'static str = "listings/{listing}/roles/{role}";
    type Name = ListingRoleName;

    fn name(&self) -> &ListingRoleName {
        &self.name
    }

    fn parent(name: &ListingRoleName) -> &Identifier {
        &name.listing
    }

    fn id(name: &ListingRoleName) -> &Identifier {
        &name.role
    }

    fn create_time(&self) -> Option<&str> {
        self.create_time.as_deref()
    }

    fn update_time(&self) -> Option<&str> {
        self.update_time.as_deref()
    }

    fn delete_time(&self) -> Option<&str> {
        self.delete_time.as_deref()
    }

    fn name_of(listing: Identifier, role: Identifier) -> ListingRoleName {
        ListingRoleName { listing, role }
    }

    fn parse_name(text: &str) -> Result<ListingRoleName, NameError> {
        ListingRoleName::parse(text)
    }

    fn parse_body(body: &[u8], name: &ListingRoleName) -> Result<Self, String> {
        Self::from_body(body, name)
    }

    async fn get(client: &Client, name: &ListingRoleName) -> Result<Response<Self>, Error> {
        client.get_listing_role(name).await
    }

    async fn delete(client: &Client, name: &ListingRoleName) -> Result<(), Error> {
        client.delete_listing_role(name).await
    }

    fn pages<'c>(client: &'c Client, listing: &'c Identifier) -> Pages<'c, Self> {
        client.listing_role_pages(listing)
    }

    fn run(service: &Service) -> &Run<Self> {
        &service.roles
    }
}
