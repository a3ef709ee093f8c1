//! Identity schemas, which tf-provider does not have.

use std::collections::BTreeMap;

use tf_provider::schema::AttributeType;

/// The attributes that identify one object of a resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentitySchema {
    /// The version, which starts at 0 and increases with each change of the attributes.
    pub version: i64,
    /// The attributes by name.
    pub attributes: BTreeMap<String, IdentityAttribute>,
}

/// One attribute of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityAttribute {
    /// A string, a number, a boolean, or a list of one of them.
    pub attr_type: AttributeType,
    /// Whether an import by identity requires the attribute. If not, it may be null there.
    pub required_for_import: bool,
    /// The description for the user.
    pub description: String,
}

impl IdentitySchema {
    /// Returns an identity schema of version 0 without attributes. The identity of an object
    /// never changes: a read or an update that returns another one is an error.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an attribute that an import by identity requires.
    #[must_use]
    pub fn required(mut self, name: &str, attr_type: AttributeType, description: &str) -> Self {
        let description = description.to_owned();
        let attribute = IdentityAttribute { attr_type, required_for_import: true, description };
        self.attributes.insert(name.to_owned(), attribute);
        self
    }
}
