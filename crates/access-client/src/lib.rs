//! A typed HTTP client of the access-management service. It does not depend on Terraform.
//!
//! - [`api`]: the objects of requests and responses; `names`: resource names and identifiers,
//!   validated before they become part of a path
//! - `listing_role`, `integration_owner`: the calls, each a method of [`Client`]; `pages`: paged
//!   lists; `json`: response bodies to objects
//! - `client`, `call`, `retry`: a call and its attempts; `exchange`: one request and its response;
//!   `transport_error`, `connection`: the reason why a response is missing; `shared`: the state of
//!   all clones
//! - `gate`: decides for all calls when a request may be sent; `throttle` slows requests down after
//!   a 429, `outage` lets one call probe while the service fails; `backoff`, `retry_after`: the
//!   length of waits
//! - [`Error`], [`ErrorKind`], [`SharedCause`]: errors, distinguished by type
//! - `message`: sanitizes the service's messages for a terminal; `redact`: removes secrets from
//!   them
//! - [`Settings`], [`BaseUrl`], [`ApiKey`], [`ProxySettings`], [`PemBundle`]: the configuration

pub mod api;
mod backoff;
mod base_url;
mod call;
mod client;
mod connection;
mod error;
mod exchange;
mod gate;
#[cfg(test)]
mod hostile_tests;
mod integration_owner;
mod json;
mod listing_role;
mod message;
mod names;
mod no_proxy;
mod outage;
mod pages;
mod proxy;
mod redact;
mod retry;
mod retry_after;
mod secret;
mod settings;
mod settings_error;
mod shared;
mod system_verifier;
mod throttle;
mod tls;
mod transport_error;

pub use api::{FieldMask, RoleField};
pub use base_url::{BaseUrl, BaseUrlError};
pub use client::{Client, Response};
pub use error::{Error, ErrorKind, SharedCause};
pub use listing_role::Missing;
pub use names::{
    Identifier, IdentifierError, IntegrationOwnerName, ListingRoleName, NameError, Principal,
};
pub use pages::{Page, Pages};
pub use proxy::ProxySettings;
pub use secret::{ApiKey, ApiKeyError, ExtraHeader, ExtraHeaderError};
pub use settings::{Settings, StopSignal};
pub use settings_error::SettingsError;
pub use tls::{PemBundle, PemBundleError};
