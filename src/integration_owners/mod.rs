//! All owners of an integration as one resource, `access_integration_owners`: the authoritative
//! counterpart of `integration_owner`, whose POST and DELETE it uses for each owner.
//!
//! Calls: list (refresh, import, and before each write), POST for each owner that is missing, then
//! DELETE for each that is not wanted.
//!
//! An integration without owners cannot be managed any more. So owners are removed only after all
//! others were added, and never the last one, except by a destroy.

mod read;
mod say;
mod state;
mod write;

/// The owners of an integration as a whole.
pub(crate) struct IntegrationOwners;
