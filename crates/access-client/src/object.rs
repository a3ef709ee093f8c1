//! What the objects of the service have in common, for code that serves all of them.

use std::fmt;
use std::future::Future;

use crate::api::{IntegrationOwner, ListingRole};
use crate::client::{Client, Response};
use crate::error::Error;
use crate::names::{Identifier, IntegrationOwnerName, ListingRoleName, NameError};
use crate::pages::Pages;

/// The full name of an object: the ID of its parent, and its own.
pub trait ObjectName: Clone + Eq + fmt::Display + Send + Sync + 'static {
    /// Returns the name of these IDs.
    fn new(parent: Identifier, id: Identifier) -> Self;

    /// Parses a full name.
    ///
    /// # Errors
    ///
    /// Returns the rule that the text breaks.
    fn parse(text: &str) -> Result<Self, NameError>;

    /// Returns the ID of the parent.
    fn parent(&self) -> &Identifier;

    /// Returns the object's own ID.
    fn id(&self) -> &Identifier;
}

/// An object of the service. Times are in RFC 3339.
pub trait Object: Clone + Send + Sync + Sized + 'static {
    /// The full name, such as `listings/github/roles/viewer`.
    type Name: ObjectName;

    /// Returns the full name.
    fn name(&self) -> &Self::Name;

    /// Returns the time of creation.
    fn create_time(&self) -> Option<&str>;

    /// Returns the time of the last update.
    fn update_time(&self) -> Option<&str>;

    /// Returns the time of deletion, of an object that was deleted.
    fn delete_time(&self) -> Option<&str> {
        None
    }

    /// Reads an object.
    fn get(
        client: &Client,
        name: &Self::Name,
    ) -> impl Future<Output = Result<Response<Self>, Error>> + Send;

    /// Deletes an object.
    fn delete(client: &Client, name: &Self::Name)
    -> impl Future<Output = Result<(), Error>> + Send;

    /// Lists the objects of a parent, page by page.
    fn pages<'c>(client: &'c Client, parent: &'c Identifier) -> Pages<'c, Self>;
}

impl ObjectName for ListingRoleName {
    fn new(listing: Identifier, role: Identifier) -> Self {
        Self { listing, role }
    }

    fn parse(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }

    fn parent(&self) -> &Identifier {
        &self.listing
    }

    fn id(&self) -> &Identifier {
        &self.role
    }
}

impl ObjectName for IntegrationOwnerName {
    fn new(integration: Identifier, owner: Identifier) -> Self {
        Self { integration, owner }
    }

    fn parse(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }

    fn parent(&self) -> &Identifier {
        &self.integration
    }

    fn id(&self) -> &Identifier {
        &self.owner
    }
}

impl Object for ListingRole {
    type Name = ListingRoleName;

    fn name(&self) -> &ListingRoleName {
        &self.name
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

    async fn get(client: &Client, name: &ListingRoleName) -> Result<Response<Self>, Error> {
        client.get_listing_role(name).await
    }

    async fn delete(client: &Client, name: &ListingRoleName) -> Result<(), Error> {
        client.delete_listing_role(name).await
    }

    fn pages<'c>(client: &'c Client, listing: &'c Identifier) -> Pages<'c, Self> {
        client.listing_role_pages(listing)
    }
}

impl Object for IntegrationOwner {
    type Name = IntegrationOwnerName;

    fn name(&self) -> &IntegrationOwnerName {
        &self.name
    }

    fn create_time(&self) -> Option<&str> {
        self.create_time.as_deref()
    }

    fn update_time(&self) -> Option<&str> {
        self.update_time.as_deref()
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
}
