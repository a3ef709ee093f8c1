//! A typed HTTP client of the access-management service. It does not depend on Terraform.
//!
//! - `listing_role`, `integration_owner`: an object with its name, its fields and its own call, a
//!   method of [`Client`]; [`Object`]: what all objects have in common, and the calls that all have
//! - `names`: names and identifiers, validated before they become part of a path; `path`: paths and
//!   queries; `pages`: paged lists; `json`: response bodies to objects
//! - `client`, `shared`, `call`: a call and its responses; `retry`: its attempts, and the function
//!   that decides about each further one; `gate`: the state that all calls share; `retry_after`:
//!   the length of a requested wait
//! - `exchange`: one request and its response; `body`: the form of bodies; `http_client`: reqwest;
//!   `proxy`: the proxy's settings; `transport_error`: the reason why a response is missing;
//!   `simulation`: the network of a test, behind a feature
//! - [`Error`], [`ErrorKind`]: errors, distinguished by type
//! - [`time`]: comparisons of the API's times, and the lag after a write
//! - `message`: sanitizes the service's messages for a terminal; `redact`: removes secrets from
//!   them
//! - [`Settings`], [`BaseUrl`], [`ApiKey`], [`ProxySettings`], [`PemBundle`]: the configuration

mod base_url;
mod body;
mod call;
mod client;
mod error;
mod exchange;
mod gate;
#[cfg(test)]
mod hostile_tests;
mod http_client;
mod integration_owner;
mod invalid;
mod json;
mod listing_role;
mod message;
mod names;
mod object;
mod pages;
mod path;
mod proxy;
mod redact;
mod retry;
mod retry_after;
mod secret;
mod settings;
mod shared;
#[cfg(feature = "simulation")]
pub mod simulation;
mod system_verifier;
pub mod time;
mod tls;
mod transport_error;

pub use base_url::BaseUrl;
pub use client::Client;
pub use error::{Error, ErrorKind, NOT_SENT};
pub use integration_owner::{IntegrationOwner, IntegrationOwnerName, Principal};
pub use invalid::Invalid;
pub use listing_role::{
    FieldMask, ListingRole, ListingRoleName, ListingRolePatch, Missing, RoleField,
};
pub use names::{Identifier, ObjectName};
pub use object::Object;
pub use pages::{Page, Pages};
pub use proxy::ProxySettings;
pub use retry::Retries;
pub use secret::ApiKey;
pub use settings::{Settings, StopSignal};
pub use tls::PemBundle;
