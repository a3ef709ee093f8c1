//! Ephemeral resources: values that exist during one run and are never stored.

use std::time::SystemTime;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;

use crate::diagnostic::{BUG, error};
use crate::dynamic::{Family, Input, encode, encode_private, read_private};

/// An ephemeral resource (Terraform 1.10, OpenTofu 1.11).
///
/// Terraform opens it in every plan and every apply that uses its result, such as a temporary
/// password, and closes it afterwards. Neither the plan nor the state contains the result.
///
/// Registered by [`Builder::ephemeral_resource`](crate::Builder::ephemeral_resource).
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use async_trait::async_trait;
/// use plugin_server::schema::{computed, new_schema, required, sensitive};
/// use plugin_server::{EphemeralResource, OpenResponse, RenewResponse};
/// use serde::{Deserialize, Serialize};
/// use plugin_server::tf_provider::Diagnostics;
/// use plugin_server::tf_provider::schema::{AttributeType, Schema};
/// use plugin_server::tf_provider::value::Value;
///
/// const LEASE: Duration = Duration::from_secs(300);
///
/// struct Key;
///
/// #[derive(Serialize, Deserialize)]
/// struct KeyState {
///     label: Value<String>,
///     secret: Value<String>,
/// }
///
/// #[async_trait]
/// impl EphemeralResource for Key {
///     type State<'a> = KeyState;
///     /// The number of the lease.
///     type PrivateState<'a> = Value<u64>;
///
///     fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
///         let secret = computed(AttributeType::String, "The key.");
///         let label = required(AttributeType::String, "The label of the jar.");
///         let attributes = [("label", label), ("secret", sensitive(secret))];
///         Some(new_schema(0, "A key to a jar.", attributes))
///     }
///
///     async fn open<'a>(
///         &self,
///         _: &mut Diagnostics,
///         config: KeyState,
///     ) -> Option<OpenResponse<KeyState, Value<u64>>> {
///         let result = KeyState { secret: Value::Value("sesame".to_owned()), ..config };
///         Some(OpenResponse::new(result, Value::Value(1)).renew_at(SystemTime::now() + LEASE))
///     }
///
///     async fn renew<'a>(
///         &self,
///         _: &mut Diagnostics,
///         lease: Value<u64>,
///     ) -> Option<RenewResponse<Value<u64>>> {
///         Some(RenewResponse::new(lease).renew_at(SystemTime::now() + LEASE))
///     }
///
///     async fn close<'a>(&self, _: &mut Diagnostics, _lease: Value<u64>) -> Option<()> {
///         Some(())
///     }
/// }
/// ```
#[async_trait]
pub trait EphemeralResource: Send + Sync {
    /// The configuration, and the result, which contains the computed attributes as well.
    type State<'a>: Serialize + Deserialize<'a> + Send;
    /// The data for `renew` and `close`. Hosts do not store it either.
    type PrivateState<'a>: Serialize + Deserialize<'a> + Send;

    /// Returns the attributes. Called once, at registration.
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;

    /// Validates the configuration, which may contain unknown values.
    async fn validate<'a>(&self, diags: &mut Diagnostics, config: Self::State<'a>) -> Option<()> {
        let _ = (diags, config);
        Some(())
    }

    /// Opens the resource. The result contains the configured values unchanged, and no unknown
    /// values.
    ///
    /// # Errors
    ///
    /// `None` is an error, even if `diags` does not contain one. Hosts do not close what was not
    /// opened without errors. If this method returns a response together with errors, or an invalid
    /// result, this crate calls [`Self::close`].
    async fn open<'a>(
        &self,
        diags: &mut Diagnostics,
        config: Self::State<'a>,
    ) -> Option<OpenResponse<Self::State<'a>, Self::PrivateState<'a>>>;

    /// Extends the resource before it expires. Hosts call this at the time that
    /// [`OpenResponse::renew_at`] or [`RenewResponse::renew_at`] sets. The result cannot change.
    ///
    /// After an error, the resource is still closed.
    async fn renew<'a>(
        &self,
        diags: &mut Diagnostics,
        private: Self::PrivateState<'a>,
    ) -> Option<RenewResponse<Self::PrivateState<'a>>> {
        let _ = private;
        let detail = format!("`open` has set a time of renewal, but `renew` is missing. {BUG}");
        error(diags, "Renewal is not supported", detail);
        None
    }

    /// Closes the resource at the end of the run, also after a stop of the provider.
    ///
    /// Terraform passes the private state from [`Self::open`], even after a renewal.
    async fn close<'a>(
        &self,
        diags: &mut Diagnostics,
        private: Self::PrivateState<'a>,
    ) -> Option<()> {
        let _ = (diags, private);
        Some(())
    }
}

