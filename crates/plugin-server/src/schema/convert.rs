//! Conversion of schemas to messages. Attributes are sorted by name, so that the response is
//! deterministic.

use std::fmt::Display;

use bytes::Bytes;
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema, StringKind,
};

use super::identity::{IDENTITY_VERSION, IdentitySchema};
use crate::pb::tfplugin6 as pb;
use crate::wire::Type;

pub(crate) fn schema(schema: &Schema) -> pb::Schema {
    let mut block = block(&schema.block);
    block.version = schema.version;
    pb::Schema { version: schema.version, block: Some(block) }
}

fn block(value: &Block) -> pb::schema::Block {
    pb::schema::Block {
        version: value.version,
        attributes: attributes(value.attributes.iter()),
        description: value.description.content.clone(),
        description_kind: kind(&value.description).into(),
        deprecated: value.deprecated,
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
    }
}

pub(crate) fn identity(schema: &IdentitySchema) -> pb::ResourceIdentitySchema {
    let identity_attributes = schema
        .attributes
        .iter()
        .map(|(name, attribute)| pb::resource_identity_schema::IdentityAttribute {
            name: name.clone(),
            r#type: type_json(&attribute.attr_type),
            required_for_import: true,
            optional_for_import: false,
            description: attribute.description.clone(),
        })
        .collect();
    pb::ResourceIdentitySchema { version: IDENTITY_VERSION, identity_attributes }
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
