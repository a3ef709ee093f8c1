//! Additions to tf-provider's types: schema constructors, plan helpers, exact numbers, private state
//! that survives damage, diagnostics without backtraces.

pub(crate) mod diagnostics;
pub(crate) mod number;
pub(crate) mod plan;
pub(crate) mod private_state;
pub(crate) mod schema;
