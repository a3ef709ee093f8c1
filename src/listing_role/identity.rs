//! The identity of a listing role: listing and role.

use access_client::api::ListingRole;
use async_trait::async_trait;
use plugin_server::{IdentitySchema, ResourceWithIdentity};
use tf_provider::{Diagnostics, Resource};

use super::resource::ListingRoleResource;
use super::state::{Private, State};
use crate::object::identity::ObjectIdentity;

#[async_trait]
impl ResourceWithIdentity for ListingRoleResource {
    type Identity<'a> = ObjectIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(ObjectIdentity::schema::<ListingRole>())
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &State,
    ) -> Option<ObjectIdentity> {
        // Known whole or not at all: OpenTofu 1.12 cannot keep an identity that is known in part,
        // as in the plan of a role whose listing is created by the same apply.
        Some(ObjectIdentity::from_name::<ListingRole>(&state.role_name()?))
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: ObjectIdentity,
    ) -> Option<(State, Private)> {
        let name = identity.to_name::<ListingRole>(diags)?;
        self.import(diags, name.to_string()).await
    }
}
