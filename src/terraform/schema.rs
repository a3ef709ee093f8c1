//! Constructors for schemas that demand a type and a description of every attribute.
//!
//! tf-provider's `Attribute::default()` is an optional and computed `dynamic` described as
//! "empty": nothing here or elsewhere may use it.

use std::collections::HashMap;

use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema,
};

/// Returns an attribute that the configuration must set.
pub(crate) fn required(kind: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::Required, kind, description)
}

/// Returns an attribute that the configuration may set and the provider never sets.
pub(crate) fn optional(kind: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::Optional, kind, description)
}

/// Returns an attribute that the provider sets if the configuration does not.
pub(crate) fn optional_computed(kind: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::OptionalComputed, kind, description)
}

/// Returns an attribute that only the provider sets.
pub(crate) fn computed(kind: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::Computed, kind, description)
}

/// Returns the same attribute as a sensitive one, which Terraform shows as `(sensitive value)`.
pub(crate) fn sensitive(attribute: Attribute) -> Attribute {
    Attribute { sensitive: true, ..attribute }
}

/// Returns the type of a set of strings.
pub(crate) fn set_of_strings() -> AttributeType {
    AttributeType::Set(Box::new(AttributeType::String))
}

/// Returns the type of a map of strings.
pub(crate) fn map_of_strings() -> AttributeType {
    AttributeType::Map(Box::new(AttributeType::String))
}

/// Returns the type of a list of objects with these attributes.
pub(crate) fn list_of_objects(
    attributes: impl IntoIterator<Item = (&'static str, Attribute)>,
) -> AttributeType {
    AttributeType::AttributeList(named(attributes))
}

/// Returns a schema without blocks. `description` is Markdown.
pub(crate) fn schema(
    version: i64,
    description: &str,
    attributes: impl IntoIterator<Item = (&'static str, Attribute)>,
) -> Schema {
    Schema {
        version,
        block: Block {
            version,
            attributes: named(attributes),
            blocks: [].into(),
            description: Description::markdown(description),
            deprecated: false,
        },
    }
}

fn named(
    attributes: impl IntoIterator<Item = (&'static str, Attribute)>,
) -> HashMap<String, Attribute> {
    attributes.into_iter().map(|(name, attribute)| (name.to_owned(), attribute)).collect()
}

fn attribute(
    constraint: AttributeConstraint,
    attr_type: AttributeType,
    description: &str,
) -> Attribute {
    Attribute {
        attr_type,
        description: Description::markdown(description),
        constraint,
        sensitive: false,
        deprecated: false,
    }
}
