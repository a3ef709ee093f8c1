//! The object-safe trait of ephemeral resources.

use std::time::SystemTime;

use async_trait::async_trait;
use tf_provider::Diagnostics;
use tf_provider::schema::Schema;

use super::EphemeralResource;
use crate::dynamic::{Family, encode, encode_private, read_private, read_typed};
use crate::wire::Type;

/// An opened ephemeral resource, as bytes.
pub(crate) struct Opened {
    pub(crate) result: Vec<u8>,
    pub(crate) private: Vec<u8>,
    pub(crate) renew_at: Option<SystemTime>,
}

#[async_trait]
pub(crate) trait DynEphemeralResource: Send + Sync {
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema>;
    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()>;
    async fn open(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<Opened>;
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
    fn schema(&self, diags: &mut Diagnostics) -> Option<Schema> {
        self.0.schema(diags)
    }

    async fn validate(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<()> {
        let config = read_typed::<Self>(diags, ty, config)?;
        self.0.validate(diags, config).await
    }

    async fn open(&self, diags: &mut Diagnostics, ty: &Type, config: &[u8]) -> Option<Opened> {
        let config = read_typed::<Self>(diags, ty, config)?;
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
