//! The calls for roles. The API document shows UpdateListingRole. GET, list and DELETE are assumed
//! from the resource names.

use http::Method;

use crate::api::{FieldMask, ListingRole, ListingRolePatch, WireRole};
use crate::client::{Client, Response, expect_deleted, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::json::{self, BodyError};
use crate::names::{Identifier, ListingRoleName};
use crate::pages::{Pages, SkippedItem};
use crate::path::{path, query};

/// The effect of an update if the role does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The update creates the role (`allowMissing=true`).
    Create,
    /// The update fails with 404.
    Fail,
}

impl Client {
    /// Reads a role. Not documented: the service may not offer it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind.
    pub async fn get_listing_role(
        &self,
        name: &ListingRoleName,
    ) -> Result<Response<ListingRole>, Error> {
        self.call_for(Request::get(role_path(name)), |body| read_role(body, name)).await
    }

    /// Sets the masked fields of a role (UpdateListingRole).
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind.
    pub async fn update_listing_role(
        &self,
        name: &ListingRoleName,
        patch: &ListingRolePatch,
        mask: &FieldMask,
        missing: Missing,
    ) -> Result<Response<ListingRole>, Error> {
        let mask = mask.to_string();
        let mut parameters = vec![("updateMask", mask.as_str())];
        if missing == Missing::Create {
            parameters.push(("allowMissing", "true"));
        }
        let request = Request {
            method: Method::PATCH,
            path: role_path(name),
            query: query(&parameters),
            body: Some(to_json(patch)),
            // The values are absolute, so that a repeated request results in the same role.
            idempotent: true,
        };
        self.call_for(request, |body| read_role(body, name)).await
    }

    /// Deletes a role. Not documented: the service may not offer it.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind.
    pub async fn delete_listing_role(&self, name: &ListingRoleName) -> Result<(), Error> {
        self.call(Request::delete(role_path(name)), expect_deleted).await
    }

    /// Returns the roles of a listing, page by page. Not documented: the service may not offer it.
    pub fn listing_role_pages<'c>(&'c self, listing: &'c Identifier) -> Pages<'c, ListingRole> {
        let path = path(&["listings", listing.as_str(), "roles"]);
        let read = |item: &_| {
            let wire: WireRole = json::item(item)?;
            let text = wire.name.as_deref().unwrap_or_default();
            let name = ListingRoleName::parse(text).map_err(|error| SkippedItem {
                reason: format!("a role with the name `{text}`, which {error}"),
            })?;
            if name.listing != *listing {
                let reason = format!("the role `{name}`, which belongs to another listing");
                return Err(SkippedItem { reason });
            }
            Ok(wire.into_role(name))
        };
        Pages::new(self, path, &["listingRoles", "roles"], Box::new(read))
    }
}

fn role_path(name: &ListingRoleName) -> String {
    path(&["listings", name.listing.as_str(), "roles", name.role.as_str()])
}

pub(crate) fn read_role(
    body: &[u8],
    requested: &ListingRoleName,
) -> Result<ListingRole, BodyError> {
    let wire: WireRole = json::object(body)?;
    match wire.name.as_deref() {
        // A service may omit the name of the object that was requested. Every role has a display
        // name: an object without one is not a role.
        None | Some("") if wire.has_display_name() => {}
        None | Some("") => return Err(BodyError::new("its body is not a role")),
        Some(name) if *name == requested.to_string() => {}
        Some(_) => return Err(BodyError::new("its body is another role")),
    }
    Ok(wire.into_role(requested.clone()))
}
