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
    for field in &shape.fields {
        let is_block_or_nested = field
            .ty
            .object()
            .is_some_and(|shape| shape.fields.iter().any(|field| field.role != Role::Member));
        if let (true, Type::Set(element)) = (is_block_or_nested, &field.ty) {
            let path = format!("{prefix}{}", field.name);
            if has_dynamic(element) {
                wrong.push(format!("the set {path} holds an attribute of any type"));
            }
            if element.object().is_some_and(ObjectShape::has_write_only) {
                wrong.push(format!("the set {path} holds a write-only attribute"));
            }
        }
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
