//! Identity schemas, which tf-provider does not have.

use std::collections::BTreeMap;

use tf_provider::schema::AttributeType;

/// The version of every identity schema: their attributes have never changed.
pub(crate) const IDENTITY_VERSION: i64 = 0;

/// The attributes that identify one object of a resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdentitySchema {
    pub(crate) attributes: BTreeMap<String, IdentityAttribute>,
}

/// One attribute of an identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentityAttribute {
    /// A string, a number, a boolean, or a list of one of them.
    pub(crate) attr_type: AttributeType,
    pub(crate) description: String,
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
        self.attributes.insert(name.to_owned(), IdentityAttribute { attr_type, description });
        self
    }
}
