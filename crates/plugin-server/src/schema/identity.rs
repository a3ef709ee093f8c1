//! Identity schemas, which tf-provider does not have.

use std::collections::BTreeMap;

use tf_provider::schema::AttributeType;

/// The attributes that identify one object of a resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdentitySchema {
    /// The version, which starts at 0 and increases with each change of the attributes.
    pub version: i64,
    /// The attributes by name.
    pub attributes: BTreeMap<String, IdentityAttribute>,
}

/// One attribute of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

    /// Sets the version.
    #[must_use]
    pub fn version(mut self, version: i64) -> Self {
        self.version = version;
        self
    }

    /// Adds an attribute that an import by identity requires.
    #[must_use]
    pub fn required(self, name: &str, attr_type: AttributeType, description: &str) -> Self {
        let description = description.to_owned();
        self.with(name, IdentityAttribute { attr_type, required_for_import: true, description })
    }

    /// Adds an attribute that may be null in an import by identity.
    #[must_use]
    pub fn optional(self, name: &str, attr_type: AttributeType, description: &str) -> Self {
        let description = description.to_owned();
        self.with(name, IdentityAttribute { attr_type, required_for_import: false, description })
    }

    fn with(mut self, name: &str, attribute: IdentityAttribute) -> Self {
        self.attributes.insert(name.to_owned(), attribute);
        self
    }
}
