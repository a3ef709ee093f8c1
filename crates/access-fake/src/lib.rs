//! A local, in-memory imitation of the access-management service.
//!
//! It answers the two documented operations as the document says, strictly, so that a client's
//! mistakes show; and for everything that the document leaves open it has a switch ([`World`]).
//! It shares no type with the client that it is there to test.
//!
//! ```
//! use access_fake::{Absence, Action, Fake, Fault, World};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // With a thread of its own; `Fake::start(world).await` uses the runtime of the caller.
//! let running = Fake::start_blocking(World::documented_only(Absence::MethodNotAllowed))?;
//! println!("a client's base URL: {}, its key: admin-key", running.base_url());
//!
//! let service = running.service();
//! service.put_role("github", "admin", &json!({"displayName": "Admin", "priority": "2"}))?;
//! service.change_role("github", "admin", &json!({"displayName": "Changed by hand"}))?;
//! assert_eq!(service.role("github", "admin").unwrap()["displayName"], "Changed by hand");
//!
//! service.change_world(|world| world.omit_defaults = true);
//! service.add_fault(Fault::new(Action::ResetAfterProcessing).on("POST").times(1));
//! assert!(service.requests().is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! From the start there are the keys `admin-key`, `member-key` and `reader-key`; the listings
//! `github`, `production` and `iac` (whose roles the infrastructure-as-code provider alone may
//! write); the integrations `github` and `okta`, each with the owner `users/founder`, ID `founder`.
//!
//! - `server`: [`Fake`], [`Running`], [`app`]; listens, and resets connections where a fault asks
//! - `gate`: every request comes in and every answer goes out here; faults strike here
//! - `api`: the operations; `call` and `answer` are what they read and give
//! - `role`, `owner`, `slot`, `store`, `state`: what is kept, and how reads lag behind it
//! - `world`, `fault`, `limiter`: the switches
//! - `service`, `requests`: the [`Service`] handle and its log
//! - `admin`: the pages under `/_fake` for changes by hand
//! - `data_file`: what outlives the process, where that is wanted

mod admin;
mod api;
mod clock;
mod connection;
mod data_file;
mod echo;
mod fault;
mod handler;
mod limiter;
mod owner;
mod pattern;
mod random;
mod request;
mod request_log;
mod response;
mod role;
mod rules;
mod server;
mod service;
mod slot;
mod state;
mod store;
mod world;

pub use echo::Encoding;
pub use fault::{Action, Fault};
pub use request_log::Request;
pub use rules::{
    EditedEntry, Gateway, HiddenObject, LagRule, OddList, OmittedFields, Read, ResponseTo, Write,
};
pub use server::{Fake, Running, app};
pub use service::Service;
pub use state::Rank;
pub use world::{
    Absence, DeletedRoles, ErrorBody, NotFoundBody, Operations, Presence, RateLimit, RetryAfter,
    World,
};
