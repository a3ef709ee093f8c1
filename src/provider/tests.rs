//! Rules that hold for everything that is registered.

use std::path::Path;

use plugin_server::testkit::connect;
use plugin_server::testkit::proto::tfplugin6 as pb;

use super::*;

async fn schema() -> pb::get_provider_schema::Response {
    let request = pb::get_provider_schema::Request {};
    connect(server()).await.get_provider_schema(request).await.unwrap()
}

fn block(schema: &pb::Schema) -> &pb::schema::Block {
    schema.block.as_ref().unwrap()
}

/// Also that states have the attributes of their schemas.
#[test]
fn schemas_are_what_hosts_accept() {
    assert_eq!(plugin_server::testkit::problems(&server()), [""; 0]);
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
    for (name, function) in &schema.functions {
        assert!(!function.summary.is_empty() && !function.summary.ends_with('.'), "{name}");
        assert_sentence(name, &function.description);
        for parameter in &function.parameters {
            assert_sentence(&parameter.name, &parameter.description);
        }
    }
}

#[tokio::test]
async fn everything_has_an_example_and_a_page() {
    let schema = schema().await;
    let resource =
        ["resource.tf", "import.sh", "import-by-string-id.tf", "import-by-identity.tf"].as_slice();
    let kinds = [
        ("resources", schema.resource_schemas.keys(), resource),
        ("data-sources", schema.data_source_schemas.keys(), &["data-source.tf"]),
        ("list-resources", schema.list_resource_schemas.keys(), &["list-resource.tfquery.hcl"]),
    ];
    let mut files = Vec::new();
    for (kind, names, examples) in kinds {
        assert!(names.len() >= 3, "{kind}");
        for name in names {
            files.extend(examples.iter().map(|file| format!("examples/{kind}/{name}/{file}")));
            files.push(format!("docs/{kind}/{}.md", name.trim_start_matches("access_")));
        }
    }
    assert_eq!(schema.functions.len(), 4);
    for name in schema.functions.keys() {
        files.push(format!("examples/functions/{name}/function.tf"));
        files.push(format!("docs/functions/{name}.md"));
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    files.retain(|file| !top.join(file).exists());
    assert_eq!(files, [""; 0]);
}

#[tokio::test]
async fn secrets_are_sensitive_and_nothing_else_is() {
    let schema = schema().await;
    let attributes = &block(schema.provider.as_ref().unwrap()).attributes;
    let sensitive = attributes.iter().filter(|attribute| attribute.sensitive);
    let names: Vec<_> = sensitive.map(|attribute| attribute.name.as_str()).collect();
    assert_eq!(names, ["api_key", "request_headers"]);
}
