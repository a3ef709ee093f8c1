//! Write-only attributes within nested attributes and blocks.

use std::collections::BTreeMap;

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{HostChecks, connect, decode, encode, null};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{AttributeConstraint, AttributeType, Block, NestedBlock};
use tf_provider::value::{Value, ValueSet};

use super::echo::{One, Typed, optional, server_with, with_attribute, with_block};
use crate::suite::probe::schema::block;
use crate::suite::support::{errors, path};

#[derive(PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Access {
    user: Value<String>,
    secret: Value<String>,
}

type List = One<Value<Vec<Value<Access>>>>;
type Map = One<Value<BTreeMap<String, Value<Access>>>>;

fn access() -> std::collections::HashMap<String, tf_provider::schema::Attribute> {
    optional([("user", AttributeType::String), ("secret", AttributeType::String)])
}

fn one(secret: Json) -> Json {
    json!({ "user": "ada", "secret": secret })
}

/// Plans and applies an object with secrets, and checks that hosts receive none of them.
async fn check<T: Typed>(block: Block, with: fn(Json) -> Json, at: &str) {
    let server = || server_with::<T>(block.clone(), |it| it.write_only("it.secret"));
    assert_eq!(plugin_server::testkit::problems(&server()), [""; 0], "{at}");
    let (checks, client) = (HostChecks::of(&server()), connect(server()).await);
    let (config, stored) =
        (json!({ "it": with(json!("s3cr3t")) }), json!({ "it": with(json!(null)) }));
    let validate = pb::validate_resource_config::Request {
        type_name: "probe_it".into(),
        config: Some(encode(&config)),
        client_capabilities: None,
    };
    let refused = client.validate_resource_config(validate).await.unwrap().diagnostics;
    assert_eq!(errors(&refused), ["Write-only attribute"], "{at}");
    assert_eq!(path(refused[0].attribute.as_ref().unwrap()), at);
    // Terraform leaves the values in the proposed state.
    let plan = pb::plan_resource_change::Request {
        type_name: "probe_it".into(),
        prior_state: Some(null()),
        proposed_new_state: Some(encode(&config)),
        config: Some(encode(&config)),
        ..Default::default()
    };
    let planned = client.plan_resource_change(plan.clone()).await.unwrap();
    assert_eq!(errors(&planned.diagnostics), [""; 0], "{at}");
    assert_eq!(decode(planned.planned_state.as_ref().unwrap()), decode(&encode(&stored)), "{at}");
    assert_eq!(checks.plan(&plan, &planned), [""; 0], "{at}");
    // A provider that copies the configuration into its result.
    let apply = pb::apply_resource_change::Request {
        type_name: "probe_it".into(),
        prior_state: Some(null()),
        planned_state: Some(encode(&config)),
        config: Some(encode(&config)),
        ..Default::default()
    };
    let applied = client.apply_resource_change(apply).await.unwrap();
    assert_eq!(decode(&applied.new_state.unwrap()), decode(&encode(&stored)), "{at}");
}

#[tokio::test]
async fn nested_write_only_values_are_in_no_plan_and_no_state() {
    use AttributeType::{AttributeList, AttributeMap, AttributeSingle};
    let of = |ty| with_attribute(ty, AttributeConstraint::Optional);
    let list: fn(Json) -> Json = |secret| json!([one(json!(null)), one(secret)]);
    let map: fn(Json) -> Json = |secret| json!({ "a": one(secret) });
    check::<One<Value<Access>>>(of(AttributeSingle(access())), one, "it.secret").await;
    check::<List>(of(AttributeList(access())), list, "it[1].secret").await;
    check::<Map>(of(AttributeMap(access())), map, "it[\"a\"].secret").await;
    let block = || block(access());
    for nesting in [NestedBlock::Single, NestedBlock::Group] {
        check::<One<Value<Access>>>(with_block(nesting, block()), one, "it.secret").await;
    }
    check::<List>(with_block(NestedBlock::List, block()), list, "it[1].secret").await;
    check::<Map>(with_block(NestedBlock::Map, block()), map, "it[\"a\"].secret").await;
}

#[test]
fn write_only_attribute_of_a_set_is_a_problem() {
    let set = AttributeType::AttributeSet(access());
    let block = with_attribute(set, AttributeConstraint::Optional);
    let server =
        server_with::<One<ValueSet<Value<Access>>>>(block, |it| it.write_only("it.secret"));
    let expected = "probe_it: the set it holds a write-only attribute";
    assert_eq!(plugin_server::testkit::problems(&server), [expected]);
}
