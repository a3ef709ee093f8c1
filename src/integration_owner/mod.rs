//! Integration owners: the resource `access_integration_owner` and its data sources.
//!
//! Calls: list and GET (existence check, refresh, import, outcome of a POST), POST, DELETE. POST is not
//! idempotent: after a failure that the service may have processed it is never sent again.

pub(crate) mod attributes;
pub(crate) mod check;
mod plan;
pub(crate) mod post;
mod query;
pub(crate) mod say;
pub(crate) mod state;
pub(crate) mod watch;
mod write;
