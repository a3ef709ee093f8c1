//! The types of a provider, without the lifetimes of the bytes that they borrow from.

use serde::Deserialize;

/// A family of types that borrow from the bytes that they are deserialized from, one for each
/// lifetime.
pub(crate) trait Family {
    type Of<'a>: Deserialize<'a> + Send;

    /// Encodes a value of a type that providers return. `None` for the types of arguments.
    fn encode(value: &Self::Of<'_>) -> Option<Vec<u8>> {
        let _ = value;
        None
    }
}
