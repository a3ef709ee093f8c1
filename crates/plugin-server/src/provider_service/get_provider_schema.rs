//! GetMetadata, GetProviderSchema and GetResourceIdentitySchemas.

use std::collections::BTreeMap;
use std::sync::Arc;

use prost::Message as _;
use tf_provider::Diagnostics;

use crate::diagnostic::{BUG, error, to_wire};
use crate::pb::tfplugin6 as pb;
use crate::registry::Registry;

/// The largest response with schemas that hosts accept, in bytes.
const MAX_SCHEMA: usize = 64 << 20;

impl Registry {
    /// Returns the names of everything that is registered.
    pub(super) fn metadata(&self) -> pb::get_metadata::Response {
        use pb::get_metadata::{DataSourceMetadata, ListResourceMetadata, ResourceMetadata};
        let lists = self.resources.values().filter(|entry| entry.list.is_some());
        pb::get_metadata::Response {
            server_capabilities: Some(self.capabilities()),
            diagnostics: to_wire(self.problems.clone()),
            data_sources: (self.data_sources.keys())
                .map(|name| DataSourceMetadata { type_name: name.clone() })
                .collect(),
            resources: (self.resources.keys())
                .map(|name| ResourceMetadata { type_name: name.clone() })
                .collect(),
            list_resources: lists
                .map(|entry| ListResourceMetadata { type_name: entry.name.clone() })
                .collect(),
        }
    }

    /// Returns all schemas.
    pub(crate) fn provider_schema(&self) -> pb::get_provider_schema::Response {
        let lists = self.resources.values().filter_map(|entry| {
            Some((entry.name.clone(), entry.list.as_ref()?.schema.message.clone()))
        });
        let response = pb::get_provider_schema::Response {
            provider: Some(self.provider.schema.message.clone()),
            resource_schemas: messages(&self.resources, |entry| entry.schema.message.clone()),
            data_source_schemas: messages(&self.data_sources, |entry| entry.schema.message.clone()),
            list_resource_schemas: lists.collect(),
            server_capabilities: Some(self.capabilities()),
            diagnostics: to_wire(self.problems.clone()),
        };
        if response.encoded_len() <= MAX_SCHEMA {
            return response;
        }
        let mut diags = Diagnostics::default();
        let detail = format!("The schema is larger than hosts accept, 64 MiB. {BUG}");
        error(&mut diags, "Schema too large", detail);
        pb::get_provider_schema::Response { diagnostics: to_wire(diags), ..Default::default() }
    }

    /// Returns the identity schemas of the resource types that have one.
    pub(super) fn identity_schemas(&self) -> pb::get_resource_identity_schemas::Response {
        let with_identity = self.resources.values().filter_map(|entry| {
            Some((entry.name.clone(), entry.identity.as_ref()?.message.clone()))
        });
        pb::get_resource_identity_schemas::Response {
            identity_schemas: with_identity.collect(),
            diagnostics: Vec::new(),
        }
    }

    /// Returns what hosts may call in addition to what every provider serves.
    fn capabilities(&self) -> pb::ServerCapabilities {
        pb::ServerCapabilities {
            plan_destroy: true,
            get_provider_schema_optional: true,
            move_resource_state: false,
            generate_resource_config: self
                .resources
                .values()
                .any(|entry| entry.generate_config.is_some()),
        }
    }
}

fn messages<E, M>(
    entries: &BTreeMap<String, Arc<E>>,
    message: impl Fn(&E) -> M,
) -> BTreeMap<String, M> {
    entries.iter().map(|(name, entry)| (name.clone(), message(entry))).collect()
}
