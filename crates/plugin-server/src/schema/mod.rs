//! Constructors of schemas. They require a type and a description of every attribute, because
//! tf-provider's `Attribute::default()` is an attribute of any type with the description "empty".
//!
//! Nested attributes are types of tf-provider, and nested blocks are added to the finished schema.
//! The [table of types](crate::value) lists what fits them in the provider's struct.
//!
//! ```
//! use plugin_server::schema::{computed, new_schema, optional, required};
//! use plugin_server::tf_provider::map;
//! use plugin_server::tf_provider::schema::{AttributeType, Block, Description, NestedBlock};
//! use plugin_server::tf_provider::value::{Value, serde_as_vec};
//! use serde::{Deserialize, Serialize};
//!
//! let layer = map! {
//!     "fruit" => required(AttributeType::String, "The fruit."),
//!     "weight" => computed(AttributeType::Number, "The weight."),
//! };
//! let layers = optional(AttributeType::AttributeList(layer), "The layers, from the bottom.");
//! let mut schema = new_schema(0, "A jar.", [("layers", layers)]);
//! let seal = Block {
//!     attributes: map! { "color" => optional(AttributeType::String, "The color.") },
//!     description: Description::markdown("The seal."),
//!     ..Block::default()
//! };
//! schema.block.blocks.insert("seal".to_owned(), NestedBlock::Optional(seal));
//!
//! #[derive(Serialize, Deserialize)]
//! struct JarState {
//!     layers: Value<Vec<Value<Layer>>>,
//!     #[serde(with = "serde_as_vec")]
//!     seal: Value<Seal>,
//! }
//!
//! #[derive(Serialize, Deserialize)]
//! struct Layer {
//!     fruit: Value<String>,
//!     weight: Value<f64>,
//! }
//!
//! #[derive(Serialize, Deserialize)]
//! struct Seal {
//!     color: Value<String>,
//! }
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
    computed, list_of_objects, map_of_strings, new_schema, optional, optional_computed, required,
    sensitive, set_of_strings,
};
pub(crate) use convert::identity;
pub use identity::{IdentityAttribute, IdentitySchema};
#[cfg(feature = "testkit")]
pub(crate) use shape::of_block;
