//! A resource of any type, which plans what is proposed and stores what is planned.

use async_trait::async_trait;
use plugin_server::Report as _;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{Block, Schema};
use tf_provider::value::ValueEmpty;
use tf_provider::{AttributePath, Diagnostics, Resource};

/// A type of a provider.
pub(crate) trait Typed: Serialize + for<'a> Deserialize<'a> + Send + Sync + 'static {}

impl<T: Serialize + for<'a> Deserialize<'a> + Send + Sync + 'static> Typed for T {}

/// A resource with the state `T`.
pub(crate) struct Store<T> {
    pub(crate) block: Block,
    /// Returns the plan of a prior and a proposed state.
    pub(crate) plan: fn(Option<T>, T) -> T,
    /// Returns the result of a planned state and its configuration.
    pub(crate) apply: fn(T, T) -> T,
    /// Returns the attributes that differ and require replacement.
    pub(crate) replaces: fn(&T, &T) -> Vec<AttributePath>,
    /// Returns the object of a state, if it exists.
    pub(crate) read: fn(T) -> Option<T>,
    /// Returns the object with an ID, if it exists.
    pub(crate) find: fn(String) -> Option<T>,
}

impl<T: Typed> Store<T> {
    pub(crate) fn new(block: Block) -> Self {
        Self {
            block,
            plan: |_, proposed| proposed,
            apply: |planned, _| planned,
            replaces: |_, _| vec![],
            read: Some,
            find: |_| None,
        }
    }
}

type Stored<T> = Option<(T, ValueEmpty)>;

#[async_trait]
impl<T: Typed> Resource for Store<T> {
    type State<'a> = T;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(Schema { version: 0, block: self.block.clone() })
    }

    async fn read<'a>(
        &self,
        _: &mut Diagnostics,
        state: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored<T> {
        Some(((self.read)(state)?, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: T,
        _: T,
        _: ValueEmpty,
    ) -> Stored<T> {
        Some(((self.plan)(None, proposed), ValueEmpty::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        prior: T,
        proposed: T,
        _: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(T, ValueEmpty, Vec<AttributePath>)> {
        let replaced = (self.replaces)(&prior, &proposed);
        Some(((self.plan)(Some(prior), proposed), private, replaced))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        _: &mut Diagnostics,
        planned: T,
        config: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored<T> {
        Some(((self.apply)(planned, config), private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: T,
        planned: T,
        config: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored<T> {
        Some(((self.apply)(planned, config), private))
    }

    async fn destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: T,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        Some(())
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Stored<T> {
        let found = (self.find)(id);
        if found.is_none() {
            diags.report_error("Not found", "No object has this ID.");
        }
        Some((found?, ValueEmpty::Null))
    }
}
