//! A listing role as the shared procedures see it.

use access_client::api::ListingRole;
use access_client::{Client, Error, Identifier, ListingRoleName, NameError, Pages, Response};

use super::schema;
use crate::object::{Object, object_methods};
use crate::service::{Run, Service};

impl Object for ListingRole {
    const KIND: &'static str = "listing role";
    const A_KIND: &'static str = "a listing role";
    const TYPE: &'static str = "access_listing_role";
    const PARENT_KIND: &'static str = "listing";
    const WITHOUT_READS: &'static str = "Set `drift_detection = \"patch\"` to read roles by the documented \
        update, or \"off\" to send no reads.";
    const ADOPTION: &'static str = "Or set `adopt_existing = true` to adopt the role and overwrite it with \
        this configuration.";
    const CREATE_IS_IDEMPOTENT: bool = true;
    const NAME_ARGUMENTS: [(&'static str, &'static str); 2] =
        [("listing", schema::LISTING), ("role", schema::ROLE)];
    const NAME_FORM: &'static str = "listings/{listing}/roles/{role}";

    fn delete_time(&self) -> Option<&str> {
        self.delete_time.as_deref()
    }

    object_methods!(ListingRoleName { listing, role },
        roles: get_listing_role delete_listing_role listing_role_pages);
}
