//! Conversion of schemas to messages of the protocol, and to the types by which values are read.

mod check;
mod compiled;
mod convert;
mod extras;
mod identity;

pub(crate) use check::{
    Reserved, check_function, check_identity, check_names, check_reserved, is_identifier,
};
pub(crate) use compiled::CompiledSchema;
pub(crate) use convert::{function, identity};
pub(crate) use extras::AttributeExtras;
pub use identity::{IdentityAttribute, IdentitySchema};
