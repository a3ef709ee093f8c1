//! The schemas of the provider, for hosts that are no terraform: those of `protocol` and `lives`.

use std::collections::BTreeMap;

use bytes::Bytes;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostChecks, encode};
use serde_json::{Map, Value};

/// The schemas that the provider serves.
pub(crate) struct Schemas {
    pub(crate) provider: Schema,
    pub(crate) resources: BTreeMap<String, Schema>,
    pub(crate) data_sources: BTreeMap<String, Schema>,
    /// Terraform's own checks of plans and results.
    pub(crate) checks: HostChecks,
}

/// A schema, and the block that sets nothing.
pub(crate) struct Schema {
    pub(crate) schema: pb::Schema,
    /// A block without arguments.
    pub(crate) empty: Value,
}

impl Schemas {
    /// Requests the schemas from a provider.
    pub(crate) async fn request(client: &Client) -> Self {
        let request = pb::get_provider_schema::Request {};
        let response = client.get_provider_schema(request).await.expect("schemas");
        let all = |schemas: BTreeMap<String, pb::Schema>| {
            schemas.into_iter().map(|(name, schema)| (name, Schema::new(schema))).collect()
        };
        Self {
            checks: HostChecks::of_schema(&response),
            provider: Schema::new(response.provider.expect("a schema")),
            resources: all(response.resource_schemas),
            data_sources: all(response.data_source_schemas),
        }
    }

    /// Returns the request to plan a change of a resource; without a configuration, to plan a
    /// destroy.
    pub(crate) fn plan_request(
        &self,
        type_name: &str,
        prior: &Value,
        config: &Value,
        private: Bytes,
    ) -> pb::plan_resource_change::Request {
        let proposed = self.resources[type_name].proposed(prior, config);
        pb::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(prior)),
            proposed_new_state: Some(encode(&proposed)),
            config: Some(encode(config)),
            prior_private: private,
            ..Default::default()
        }
    }
}

fn attributes(schema: &pb::Schema) -> &[pb::schema::Attribute] {
    &schema.block.as_ref().expect("a block").attributes
}

impl Schema {
    fn new(schema: pb::Schema) -> Self {
        let names = attributes(&schema).iter().map(|attribute| attribute.name.clone());
        let empty: Map<_, _> = names.map(|name| (name, Value::Null)).collect();
        Self { empty: empty.into(), schema }
    }

    /// Returns the names of the attributes that a configuration can set.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &str> {
        let arguments = attributes(&self.schema).iter().filter(|it| it.required || it.optional);
        arguments.map(|argument| argument.name.as_str())
    }

    /// Returns what Terraform proposes: the configuration, and prior values of the computed
    /// attributes that it does not set.
    fn proposed(&self, prior: &Value, config: &Value) -> Value {
        let mut proposed = config.clone();
        for attribute in attributes(&self.schema).iter().filter(|it| it.computed) {
            let name = attribute.name.as_str();
            if config.is_object() && config[name].is_null() {
                proposed[name] = prior[name].clone();
            }
        }
        proposed
    }
}
