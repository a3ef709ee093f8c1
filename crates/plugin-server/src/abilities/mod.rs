//! What a resource can do beyond tf-provider's [`Resource`].
//!
//! Each ability is a trait of its own, and is registered by its own name: see
//! [`Registration`](crate::Registration).

mod erased;
mod list;
mod source;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::schema::Schema;
use tf_provider::{Diagnostics, Resource};

use crate::diagnostic::error;
use crate::schema::IdentitySchema;
pub(crate) use erased::{
    ErasedGenerateConfig, ErasedIdentity, ErasedList, ErasedMove, ErasedUpgrade, With,
};
pub(crate) use list::Listed;
pub use list::{ListItem, ListSink};
pub use source::{MoveSource, StoredJson};

/// Reads states that earlier versions of the schema have stored.
#[async_trait]
pub trait WithUpgrade: Resource {
    /// Turns a stored state into one of the current schema.
    ///
    /// Called only when `version`, that of the schema which the state was stored under, is not the
    /// current one. The result must not hold unknown values. `None` is an error.
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        version: i64,
        state: StoredJson<'a>,
    ) -> Option<Self::State<'a>>;
}

/// Takes over objects of other resource types, for `moved` blocks.
#[async_trait]
pub trait WithMove: Resource {
    /// Turns an object of another type into one of this type.
    ///
    /// Terraform calls it on a provider that is not configured. `None` without an error says that
    /// the source is none of those which this resource takes over.
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        source: MoveSource<'a>,
    ) -> Option<(Self::State<'a>, Self::PrivateState<'a>)>;
}

/// Tells objects apart by more than one opaque string (Terraform 1.12).
#[async_trait]
pub trait WithIdentity: Resource {
    /// The identity of an object.
    type Identity<'a>: Serialize + Deserialize<'a> + Send;

    /// The attributes of the identity. Asked once, at registration.
    fn identity_schema(&self, diags: &mut Diagnostics) -> Option<IdentitySchema>;

    /// The identity of the object that `state` describes.
    ///
    /// Asked after every plan, create, read, update and import. In the plan of a create the state
    /// may hold unknown values, and the identity with it; nowhere else. `None` without an error
    /// says that the object has no identity yet, which is better than one that is known in part:
    /// OpenTofu 1.12 fails on those.
    async fn identity<'a>(
        &self,
        diags: &mut Diagnostics,
        state: &Self::State<'a>,
    ) -> Option<Self::Identity<'a>>;

    /// Imports the object with this identity. Attributes that are optional for the import may be
    /// null.
    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: Self::Identity<'a>,
    ) -> Option<(Self::State<'a>, Self::PrivateState<'a>)> {
        let _ = identity;
        error(
            diags,
            "Import by identity is not supported",
            "This resource type can only be imported by its id.",
        );
        None
    }

    /// Turns an identity that was stored under an earlier version of its schema into a current one.
    async fn upgrade_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        version: i64,
        identity: StoredJson<'a>,
    ) -> Option<Self::Identity<'a>> {
        let _ = identity;
        error(
            diags,
            "Could not upgrade the identity",
            format!("The provider cannot read an identity of version {version}."),
        );
        None
    }
}

/// Finds the objects that exist (`terraform query`, Terraform 1.14).
#[async_trait]
pub trait WithList: WithIdentity + Sized {
    /// The configuration of a `list` block.
    type ListConfig<'a>: Serialize + Deserialize<'a> + Send;

    /// The attributes of a `list` block's `config`. Asked once, at registration.
    fn list_schema(&self, diags: &mut Diagnostics) -> Option<Schema>;

    /// Validates the configuration, which may hold unknown values.
    async fn validate_list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::ListConfig<'a>,
    ) -> Option<()> {
        let _ = (diags, config);
        Some(())
    }

    /// Sends what there is to `sink`, until it says that it has enough.
    ///
    /// Errors in `diags` end the listing; warnings are shown at its end. `None` is an error.
    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::ListConfig<'a>,
        sink: &mut ListSink<'_, Self>,
    ) -> Option<()>;
}

/// Writes configuration for objects that exist (`terraform plan -generate-config-out`,
/// Terraform 1.14). Without it, what only the provider can set is left out.
#[async_trait]
pub trait WithGenerateConfig: Resource {
    /// Turns the state of an object into a configuration that would make the same. Attributes that
    /// only the provider can set are left out afterwards in any case.
    async fn generate_config<'a>(
        &self,
        diags: &mut Diagnostics,
        state: Self::State<'a>,
    ) -> Option<Self::State<'a>>;
}
