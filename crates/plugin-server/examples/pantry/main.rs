//! An example provider. It manages a pantry, which is a directory in which each jar is a file.
//!
//! It uses every feature that this crate serves. Build it with `cargo build --example
//! terraform-provider-pantry`. To use it, add `dev_overrides { "example/pantry" = "<the directory
//! of the binary>" }` to the CLI configuration.

mod diagnostics;
mod jar;
mod schema;
mod shelf;

use std::process::ExitCode;
use std::sync::Arc;

use async_trait::async_trait;
use plugin_server::Server;
use serde::{Deserialize, Serialize};
use tf_provider::schema::{
    AttributeConstraint, AttributeType, Description, FunctionSchema, Parameter, Schema, Type,
};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, DataSource, Diagnostic, Diagnostics, Function, Provider, map};

use diagnostics::fail;
use jar::{Jar, JarState};
use schema::{attribute, schema};
use shelf::Shelf;

#[tokio::main]
async fn main() -> ExitCode {
    plugin_server::serve(server, std::env::args_os()).await
}

/// Returns the server of a provider with a shelf of its own.
fn server() -> Server {
    let shelf = Arc::new(Shelf::default());
    Server::builder("pantry", Pantry(Arc::clone(&shelf)))
        .version(env!("CARGO_PKG_VERSION"))
        .address("registry.terraform.io/example/pantry")
        .resource_with("jar", Jar(Arc::clone(&shelf)), |jar| {
            jar.upgrade_state().move_state().list_resource().generate_config()
        })
        .data_source("jar", JarData(shelf))
        .function("label", Label)
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
        Some(schema(
            0,
            "A pantry of jars.",
            map! {
                "directory" => attribute(AttributeType::String, AttributeConstraint::Required, directory),
            },
        ))
    }

    async fn configure<'a>(
        &self,
        diags: &mut Diagnostics,
        _: String,
        config: PantryConfig,
    ) -> Option<()> {
        match config.directory {
            // Unknown at plan: no jar can be read yet.
            Value::Unknown | Value::Null => {}
            Value::Value(directory) if std::path::Path::new(&directory).is_dir() => {
                self.0.open(directory.into());
            }
            Value::Value(directory) => {
                let detail = format!("{directory} is not a directory.");
                fail(diags, "Pantry not found", detail, "directory");
            }
        }
        diags.errors.is_empty().then_some(())
    }
}

/// A jar that is managed elsewhere.
struct JarData(Arc<Shelf>);

#[async_trait]
impl DataSource for JarData {
    type State<'a> = JarState;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        use AttributeConstraint::{Computed, Required};
        Some(schema(
            1,
            "A jar on the shelf.",
            map! {
                "label" => attribute(AttributeType::String, Required, "The label of the jar."),
                "content" => attribute(AttributeType::String, Computed, "The content of the jar."),
                "weight" => attribute(AttributeType::Number, Computed, "The weight of the jar, in bytes."),
            },
        ))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        config: JarState,
        _: ValueEmpty,
    ) -> Option<JarState> {
        let label = config.label.as_option()?;
        match self.0.find(&label) {
            Ok(Some(content)) => Some(JarState::of(label, content)),
            Ok(None) => {
                fail(
                    diags,
                    "Jar not found",
                    format!("The shelf does not have a jar with the label {label}."),
                    "label",
                );
                None
            }
            Err(error) => {
                fail(diags, "Could not read the jar", error.to_string(), "");
                None
            }
        }
    }
}

/// `provider::pantry::label("plum", 2026)` is `plum-2026`.
struct Label;

#[async_trait]
impl Function for Label {
    type Input<'a> = (Value<String>, Value<i64>);
    type Output<'a> = Value<String>;

    fn schema(&self, _: &mut Diagnostics) -> Option<FunctionSchema> {
        let parameter = |name: &str, param_type, description: &str| Parameter {
            name: name.to_owned(),
            param_type,
            allow_null: false,
            allow_unknown: false,
            description: Description::plain(description),
        };
        Some(FunctionSchema {
            parameters: vec![
                parameter("fruit", Type::String, "The fruit in the jar."),
                parameter("year", Type::Number, "The year in which it was filled."),
            ],
            variadic: None,
            return_type: Type::String,
            summary: "Makes a label".to_owned(),
            description: Description::plain("Joins fruit and year to a label."),
            deprecated: None,
        })
    }

    async fn call<'a>(
        &self,
        diags: &mut Diagnostics,
        (fruit, year): (Value<String>, Value<i64>),
    ) -> Option<Value<String>> {
        let (Value::Value(fruit), Value::Value(year)) = (fruit, year) else { return None };
        if year < 1_800 {
            diags.errors.push(Diagnostic {
                summary: "Invalid year".into(),
                detail: "The year must be 1800 or later.".into(),
                attribute: AttributePath::function_argument(1),
            });
            return None;
        }
        Some(Value::Value(format!("{fruit}-{year}")))
    }
}
