//! Unusual values, and schemas.

#[cfg(target_os = "linux")]
mod memory;

use plugin_server::testkit::proto::tfplugin6 as pb;
use serde_json::{Value as Json, json};

use super::support::{at, errors, probe_client, probe_things, state, thing};

async fn schema() -> pb::get_provider_schema::Response {
    let client = probe_client().await;
    let request = pb::get_provider_schema::Request {};
    client.get_provider_schema(request).await.unwrap()
}

#[tokio::test]
async fn value_that_does_not_fit_is_reported_with_its_path() {
    let things = probe_things().await;
    let rules = |port: Json| json!({ "rules": [{ "port": 1 }, { "port": port }] });
    for (members, expected) in [
        (json!({ "value": 5 }), "value"),
        (rules(json!([])), "rules[1].port"),
        (json!({ "tags": [true] }), "tags"),
        (json!({ "other": 1 }), "other"),
    ] {
        let found = things.read(&thing(members)).await.diagnostics;
        assert_eq!((errors(&found), &at(&found[0])[..]), (vec!["Unexpected value"], expected));
    }
}

#[tokio::test]
async fn missing_members_are_added() {
    let things = probe_things().await;
    let mut stored = thing(json!({}));
    stored.as_object_mut().unwrap().remove("value");
    let read = things.read(&stored).await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(state(&read.new_state), thing(json!({})));
}

#[tokio::test]
async fn schema_is_what_terraform_accepts_and_sorted() {
    let schema = schema().await;
    assert_eq!(schema.diagnostics, []);
    let capabilities = schema.server_capabilities.unwrap();
    assert!(capabilities.plan_destroy && capabilities.get_provider_schema_optional);
    let thing = &schema.resource_schemas["probe_thing"];
    assert_eq!(thing.version, 2);
    let block = thing.block.as_ref().unwrap();
    let names: Vec<&str> =
        block.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(names, ["command", "made", "replaced_by", "rules", "tags", "value"]);
    for attribute in &block.attributes {
        assert!(attribute.r#type.is_empty() != attribute.nested_type.is_none(), "{attribute:?}");
    }
    let nested = block.attributes[3].nested_type.as_ref().unwrap();
    assert_eq!((nested.nesting, nested.attributes[1].name.as_str()), (2, "port"));
    assert_eq!(&block.attributes[4].r#type[..], br#"["set","string"]"#);
    assert_eq!(schema, self::schema().await, "the same every time");
}

#[tokio::test]
async fn registration_that_cannot_be_served_is_an_error_of_the_schema() {
    use super::probe::schema::{attribute, block};
    use super::probe::store::Store;
    use super::probe::{Probe, Thing};
    use plugin_server::Server;
    use tf_provider::map;
    use tf_provider::schema::{AttributeConstraint, AttributeType, NestedBlock};
    type Any = std::collections::BTreeMap<String, tf_provider::value::Value<String>>;
    let any = || map! { "it" => attribute(AttributeType::Any, AttributeConstraint::Optional) };
    let mut with_block = block(map! {});
    with_block.blocks = map! { "steps" => NestedBlock::List(block(map! {})) };
    let server = Server::builder("probe", Probe::default())
        .resource("two", Thing::default())
        .resource("two", Thing::default())
        .resource("any", Store::<Any>::new(block(any())))
        .resource("steps", Store::<Any>::new(with_block))
        .build();
    let client = plugin_server::testkit::connect(server).await;
    let request = pb::get_provider_schema::Request {};
    let schema = client.get_provider_schema(request).await.unwrap();
    let details = schema.diagnostics.iter().map(|problem| problem.detail.as_str());
    let expected = [
        "The resource probe_two is registered twice",
        "probe_any: the type of it is not served",
        "probe_steps: steps is a block, and blocks are not served",
    ];
    assert_eq!(details.len(), expected.len());
    for (detail, expected) in details.zip(expected) {
        assert!(detail.starts_with(expected), "{detail}");
    }
}

#[tokio::test]
async fn value_that_the_type_of_the_provider_refuses_is_an_error_without_the_value() {
    use super::probe::Probe;
    use super::probe::schema::{attribute, block};
    use super::probe::store::Store;
    use tf_provider::map;
    use tf_provider::schema::{AttributeConstraint, AttributeType};
    type Numbers = std::collections::BTreeMap<String, tf_provider::value::Value<i64>>;
    let text = map! { "it" => attribute(AttributeType::String, AttributeConstraint::Optional) };
    let server = plugin_server::Server::builder("probe", Probe::default())
        .resource("it", Store::<Numbers>::new(block(text)))
        .build();
    let client = plugin_server::testkit::connect(server).await;
    let calls = super::support::Calls::of("probe_it", client);
    let refused = calls.create_plan(&json!({ "it": "s3cr3t" })).await;
    assert_eq!(errors(&refused.diagnostics), ["Unreadable value"]);
    assert!(!refused.diagnostics[0].detail.contains("s3cr3t"));
}
