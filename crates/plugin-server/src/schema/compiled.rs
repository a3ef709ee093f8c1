//! A schema with the values that are derived from it.

use serde::Serialize;
use tf_provider::schema::Schema;

use super::convert;
use crate::dynamic::{Family, Fit};
use crate::wire::{ObjectShape, Role, Type};

/// A schema, compiled once at registration.
#[derive(Clone, Debug)]
pub(crate) struct CompiledSchema {
    pub(crate) version: i64,
    pub(crate) message: crate::pb::tfplugin6::Schema,
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
        let mut shape = ObjectShape::of_block(&schema.block);
        for path in write_only {
            match descend(&mut shape, path) {
                Some(role @ Role::Attribute { computed: false, .. }) => {
                    if let Role::Attribute { write_only, .. } = role {
                        *write_only = true;
                    }
                }
                Some(_) => wrong.push(format!("{path} is computed and cannot be write-only")),
                None => wrong.push(format!("{path} is to be write-only and is not an attribute")),
            }
        }
        Self {
            version: schema.version,
            message: convert::schema(schema, write_only),
            ty: Type::Object(shape),
            fit: Fit::of::<F>(),
        }
    }

    pub(crate) fn shape(&self) -> &ObjectShape {
        const NONE: &ObjectShape = &ObjectShape { fields: Vec::new() };
        self.ty.object().unwrap_or(NONE)
    }
}

fn descend<'s>(shape: &'s mut ObjectShape, path: &str) -> Option<&'s mut Role> {
    let (first, rest) = path.split_once('.').map_or((path, None), |(a, b)| (a, Some(b)));
    let field = shape.field_mut(first)?;
    match rest {
        Some(rest) => descend(field.ty.object_mut()?, rest),
        None => matches!(field.role, Role::Attribute { .. }).then_some(&mut field.role),
    }
}
