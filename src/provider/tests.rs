//! Rules that hold for everything that is registered.

use std::fs;

use plugin_server::testkit::connect;
use plugin_server::testkit::proto::tfplugin6 as pb;
use serde_json::json;

use super::*;

async fn schema() -> pb::get_provider_schema::Response {
    let request = pb::get_provider_schema::Request {};
    connect(server()).await.get_provider_schema(request).await.unwrap()
}

fn block(schema: &pb::Schema) -> &pb::schema::Block {
    schema.block.as_ref().unwrap()
}

#[tokio::test]
async fn registration_has_no_errors() {
    assert_eq!(schema().await.diagnostics, []);
}

fn assert_sentence(name: &str, text: &str) {
    assert!(text.ends_with('.') && text.len() > 9, "{name}: {text}");
}

#[tokio::test]
async fn descriptions_are_sentences() {
    let schema = schema().await;
    let schemas = schema.resource_schemas.values().chain(schema.data_source_schemas.values());
    for block in schemas.chain(&schema.provider).map(block) {
        assert_sentence("a block", &block.description);
        let mut open: Vec<_> = block.attributes.iter().collect();
        while let Some(attribute) = open.pop() {
            assert_sentence(&attribute.name, &attribute.description);
            open.extend(attribute.nested_type.iter().flat_map(|nested| &nested.attributes));
        }
    }
}

#[tokio::test]
async fn secrets_are_sensitive_and_nothing_else_is() {
    let schema = schema().await;
    let attributes = &block(schema.provider.as_ref().unwrap()).attributes;
    let sensitive = attributes.iter().filter(|attribute| attribute.sensitive);
    let names: Vec<_> = sensitive.map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(names, ["api_key"]);
}

/// The report counts a type that it does not know among those of other providers.
#[tokio::test]
async fn report_knows_every_resource_type() {
    for name in schema().await.resource_schemas.into_keys() {
        let entry = json!({"type": name, "mode": "managed", "change": {"actions": ["create"]}});
        let plan = json!({"format_version": "1.2", "resource_changes": [entry]});
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), plan.to_string()).unwrap();
        let report = |text: &str| {
            assert_eq!(text, "1 change that could not be read\n", "{name}");
            Ok(())
        };
        access_report::run([file.path().into()].into_iter(), report).unwrap();
    }
}
