//! Constructors of schemas. They require a type and a description of every attribute, because
//! tf-provider's `Attribute::default()` is an attribute of any type with the description "empty".
//!
//! ```
//! use plugin_server::schema::{computed, new_schema, required};
//! use plugin_server::tf_provider::schema::AttributeType;
//!
//! let label = required(AttributeType::String, "The label.");
//! let weight = computed(AttributeType::Number, "The weight.");
//! let schema = new_schema(0, "A jar.", [("label", label), ("weight", weight)]);
//! assert_eq!(schema.block.attributes.len(), 2);
//! ```
//!
//! The private rest of the module converts schemas to messages of the protocol, and to the types by
//! which values are read.

mod compiled;
mod constructors;
mod convert;
mod identity;
mod shape;

pub(crate) use compiled::CompiledSchema;
pub use constructors::{
    computed, list_of_objects, new_schema, optional, optional_computed, required, sensitive,
    set_of_strings,
};
pub(crate) use convert::identity;
pub(crate) use identity::IDENTITY_VERSION;
pub use identity::IdentitySchema;
#[cfg(feature = "testkit")]
pub(crate) use shape::of_block;
