//! Constructors of schemas. The rest of the module, which is private, converts schemas to messages of
//! the protocol, and to the types by which values are read.

mod check;
mod compiled;
mod constructors;
mod convert;
mod extras;
mod identity;

pub(crate) use check::{
    Reserved, check_function, check_identity, check_names, check_reserved, is_identifier,
};
pub(crate) use compiled::CompiledSchema;
pub use constructors::{
    computed, list_of_objects, map_of_strings, new_function, new_schema, optional,
    optional_computed, required, sensitive, set_of_strings,
};
pub(crate) use convert::{function, identity};
pub(crate) use extras::AttributeExtras;
pub use identity::{IdentityAttribute, IdentitySchema};
