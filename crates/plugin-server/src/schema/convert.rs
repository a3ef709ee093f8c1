//! Conversion of schemas to messages. Attributes and blocks are sorted by name, so that the
//! response is deterministic.

use std::fmt::Display;

use bytes::Bytes;
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, NestedBlock, Schema,
    StringKind,
};

use super::identity::IdentitySchema;
use crate::pb::tfplugin6 as pb;
use crate::wire::Type;

pub(crate) fn schema(schema: &Schema) -> pb::Schema {
    let mut block = block(&schema.block);
    block.version = schema.version;
    pb::Schema { version: schema.version, block: Some(block) }
}

fn block(value: &Block) -> pb::schema::Block {
    let blocks = value.blocks.iter();
    let mut block_types: Vec<_> = blocks.map(|(name, block)| nested_block(name, block)).collect();
    block_types.sort_by(|a, b| a.type_name.cmp(&b.type_name));
    pb::schema::Block {
        version: value.version,
        attributes: attributes(value.attributes.iter()),
        block_types,
        description: value.description.content.clone(),
        description_kind: kind(&value.description).into(),
        deprecated: value.deprecated,
        ..Default::default()
    }
}

fn nested_block(name: &str, nested: &NestedBlock) -> pb::schema::NestedBlock {
    use pb::schema::nested_block::NestingMode;
    // 0 means that there is no maximum.
    let (nesting, inner, min_items, max_items) = match nested {
        NestedBlock::Single(inner) => (NestingMode::Single, inner, 1, 1),
        NestedBlock::List(inner) => (NestingMode::List, inner, 0, 0),
        NestedBlock::Optional(inner) => (NestingMode::List, inner, 0, 1),
        NestedBlock::Set(inner) => (NestingMode::Set, inner, 0, 0),
        NestedBlock::Map(inner) => (NestingMode::Map, inner, 0, 0),
        NestedBlock::Group(inner) => (NestingMode::Group, inner, 0, 0),
    };
    pb::schema::NestedBlock {
        type_name: name.to_owned(),
        block: Some(block(inner)),
        nesting: nesting.into(),
        min_items,
        max_items,
    }
}

fn attributes<'s>(
    attributes: impl Iterator<Item = (&'s String, &'s Attribute)>,
) -> Vec<pb::schema::Attribute> {
    let mut converted: Vec<_> = attributes.map(|(name, value)| attribute(name, value)).collect();
    converted.sort_by(|a, b| a.name.cmp(&b.name));
    converted
}

fn attribute(name: &str, attribute: &Attribute) -> pb::schema::Attribute {
    use pb::schema::object::NestingMode;
    let nested = match &attribute.attr_type {
        AttributeType::AttributeSingle(inner) => Some((NestingMode::Single, inner)),
        AttributeType::AttributeList(inner) => Some((NestingMode::List, inner)),
        AttributeType::AttributeSet(inner) => Some((NestingMode::Set, inner)),
        AttributeType::AttributeMap(inner) => Some((NestingMode::Map, inner)),
        _ => None,
    };
    // Either a type or a nested type: Terraform refuses a schema that has both.
    let ty = match nested {
        Some(_) => Bytes::new(),
        None => type_json(&attribute.attr_type),
    };
    let nested_type = nested.map(|(nesting, inner)| pb::schema::Object {
        attributes: attributes(inner.iter()),
        nesting: nesting.into(),
        ..Default::default()
    });
    pb::schema::Attribute {
        name: name.to_owned(),
        r#type: ty,
        nested_type,
        description: attribute.description.content.clone(),
        description_kind: kind(&attribute.description).into(),
        required: attribute.constraint == AttributeConstraint::Required,
        optional: matches!(
            attribute.constraint,
            AttributeConstraint::Optional | AttributeConstraint::OptionalComputed
        ),
        computed: matches!(
            attribute.constraint,
            AttributeConstraint::Computed | AttributeConstraint::OptionalComputed
        ),
        sensitive: attribute.sensitive,
        deprecated: attribute.deprecated,
        ..Default::default()
    }
}

pub(crate) fn identity(schema: &IdentitySchema) -> pb::ResourceIdentitySchema {
    let identity_attributes = schema
        .attributes
        .iter()
        .map(|(name, attribute)| pb::resource_identity_schema::IdentityAttribute {
            name: name.clone(),
            r#type: type_json(&attribute.attr_type),
            required_for_import: attribute.required_for_import,
            optional_for_import: !attribute.required_for_import,
            description: attribute.description.clone(),
        })
        .collect();
    pb::ResourceIdentitySchema { version: schema.version, identity_attributes }
}

/// Returns the type as hosts read it, with its members in the order of their names.
fn type_json(ty: &impl Display) -> Bytes {
    let sorted = Type::of(ty).map(|ty| ty.to_json().to_string());
    // A type that is not served is a problem of the registration.
    sorted.unwrap_or_else(|| ty.to_string()).into()
}

fn kind(description: &Description) -> pb::StringKind {
    match description.kind {
        StringKind::Plain => pb::StringKind::Plain,
        StringKind::Markdown => pb::StringKind::Markdown,
    }
}
