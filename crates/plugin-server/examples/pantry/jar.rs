//! `pantry_jar`: a jar on the shelf.
//!
//! Each jar is a file. A change of the label requires replacement. The import ID is the label,
//! which is also the identity.

use std::io::Result;
use std::ops::ControlFlow;
use std::sync::Arc;

use async_trait::async_trait;
use plugin_server::{
    IdentitySchema, ListResource, ListResult, ListResultsStream, MoveStateRequest, RawState,
    ResourceWithGenerateConfig, ResourceWithIdentity, ResourceWithMoveState,
    ResourceWithUpgradeState,
};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty};
use tf_provider::{AttributePath, Diagnostics, Resource, map};

use crate::diagnostics::fail;
use crate::schema::{attribute, schema};
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
        let weight = Value::Value(weight);
        Self { label: Value::Value(label), content: Value::Value(content), weight }
    }

    /// Returns the label and the content, or "" for a value that is unknown.
    fn parts(&self) -> (&str, &str) {
        (text(&self.label), text(&self.content))
    }
}

fn text(value: &Value<String>) -> &str {
    match value {
        Value::Value(text) => text,
        Value::Null | Value::Unknown => "",
    }
}

pub(crate) struct Jar(pub Arc<Shelf>);

impl Jar {
    /// Returns the state of the jar with this label, if it is on the shelf.
    fn find(&self, diags: &mut Diagnostics, label: &str) -> Option<JarState> {
        match self.0.find(label) {
            Ok(Some(content)) => Some(JarState::of(label.to_owned(), content)),
            Ok(None) => None,
            Err(error) => {
                fail(diags, "Could not read the jar", error.to_string(), "");
                None
            }
        }
    }

    fn report(
        &self,
        diags: &mut Diagnostics,
        summary: &'static str,
        result: Result<()>,
    ) -> Option<()> {
        if let Err(error) = result {
            fail(diags, summary, error.to_string(), "");
            return None;
        }
        Some(())
    }
}

#[async_trait]
impl Resource for Jar {
    type State<'a> = JarState;
    type PrivateState<'a> = ValueEmpty;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        use AttributeConstraint::{Computed, Required};
        Some(schema(
            1,
            "A jar on the shelf.",
            map! {
                "label" => attribute(AttributeType::String, Required, "The label of the jar."),
                "content" => attribute(AttributeType::String, Required, "The content of the jar."),
                "weight" => attribute(AttributeType::Number, Computed, "The weight of the jar, in bytes."),
            },
        ))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: JarState) -> Option<()> {
        if let Value::Value(label) = config.label
            && label.contains('/')
        {
            fail(diags, "Invalid label", "A label must not contain a slash.".to_owned(), "label");
        }
        Some(())
    }

    async fn plan_create<'a>(
        &self,
        _: &mut Diagnostics,
        proposed: JarState,
        _: JarState,
        _: ValueEmpty,
    ) -> Option<(JarState, ValueEmpty)> {
        Some((JarState { weight: Value::Unknown, ..proposed }, Value::Null))
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
        let another = prior.label != proposed.label;
        let replace = another.then(|| AttributePath::new("label")).into_iter().collect();
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
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(JarState, ValueEmpty)> {
        let (label, content) = planned.parts();
        self.report(diags, "Could not add the jar", self.0.add(label, content))?;
        Some((JarState::of(label.to_owned(), content.to_owned()), private))
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        state: JarState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(JarState, ValueEmpty)> {
        let (label, _) = state.parts();
        Some((self.find(diags, label)?, private))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        _: JarState,
        planned: JarState,
        _: JarState,
        private: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<(JarState, ValueEmpty)> {
        let (label, content) = planned.parts();
        self.report(diags, "Could not refill the jar", self.0.refill(label, content))?;
        Some((JarState::of(label.to_owned(), content.to_owned()), private))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: JarState,
        _: ValueEmpty,
        _: ValueEmpty,
    ) -> Option<()> {
        let (label, _) = prior.parts();
        self.report(diags, "Could not remove the jar", self.0.remove(label))
    }

    async fn import<'a>(
        &self,
        diags: &mut Diagnostics,
        id: String,
    ) -> Option<(JarState, ValueEmpty)> {
        let jar = self.find(diags, &id);
        if jar.is_none() && diags.errors.is_empty() {
            fail(
                diags,
                "Jar not found",
                format!("The shelf does not have a jar with the label {id}."),
                "",
            );
        }
        Some((jar?, Value::Null))
    }
}

/// Version 0 did not have a weight, and called the label a name.
#[async_trait]
impl ResourceWithUpgradeState for Jar {
    async fn upgrade_state<'a>(
        &self,
        diags: &mut Diagnostics,
        _: i64,
        state: RawState<'a>,
    ) -> Option<JarState> {
        #[derive(Deserialize)]
        struct Version0 {
            name: String,
            content: String,
        }
        let old: Version0 = state.read(diags)?;
        Some(JarState::of(old.name, old.content))
    }
}

/// Files of the `local` provider can be moved to jars.
#[async_trait]
impl ResourceWithMoveState for Jar {
    async fn move_state<'a>(
        &self,
        diags: &mut Diagnostics,
        source: MoveStateRequest<'a>,
    ) -> Option<(JarState, ValueEmpty)> {
        #[derive(Deserialize)]
        struct File {
            filename: String,
            content: String,
        }
        if !source.is_from("hashicorp/local", "local_file") {
            return None;
        }
        let file: File = source.state.read(diags)?;
        let label = file.filename.rsplit('/').next().unwrap_or_default().to_owned();
        Some((JarState::of(label, file.content), Value::Null))
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

    async fn import_identity<'a>(
        &self,
        diags: &mut Diagnostics,
        identity: JarIdentity,
    ) -> Option<(JarState, ValueEmpty)> {
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
        let prefix = "The prefix of the labels to list.";
        let optional = AttributeConstraint::Optional;
        Some(schema(
            0,
            "The jars on the shelf.",
            map! { "prefix" => attribute(AttributeType::String, optional, prefix) },
        ))
    }

    async fn list<'a>(
        &self,
        diags: &mut Diagnostics,
        config: JarListConfig,
        stream: &mut ListResultsStream<'_, Self>,
    ) -> Option<()> {
        let prefix = config.prefix.as_option().unwrap_or_default();
        let labels = match self.0.labels() {
            Ok(labels) => labels,
            Err(error) => {
                fail(diags, "Could not list the shelf", error.to_string(), "");
                return None;
            }
        };
        for label in labels.into_iter().filter(|label| label.starts_with(&prefix)) {
            let resource = if stream.include_resource() { self.find(diags, &label) } else { None };
            let identity = JarIdentity { label: Value::Value(label.clone()) };
            let item = ListResult::new(label, identity).with_resource(resource);
            if let ControlFlow::Break(()) = stream.send(item).await {
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
