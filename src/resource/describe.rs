//! What describes a resource: its words, its schema, its names, and its planned values, computed without
//! a request or a message about an object. The steps of a resource's life are in the files named after
//! them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tf_provider::schema::Schema;
use tf_provider::{AttributePath, Diagnostics};

use super::stored::{Private, Stored};
use crate::run::{Keys, Run};
use crate::say::Words;

/// A resource.
pub(crate) trait Describe: Send + Sync + Sized + 'static {
    type State: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The part of the private state that only this resource has.
    type Private: Clone + Default + Serialize + DeserializeOwned + Send + Sync;
    /// The words of messages and schemas.
    const WORDS: &'static Words;

    fn resource_schema() -> Schema;
    /// Adds errors for values that the service can never accept.
    fn validate(config: &Self::State, diags: &mut Diagnostics);
    /// Returns the full name in a state. `None` if it is not known, or was edited.
    fn full_name(state: &Self::State) -> Option<String>;
    /// Returns the keys of the object in a state. Calls wait for each.
    fn keys(state: &Self::State) -> Keys;
    /// Returns what a create makes, as messages name it; `None` if nothing of it is known.
    fn new_name(planned: &Self::State) -> Option<String>;
    /// Returns the configuration of an imported object, for `-generate-config-out`: without arguments
    /// about creating.
    fn generate_config(state: Self::State) -> Self::State;
}

/// The state and private state of a resource.
pub(crate) type StoredOf<R> = Stored<<R as Describe>::State, <R as Describe>::Private>;

/// The private state of a resource.
pub(crate) type PrivateOf<R> = Private<<R as Describe>::Private>;

/// The planned values of a resource.
pub(crate) trait Plan: Describe {
    /// Returns the planned values of a create. `run` is `None` if the provider is not configured.
    fn planned_create(config: &Self::State, run: Option<&Run>) -> Self::State;
    /// Returns the attributes whose change replaces the object.
    fn requires_replace(prior: &Self::State, planned: &Self::State) -> Vec<AttributePath>;
    /// Returns the planned values of an update.
    fn planned_update(
        _run: Option<&Run>,
        _stored: &StoredOf<Self>,
        proposed: Self::State,
        _config: &Self::State,
    ) -> Self::State {
        proposed
    }
}
