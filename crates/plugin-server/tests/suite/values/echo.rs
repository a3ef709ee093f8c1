//! A resource with one attribute or block of any type, which plans what it receives.

use plugin_server::testkit::connect;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::{Registration, Server};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::map;
use tf_provider::schema::{Attribute, AttributeConstraint, AttributeType, Block, NestedBlock};

use crate::suite::probe::Probe;
use crate::suite::probe::schema::{attribute, block};
use crate::suite::probe::store::{Store, Typed};
use crate::suite::support::Calls;

/// The state of a resource with one attribute or block.
#[derive(Serialize, Deserialize)]
pub(crate) struct One<T> {
    pub(crate) it: T,
}

/// Returns a block with the attribute `it`.
pub(crate) fn with_attribute(ty: AttributeType, constraint: AttributeConstraint) -> Block {
    block(map! { "it" => attribute(ty, constraint) })
}

/// Returns a block with the optional attribute `it`.
pub(crate) fn of(ty: AttributeType) -> Block {
    with_attribute(ty, AttributeConstraint::Optional)
}

/// Returns a block with the block `it`.
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
pub(crate) fn server<T: Typed>(
    block: Block,
    with: impl FnOnce(Registration<Store<T>>) -> Registration<Store<T>>,
) -> Server {
    Server::builder("probe", Probe).resource_with("it", Store::new(block), with).build()
}

/// Returns the problems of a type.
pub(crate) fn problems<T: Typed>(block: Block) -> Vec<String> {
    plugin_server::testkit::problems(&server::<T>(block, |it| it))
}

/// Plans the creation of an object whose `it` is configured like this.
pub(crate) async fn plan<T: Typed>(block: Block, it: &Json) -> pb::plan_resource_change::Response {
    let client = connect(server::<T>(block, |it| it)).await;
    Calls::of("probe_it", client).create_plan(&json!({ "it": it })).await
}
