//! Identity schemas, which tf-provider does not know.

use std::collections::BTreeMap;

use tf_provider::schema::AttributeType;

/// The attributes that tell one object of a resource type from all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentitySchema {
    /// Counts up with each change of the attributes, from 0.
    pub version: i64,
    /// The attributes by name.
    pub attributes: BTreeMap<String, IdentityAttribute>,
    /// Whether an object may change its identity during its life. Where it may not, a read or an
    /// update that returns another identity is an error.
    pub mutable: bool,
}

/// One attribute of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityAttribute {
    /// A string, a number, a boolean, or a list of one of them.
    pub attr_type: AttributeType,
    /// Whether an import by identity must name it; otherwise it may leave it out.
    pub required_for_import: bool,
    /// A sentence for the user.
    pub description: String,
}

impl IdentitySchema {
    /// An identity of version 0 without attributes, which never changes during an object's life.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an attribute that an import by identity must name.
    #[must_use]
    pub fn required(self, name: &str, attr_type: AttributeType, description: &str) -> Self {
        self.with(name, attr_type, true, description)
    }

    /// Adds an attribute that an import by identity may leave out.
    #[must_use]
    pub fn optional(self, name: &str, attr_type: AttributeType, description: &str) -> Self {
        self.with(name, attr_type, false, description)
    }

    fn with(
        mut self,
        name: &str,
        attr_type: AttributeType,
        required_for_import: bool,
        description: &str,
    ) -> Self {
        let description = description.to_owned();
        self.attributes.insert(
            name.to_owned(),
            IdentityAttribute { attr_type, required_for_import, description },
        );
        self
    }
}
