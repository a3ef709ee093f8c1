//! Schemas: as messages, and as the types by which values are walked.

mod check;
mod convert;
mod identity;

pub(crate) use check::{check_block, check_function, check_identity, check_names, is_identifier};
pub(crate) use convert::{function, identity};
pub use identity::{IdentityAttribute, IdentitySchema};

use std::collections::BTreeMap;

use tf_provider::schema::Schema;

use crate::wire::{ObjectShape, Role, Type};

/// A schema, taken once when its owner is registered.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    pub(crate) version: i64,
    pub(crate) message: crate::pb::tfplugin6::Schema,
    /// The object, as a type: what `shape` says.
    pub(crate) ty: Type,
}

/// What tf-provider's attributes have no field for, by the attribute's path with dots.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    pub(crate) write_only: Vec<String>,
    pub(crate) deprecations: BTreeMap<String, String>,
}

impl Compiled {
    /// Pushes to `wrong` what Terraform would refuse the whole provider for.
    pub(crate) fn new(schema: &Schema, extras: &Extras, wrong: &mut Vec<String>) -> Self {
        let mut shape = ObjectShape::of_block(&schema.block);
        for path in &extras.write_only {
            match descend(&mut shape, path) {
                Some(role @ Role::Attribute { computed: false, .. }) => {
                    if let Role::Attribute { write_only, .. } = role {
                        *write_only = true;
                    }
                }
                Some(_) => wrong.push(format!("{path} is computed and cannot be write-only")),
                None => wrong.push(format!("{path} is to be write-only and is no attribute")),
            }
        }
        for path in extras.deprecations.keys() {
            if descend(&mut shape, path).is_none() {
                wrong.push(format!("{path} has a deprecation message and is no attribute"));
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