/// An opened ephemeral resource. It does not implement `Debug`, because results are secrets.
#[derive(Clone)]
#[non_exhaustive]
pub struct OpenResponse<S, P> {
    /// The result.
    pub result: S,
    /// The private state for `renew` and `close`.
    pub private: P,
    /// The time at which the host calls `renew`; `None` if that is not necessary.
    pub renew_at: Option<SystemTime>,
}

impl<S, P> OpenResponse<S, P> {
    /// Returns a response without a time of renewal.
    #[must_use]
    pub fn new(result: S, private: P) -> Self {
        Self { result, private, renew_at: None }
    }

    /// Sets the time at which the host calls `renew`. Choose it early enough before the resource
    /// expires: hosts call at this time, not before it.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Self {
        self.renew_at = Some(time);
        self
    }
}

/// A renewed ephemeral resource.
#[derive(Clone)]
#[non_exhaustive]
pub struct RenewResponse<P> {
    /// The private state for the next `renew`.
    pub private: P,
    /// The time at which the host calls `renew` again; `None` if that is not necessary.
    pub renew_at: Option<SystemTime>,
}

impl<P> RenewResponse<P> {
    /// Returns a response without a time of renewal.
    #[must_use]
    pub fn new(private: P) -> Self {
        Self { private, renew_at: None }
    }

    /// Sets the time at which the host calls `renew` again.
    #[must_use]
    pub fn renew_at(mut self, time: SystemTime) -> Self {
        self.renew_at = Some(time);
        self
    }
}

/// An opened ephemeral resource, as bytes.
pub(crate) struct Opened {
    pub(crate) result: Vec<u8>,
    pub(crate) private: Vec<u8>,
    pub(crate) renew_at: Option<SystemTime>,
}

#[async_trait]
pub(crate) trait DynEphemeralResource: Send + Sync {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()>;
    async fn open(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<Opened>;
    async fn renew(
        &self,
        diags: &mut Diagnostics,
        private: &[u8],
    ) -> Option<(Vec<u8>, Option<SystemTime>)>;
    async fn close(&self, diags: &mut Diagnostics, private: &[u8]) -> Option<()>;
}

pub(crate) struct TypedEphemeralResource<E>(pub(crate) E);

impl<E: EphemeralResource> Family for TypedEphemeralResource<E> {
    type Of<'a> = E::State<'a>;
}

#[async_trait]
impl<E: EphemeralResource> DynEphemeralResource for TypedEphemeralResource<E> {
    async fn validate(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<()> {
        let config = config.read::<Self>(diags)?;
        self.0.validate(diags, config).await
    }

    async fn open(&self, diags: &mut Diagnostics, config: &Input<'_>) -> Option<Opened> {
        let config = config.read::<Self>(diags)?;
        let opened = self.0.open(diags, config).await?;
        let private = encode_private(diags, &opened.private)?;
        // If the result cannot be encoded, it is null here, and the caller closes the resource.
        let result = encode(diags, &opened.result).unwrap_or_default();
        Some(Opened { result, private, renew_at: opened.renew_at })
    }

    async fn renew(
        &self,
        diags: &mut Diagnostics,
        private: &[u8],
    ) -> Option<(Vec<u8>, Option<SystemTime>)> {
        let private = read_private(diags, private)?;
        let renewed = self.0.renew(diags, private).await?;
        Some((encode_private(diags, &renewed.private)?, renewed.renew_at))
    }

    async fn close(&self, diags: &mut Diagnostics, private: &[u8]) -> Option<()> {
        let private = read_private(diags, private)?;
        self.0.close(diags, private).await
    }
}
