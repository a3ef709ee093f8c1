//! Integration owners: the resource, data sources, list resource, identity and functions.

pub(crate) mod add;
mod create_update;
mod data_source;
mod data_source_list;
pub(crate) mod delete;
pub(crate) mod diagnostics;
mod existence;
mod identity;
mod import;
mod list;
mod object;
pub(crate) mod plan;
mod principal;
mod read;
mod resource;
pub(crate) mod schema;
pub(crate) mod state;
mod state_upgrade;

#[cfg(test)]
pub(crate) use data_source::IntegrationOwnerData;
pub(crate) use data_source::IntegrationOwnerDataSource;
#[cfg(test)]
pub(crate) use data_source_list::IntegrationOwnersData;
pub(crate) use data_source_list::IntegrationOwnersDataSource;
pub(crate) use resource::IntegrationOwnerResource;
#[cfg(test)]
pub(crate) use state::IntegrationOwnerState;
