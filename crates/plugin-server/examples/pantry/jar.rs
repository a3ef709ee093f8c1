//! `pantry_jar`: a jar on the shelf.
//!
//! Each jar is a file. A change of the label requires replacement. The import ID is the label,
//! which is also the identity.

use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use plugin_server::plan_modifier::{requires_replace, use_state_for_unknown};
use plugin_server::schema::{computed, new_schema, optional, required};
use plugin_server::validator::Validate as _;
use plugin_server::{
    IdentitySchema, ListResource, ListResult, ListResultsStream, Report as _,
    ResourceWithGenerateConfig, ResourceWithIdentity,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource};

use crate::shelf::Shelf;

/// The state of a jar.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct JarState {
    pub(crate) label: Value<String>,
    pub(crate) content: Value<String>,
    pub(crate) weight: Value<i64>,
}

impl JarState {
    pub(crate) fn of(label: String, content: String) -> Self {
        let weight = i64::try_from(content.len()).unwrap_or(i64::MAX);
        Self { label: label.into(), content: content.into(), weight: weight.into() }
    }

    /// Returns the label and the content, or "" for a value that is unknown.
    fn parts(self) -> (String, String) {
        (self.label.unwrap_or_default(), self.content.unwrap_or_default())
    }
}

/// Returns the value, or `None` after adding the error.
fn reported<T>(
    diags: &mut Diagnostics,
    result: std::io::Result<T>,
    failed: &'static str,
) -> Option<T> {
    result.map_err(|error| diags.report_error(failed, error.to_string())).ok()
}

/// Returns the jar with this label, or an error if it is not on the shelf.
pub(crate) fn find_jar(shelf: &Shelf, diags: &mut Diagnostics, label: String) -> Option<JarState> {
    let found = reported(diags, shelf.find(&label), "Could not read the jar")?;
    if found.is_none() {
        let detail = format!("The shelf does not have a jar with the label {label}.");
        diags.report_attribute_error("label", "Jar not found", detail);
    }
    Some(JarState::of(label, found?))
}

pub(crate) struct Jar(pub Arc<Shelf>);

/// The result of a method: a state, and the private state that is stored with it.
type Stored = Option<(JarState, ValueEmpty)>;

impl Jar {
    fn fill(&self, diags: &mut Diagnostics, planned: JarState) -> Stored {
        let (label, content) = planned.parts();
        reported(diags, self.0.fill(&label, &content), "Could not fill the jar")?;
        Some((JarState::of(label, content), Value::Null))
    }
}

#[async_trait]
impl Resource for Jar {
    type State<'a> = JarState;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let attributes = [
            ("label", required(AttributeType::String, "The label of the jar.")),
            ("content", required(AttributeType::String, "The content of the jar.")),
            ("weight", computed(AttributeType::Number, "The weight of the jar, in bytes.")),
        ];
        Some(new_schema(1, "A jar on the shelf.", attributes))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: JarState) -> Option<()> {
        diags.validate("label", &config.label).not_blank().satisfies(|label| {
            if label.contains('/') { Err("must not contain a slash") } else { Ok(()) }
        });
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: JarState,
        _: JarState,
        _: ValueEmpty,
    ) -> Stored {
        let weight = use_state_for_unknown(&proposed.weight);
        Some((JarState { weight, ..proposed }, Value::Null))
    }

    async fn plan_update<'a>(
        &self,
        _: &mut Diagnostics,
        prior: JarState,
        mut proposed: JarState,
        _: JarState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(JarState, ValueEmpty, Vec<AttributePath>)> {
        if prior.content != proposed.content {
            proposed.weight = Value::Unknown;
        }
        let replace = requires_replace(&[("label", &prior.label, &proposed.label)]);
        Some((proposed, private, replace))
    }

    async fn plan_destroy<'a>(
        &self,
        _: &mut Diagnostics,
        _: JarState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<ValueEmpty> {
        Some(private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: JarState,
        _: JarState,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored {
        self.fill(diags, planned)
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        state: JarState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored {
        let (label, _) = state.parts();
        let content = reported(diags, self.0.find(&label), "Could not read the jar")??;
        Some((JarState::of(label, content), private))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        _: JarState,
        planned: JarState,
        _: JarState,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Stored {
        self.fill(diags, planned)
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: JarState,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        let removed = self.0.file(&prior.parts().0).and_then(std::fs::remove_file);
        reported(diags, removed, "Could not remove the jar")
    }

    async fn import<'a>(&self, diags: &mut Diagnostics, id: String) -> Stored {
        Some((find_jar(&self.0, diags, id)?, Value::Null))
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct JarIdentity {
    label: Value<String>,
}

#[async_trait]
impl ResourceWithIdentity for Jar {
    type Identity<'a> = JarIdentity;

    fn identity_schema(&self, _: &mut Diagnostics) -> Option<IdentitySchema> {
        let label = "The label of the jar.";
        Some(IdentitySchema::new().required("label", AttributeType::String, label))
    }

    async fn identity<'a>(&self, _: &mut Diagnostics, state: &JarState) -> Option<JarIdentity> {
        Some(JarIdentity { label: state.label.clone() })
    }

    async fn import_identity<'a>(&self, diags: &mut Diagnostics, identity: JarIdentity) -> Stored {
        self.import(diags, identity.label.as_option()?).await
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct JarListConfig {
    prefix: Value<String>,
}

#[async_trait]
impl ListResource for Jar {
    type ListConfig<'a> = JarListConfig;

    fn list_schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let prefix = optional(AttributeType::String, "The prefix of the labels to list.");
        Some(new_schema(0, "The jars on the shelf.", [("prefix", prefix)]))
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: JarListConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let prefix = config.prefix.as_option().unwrap_or_default();
        let labels = reported(diags, self.0.labels(), "Could not list the shelf")?;
        for label in labels.into_iter().filter(|label| label.starts_with(&prefix)) {
            let identity = JarIdentity { label: label.clone().into() };
            let resource = match stream.include_resource() {
                true => Some(find_jar(&self.0, diags, label.clone())?),
                false => None,
            };
            let result = ListResult::new(label, identity).with_resource(resource);
            if let ControlFlow::Break(()) = stream.send(result).await {
                break;
            }
        }
        Some(())
    }
}

#[async_trait]
impl ResourceWithGenerateConfig for Jar {
    async fn generate_config<'a>(&self, _: &mut Diagnostics, state: JarState) -> Option<JarState> {
        Some(state)
    }
}
