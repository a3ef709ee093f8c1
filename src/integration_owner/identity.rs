//! The identity of an integration owner: the integration, and the owner's ID in it.

use access_client::Principal;
use access_client::api::IntegrationOwner;
use async_trait::async_trait;
use plugin_server::Report as _;
use plugin_server::{IdentitySchema, ResourceWithIdentity};
use tf_provider::{Diagnostics, Resource};

use super::resource::IntegrationOwnerResource;
use super::state::{Private, State};
use crate::hcl::quoted;
use crate::object::identity::ObjectIdentity;

#[async_trait]
impl ResourceWithIdentity for IntegrationOwnerResource {
    type Identity<'a> = ObjectIdentity;

    fn identity_schema(&self, _diags: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(ObjectIdentity::schema::<IntegrationOwner>())
    }

    async fn identity<'a>(
        &self,
        _diags: &mut Diagnostics,
        state: &State,
    ) -> Option<ObjectIdentity> {
        // From `name` and not from `integration_owner_id`: the service may have assigned another
        // ID than was planned, which stays in the state until the next read. The plan of a create
        // has no identity, because OpenTofu 1.12 cannot keep one that is known in part.
        Some(ObjectIdentity::from_name::<IntegrationOwner>(&state.stored_name()?))
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: ObjectIdentity,
    ) -> Option<(State, Private)> {
        refuse_principal(&identity, diags)?;
        let name = identity.to_name::<IntegrationOwner>(diags)?;
        self.import(diags, name.to_string()).await
    }
}

/// Adds an error for a principal in place of the owner's ID.
fn refuse_principal(identity: &ObjectIdentity, diags: &mut Diagnostics) -> Option<()> {
    let Some(principal) = identity.get("owner").filter(|owner| Principal::parse(owner).is_ok())
    else {
        return Some(());
    };
    let integration = identity.get("integration").map_or("", String::as_str);
    let id = quoted(&format!("{integration}/{principal}"));
    diags.report_attribute_error(
        "owner",
        "Invalid owner",
        format!(
            "{principal:?} is a user, group or team. `owner` of the identity is the ID that the \
             service assigned to the owner, as in `integration_owner_id`. To import by user, group \
             or team, use `id = {id}` in place of `identity`."
        ),
    );
    None
}
