//! Checks of schemas for errors because of which Terraform rejects the whole provider.

use std::collections::BTreeSet;

use tf_provider::schema::{Attribute, AttributeType, Block, FunctionSchema, NestedBlock};

use super::identity::IdentitySchema;
use crate::wire::{ObjectShape, Role, Type};

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns whether a name is an identifier of HCL.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

pub(crate) fn check_block(
    block: &Block,
    shape: &ObjectShape,
    prefix: &str,
    wrong: &mut Vec<String>,
) {
    check_attributes(block.attributes.iter(), prefix, wrong);
    for (name, nested) in &block.blocks {
        let path = format!("{prefix}{name}");
        if !is_name(name) {
            wrong.push(format!("the name of block {path} may hold only a-z, 0-9 and _"));
        }
        if block.attributes.contains_key(name) {
            wrong.push(format!("{path} is both an attribute and a block"));
        }
        let inner = match nested {
            NestedBlock::Single(inner)
            | NestedBlock::List(inner)
            | NestedBlock::Set(inner)
            | NestedBlock::Map(inner)
            | NestedBlock::Group(inner)
            | NestedBlock::Optional(inner) => inner,
        };
        let none = ObjectShape::default();
        let inner_shape =
            shape.position(name).and_then(|at| shape.fields.get(at)?.ty.object()).unwrap_or(&none);
        check_block(inner, inner_shape, &format!("{path}."), wrong);
    }
    check_collections(shape, prefix, wrong);
}

/// Checks the collections of blocks and of nested attributes in one object.
fn check_collections(shape: &ObjectShape, prefix: &str, wrong: &mut Vec<String>) {
    for field in &shape.fields {
        let Some(inner) = field.ty.object() else { continue };
        let is_block = matches!(field.role, Role::Block(_));
        if !is_block && inner.fields.iter().all(|field| field.role == Role::Member) {
            continue;
        }
        let path = format!("{prefix}{}", field.name);
        let kind = match &field.ty {
            Type::List(_) => "list",
            Type::Set(_) => "set",
            Type::Map(_) => "map",
            _ => "",
        };
        if !kind.is_empty() && has_dynamic(&Type::Object(inner.clone())) {
            wrong.push(format!(
                "the {kind} {path} has an attribute of any type. The elements of a collection have \
                 one type, so that hosts would send another type than the schema's. Give the \
                 attribute a type, or use a single {}",
                if is_block { "block" } else { "nested attribute" }
            ));
        }
        if kind == "set" && inner.has_write_only() {
            wrong.push(format!("the set {path} holds a write-only attribute"));
        }
        if !is_block {
            check_collections(inner, &format!("{path}."), wrong);
        }
    }
}

/// Whose names are checked.
#[derive(Clone, Copy)]
pub(crate) enum Reserved {
    Provider,
    /// Resources and data sources.
    Resource,
}

impl Reserved {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Provider => &["alias", "count", "depends_on", "for_each", "source", "version"],
            Self::Resource => &[
                "connection",
                "count",
                "depends_on",
                "for_each",
                "lifecycle",
                "provider",
                "provisioner",
            ],
        }
    }

    fn blocks(self) -> &'static [&'static str] {
        match self {
            Self::Provider => &["_", "lifecycle", "locals"],
            Self::Resource => &["_", "locals"],
        }
    }
}

/// Checks the names at the root of a schema. Terraform reads the reserved ones itself, so that a
/// configuration could not set them.
pub(crate) fn check_reserved(block: &Block, reserved: Reserved, wrong: &mut Vec<String>) {
    let mut check = |kind: &str, name: &String, is_reserved: bool| {
        if is_reserved {
            wrong.push(format!("Terraform reserves the name of the {kind} {name} for itself"));
        }
    };
    let names = reserved.names();
    for name in block.attributes.keys() {
        check("attribute", name, names.contains(&name.as_str()));
    }
    for name in block.blocks.keys() {
        let name_str = name.as_str();
        check("block", name, names.contains(&name_str) || reserved.blocks().contains(&name_str));
    }
}

fn check_attributes<'s>(
    attributes: impl Iterator<Item = (&'s String, &'s Attribute)>,
    prefix: &str,
    wrong: &mut Vec<String>,
) {
    for (name, attribute) in attributes {
        let path = format!("{prefix}{name}");
        if !is_name(name) {
            wrong.push(format!("the name of attribute {path} may hold only a-z, 0-9 and _"));
        }
        if let AttributeType::AttributeSingle(inner)
        | AttributeType::AttributeList(inner)
        | AttributeType::AttributeSet(inner)
        | AttributeType::AttributeMap(inner) = &attribute.attr_type
        {
            check_attributes(inner.iter(), &format!("{path}."), wrong);
        }
    }
}

fn has_dynamic(ty: &Type) -> bool {
    match ty {
        Type::Dynamic => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => has_dynamic(element),
        Type::Tuple(types) => types.iter().any(has_dynamic),
        Type::Object(shape) => shape.fields.iter().any(|field| has_dynamic(&field.ty)),
        Type::String | Type::Number | Type::Bool => false,
    }
}

pub(crate) fn check_identity(schema: &IdentitySchema, wrong: &mut Vec<String>) {
    if schema.version < 0 {
        wrong.push(format!("the version {} of the identity is negative", schema.version));
    }
    if schema.attributes.is_empty() {
        wrong.push("the identity has no attributes".to_owned());
    }
    let primitive = |ty: &AttributeType| {
        matches!(ty, AttributeType::String | AttributeType::Number | AttributeType::Bool)
    };
    for (name, attribute) in &schema.attributes {
        let allowed = match &attribute.attr_type {
            AttributeType::List(element) => primitive(element),
            ty => primitive(ty),
        };
        if !allowed {
            wrong.push(format!(
                "attribute {name} of the identity must be primitive or a list of primitives"
            ));
        }
    }
}

pub(crate) fn check_function(schema: &FunctionSchema, wrong: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for parameter in schema.parameters.iter().chain(&schema.variadic) {
        if !is_identifier(&parameter.name) {
            wrong.push(format!("the parameter {:?} does not have a valid name", parameter.name));
        }
        if !seen.insert(&parameter.name) {
            wrong.push(format!("the parameter {} is declared twice", parameter.name));
        }
    }
}

/// Checks the names of resource types and data sources.
pub(crate) fn check_names<'s>(names: impl Iterator<Item = &'s String>, wrong: &mut Vec<String>) {
    wrong.extend(
        names
            .filter(|name| !is_name(name))
            .map(|name| format!("{name} is not a valid name of a type")),
    );
}
