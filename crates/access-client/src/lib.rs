//! A typed HTTP client of the access-management service. It knows nothing of Terraform.
//!
//! - [`names`](ListingRoleName): identifiers, checked before they become part of a path
//! - [`api`]: the objects on the wire
//! - `calls`: the calls, one method of [`Client`] each; [`Pages`]: lists, page by page
//! - `client`: one call is as many attempts as it takes; `attempt`: one request and its answer
//! - `retry`, `retry_after`, `throttle`: when to send again, when to send at all
//! - [`Error`], [`Meaning`]: failures, told by type
//! - `words`: the service's words, made fit for a terminal; `weight`: what a body would cost to read
//! - `settings`, `base_url`, `secret`, `tls`: what a client is made of

pub mod api;
mod attempt;
mod base_url;
mod calls;
mod client;
mod error;
mod names;
mod pages;
mod retry;
mod retry_after;
mod secret;
mod settings;
mod throttle;
mod tls;
mod weight;
mod words;

pub use api::{FieldMask, RoleField};
pub use base_url::{BaseUrl, BaseUrlError};
pub use calls::Missing;
pub use client::Client;
pub use error::{Error, Meaning};
pub use names::{
    Identifier, IdentifierError, IntegrationOwnerName, ListingRoleName, NameError, Principal,
};
pub use pages::Pages;
pub use secret::{ApiKey, ApiKeyError, ExtraHeader, ExtraHeaderError};
pub use settings::{Settings, SettingsError, StopSignal};
pub use tls::{PemBundle, PemBundleError};
