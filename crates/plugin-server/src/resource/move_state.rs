//! Moves of a state from another resource type.

use async_trait::async_trait;
use tf_provider::{Diagnostics, Resource};

use super::raw_state::RawState;
use crate::dynamic::{Object, TypedResource, write_object};

/// A resource that can be the target of a `moved` block from another resource type (Terraform 1.8,
/// OpenTofu 1.10).
///
/// Registered by [`Registration::move_state`](crate::Registration::move_state).
///
/// ```no_run
/// # mod larder {
/// # use plugin_server::{MoveStateRequest, ResourceWithMoveState};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/documentation/provider.rs"));
/// #[async_trait]
/// impl ResourceWithMoveState for Jar {
///     async fn move_state<'a>(
///         &self,
///         diags: &mut Diagnostics,
///         source: MoveStateRequest<'a>,
///     ) -> Option<(JarState, ValueEmpty)> {
///         #[derive(Deserialize)]
///         struct File {
///             filename: String,
///         }
///         if !source.is_from("hashicorp/local", "local_file") {
///             return None;
///         }
///         let file: File = source.state.read(diags)?;
///         self.import(diags, file.filename).await
///     }
/// }
/// # }
/// # fn main() {}
/// ```
#[async_trait]
pub trait ResourceWithMoveState: Resource {
    /// Converts the state of an object of another type to a state of this type.
    ///
    /// Terraform calls this on a provider that is not configured. `None` without an error in `diags`
    /// means that the resource does not support this source.
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        source: MoveStateRequest<'a>,
    ) -> Option<(Self::State<'a>, Self::PrivateState<'a>)>;
}

/// The object that is to be moved.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct MoveStateRequest<'a> {
    /// The address of the provider that managed it, such as
    /// `registry.terraform.io/hashicorp/random`, in lower case.
    ///
    /// OpenTofu sends `registry.opentofu.org` for the same provider: see [`Self::is_from`].
    pub provider_address: &'a str,
    /// Its resource type.
    pub type_name: &'a str,
    /// The schema version of its state.
    pub schema_version: i64,
    /// Its state.
    pub state: RawState<'a>,
    /// Its private state, in the form of the provider that managed it.
    pub private: &'a [u8],
    /// Its identity, if it has one.
    pub identity: Option<RawState<'a>>,
}

impl MoveStateRequest<'_> {
    /// Returns whether the object was of type `type_name` of the provider `namespace/name`, from
    /// any registry.
    #[must_use]
    pub fn is_from(&self, provider: &str, type_name: &str) -> bool {
        let without_host = self.provider_address.split_once('/').map(|(_, rest)| rest);
        self.type_name == type_name && without_host == Some(provider)
    }
}

#[async_trait]
pub(crate) trait DynMoveState: Send + Sync {
    async fn move_state(
        &self,
        diags: &mut Diagnostics,
        source: MoveStateRequest<'_>,
    ) -> Option<Object>;
}

#[async_trait]
impl<R: ResourceWithMoveState + 'static> DynMoveState for TypedResource<R> {
    async fn move_state(
        &self,
        diags: &mut Diagnostics,
        source: MoveStateRequest<'_>,
    ) -> Option<Object> {
        let object = self.0.move_state(diags, source).await?;
        write_object::<R>(diags, object)
    }
}
