//! Constructors of schemas.

use std::collections::HashMap;

use tf_provider::map;
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, Description, Schema,
};

/// Returns an attribute. `Attribute::default()` is not used, because its description is "empty".
pub(crate) fn attribute(
    attr_type: AttributeType,
    constraint: AttributeConstraint,
    description: &str,
) -> Attribute {
    let description = Description::plain(description);
    Attribute { attr_type, description, constraint, sensitive: false, deprecated: false }
}

/// Returns a schema without nested blocks.
pub(crate) fn schema(
    version: i64,
    description: &str,
    attributes: HashMap<String, Attribute>,
) -> Schema {
    let description = Description::plain(description);
    let block = Block { version, attributes, blocks: map! {}, description, deprecated: false };
    Schema { version, block }
}
