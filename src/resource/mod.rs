//! What the three resources share, with a file for each step of a resource's life. Roles and single
//! owners are entities, and have the steps as they are here; the list of all owners of an integration
//! has its own.
//!
//! Facts about Terraform that this code relies on are in `terraform.md` in this folder.

pub(crate) mod attributes;
pub(crate) mod call;
pub(crate) mod conflicts;
pub(crate) mod create;
pub(crate) mod data_source;
mod decide;
pub(crate) mod delete;
pub(crate) mod describe;
pub(crate) mod entity;
pub(crate) mod identity;
pub(crate) mod import;
mod list_resource;
pub(crate) mod read;
pub(crate) mod replace;
pub(crate) mod seen;
pub(crate) mod serve;
pub(crate) mod stored;
pub(crate) mod update;
pub(crate) mod value;
pub(crate) mod whose;
