//! The traits that a resource can implement in addition to tf-provider's
//! [`Resource`](tf_provider::Resource).
//!
//! Each trait is registered by its own method of [`Registration`](crate::Registration). The names
//! are those of Go's plugin framework.

mod generate_config;
mod identity;
mod list;
mod states;
mod upgrade;

pub(crate) use generate_config::DynGenerateConfig;
pub use generate_config::ResourceWithGenerateConfig;
pub(crate) use identity::DynIdentity;
pub use identity::ResourceWithIdentity;
pub(crate) use list::{DynListResource, Listed};
pub use list::{ListResource, ListResult, ListResultsStream};
pub(crate) use upgrade::DynStoredStates;
pub use upgrade::ResourceWithStoredStates;
