//! A local, in-memory simulation of the access-management service.
//!
//! It implements the two documented operations strictly, so that mistakes of a client become
//! visible. It has a setting ([`World`]) for everything that the API document leaves open. It does
//! not share types with the client that it tests, so that a mistake in a type cannot pass on both
//! sides.
//!
//! ```
//! use access_fake::{Absence, Action, Fake, Fault, World};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Serves on a thread of its own.
//! let running = Fake::start_blocking(World::documented_only(Absence::MethodNotAllowed))?;
//! println!("a client's base URL: {}, its key: admin-key", running.base_url());
//!
//! let service = running.service();
//! service.put("listings/github/roles/admin", &json!({"displayName": "Admin", "priority": "2"}))?;
//! service.change("listings/github/roles/admin", &json!({"displayName": "By hand"}))?;
//! assert_eq!(service.objects("listings/github")[0]["displayName"], "By hand");
//!
//! service.change_world(|world| world.omit_defaults = true);
//! service.add_fault(Fault::new(Action::ResetAfterProcessing).on("POST").times(1));
//! assert!(service.requests().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! A new service has the keys `admin-key`, `member-key` and `reader-key`; the listings `github`,
//! `production` and `iac` (only the infrastructure-as-code provider can write its roles); and the
//! integrations `github` and `okta`, each with the owner `users/founder`, ID `founder`.
//!
//! - `server`: [`Fake`], [`Running`]; listening, and resetting connections
//! - `handler`: handles every request to the API and applies faults
//! - `api`, `pages`: the operations; `request`, `response`: their arguments and results
//! - `kind`: what is about roles or owners alone, but for their writes; `field`, `object`, `names`,
//!   `slot`, `state`: the stored objects, their names, and the lag of reads
//! - `world`, `operations`, `rules`, `fault`, `limiter`: the settings; `world_rules`, `pattern`: their
//!   application
//! - `service`, `request_log`: the [`Service`] handle and its log
//! - `admin`: the pages under `/_fake` for changes by hand
//! - `clock`: time stamps

mod admin;
mod api;
mod clock;
mod fault;
mod field;
mod handler;
mod kind;
mod limiter;
mod names;
mod object;
mod operations;
mod pages;
mod pattern;
mod request;
mod request_log;
mod response;
mod rules;
mod server;
mod service;
mod slot;
mod state;
mod world;
mod world_rules;

pub use fault::{Action, Fault};
pub use kind::OperationsByKind;
pub use operations::{Absence, Operations, Presence};
pub use request_log::Request;
pub use rules::{
    EditedEntry, EndlessPages, HiddenObject, LagRule, OddList, OmittedFields, Read, ResponseTo,
    Write,
};
pub use server::{Fake, Running};
pub use service::Service;
pub use state::Rank;
pub use world::{RateLimit, World};
