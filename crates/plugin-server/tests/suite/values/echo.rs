//! A resource of any type, which plans what it receives.

use std::marker::PhantomData;

use async_trait::async_trait;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{connect, encode, null};
use plugin_server::{Registration, Server};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{
    Attribute, AttributeConstraint, AttributeType, Block, NestedBlock, Schema,
};
use tf_provider::value::ValueEmpty;
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use crate::suite::probe::Probe;
use crate::suite::probe::schema::{attribute, block};

/// A type of a provider.
pub(crate) trait Typed: Serialize + for<'a> Deserialize<'a> + Send + Sync + 'static {}

impl<T: Serialize + for<'a> Deserialize<'a> + Send + Sync + 'static> Typed for T {}

/// The state of a resource with one attribute or block.
#[derive(Serialize, Deserialize)]
pub(crate) struct One<T> {
    pub(crate) it: T,
}

/// A resource with the state `T`.
pub(crate) struct Echo<T> {
    block: Block,
    of: PhantomData<T>,
}

/// Returns a block with the attribute or the block `it`.
pub(crate) fn with_attribute(ty: AttributeType, constraint: AttributeConstraint) -> Block {
    block(map! { "it" => attribute(ty, constraint) })
}

pub(crate) fn with_block(nested: impl FnOnce(Block) -> NestedBlock, inner: Block) -> Block {
    Block { blocks: map! { "it" => nested(inner) }, ..block(map! {}) }
}

/// Returns optional attributes.
pub(crate) fn optional<const N: usize>(
    attributes: [(&str, AttributeType); N],
) -> std::collections::HashMap<String, Attribute> {
    let optional = |ty| attribute(ty, AttributeConstraint::Optional);
    attributes.into_iter().map(|(name, ty)| (name.to_owned(), optional(ty))).collect()
}

/// Returns a server with a resource `probe_it`.
pub(crate) fn server<T: Typed>(block: Block) -> Server {
    server_with::<T>(block, |it| it)
}

pub(crate) fn server_with<T: Typed>(
    block: Block,
    with: impl FnOnce(Registration<Echo<T>>) -> Registration<Echo<T>>,
) -> Server {
    let it = Echo { block, of: PhantomData };
    Server::builder("probe", Probe).resource_with("it", it, with).build()
}

/// Returns the problems of a type.
pub(crate) fn problems<T: Typed>(block: Block) -> Vec<String> {
    plugin_server::testkit::problems(&server::<T>(block))
}

/// Plans the creation of an object whose `it` is configured like this.
pub(crate) async fn plan<T: Typed>(block: Block, it: &Json) -> pb::plan_resource_change::Response {
    let client = connect(server::<T>(block)).await;
    let config = encode(&json!({ "it": it }));
    let request = pb::plan_resource_change::Request {
        type_name: "probe_it".into(),
        prior_state: Some(null()),
        proposed_new_state: Some(config.clone()),
        config: Some(config),
        ..Default::default()
    };
    client.plan_resource_change(request).await.unwrap()
}

#[async_trait]
impl<T: Typed> Resource for Echo<T> {
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
    ) -> Option<(T, ValueEmpty)> {
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: T,
        _: T,
        _: ValueEmpty,
    ) -> Option<(T, ValueEmpty)> {
        Some((proposed, ValueEmpty::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        _: T,
        proposed: T,
        _: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(T, ValueEmpty, Vec<AttributePath>)> {
        Some((proposed, private, vec![]))
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
        _: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(T, ValueEmpty)> {
        Some((planned, private))
    }

    async fn update<'a>(
        &self,
        _: &mut Diagnostics,
        _: T,
        planned: T,
        _: T,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(T, ValueEmpty)> {
        Some((planned, private))
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
}
