//! Constructors of schemas.

use std::collections::HashMap;

use tf_provider::map;
use tf_provider::schema::{Attribute, AttributeConstraint, AttributeType, Block, Description};

pub(crate) fn attribute(attr_type: AttributeType, constraint: AttributeConstraint) -> Attribute {
    let description = Description::plain("An attribute.");
    Attribute { attr_type, description, constraint, sensitive: false, deprecated: false }
}

pub(crate) fn block(attributes: HashMap<String, Attribute>) -> Block {
    let description = Description::plain("A block.");
    Block { version: 0, attributes, blocks: map! {}, description, deprecated: false }
}
