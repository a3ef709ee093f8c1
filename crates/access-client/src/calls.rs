//! The calls of the service: the two that its document shows, and those that the names of its
//! resources suggest (GET, list, DELETE), whose shapes are assumed.

#[cfg(test)]
mod hostile_tests;

use reqwest::Method;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::api::{
    FieldMask, IntegrationOwner, ListingRole, ListingRolePatch, NewOwner, WireOwner, WireRole,
};
use crate::attempt::{Answer, Request};
use crate::client::{Client, path, query};
use crate::error::Error;
use crate::names::{Identifier, IntegrationOwnerName, ListingRoleName, Principal};
use crate::pages::Pages;
use crate::weight;

/// The most memory that an answer may take once it is read, in bytes: a full page of roles with 300
/// resources each takes less.
const HEAVIEST: usize = 24 * 1024 * 1024;

/// What an update does about a role that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is created (`allowMissing=true`).
    Create,
    /// The update fails with 404.
    Fail,
}

impl Client {
    /// Reads a role. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn get_listing_role(&self, name: &ListingRoleName) -> Result<ListingRole, Error> {
        self.call(get(role_path(name)), |answer| read_role(&answer.body, name)).await
    }

    /// Sets the masked fields of a role (UpdateListingRole).
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn update_listing_role(
        &self,
        name: &ListingRoleName,
        patch: &ListingRolePatch,
        mask: &FieldMask,
        missing: Missing,
    ) -> Result<ListingRole, Error> {
        let mask = mask.to_string();
        let mut parameters = vec![("updateMask", mask.as_str())];
        if missing == Missing::Create {
            parameters.push(("allowMissing", "true"));
        }
        let request = Request {
            method: Method::PATCH,
            path: role_path(name),
            query: query(&parameters),
            body: Some(json(patch)),
            // Its values are absolute: sent twice, it ends in the same role.
            idempotent: true,
        };
        self.call(request, |answer| read_role(&answer.body, name)).await
    }

    /// Deletes a role. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn delete_listing_role(&self, name: &ListingRoleName) -> Result<(), Error> {
        self.call(delete(role_path(name)), deleted).await
    }

    /// Lists the roles of a listing, all pages. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn list_listing_roles(
        &self,
        listing: &Identifier,
    ) -> Result<Vec<ListingRole>, Error> {
        self.listing_role_pages(listing).all().await
    }

    /// The roles of a listing, page by page. Not documented: the service may not have it.
    pub fn listing_role_pages<'c>(&'c self, listing: &'c Identifier) -> Pages<'c, ListingRole> {
        let path = path(&["listings", listing.as_str(), "roles"]);
        let read = |item| {
            let wire: WireRole = parse(item)?;
            let text = wire.name.as_deref().ok_or("a role in it has no name")?;
            let name = ListingRoleName::parse(text).map_err(|error| bad_name(&error))?;
            if name.listing != *listing {
                return Err("a role in it is of another listing".to_owned());
            }
            Ok(wire.into_role(name))
        };
        Pages::new(self, path, &["listingRoles", "roles"], Box::new(read))
    }

    /// Adds an owner to an integration (CreateIntegrationOwner). Not idempotent: it is sent again
    /// only where the service surely did not process it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning; [`Error::may_have_been_processed`] tells whether the owner may
    /// exist.
    pub async fn create_integration_owner(
        &self,
        integration: &Identifier,
        owner: &Principal,
        id: Option<&Identifier>,
    ) -> Result<IntegrationOwner, Error> {
        let wanted = owner.to_string();
        let parameters: Vec<_> = id.iter().map(|id| ("integrationOwnerId", id.as_str())).collect();
        let request = Request {
            method: Method::POST,
            path: path(&["integrations", integration.as_str(), "owners"]),
            query: query(&parameters),
            body: Some(json(&NewOwner { owner: &wanted })),
            idempotent: false,
        };
        self.call(request, |answer| {
            let created = read_owner(&answer.body, integration)?;
            if created.owner != wanted {
                return Err("it answers with another owner".to_owned());
            }
            Ok(created)
        })
        .await
    }

    /// Reads an owner. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn get_integration_owner(
        &self,
        name: &IntegrationOwnerName,
    ) -> Result<IntegrationOwner, Error> {
        self.call(get(owner_path(name)), |answer| read_owner_named(&answer.body, name)).await
    }

    /// Removes an owner. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn delete_integration_owner(&self, name: &IntegrationOwnerName) -> Result<(), Error> {
        self.call(delete(owner_path(name)), deleted).await
    }

    /// Lists the owners of an integration, all pages. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn list_integration_owners(
        &self,
        integration: &Identifier,
    ) -> Result<Vec<IntegrationOwner>, Error> {
        self.integration_owner_pages(integration).all().await
    }

    /// The owners of an integration, page by page. Not documented: the service may not have it.
    pub fn integration_owner_pages<'c>(
        &'c self,
        integration: &'c Identifier,
    ) -> Pages<'c, IntegrationOwner> {
        let path = path(&["integrations", integration.as_str(), "owners"]);
        let read = |item| owner_of(item, integration);
        Pages::new(self, path, &["integrationOwners", "owners"], Box::new(read))
    }
}

