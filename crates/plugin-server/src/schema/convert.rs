//! Conversion of schemas to messages. Attributes and blocks are sorted by name, so that the
//! response is deterministic.

use std::fmt::Display;

use bytes::Bytes;
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, FunctionSchema, NestedBlock,
    Parameter, Schema, StringKind,
};

use super::identity::IdentitySchema;
use crate::pb::tfplugin6 as pb;
use crate::wire::Type;

pub(crate) fn schema(schema: &Schema, write_only: &[String]) -> pb::Schema {
    let mut block = block(&schema.block, "", write_only);
    block.version = schema.version;
    pb::Schema { version: schema.version, block: Some(block) }
}

fn block(value: &Block, prefix: &str, write_only: &[String]) -> pb::schema::Block {
    let mut block_types: Vec<_> = value
        .blocks
        .iter()
        .map(|(name, block)| nested_block(name, block, &format!("{prefix}{name}."), write_only))
        .collect();
    block_types.sort_by(|a, b| a.type_name.cmp(&b.type_name));
    pb::schema::Block {
        version: value.version,
        attributes: attributes(value.attributes.iter(), prefix, write_only),
        block_types,
        description: value.description.content.clone(),
        description_kind: kind(&value.description).into(),
        deprecated: value.deprecated,
        ..Default::default()
    }
}

fn nested_block(
    name: &str,
    nested: &NestedBlock,
    prefix: &str,
    write_only: &[String],
) -> pb::schema::NestedBlock {
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
        block: Some(block(inner, prefix, write_only)),
        nesting: nesting.into(),
        min_items,
        max_items,
    }
}

fn attributes<'s>(
    attributes: impl Iterator<Item = (&'s String, &'s Attribute)>,
    prefix: &str,
    write_only: &[String],
) -> Vec<pb::schema::Attribute> {
    let mut converted: Vec<_> =
        attributes.map(|(name, value)| attribute(name, value, prefix, write_only)).collect();
    converted.sort_by(|a, b| a.name.cmp(&b.name));
    converted
}

fn attribute(
    name: &str,
    attribute: &Attribute,
    prefix: &str,
    write_only: &[String],
) -> pb::schema::Attribute {
    use pb::schema::object::NestingMode;
    let path = format!("{prefix}{name}");
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
        attributes: attributes(inner.iter(), &format!("{path}."), write_only),
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
        write_only: write_only.contains(&path),
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

pub(crate) fn function(schema: &FunctionSchema) -> pb::Function {
    let parameter = |parameter: &Parameter| pb::function::Parameter {
        name: parameter.name.clone(),
        r#type: type_json(&parameter.param_type),
        allow_null_value: parameter.allow_null,
        allow_unknown_values: parameter.allow_unknown,
        description: parameter.description.content.clone(),
        description_kind: kind(&parameter.description).into(),
    };
    pb::Function {
        parameters: schema.parameters.iter().map(parameter).collect(),
        variadic_parameter: schema.variadic.as_ref().map(parameter),
        r#return: Some(pb::function::Return { r#type: type_json(&schema.return_type) }),
        summary: schema.summary.clone(),
        description: schema.description.content.clone(),
        description_kind: kind(&schema.description).into(),
        deprecation_message: match &schema.deprecated {
            Some(message) if message.is_empty() => "This function is deprecated.".to_owned(),
            Some(message) => message.clone(),
            None => String::new(),
        },
    }
}

/// Returns the type as hosts read it, with its members in the order of their names.
fn type_json(ty: &impl Display) -> Bytes {
    Type::of(ty).to_json().to_string().into()
}

fn kind(description: &Description) -> pb::StringKind {
    match description.kind {
        StringKind::Plain => pb::StringKind::Plain,
        StringKind::Markdown => pb::StringKind::Markdown,
    }
}
