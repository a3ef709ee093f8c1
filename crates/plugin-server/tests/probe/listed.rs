//! A resource that does nothing, for measurements. Its listing sends one object, and then waits
//! until it is cancelled.

use async_trait::async_trait;
use plugin_server::schema::{computed, new_schema, optional, required};
use plugin_server::{
    IdentitySchema, ListResource, ListResult, ListResultsStream, ResourceWithIdentity, stop_token,
};
use serde::{Deserialize, Serialize};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::store::Store;
use super::touch;

#[derive(Serialize, Deserialize)]
pub(crate) struct Listed {
    name: Value<String>,
    id: Value<String>,
}

pub(crate) fn listed() -> Store<Listed> {
    let name = optional(AttributeType::String, "The name.");
    let id = computed(AttributeType::String, "The ID.");
    let schema = new_schema(0, "Does nothing.", [("name", name), ("id", id)]);
    Store {
        plan: |_, proposed| Listed { id: Value::Unknown, ..proposed },
        apply: |planned, _| Listed { id: Value::Value("id".to_owned()), ..planned },
        ..Store::new(schema.block)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ListedIdentity {
    id: Value<String>,
}

#[async_trait]
impl ResourceWithIdentity for Store<Listed> {
    type Identity<'a> = ListedIdentity;

    fn identity_schema(&self, _: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(IdentitySchema::new().required("id", AttributeType::String, "The ID."))
    }

    async fn identity<'a>(&self, _: &mut Diagnostics, state: &Listed) -> Option<ListedIdentity> {
        Some(ListedIdentity { id: state.id.clone() })
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ListedConfig {
    /// The directory of the files by which the test observes the listing.
    directory: Value<String>,
}

#[async_trait]
impl ListResource for Store<Listed> {
    type ListConfig<'a> = ListedConfig;

    fn list_schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let directory = required(AttributeType::String, "The directory.");
        Some(new_schema(0, "The listing.", [("directory", directory)]))
    }

    async fn list<'a>(
        &self,
        _: &mut Diagnostics,
        config: ListedConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let directory = config.directory.unwrap_or_default();
        let identity = || ListedIdentity { id: Value::Value("first".to_owned()) };
        let _ = stream.send(ListResult::new("first", identity())).await;
        touch(&directory, "listing");
        stop_token().cancelled().await;
        // The stream has been dropped.
        while stream.send(ListResult::new("later", identity())).await.is_continue() {}
        touch(&directory, "cancelled");
        Some(())
    }
}
