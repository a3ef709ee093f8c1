//! Values as they cross the wire, read and written by the schema's types.
//!
//! serde knows neither which attribute it stumbled over nor what Terraform will refuse in the
//! answer. So every value is walked here by its type: before a provider sees it, and before
//! Terraform does. Numbers keep the form in which they came.

mod check;
mod json;
mod locate;
mod msgpack;
mod path;
mod shape;
mod value;

pub(crate) use check::{
    clear_write_only, computed_to_unknown, find_unknown, keep_only_config, path_exists,
    plan_faults, result_faults, unknown_to_null,
};
pub(crate) use json::from_json;
pub(crate) use locate::locate;
pub(crate) use msgpack::{Decoded, decode, encode};
pub(crate) use path::{Fault, Path};
pub(crate) use shape::{Field, Nesting, ObjectShape, Role, Type};
pub(crate) use value::{Number, Value};

/// Nesting depth of a value beyond which reading gives up, against stack exhaustion.
///
/// Only dynamic values can nest deeper than their schema; Terraform itself never comes near.
pub(crate) const MAX_DEPTH: usize = 256;
