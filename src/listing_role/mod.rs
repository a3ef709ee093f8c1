//! Listing roles: the resource `access_listing_role` and its data sources.
//!
//! Calls: PATCH (create with `allowMissing`, update with the smallest mask), GET and list
//! (existence check, refresh, import), DELETE.

pub(crate) mod attributes;
mod check;
mod plan;
mod query;
mod say;
pub(crate) mod state;
#[cfg(test)]
mod tests;
mod watch;
mod write;
