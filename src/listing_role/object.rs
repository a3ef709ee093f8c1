//! A listing role as the shared procedures see it, and its name in import IDs and functions.

use access_client::api::ListingRole;
use access_client::{Client, Error, Identifier, ListingRoleName, NameError, Pages, Response};

use crate::object::Object;
use crate::service::{Run, Service};

impl Object for ListingRole {
    const KIND: &'static str = "listing role";
    const TYPE: &'static str = "access_listing_role";
    const CREATE_IS_IDEMPOTENT: bool = true;
    const PARENT_KIND: &'static str = "listing";
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

    fn parse_name(text: &str) -> Option<ListingRoleName> {
        ListingRoleName::parse(text).ok()
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

/// Parses an import ID or a function's argument: the full name, or listing and role with a slash
/// between them.
///
/// # Errors
///
/// The rule that the text breaks.
pub(super) fn parse_name(text: &str) -> Result<ListingRoleName, NameError> {
    match text.split_once('/') {
        Some((listing, role)) if !role.contains('/') => Ok(ListingRoleName {
            listing: Identifier::parse(listing)?,
            role: Identifier::parse(role)?,
        }),
        _ => ListingRoleName::parse(text),
    }
}
