//! Rules that hold for everything that is registered.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tf_provider::schema::{AttributeType, Block, FunctionSchema};
use tf_provider::{DataSource, Function, Resource};

use super::*;
use crate::integration_owner::state::IntegrationOwnerState;
use crate::integration_owners::IntegrationOwnersState;
use crate::listing_role::state::ListingRoleState;
use crate::object::data_source::DataEntity;

/// A resource or data source, with its schema and a state that has every member.
struct Entry {
    name: &'static str,
    block: Block,
    state: Value,
}

fn resource(name: &'static str, resource: &impl Resource, state: Value) -> Entry {
    let block = resource.schema(&mut Diagnostics::default()).unwrap().block;
    Entry { name, block, state }
}

fn data_source(name: &'static str, data_source: &impl DataSource, state: Value) -> Entry {
    let block = data_source.schema(&mut Diagnostics::default()).unwrap().block;
    Entry { name, block, state }
}

fn resources() -> [Entry; 3] {
    let connection = Connection::new;
    [
        resource(
            "listing_role",
            &Managed::<ListingRole>::new(connection()),
            json!(ListingRoleState::default()),
        ),
        resource(
            "integration_owner",
            &Managed::<IntegrationOwner>::new(connection()),
            json!(IntegrationOwnerState::default()),
        ),
        resource(
            "integration_owners",
            &IntegrationOwnersResource(connection()),
            json!(IntegrationOwnersState::default()),
        ),
    ]
}

fn data_sources() -> [Entry; 4] {
    fn one<E: DataEntity>(name: &'static str) -> Entry {
        data_source(name, &OneDataSource::<E>::new(Connection::new()), json!(E::One::default()))
    }
    fn all<E: DataEntity>(name: &'static str) -> Entry {
        let mut state = json!(E::All::default());
        state[E::OBJECTS] = json!([E::One::default()]);
        data_source(name, &AllDataSource::<E>::new(Connection::new()), state)
    }
    [
        one::<ListingRole>("listing_role"),
        all::<ListingRole>("listing_roles"),
        one::<IntegrationOwner>("integration_owner"),
        all::<IntegrationOwner>("integration_owners"),
    ]
}

fn functions() -> [(&'static str, FunctionSchema); 4] {
    fn entry(name: &'static str, function: &impl Function) -> (&'static str, FunctionSchema) {
        (name, function.schema(&mut Diagnostics::default()).unwrap())
    }
    [
        entry("listing_role_name", &NameFunction::<ListingRole>::default()),
        entry("parse_listing_role_name", &ParseNameFunction::<ListingRole>::default()),
        entry("integration_owner_name", &NameFunction::<IntegrationOwner>::default()),
        entry("parse_integration_owner_name", &ParseNameFunction::<IntegrationOwner>::default()),
    ]
}

fn provider_block() -> Block {
    config::provider_schema().block
}

fn assert_sentence(name: &str, text: &str) {
    assert!(text.ends_with('.') && text.len() > 9, "{name}: {text}");
}

#[test]
fn schemas_are_what_hosts_accept() {
    assert_eq!(plugin_server::testkit::problems(&server()), [""; 0]);
}

/// Compares the members of a state with attributes, in nested objects as well.
fn assert_members<'a>(
    name: &str,
    state: &Value,
    attributes: impl Iterator<Item = (&'a String, &'a tf_provider::schema::Attribute)>,
) {
    let mut of_schema = BTreeSet::new();
    for (attribute, schema) in attributes {
        of_schema.insert(attribute);
        if let AttributeType::AttributeList(inner) = &schema.attr_type {
            assert_members(&format!("{name}.{attribute}"), &state[attribute][0], inner.iter());
        }
    }
    let of_state: BTreeSet<_> = state.as_object().unwrap().keys().collect();
    assert_eq!(of_state, of_schema, "{name}");
}

#[test]
fn states_have_the_attributes_of_their_schemas() {
    for Entry { name, block, state } in resources().into_iter().chain(data_sources()) {
        assert_members(name, &state, block.attributes.iter());
    }
}

#[test]
fn descriptions_are_sentences() {
    let entries = resources().into_iter().chain(data_sources());
    for block in entries.map(|entry| entry.block).chain([provider_block()]) {
        assert_sentence("a block", &block.description.content);
        let mut open: Vec<_> = block.attributes.iter().collect();
        while let Some((name, attribute)) = open.pop() {
            assert_sentence(name, &attribute.description.content);
            if let AttributeType::AttributeList(inner) = &attribute.attr_type {
                open.extend(inner);
            }
        }
    }
    for (name, schema) in functions() {
        assert!(!schema.summary.is_empty() && !schema.summary.ends_with('.'), "{name}");
        assert_sentence(name, &schema.description.content);
        for parameter in schema.parameters {
            assert_sentence(&parameter.name, &parameter.description.content);
        }
    }
}

#[test]
fn everything_has_an_example_and_a_page() {
    let mut files: Vec<PathBuf> = Vec::new();
    for Entry { name, .. } in resources() {
        for file in ["resource.tf", "import.sh", "import-by-string-id.tf", "import-by-identity.tf"]
        {
            files.push(format!("examples/resources/access_{name}/{file}").into());
        }
        files.push(format!("docs/resources/{name}.md").into());
        let example = "list-resource.tfquery.hcl";
        files.push(format!("examples/list-resources/access_{name}/{example}").into());
        files.push(format!("docs/list-resources/{name}.md").into());
    }
    for Entry { name, .. } in data_sources() {
        files.push(format!("examples/data-sources/access_{name}/data-source.tf").into());
        files.push(format!("docs/data-sources/{name}.md").into());
    }
    for (name, _) in functions() {
        files.push(format!("examples/functions/{name}/function.tf").into());
        files.push(format!("docs/functions/{name}.md").into());
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let missing: Vec<_> = files.into_iter().filter(|file| !top.join(file).exists()).collect();
    assert_eq!(missing, Vec::<PathBuf>::new());
}

#[test]
fn secrets_are_sensitive_and_nothing_else_is() {
    let block = provider_block();
    let sensitive: BTreeSet<_> = block
        .attributes
        .iter()
        .filter(|(_, attribute)| attribute.sensitive)
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(sensitive, BTreeSet::from(["api_key", "request_headers"]));
}
