//! The provider of the README, and of the examples in the documentation of this crate's traits.
//! `tests/suite/documentation.rs` compares and runs it.

include!("provider.rs");
