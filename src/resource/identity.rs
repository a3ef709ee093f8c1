//! The identity of an object: the ID of its parent and its own, by which it can be imported. It
//! never changes, because a change of an ID replaces the object.

use std::collections::BTreeMap;

use access_client::{Identifier, ObjectName as _};
use plugin_server::IdentitySchema;
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::AttributeType;
use tf_provider::value::Value;

use super::entity::Entity;
use super::value::read_identifier;

/// The IDs of an object, by the name of the attribute.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ObjectIdentity(BTreeMap<String, Value<String>>);

impl ObjectIdentity {
    /// Returns the schema: the IDs of the parent and of the object.
    pub(crate) fn schema<E: Entity>() -> IdentitySchema {
        let required = |schema: IdentitySchema, (name, description): (&str, &str)| {
            schema.required(name, AttributeType::String, description)
        };
        E::WORDS.name_arguments.into_iter().fold(IdentitySchema::new(), required)
    }

    pub(crate) fn from_name<E: Entity>(name: &E::Name) -> Self {
        let [(parent, _), (id, _)] = E::WORDS.name_arguments;
        let value = |id: &Identifier| Value::Value(id.to_string());
        Self([(parent.to_owned(), value(name.parent())), (id.to_owned(), value(name.id()))].into())
    }

    /// Returns the name, or adds an error for an ID that no object can have.
    pub(crate) fn to_name<E: Entity>(&self, diags: &mut Diagnostics) -> Option<E::Name> {
        let [(parent, _), (id, _)] = E::WORDS.name_arguments;
        let mut read = |attribute| read_identifier(attribute, self.0.get(attribute)?, diags);
        let (parent, id) = (read(parent), read(id));
        Some(E::Name::new(parent?, id?))
    }
}
