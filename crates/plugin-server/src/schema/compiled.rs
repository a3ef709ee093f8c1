//! A schema with the values that are derived from it.

use tf_provider::schema::Schema;

use super::check::check_block;
use super::convert;
use super::extras::AttributeExtras;
use crate::wire::{ObjectShape, Role, Type};

/// A schema, compiled once at registration.
#[derive(Clone, Debug)]
pub(crate) struct CompiledSchema {
    pub(crate) version: i64,
    pub(crate) message: crate::pb::tfplugin6::Schema,
    /// The type of its objects.
    pub(crate) ty: Type,
}

impl CompiledSchema {
    /// Compiles a schema. Adds to `wrong` the errors because of which Terraform would reject the
    /// whole provider.
    pub(crate) fn new(schema: &Schema, extras: &AttributeExtras, wrong: &mut Vec<String>) -> Self {
        let mut shape = ObjectShape::of_block(&schema.block);
        for path in &extras.write_only {
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
        check_block(&schema.block, &shape, "", wrong);
        if schema.version < 0 {
            wrong.push(format!("the version {} is negative", schema.version));
        }
        let message = convert::schema(schema, extras);
        Self { version: schema.version, message, ty: Type::Object(shape) }
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
