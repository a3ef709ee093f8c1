//! A type for numbers that keeps whole ones exact.
//!
//! [`tf_provider::value::Value`] is null, unknown or known. In it, this crate serves strings
//! (`String`), booleans (`bool`), numbers ([`Number`]), lists and sets (`Vec<Value<T>>`), maps
//! (`BTreeMap<String, Value<T>>`) and objects (a struct with a field for each attribute).

mod number;

pub use number::Number;
