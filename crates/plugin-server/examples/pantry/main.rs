//! An example provider. It manages a pantry, which is a directory in which each jar is a file.
//!
//! It uses every feature that this crate serves. Build it with `cargo build --example
//! terraform-provider-pantry`. To use it, add `dev_overrides { "example/pantry" = "<the directory
//! of the binary>" }` to the CLI configuration.

mod jar;
mod shelf;

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use plugin_server::schema::{computed, new_schema, required};
use plugin_server::{Report as _, Server};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{DataSource, Diagnostics, Provider};

use jar::{Jar, JarState, find_jar};
use shelf::Shelf;

fn main() -> ExitCode {
    plugin_server::block_on(plugin_server::serve(server, std::env::args_os()))
}

/// Returns the server of a provider with a shelf of its own.
fn server() -> Server {
    let shelf = Arc::new(Shelf::default());
    Server::builder("pantry", Pantry(Arc::clone(&shelf)))
        .version(env!("CARGO_PKG_VERSION"))
        .address("registry.terraform.io/example/pantry")
        .resource_with("jar", Jar(Arc::clone(&shelf)), |jar| jar.list_resource().generate_config())
        .data_source("jar", JarData(shelf))
        .build()
}

/// The provider, which has the directory of the pantry.
struct Pantry(Arc<Shelf>);

#[derive(Serialize, Deserialize)]
struct PantryConfig {
    directory: Value<String>,
}

#[async_trait]
impl Provider for Pantry {
    type Config<'a> = PantryConfig;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let directory = "The directory of the jars, which must exist.";
        let attributes = [("directory", required(AttributeType::String, directory))];
        Some(new_schema(0, "A pantry of jars.", attributes))
    }

    async fn configure<'a>(
        &self,
        diags: &mut Diagnostics,
        _: String,
        config: PantryConfig,
    ) -> Option<()> {
        // Unknown in a plan: no jar can be read yet.
        let Value::Value(directory) = config.directory else { return Some(()) };
        if !Path::new(&directory).is_dir() {
            let detail = format!("{directory} is not a directory.");
            diags.report_attribute_error("directory", "Pantry not found", detail);
            return None;
        }
        // Each configuration of the provider has a server of its own.
        let _ = self.0.0.set(directory.into());
        Some(())
    }
}

/// A jar that is managed elsewhere.
struct JarData(Arc<Shelf>);

#[async_trait]
impl DataSource for JarData {
    type State<'a> = JarState;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let attributes = [
            ("label", required(AttributeType::String, "The label of the jar.")),
            ("content", computed(AttributeType::String, "The content of the jar.")),
            ("weight", computed(AttributeType::Number, "The weight of the jar, in bytes.")),
        ];
        Some(new_schema(1, "A jar on the shelf.", attributes))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: JarState,
        _: ValueEmpty,
    ) -> Option<JarState> {
        find_jar(&self.0, diags, config.label.as_option()?)
    }
}
