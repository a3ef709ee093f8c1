//! Code that listing roles and integration owners share: [`managed::Managed`], the one resource for
//! both, with a file for each step of the life cycle.
//!
//! Facts about Terraform that this code relies on are in `terraform.md` in this folder.

pub(crate) mod attributes;
pub(crate) mod call;
pub(crate) mod conflicts;
pub(crate) mod create;
pub(crate) mod data_source;
pub(crate) mod delete;
mod entity;
pub(crate) mod existence;
pub(crate) mod identity;
pub(crate) mod import;
pub(crate) mod life_cycle;
mod list_resource;
pub(crate) mod managed;
pub(crate) mod messages;
mod next_step;
pub(crate) mod private_state;
pub(crate) mod read;
pub(crate) mod replace;
pub(crate) mod value;

use crate::messages::message;
pub(crate) use entity::{
    Check, Common, Convert, Created, Describe, Entity, Existing, Known, Plan, PrivateOf, Query,
    Report, SCHEMA_VERSION, Stored, Write,
};
pub(crate) use message::{Advice, Message, Reported, Words};
pub(crate) use next_step::{NeededRead, by_status, check_base_url, forbidden};
pub(crate) use private_state::{ObjectPrivateState, PrivateState, Successor};
