//! Unusual values, and schemas.

mod echo;
#[cfg(target_os = "linux")]
mod memory;
mod registration;
mod terraform;
mod types;

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
async fn missing_blocks_and_members_are_added() {
    let things = probe_things().await;
    let mut stored = thing(json!({}));
    stored.as_object_mut().unwrap().remove("value");
    stored["steps"] = Json::Null;
    let read = things.read(&stored).await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(state(&read.new_state), thing(json!({})));
}

#[tokio::test]
async fn values_in_json_are_read_as_well() {
    let client = probe_client().await;
    let request = pb::validate_provider_config::Request {
        config: Some(pb::DynamicValue {
            msgpack: Default::default(),
            json: br#"{"region":["not a string"]}"#[..].into(),
        }),
    };
    let validated = client.validate_provider_config(request).await.unwrap();
    let diagnostics = validated.diagnostics;
    assert_eq!(at(&diagnostics[0]), "region");
}

#[tokio::test]
async fn schema_is_what_terraform_accepts_and_sorted() {
    let schema = schema().await;
    assert_eq!(schema.diagnostics, []);
    assert_eq!(schema.provider_meta, None, "it has no attributes");
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
        assert!(!attribute.write_only);
    }
    let nested = block.attributes[3].nested_type.as_ref().unwrap();
    assert_eq!((nested.nesting, nested.attributes[1].name.as_str()), (2, "port"));
    assert_eq!(&block.attributes[4].r#type[..], br#"["set","string"]"#);
    let steps = &block.block_types[0];
    assert_eq!((steps.nesting, steps.min_items, steps.max_items), (2, 0, 0));
    assert_eq!(schema, self::schema().await, "the same every time");
}

#[tokio::test]
async fn schema_that_terraform_would_refuse_is_an_error() {
    use super::probe::schema::{attribute, block};
    use super::probe::store::Store;
    use super::probe::{Probe, Thing};
    use plugin_server::Server;
    use tf_provider::map;
    use tf_provider::schema::{AttributeConstraint, AttributeType};
    type Any = std::collections::BTreeMap<String, tf_provider::value::Value<String>>;
    let server = Server::builder("probe", Probe)
        .resource("Thing", Thing)
        .resource("two", Thing)
        .resource("two", Thing)
        .resource(
            "any",
            Store::<Any>::new(block(map! {
                "it" => attribute(AttributeType::Any, AttributeConstraint::Optional),
            })),
        )
        .build();
    let problems = plugin_server::testkit::problems(&server);
    for expected in [
        "probe_any: it has values of any type, which are not served",
        "The resource probe_two is registered twice",
        "probe_Thing: it is not a valid name of a type",
    ] {
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected}: {problems:?}"
        );
    }
    let client = plugin_server::testkit::connect(server).await;
    let request = pb::get_provider_schema::Request {};
    let schema = client.get_provider_schema(request).await.unwrap();
    // Hosts find the rest themselves.
    assert_eq!(errors(&schema.diagnostics), ["Registered twice", "Invalid schema"]);
}
