//! A schema with the values that are derived from it.

use serde::Serialize;
use tf_provider::schema::Schema;

use super::{convert, shape};
use crate::dynamic::{Family, Fit};
use crate::pb::tfplugin6 as pb;
#[cfg(feature = "testkit")]
use crate::wire::ObjectShape;
use crate::wire::Type;

/// A schema, compiled once at registration.
#[derive(Clone, Debug)]
pub(crate) struct CompiledSchema {
    pub(crate) version: i64,
    pub(crate) message: pb::Schema,
    /// The type of its objects.
    pub(crate) ty: Type,
    #[cfg_attr(not(feature = "testkit"), allow(dead_code, reason = "only tests compare them"))]
    pub(crate) fit: Fit,
}

impl CompiledSchema {
    /// Compiles the schema of the values of `F`. Adds what is not served to `wrong`.
    pub(crate) fn new<F: Family>(schema: &Schema, wrong: &mut Vec<String>) -> Self
    where
        for<'a> F::Of<'a>: Serialize,
    {
        let message = convert::schema(schema);
        let shape = message.block.as_ref().map(|block| shape::of_block(block, wrong));
        let ty = Type::Object(shape.unwrap_or_default());
        Self { version: schema.version, message, ty, fit: Fit::of::<F>() }
    }

    #[cfg(feature = "testkit")]
    pub(crate) fn shape(&self) -> &ObjectShape {
        const NONE: &ObjectShape = &ObjectShape { fields: Vec::new() };
        self.ty.object().unwrap_or(NONE)
    }
}
