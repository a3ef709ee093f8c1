//! A resource with every further trait, whose objects have the names of [`NAMES`]. Its listing sends them, or
//! one object, and then waits until it is cancelled.

use async_trait::async_trait;
use plugin_server::plan_modifier::requires_replace;
use plugin_server::schema::{computed, new_schema, required};
use plugin_server::{
    IdentitySchema, ListResource, ListResult, ListResultsStream, Report as _,
    ResourceWithGenerateConfig, ResourceWithIdentity, stop_token,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{Diagnostics, Resource};

use super::store::Store;
use super::touch;

/// The names of the objects that exist.
const NAMES: [&str; 3] = ["pear", "plum", "quince"];

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Listed {
    name: Value<String>,
    id: Value<String>,
}

impl Listed {
    fn identity(&self) -> ListedIdentity {
        ListedIdentity { name: self.name.clone() }
    }
}

fn find(name: &str) -> Option<Listed> {
    let value = |text: &str| Value::Value(text.to_owned());
    NAMES.contains(&name).then(|| Listed { name: value(name), id: value("id") })
}

pub(crate) fn listed() -> Store<Listed> {
    let name = required(AttributeType::String, "The name.");
    let id = computed(AttributeType::String, "The ID.");
    let schema = new_schema(0, "An object with a name.", [("name", name), ("id", id)]);
    Store {
        plan: |_, proposed| Listed { id: Value::Unknown, ..proposed },
        apply: |planned, _| Listed { id: Value::Value("id".to_owned()), ..planned },
        replaces: |prior, planned| requires_replace(&[("name", &prior.name, &planned.name)]),
        read: |state| find(state.name.as_deref_option()?),
        find: |id| find(&id),
        ..Store::new(schema.block)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ListedIdentity {
    name: Value<String>,
}

#[async_trait]
impl ResourceWithIdentity for Store<Listed> {
    type Identity<'a> = ListedIdentity;

    fn identity_schema(&self, _: &mut Diagnostics) -> Option<IdentitySchema> {
        Some(IdentitySchema::new().required("name", AttributeType::String, "The name."))
    }

    async fn identity<'a>(&self, _: &mut Diagnostics, state: &Listed) -> Option<ListedIdentity> {
        Some(state.identity())
    }

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: ListedIdentity,
    ) -> Option<(Listed, ValueEmpty)> {
        self.import(diags, identity.name.as_option()?).await
    }
}

#[async_trait]
impl ResourceWithGenerateConfig for Store<Listed> {
    async fn generate_config<'a>(&self, _: &mut Diagnostics, state: Listed) -> Option<Listed> {
        Some(state)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ListedConfig {
    /// The directory of the files by which the test observes a listing that waits. Without one, the listing
    /// ends after the objects. With one that does not exist, it fails.
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
        diags: &mut Diagnostics,
        config: ListedConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let directory = config.directory.unwrap_or_default();
        if directory.is_empty() {
            for name in NAMES {
                let object = find(name)?;
                let identity = object.identity();
                let resource = stream.include_resource().then_some(object);
                let result = ListResult::new(name, identity).with_resource(resource);
                if stream.send(result).await.is_break() {
                    break;
                }
            }
            return Some(());
        }
        if !std::path::Path::new(&directory).is_dir() {
            diags.report_error("Could not list", "The directory does not exist.");
            return None;
        }
        let result = |name: &str| {
            ListResult::new(name, ListedIdentity { name: Value::Value(name.to_owned()) })
        };
        let _ = stream.send(result("first")).await;
        touch(&directory, "listing");
        stop_token().cancelled().await;
        // The stream has been dropped.
        while stream.send(result("later")).await.is_continue() {}
        touch(&directory, "cancelled");
        Some(())
    }
}
