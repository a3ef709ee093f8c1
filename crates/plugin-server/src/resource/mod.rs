//! The traits that a resource can implement in addition to tf-provider's
//! [`Resource`](tf_provider::Resource).
//!
//! Each trait is registered by its own method of [`Registration`](crate::Registration). The names
//! are those of Go's plugin framework.

mod generate_config;
mod identity;
mod list;
mod raw_state;
mod states;
mod upgrade_state;

pub(crate) use generate_config::DynGenerateConfig;
pub use generate_config::ResourceWithGenerateConfig;
pub use identity::ResourceWithIdentity;
pub(crate) use identity::{DynIdentity, IdentityOf};
pub(crate) use list::{DynListResource, ListConfigOf, Listed};
pub use list::{ListResource, ListResult, ListResultsStream};
pub use raw_state::RawState;
pub(crate) use upgrade_state::DynUpgradeState;
pub use upgrade_state::ResourceWithUpgradeState;
