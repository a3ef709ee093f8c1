//! Write-only attributes within nested attributes and blocks.

use std::collections::BTreeMap;

use plugin_server::testkit::{HostChecks, connect, decode, encode};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::schema::{AttributeType, Block, NestedBlock};
use tf_provider::value::{Value, ValueSet};

use super::echo::{One, of, optional, server, with_block};
use crate::suite::probe::schema::block;
use crate::suite::probe::store::Typed;
use crate::suite::support::{Calls, at, errors, state};

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
async fn check<T: Typed>(block: Block, with: fn(Json) -> Json, place: &str) {
    let server = || server::<T>(block.clone(), |it| it.write_only("it.secret"));
    assert_eq!(plugin_server::testkit::problems(&server()), [""; 0], "{place}");
    let checks = HostChecks::of(&server());
    let it = Calls::of("probe_it", connect(server()).await);
    let (config, stored) =
        (json!({ "it": with(json!("s3cr3t")) }), json!({ "it": with(json!(null)) }));
    let refused = it.validate(&config, true).await;
    assert_eq!((errors(&refused), &at(&refused[0])[..]), (vec!["Write-only attribute"], place));
    assert_eq!(it.validate(&config, false).await, [], "{place}");
    // Terraform leaves the values in the proposed state.
    let request = it.plan_request(&Json::Null, &config);
    let planned = it.client.plan_resource_change(request.clone()).await.unwrap();
    assert_eq!(errors(&planned.diagnostics), [""; 0], "{place}");
    assert_eq!(state(&planned.planned_state), decode(&encode(&stored)), "{place}");
    assert_eq!(checks.plan(&request, &planned), [""; 0], "{place}");
    // A provider that copies the configuration into its result.
    let applied = it.apply(&Json::Null, &config).await;
    assert_eq!(state(&applied.new_state), decode(&encode(&stored)), "{place}");
}

#[tokio::test]
async fn nested_write_only_values_are_in_no_plan_and_no_state() {
    use AttributeType::{AttributeList, AttributeMap, AttributeSingle};
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
    let server = server::<One<ValueSet<Value<Access>>>>(of(set), |it| it.write_only("it.secret"));
    let expected = "probe_it: the set it holds a write-only attribute";
    assert_eq!(plugin_server::testkit::problems(&server), [expected]);
}
