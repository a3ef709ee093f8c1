//! All owners of an integration as one resource: the authoritative counterpart of
//! `integration_owner`, whose procedures for a single owner it uses.

mod create_update;
mod delete;
mod diagnostics;
mod identity;
mod import;
mod list;
mod plan;
mod read;
mod resource;
mod schema;
mod state;
mod state_upgrade;

pub(crate) use resource::IntegrationOwnersResource;
#[cfg(test)]
pub(crate) use state::IntegrationOwnersState;
