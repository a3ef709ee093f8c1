//! Roles: the check of a response, and UpdateListingRole, which the API document shows.

use http::Method;

use crate::api::{FieldMask, ListingRole, ListingRolePatch, WireRole};
use crate::client::{Client, Response, to_json};
use crate::error::Error;
use crate::exchange::Request;
use crate::names::{Identifier, ListingRoleName};
use crate::object::{Object, check_name, object_path, read};
use crate::path::query;

/// The effect of an update if the role does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The update creates the role (`allowMissing=true`).
    Create,
    /// The update fails with 404.
    Fail,
}

impl Client {
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
            path: object_path(name),
            query: query(&parameters),
            body: Some(to_json(patch)),
            // The values are absolute, so that a repeated request results in the same role.
            idempotent: true,
        };
        self.call_for(request, |body| read(body, &name.listing, Some(name))).await
    }
}

impl Object for ListingRole {
    type Name = ListingRoleName;
    type Wire = WireRole;

    const LIST_FIELDS: &'static [&'static str] = &["listingRoles", "roles"];

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

    fn of_wire(
        wire: WireRole,
        listing: &Identifier,
        requested: Option<&ListingRoleName>,
    ) -> Result<Self, String> {
        let name = match (wire.name.as_deref().unwrap_or_default(), requested) {
            // A service may omit the name of the object that was requested. Every role has a
            // display name: an object without one is not a role.
            ("", Some(requested)) if wire.has_display_name() => requested.clone(),
            ("", Some(_)) => return Err("not a role".to_owned()),
            (text, _) => check_name(text, listing, requested)?,
        };
        Ok(wire.into_role(name))
    }
}