impl ListingRole {
    /// Reads the body of an answer that somebody else was given for this role.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it; reads on after "the answer is not usable:".
    pub fn from_body(body: &[u8], name: &ListingRoleName) -> Result<Self, String> {
        read_role(body, name)
    }
}

impl IntegrationOwner {
    /// Reads the body of an answer that somebody else was given for this owner.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it; reads on after "the answer is not usable:".
    pub fn from_body(body: &[u8], name: &IntegrationOwnerName) -> Result<Self, String> {
        read_owner_named(body, name)
    }
}

fn get(path: String) -> Request {
    Request { method: Method::GET, path, query: String::new(), body: None, idempotent: true }
}

fn delete(path: String) -> Request {
    Request { method: Method::DELETE, ..get(path) }
}

fn role_path(name: &ListingRoleName) -> String {
    path(&["listings", name.listing.as_str(), "roles", name.role.as_str()])
}

fn owner_path(name: &IntegrationOwnerName) -> String {
    path(&["integrations", name.integration.as_str(), "owners", name.owner.as_str()])
}

fn json(body: &impl serde::Serialize) -> Vec<u8> {
    // Text and integers under fixed keys: there is nothing in them that could fail.
    serde_json::to_vec(body).unwrap_or_default()
}

pub(crate) fn object(body: &[u8]) -> Result<Map<String, Value>, String> {
    if weight::of(body) > HEAVIEST {
        return Err("its body holds more values than any answer of this service".to_owned());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("its body is JSON but no object".to_owned()),
        Err(_) if body.is_empty() => Err("its body is empty".to_owned()),
        Err(_) => Err("its body is no JSON".to_owned()),
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    // serde's words may quote a value; which one is in the log at TRACE.
    serde_json::from_value(value).map_err(|_| "a field has another type than documented".to_owned())
}

/// Whether a success is the service's own: a gateway's page proves that nothing was deleted.
fn deleted(answer: &Answer) -> Result<(), String> {
    if answer.body.trim_ascii().is_empty() || answer.is_json_object() {
        return Ok(());
    }
    Err("its body is neither empty nor a JSON object".to_owned())
}

fn bad_name(error: &dyn std::fmt::Display) -> String {
    format!("the name in it {error}")
}

fn read_role(body: &[u8], asked: &ListingRoleName) -> Result<ListingRole, String> {
    let wire: WireRole = parse(Value::Object(object(body)?))?;
    match wire.name.as_deref() {
        // proto3 leaves nothing out here, but an older service might: it was asked for this one.
        // Without a display name, which roles always have, it is no role at all.
        None | Some("") if wire.has_display_name() => {}
        None | Some("") => return Err("its body is no role".to_owned()),
        Some(name) if *name == asked.to_string() => {}
        Some(_) => return Err("it answers with another role".to_owned()),
    }
    Ok(wire.into_role(asked.clone()))
}

fn read_owner(body: &[u8], integration: &Identifier) -> Result<IntegrationOwner, String> {
    owner_of(Value::Object(object(body)?), integration)
}

fn read_owner_named(body: &[u8], name: &IntegrationOwnerName) -> Result<IntegrationOwner, String> {
    let owner = read_owner(body, &name.integration)?;
    if owner.name != *name {
        return Err("it answers with another owner".to_owned());
    }
    Ok(owner)
}

fn owner_of(value: Value, integration: &Identifier) -> Result<IntegrationOwner, String> {
    let wire: WireOwner = parse(value)?;
    let text = wire.name.as_deref().ok_or("the owner in it has no name")?;
    let name = IntegrationOwnerName::parse(text).map_err(|error| bad_name(&error))?;
    if name.integration != *integration {
        return Err("it answers with an owner of another integration".to_owned());
    }
    // A kind of owner that is not known here must not hide the others of a list.
    if wire.owner.as_deref().is_none_or(str::is_empty) {
        return Err("the owner in it says nothing of who it is".to_owned());
    }
    Ok(wire.into_owner(name))
}
