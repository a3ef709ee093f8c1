//! Unusual values, and schemas.

mod echo;
#[cfg(target_os = "linux")]
mod memory;
mod registration;
mod terraform;
mod types;
mod write_only;

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{decode, dynamic, encode, unknown};
use serde_json::{Value as Json, json};

use super::support::{errors, path, plan, probe_client, read, state, thing};

async fn schema() -> pb::get_provider_schema::Response {
    let client = probe_client().await;
    let request = pb::get_provider_schema::Request {};
    client.get_provider_schema(request).await.unwrap()
}

#[tokio::test]
async fn numbers_keep_every_digit() {
    let client = probe_client().await;
    for number in
        ["0.1", "18446744073709551616", "1e400", "-2.50", "123456789012345678901234567890.5"]
    {
        // Text in msgpack, as Terraform encodes numbers that a float cannot represent exactly.
        let plan = plan(&client, &Json::Null, &thing(json!({ "amount": number }))).await;
        assert_eq!(errors(&plan.diagnostics), [""; 0], "{number}");
        assert_eq!(state(&plan.planned_state)["amount"], number);
    }
    for number in [json!(7), json!(-7), json!(0.5), json!(9_223_372_036_854_775_807_i64)] {
        let plan = plan(&client, &Json::Null, &thing(json!({ "amount": number }))).await;
        assert_eq!(state(&plan.planned_state)["amount"], number);
    }
}

#[tokio::test]
async fn sets_keep_several_unknown_elements() {
    let client = probe_client().await;
    let tags = json!(["a", unknown(), unknown()]);
    let plan = plan(&client, &Json::Null, &thing(json!({ "tags": tags }))).await;
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert_eq!(state(&plan.planned_state)["tags"], tags);
}

#[tokio::test]
async fn refined_unknown_values_are_unknown() {
    let client = probe_client().await;
    let mut config = encode(&thing(json!({ "value": "@" })));
    let bytes = config.msgpack.to_vec();
    let at = bytes.windows(2).position(|pair| pair == b"\xa1@").unwrap();
    // The refinement: not null, with the prefix "ab".
    let refined = b"\xc7\x07\x0c\x82\x01\xc2\x02\xa2ab";
    config.msgpack = [&bytes[..at], refined, &bytes[at + 2..]].concat().into();
    let request = pb::plan_resource_change::Request {
        type_name: "probe_thing".into(),
        prior_state: Some(encode(&Json::Null)),
        proposed_new_state: Some(config.clone()),
        config: Some(config),
        ..Default::default()
    };
    let plan = client.plan_resource_change(request).await.unwrap();
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert_eq!(state(&plan.planned_state)["value"], unknown());
}

#[tokio::test]
async fn value_of_a_wrong_type_is_reported_with_its_path() {
    let client = probe_client().await;
    for (members, at) in [
        (json!({ "value": 5 }), "value"),
        (json!({ "rules": [{ "port": 1 }, { "port": [] }] }), "rules[1].port"),
        (json!({ "tags": [true] }), "tags"),
        (json!({ "other": 1 }), "other"),
    ] {
        let read = read(&client, &thing(members)).await;
        assert_eq!(errors(&read.diagnostics), ["Unexpected value"]);
        assert_eq!(path(read.diagnostics[0].attribute.as_ref().unwrap()), at);
    }
}

#[tokio::test]
async fn value_that_does_not_fit_the_provider_s_type_is_reported_with_its_path() {
    let client = probe_client().await;
    for (port, detail) in [
        (json!(1.5), "A whole number is required."),
        (json!("18446744073709551616"), "The number is out of range here."),
    ] {
        let members = json!({ "rules": [{ "port": 1 }, { "port": port }] });
        let request = pb::validate_resource_config::Request {
            type_name: "probe_thing".into(),
            config: Some(encode(&thing(members))),
            client_capabilities: None,
        };
        let validated = client.validate_resource_config(request).await.unwrap();
        let diagnostics = validated.diagnostics;
        assert_eq!(errors(&diagnostics), ["Unsupported value"]);
        assert_eq!(path(diagnostics[0].attribute.as_ref().unwrap()), "rules[1].port");
        assert_eq!(diagnostics[0].detail, detail, "not the message of serde");
    }
}

#[tokio::test]
async fn missing_blocks_and_members_are_added() {
    let client = probe_client().await;
    let mut stored = thing(json!({}));
    stored.as_object_mut().unwrap().remove("amount");
    stored["steps"] = Json::Null;
    let read = read(&client, &stored).await;
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
    assert_eq!(path(diagnostics[0].attribute.as_ref().unwrap()), "region");
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
    assert_eq!(
        names,
        ["amount", "command", "made", "replaced_by", "rules", "secret", "tags", "value"]
    );
    for attribute in &block.attributes {
        assert!(attribute.r#type.is_empty() != attribute.nested_type.is_none(), "{attribute:?}");
        assert_eq!(attribute.write_only, attribute.name == "secret");
    }
    let nested = block.attributes[4].nested_type.as_ref().unwrap();
    assert_eq!((nested.nesting, nested.attributes[1].name.as_str()), (2, "port"));
    assert_eq!(&block.attributes[6].r#type[..], br#"["set","string"]"#);
    let steps = &block.block_types[0];
    assert_eq!((steps.nesting, steps.min_items, steps.max_items), (2, 0, 0));
    assert_eq!(schema, self::schema().await, "the same every time");
}

#[tokio::test]
async fn schema_that_terraform_would_refuse_is_an_error() {
    use super::probe::schema::attribute;
    use super::probe::{Probe, Thing};
    use plugin_server::Server;
    use tf_provider::schema::{AttributeConstraint, AttributeType};
    let _ = attribute(AttributeType::Any, AttributeConstraint::Optional);
    let server = Server::builder("probe", Probe)
        .resource("Thing", Thing)
        .resource_with("two", Thing, |two| two.write_only("made").write_only("nowhere"))
        .resource("two", Thing)
        .build();
    let problems = plugin_server::testkit::problems(&server);
    for expected in [
        "probe_two: made is computed and cannot be write-only",
        "probe_two: nowhere is to be write-only and is not an attribute",
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
    assert_eq!(errors(&schema.diagnostics).len(), 3);
}

#[test]
fn dynamic_values_contain_their_type() {
    let value = dynamic(json!(["list", "number"]), json!([1]));
    assert_eq!(decode(&encode(&value)), json!(["[\"list\",\"number\"]", [1]]));
}
