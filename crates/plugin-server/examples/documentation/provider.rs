use std::io::ErrorKind;

use async_trait::async_trait;
use plugin_server::plan_modifier::{requires_replace, use_default};
use plugin_server::schema::{computed, new_schema, optional_computed, required};
use plugin_server::tf_provider::schema::{AttributeType, Schema};
use plugin_server::tf_provider::value::{Value, ValueEmpty};
use plugin_server::tf_provider::{AttributePath, Diagnostics, Provider, Resource};
use plugin_server::validator::Validate;
use plugin_server::{OrReport, Server};
use serde::{Deserialize, Serialize};

#[tokio::main]
async fn main() -> std::process::ExitCode {
    plugin_server::serve(server, std::env::args_os()).await
}

fn server() -> Server {
    Server::builder("larder", Larder)
        .version(env!("CARGO_PKG_VERSION"))
        .address("registry.terraform.io/example/larder")
        .resource("jar", Jar)
        .build()
}

struct Larder;

#[async_trait]
impl Provider for Larder {
    type Config<'a> = ValueEmpty;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(new_schema(0, "A larder of jars.", []))
    }

    async fn configure<'a>(&self, _: &mut Diagnostics, _: String, _: ValueEmpty) -> Option<()> {
        Some(())
    }
}

struct Jar;

#[derive(Clone, Serialize, Deserialize)]
struct JarState {
    label: Value<String>,
    content: Value<String>,
    weight: Value<u64>,
}

/// The result of a method: a state, and the private state that is stored with it.
type Stored = Option<(JarState, ValueEmpty)>;

impl Jar {
    fn write(&self, diags: &mut Diagnostics, planned: JarState) -> Stored {
        let label = planned.label.as_deref_option()?;
        let content = planned.content.as_deref_option()?;
        std::fs::write(label, content).or_report(diags, "Could not write the jar")?;
        Some((JarState { weight: Value::Value(content.len() as u64), ..planned }, Value::Null))
    }
}

#[async_trait]
impl Resource for Jar {
    type State<'a> = JarState;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        use AttributeType::{Number, String};
        let attributes = [
            ("label", required(String, "The label of the jar.")),
            ("content", optional_computed(String, "The content of the jar; `jam` by default.")),
            ("weight", computed(Number, "The weight of the jar.")),
        ];
        Some(new_schema(0, "A jar on the shelf.", attributes))
    }

    /// Optional. Values may be unknown.
    async fn validate<'a>(&self, diags: &mut Diagnostics, config: JarState) -> Option<()> {
        diags.validate("label", &config.label).not_blank();
        Some(())
    }

    /// `proposed` is the configuration, with the prior state of computed attributes that it omits.
    /// An attribute that the apply sets is unknown in the plan.
    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: JarState,
        config: JarState,
        _meta: ValueEmpty,
    ) -> Stored {
        let content = use_default(&config.content, "jam".to_owned());
        Some((JarState { content, weight: Value::Unknown, ..proposed }, Value::Null))
    }

    /// The returned paths are those whose change requires replacement.
    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        prior: JarState,
        mut proposed: JarState,
        config: JarState,
        private: ValueEmpty,
        _meta: ValueEmpty,
    ) -> Option<(JarState, ValueEmpty, Vec<AttributePath>)> {
        proposed.content = use_default(&config.content, "jam".to_owned());
        if prior.content != proposed.content {
            proposed.weight = Value::Unknown;
        }
        let replace = requires_replace(&[("label", &prior.label, &proposed.label)]);
        Some((proposed, private, replace))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _prior: JarState,
        private: ValueEmpty,
        _meta: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: JarState,
        _config: JarState,
        _private: ValueEmpty,
        _meta: ValueEmpty,
    ) -> Stored {
        self.write(diags, planned)
    }

    /// `None` without an error means that the object was deleted outside Terraform.
    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        mut state: JarState,
        private: ValueEmpty,
        _meta: ValueEmpty,
    ) -> Stored {
        let content = match std::fs::read_to_string(state.label.as_deref_option()?) {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            result => result.or_report(diags, "Could not read the jar")?,
        };
        state.weight = Value::Value(content.len() as u64);
        state.content = Value::Value(content);
        Some((state, private))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        _prior: JarState,
        planned: JarState,
        _config: JarState,
        _private: ValueEmpty,
        _meta: ValueEmpty,
    ) -> Stored {
        self.write(diags, planned)
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: JarState,
        _private: ValueEmpty,
        _meta: ValueEmpty,
    ) -> Option<()> {
        std::fs::remove_file(prior.label.as_option()?).or_report(diags, "Could not remove the jar")
    }

    /// Optional. Terraform reads the imported object afterwards.
    async fn import<'a>(&self, _: &mut Diagnostics, id: String) -> Stored {
        let label = Value::Value(id);
        Some((JarState { label, content: Value::Null, weight: Value::Null }, Value::Null))
    }
}
