//! Values of the protocol, decoded and encoded according to the types of the schema.
//!
//! serde's errors do not name the attribute. Every value is therefore checked here by its type,
//! before it is passed to the provider and before it is returned to Terraform.

mod encode;
mod json;
mod key;
mod msgpack;
mod number;
mod parts;
mod path;
mod shape;
#[cfg(test)]
mod test_values;
mod token;
mod transform;
mod value;

pub(crate) use encode::encode;
pub(crate) use json::from_json;
#[cfg(feature = "testkit")]
pub(crate) use key::set_keys;
pub(crate) use msgpack::{MissingValue, Survey, decode, survey};
pub(crate) use number::Number;
pub(crate) use path::{Fault, Path};
pub(crate) use shape::{Field, ObjectShape, Role, Type};
pub(crate) use token::NIL;
#[cfg(feature = "testkit")]
pub(crate) use token::{Broken, Token, Tokens};
pub(crate) use transform::{
    Configured, clear_read_only, configured, integers_to_text, unknown_to_null, until_set,
};
pub(crate) use value::Value;
