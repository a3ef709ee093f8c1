//! The attributes of everything registered, as the plugin returns them. Tests build configurations
//! from them, so that a new attribute needs no change here.

use std::sync::LazyLock;

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Launch, Plugin};
use serde_json::{Map, Value};

use crate::support::provider;

/// The schema, requested once from a plugin of its own.
static SCHEMA: LazyLock<pb::get_provider_schema::Response> = LazyLock::new(|| {
    let request = async {
        let launch = Launch::new(provider());
        let mut plugin = Plugin::start(launch.without("TF_LOG")).await;
        let client = plugin.connect().await;
        let request = pb::get_provider_schema::Request {};
        let response = client.get_provider_schema(request).await;
        plugin.shutdown(client).await;
        response.expect("a schema")
    };
    // The calling test may run in a runtime already, which must not be blocked from within.
    let requesting = std::thread::spawn(move || {
        tokio::runtime::Runtime::new().expect("a runtime").block_on(request)
    });
    requesting.join().expect("a schema")
});

fn attributes(schema: Option<&pb::Schema>) -> &[pb::schema::Attribute] {
    &schema.expect("a schema").block.as_ref().expect("a block").attributes
}

fn all_null(attributes: &[pb::schema::Attribute]) -> Value {
    let pairs = attributes.iter().map(|attribute| (attribute.name.clone(), Value::Null));
    pairs.collect::<Map<_, _>>().into()
}

/// Returns a provider block without arguments.
pub(super) fn empty_provider() -> Value {
    all_null(attributes(SCHEMA.provider.as_ref()))
}

/// Returns a resource without arguments.
pub(super) fn empty_resource(type_name: &str) -> Value {
    all_null(attributes(SCHEMA.resource_schemas.get(type_name)))
}

/// Returns a data source without arguments.
pub(super) fn empty_data_source(type_name: &str) -> Value {
    all_null(attributes(SCHEMA.data_source_schemas.get(type_name)))
}

/// Returns the names of a resource's computed attributes.
pub(super) fn computed_attributes(type_name: &str) -> impl Iterator<Item = &'static str> {
    let schema: Option<&'static pb::Schema> = SCHEMA.resource_schemas.get(type_name);
    attributes(schema)
        .iter()
        .filter(|attribute| attribute.computed)
        .map(|attribute| attribute.name.as_str())
}
