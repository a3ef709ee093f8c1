//! A schema with the values that are derived from it.

use tf_provider::schema::Schema;

use super::{convert, shape};
use crate::pb::tfplugin6 as pb;
use crate::wire::Type;

/// A schema, compiled once at registration.
#[derive(Clone, Debug)]
pub(crate) struct CompiledSchema {
    pub(crate) version: i64,
    pub(crate) message: pb::Schema,
    /// The type of its objects.
    pub(crate) ty: Type,
}

impl CompiledSchema {
    /// Compiles a schema. Adds what is not served to `wrong`.
    pub(crate) fn new(schema: &Schema, wrong: &mut Vec<String>) -> Self {
        let blocks = schema.block.blocks.keys();
        wrong.extend(blocks.map(|name| format!("{name} is a block, and blocks are not served")));
        let message = convert::schema(schema);
        let shape = message.block.as_ref().map(|block| shape::of_block(block, wrong));
        Self { version: schema.version, message, ty: Type::Object(shape.unwrap_or_default()) }
    }
}
