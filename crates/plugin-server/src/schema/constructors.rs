//! Constructors of schemas and of their attributes.

use std::collections::HashMap;

use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema,
};

/// Returns an attribute that the configuration must set. All descriptions are Markdown.
#[must_use]
pub fn required(attr_type: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::Required, attr_type, description)
}

/// Returns an attribute that the configuration may set, and the provider may not.
#[must_use]
pub fn optional(attr_type: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::Optional, attr_type, description)
}

/// Returns an attribute that the provider sets if the configuration does not. An attribute with a
/// default is one.
#[must_use]
pub fn optional_computed(attr_type: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::OptionalComputed, attr_type, description)
}

/// Returns an attribute that only the provider sets.
#[must_use]
pub fn computed(attr_type: AttributeType, description: &str) -> Attribute {
    attribute(AttributeConstraint::Computed, attr_type, description)
}

/// Makes an attribute sensitive: hosts show `(sensitive value)` in place of its value.
#[must_use]
pub fn sensitive(attribute: Attribute) -> Attribute {
    Attribute { sensitive: true, ..attribute }
}

/// Returns the type of a set of strings.
#[must_use]
pub fn set_of_strings() -> AttributeType {
    AttributeType::Set(Box::new(AttributeType::String))
}

/// Returns the type of a list of objects with these attributes.
#[must_use]
pub fn list_of_objects<'n>(
    attributes: impl IntoIterator<Item = (&'n str, Attribute)>,
) -> AttributeType {
    AttributeType::AttributeList(named(attributes))
}

/// Returns a schema without nested blocks.
#[must_use]
pub fn new_schema<'n>(
    version: i64,
    description: &str,
    attributes: impl IntoIterator<Item = (&'n str, Attribute)>,
) -> Schema {
    let block = Block {
        version,
        attributes: named(attributes),
        blocks: HashMap::new(),
        description: Description::markdown(description),
        deprecated: false,
    };
    Schema { version, block }
}

fn named<'n>(
    attributes: impl IntoIterator<Item = (&'n str, Attribute)>,
) -> HashMap<String, Attribute> {
    attributes.into_iter().map(|(name, attribute)| (name.to_owned(), attribute)).collect()
}

fn attribute(
    constraint: AttributeConstraint,
    attr_type: AttributeType,
    description: &str,
) -> Attribute {
    let description = Description::markdown(description);
    Attribute { attr_type, description, constraint, sensitive: false, deprecated: false }
}
