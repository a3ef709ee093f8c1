//! Resource identities.

use std::marker::PhantomData;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::{Diagnostics, Resource};

use super::raw_state::RawState;
use crate::diagnostic::error;
use crate::dynamic::{Family, Input, Object, TypedResource, encode, write_object};
use crate::schema::IdentitySchema;

/// A resource whose objects have an identity of several attributes (Terraform 1.12, OpenTofu 1.12).
///
/// Registered by [`Registration::identity`](crate::Registration::identity).
///
/// ```no_run
/// # mod larder {
/// # use plugin_server::{IdentitySchema, ResourceWithIdentity};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/documentation/provider.rs"));
/// #[derive(Serialize, Deserialize)]
/// struct JarIdentity {
///     label: Value<String>,
/// }
///
/// #[async_trait]
/// impl ResourceWithIdentity for Jar {
///     type Identity<'a> = JarIdentity;
///
///     fn identity_schema(&self, _: &mut Diagnostics) -> Option<IdentitySchema> {
///         let description = "The label of the jar.";
///         Some(IdentitySchema::new().required("label", AttributeType::String, description))
///     }
///
///     async fn identity<'a>(&self, _: &mut Diagnostics, state: &JarState) -> Option<JarIdentity> {
///         Some(JarIdentity { label: state.label.clone() })
///     }
///
///     async fn import_identity<'a>(
///         &self,
///         diags: &mut Diagnostics,
///         identity: JarIdentity,
///     ) -> Option<(JarState, ValueEmpty)> {
///         self.import(diags, identity.label.as_option()?).await
///     }
/// }
/// # }
/// # fn main() {}
/// ```
#[async_trait]
pub trait ResourceWithIdentity: Resource {
    /// The identity of an object.
    type Identity<'a>: Serialize + Deserialize<'a> + Send;

    /// Returns the attributes of the identity. Called once, at registration.
    fn identity_schema(&self, diags: &mut Diagnostics) -> Option<IdentitySchema>;

    /// Returns the identity of the object with this state.
    ///
    /// Called after every plan, create, read, update and import. The state and the identity may
    /// contain unknown values only in the plan of a create. `None` without an error means that the
    /// object does not have an identity yet. So does an identity with unknown values, which is not
    /// sent.
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
            "The provider can import this resource type only by its ID.",
        );
        None
    }

    /// Converts an identity of a prior schema version to the current one.
    async fn upgrade_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        version: i64,
        identity: RawState<'a>,
    ) -> Option<Self::Identity<'a>> {
        let _ = identity;
        let detail = format!("The provider cannot read an identity of schema version {version}.");
        error(diags, "Could not upgrade the identity", detail);
        None
    }
}

#[async_trait]
pub(crate) trait DynIdentity: Send + Sync {
    async fn identity(&self, diags: &mut Diagnostics, state: &Input<'_>) -> Option<Vec<u8>>;
    async fn import(&self, diags: &mut Diagnostics, identity: &Input<'_>) -> Option<Object>;
    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>>;
}

/// The identities of a resource.
pub(crate) struct IdentityOf<R>(PhantomData<R>);

impl<R: ResourceWithIdentity> Family for IdentityOf<R> {
    type Of<'a> = R::Identity<'a>;
}

#[async_trait]
impl<R: ResourceWithIdentity + 'static> DynIdentity for TypedResource<R> {
    async fn identity(&self, diags: &mut Diagnostics, state: &Input<'_>) -> Option<Vec<u8>> {
        let state = state.read::<Self>(diags)?;
        let identity = self.0.identity(diags, &state).await?;
        encode(diags, &identity)
    }

    async fn import(&self, diags: &mut Diagnostics, identity: &Input<'_>) -> Option<Object> {
        let identity = identity.read::<IdentityOf<R>>(diags)?;
        let object = self.0.import_identity(diags, identity).await?;
        write_object::<R>(diags, object)
    }

    async fn upgrade(&self, diags: &mut Diagnostics, version: i64, json: &[u8]) -> Option<Vec<u8>> {
        let identity = self.0.upgrade_identity(diags, version, RawState::new(json)).await?;
        encode(diags, &identity)
    }
}
