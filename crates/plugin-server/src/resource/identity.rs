//! Resource identities.

use std::marker::PhantomData;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::{Diagnostics, Resource};

use crate::diagnostic::error;
use crate::dynamic::{Family, Input, Object, TypedResource, encode, write_object};
use crate::schema::IdentitySchema;

/// A resource whose objects have an identity of several attributes (Terraform 1.12, OpenTofu 1.12).
///
/// Registered by [`Registration::list_resource`](crate::Registration::list_resource).
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
}

#[async_trait]
pub(crate) trait DynIdentity: Send + Sync {
    async fn identity(&self, diags: &mut Diagnostics, state: &Input<'_>) -> Option<Vec<u8>>;
    async fn import(&self, diags: &mut Diagnostics, identity: &Input<'_>) -> Option<Object>;
}

/// The identities of a resource.
struct IdentityOf<R>(PhantomData<R>);

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
}
