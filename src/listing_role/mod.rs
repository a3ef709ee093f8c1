//! Listing roles: the resource, data sources, list resource, identity and functions.

mod create_update;
mod data_source;
mod data_source_list;
mod delete;
mod diagnostics;
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
mod tests;

#[cfg(test)]
pub(crate) use data_source::ListingRoleData;
pub(crate) use data_source::ListingRoleDataSource;
#[cfg(test)]
pub(crate) use data_source_list::ListingRolesData;
pub(crate) use data_source_list::ListingRolesDataSource;
pub(crate) use resource::ListingRoleResource;
#[cfg(test)]
pub(crate) use state::ListingRoleState;
