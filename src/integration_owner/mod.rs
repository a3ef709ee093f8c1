//! Integration owners: the resource, data sources, list resource, identity and functions.

mod create_update;
mod data_source;
mod data_source_list;
mod delete;
mod diagnostics;
mod existence;
mod identity;
mod import;
mod list;
mod object;
mod plan;
mod read;
mod resource;
mod schema;
mod state;
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
