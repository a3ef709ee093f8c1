//! A schema with the values that are derived from it.

use serde::Serialize;
use tf_provider::schema::Schema;

use super::{convert, shape};
use crate::dynamic::{Family, Fit};
use crate::pb::tfplugin6 as pb;
use crate::wire::{ObjectShape, Role, Type};

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
    /// Compiles the schema of the values of `F`. Adds the paths in `write_only` that are wrong to `wrong`.
    pub(crate) fn new<F: Family>(
        schema: &Schema,
        write_only: &[String],
        wrong: &mut Vec<String>,
    ) -> Self
    where
        for<'a> F::Of<'a>: Serialize,
    {
        let message = convert::schema(schema, write_only);
        let shape = message.block.as_ref().map(shape::of_block).unwrap_or_default();
        for path in write_only {
            match role(&shape, path) {
                Some(Role::Attribute { computed: false, .. }) => {}
                Some(Role::Attribute { .. }) => {
                    wrong.push(format!("{path} is computed and cannot be write-only"));
                }
                _ => wrong.push(format!("{path} is to be write-only and is not an attribute")),
            }
        }
        Self { version: schema.version, message, ty: Type::Object(shape), fit: Fit::of::<F>() }
    }

    #[cfg(feature = "testkit")]
    pub(crate) fn shape(&self) -> &ObjectShape {
        const NONE: &ObjectShape = &ObjectShape { fields: Vec::new() };
        self.ty.object().unwrap_or(NONE)
    }
}

/// Returns the role of the attribute or block at `path`, in which dots lead into nested ones.
fn role(shape: &ObjectShape, path: &str) -> Option<Role> {
    match path.split_once('.') {
        Some((first, rest)) => role(shape.field(first)?.ty.object()?, rest),
        None => shape.field(path).map(|field| field.role),
    }
}
