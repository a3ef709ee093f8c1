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
use crate::error::{Error, Failure};
use crate::names::{Identifier, IntegrationOwnerName, ListingRoleName, Principal};
use crate::weight;

/// Objects asked for on one page of a list: the common limit of services.
const PAGE: &str = "1000";
/// The most pages read of one list, so that a service that never ends does not hold a call for ever.
const MOST_PAGES: usize = 1000;

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
        self.call(get(role_path(name)), |answer| read_role(answer, name)).await
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
        self.call(request, |answer| read_role(answer, name)).await
    }

    /// Deletes a role. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn delete_listing_role(&self, name: &ListingRoleName) -> Result<(), Error> {
        self.call(delete(role_path(name)), |_| Ok(())).await
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
        let path = path(&["listings", listing.as_str(), "roles"]);
        self.list(path, &["listingRoles", "roles"], |item| {
            let wire: WireRole = parse(item)?;
            let text = wire.name.as_deref().ok_or("a role in it has no name")?;
            let name = ListingRoleName::parse(text).map_err(|error| bad_name(&error))?;
            if name.listing != *listing {
                return Err("a role in it is of another listing".to_owned());
            }
            Ok(wire.into_role(name))
        })
        .await
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
            let created = read_owner(answer, integration)?;
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
        self.call(get(owner_path(name)), |answer| {
            let owner = read_owner(answer, &name.integration)?;
            if owner.name != *name {
                return Err("it answers with another owner".to_owned());
            }
            Ok(owner)
        })
        .await
    }

    /// Removes an owner. Not documented: the service may not have it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning.
    pub async fn delete_integration_owner(&self, name: &IntegrationOwnerName) -> Result<(), Error> {
        self.call(delete(owner_path(name)), |_| Ok(())).await
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
        let path = path(&["integrations", integration.as_str(), "owners"]);
        self.list(path, &["integrationOwners", "owners"], |item| owner_of(item, integration)).await
    }

    /// Reads all pages of a list. A list that repeats a page token, or never ends, is an error: a
    /// part of it must not pass for the whole.
    async fn list<T>(
        &self,
        path: String,
        fields: &[&str],
        read: impl Fn(Value) -> Result<T, String>,
    ) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        let mut tokens: Vec<String> = Vec::new();
        loop {
            let mut parameters = vec![("pageSize", PAGE)];
            parameters.extend(tokens.last().map(|token| ("pageToken", token.as_str())));
            let request = Request { query: query(&parameters), ..get(path.clone()) };
            let (page, token) =
                self.call(request, |answer| read_page(answer, fields, &read)).await?;
            items.extend(page);
            if token.is_empty() {
                return Ok(items);
            }
            if tokens.contains(&token) || tokens.len() >= MOST_PAGES {
                return Err(Error {
                    method: "GET",
                    path,
                    failure: Failure::Unreadable {
                        status: 200,
                        reason: "its pages do not come to an end".to_owned(),
                    },
                    attempts: 1,
                    request_id: None,
                    processed: true,
                });
            }
            tokens.push(token);
        }
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

fn object(answer: &Answer) -> Result<Map<String, Value>, String> {
    if weight::of(&answer.body) > HEAVIEST {
        return Err("its body holds more values than any answer of this service".to_owned());
    }
    match serde_json::from_slice(&answer.body) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err("its body is JSON but no object".to_owned()),
        Err(_) if answer.body.is_empty() => Err("its body is empty".to_owned()),
        Err(_) => Err("its body is no JSON".to_owned()),
    }
}

fn parse<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    // serde's words may quote a value; which one is in the log at TRACE.
    serde_json::from_value(value).map_err(|_| "a field has another type than documented".to_owned())
}

fn bad_name(error: &dyn std::fmt::Display) -> String {
    format!("the name in it {error}")
}

fn read_role(answer: &Answer, asked: &ListingRoleName) -> Result<ListingRole, String> {
    let wire: WireRole = parse(Value::Object(object(answer)?))?;
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

fn read_owner(answer: &Answer, integration: &Identifier) -> Result<IntegrationOwner, String> {
    owner_of(Value::Object(object(answer)?), integration)
}

fn owner_of(value: Value, integration: &Identifier) -> Result<IntegrationOwner, String> {
    let wire: WireOwner = parse(value)?;
    let text = wire.name.as_deref().ok_or("the owner in it has no name")?;
    let name = IntegrationOwnerName::parse(text).map_err(|error| bad_name(&error))?;
    if name.integration != *integration {
        return Err("it answers with an owner of another integration".to_owned());
    }
    let owner = wire.owner.as_deref().unwrap_or_default();
    Principal::parse(owner).map_err(|error| format!("the owner in it {error}"))?;
    Ok(wire.into_owner(name))
}

fn read_page<T>(
    answer: &Answer,
    fields: &[&str],
    read: impl Fn(Value) -> Result<T, String>,
) -> Result<(Vec<T>, String), String> {
    let mut object = object(answer)?;
    let token = match object.remove("nextPageToken") {
        Some(Value::String(token)) => token,
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err("its page token is no text".to_owned()),
    };
    let items = match fields.iter().find_map(|field| object.remove(*field)) {
        Some(Value::Array(items)) => items,
        // proto3 leaves an empty list out. Of any other object nothing can be told.
        None | Some(Value::Null) if object.is_empty() => Vec::new(),
        _ => return Err("it has no list where one was expected".to_owned()),
    };
    let items = items.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok((items, token))
}
