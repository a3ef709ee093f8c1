//! The provider in this process: one for each region and walk, as Terraform starts one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use access_client::simulation;
use bytes::Bytes;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{CallError, Client, HostChecks, connect, decode, encode, null};
use serde_json::{Map, Value, json};
use terraform_provider_access::simulated_server;
use tokio::time::Instant;

use crate::configuration::Kind;
use crate::life::Command;
use crate::world::{Link, Services, Shared, key};

/// The longest time between the response to a create's write and the end of the create: the read-back,
/// which waits for a second at most.
const READ_BACK_LIMIT: Duration = Duration::from_millis(1_500);

/// The time that a process takes to start.
const STARTUP: Duration = Duration::from_millis(1_100);

/// The schema of the provider, as far as a host needs it. It is the same for all lives.
pub(crate) struct Schemas {
    resources: BTreeMap<String, Vec<(String, bool)>>,
    versions: BTreeMap<String, i64>,
    provider: Value,
    pub(crate) checks: HostChecks,
}

impl Schemas {
    pub(crate) async fn load() -> Self {
        let server = simulated_server();
        let checks = HostChecks::of(&server);
        let request = pb::get_provider_schema::Request {};
        let schema = connect(server).await.get_provider_schema(request).await.expect("a schema");
        let block = |schema: &pb::Schema| schema.block.clone().expect("a block").attributes;
        let resources = (schema.resource_schemas.iter()).map(|(name, schema)| {
            let pairs =
                block(schema).into_iter().map(|attribute| (attribute.name, attribute.computed));
            (name.clone(), pairs.collect())
        });
        let provider = block(schema.provider.as_ref().expect("a provider"));
        let provider: Map<_, _> = provider.into_iter().map(|at| (at.name, Value::Null)).collect();
        let versions =
            schema.resource_schemas.iter().map(|(name, schema)| (name.clone(), schema.version));
        Self {
            resources: resources.collect(),
            versions: versions.collect(),
            provider: provider.into(),
            checks,
        }
    }

    /// Returns a block without arguments.
    pub(crate) fn empty(&self, kind: Kind) -> Value {
        let pairs = self.resources[kind.resource_type()].iter();
        pairs.map(|(name, _)| (name.clone(), Value::Null)).collect::<Map<_, _>>().into()
    }

    /// Returns what Terraform proposes: the configuration, and prior values of the computed attributes
    /// that it does not set.
    fn proposed(&self, kind: Kind, prior: &Value, config: &Value) -> Value {
        let mut proposed = config.clone();
        for (name, _) in
            self.resources[kind.resource_type()].iter().filter(|(_, computed)| *computed)
        {
            if config[name].is_null() {
                proposed[name] = prior[name].clone();
            }
        }
        proposed
    }
}

/// A warning or an error.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) is_error: bool,
    pub(crate) text: String,
}

/// A response, and what came with it.
#[derive(Default)]
pub(crate) struct Planned {
    pub(crate) value: Value,
    pub(crate) private: Bytes,
    pub(crate) requires_replace: Vec<String>,
    pub(crate) has_errors: bool,
}

/// A call that was not answered: the process died, or the call took too long.
pub(crate) struct Gone;

/// A rule that was broken, by its name.
pub(crate) type Problem = (&'static str, String);

/// A configured provider.
pub(crate) struct Provider {
    client: Client,
    schemas: Arc<Schemas>,
    shared: Arc<Shared>,
    region: u8,
}

/// What calls add to.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) notes: Vec<Note>,
    pub(crate) problems: Vec<Problem>,
}

type Found<'f> = &'f std::cell::RefCell<Findings>;

/// Sorts the elements of sets, whose order means nothing.
fn sorted(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        for member in members.values_mut() {
            if let Value::Array(items) = member {
                items.sort_by_key(ToString::to_string);
            }
        }
    }
    value
}

fn read(value: Option<&pb::DynamicValue>) -> Value {
    value.map_or(Value::Null, |value| sorted(decode(value)))
}

fn write(value: &Value) -> Option<pb::DynamicValue> {
    Some(if value.is_null() { null() } else { encode(value) })
}

impl Provider {
    /// Starts and configures a provider.
    pub(crate) async fn start(
        schemas: &Arc<Schemas>,
        services: &Arc<Services>,
        shared: &Arc<Shared>,
        (workspace, region): (usize, u8),
        (command, abandon): (&Command, bool),
        found: Found<'_>,
    ) -> Self {
        let known = &services.clients[usize::from(region)];
        if known.get().is_none() {
            _ = known.set(connect(simulated_server()).await);
        }
        let client = known.get().expect("set above").clone();
        // Calls that arrive soon after an interrupt are ended as well, which concerns the last process.
        tokio::time::sleep(STARTUP).await;
        let mut config = schemas.provider.clone();
        config["base_url"] = json!(format!("http://localhost:{}", 8_000 + u16::from(region)));
        config["api_key"] = json!(key(workspace));
        config["repo_uri"] = json!(format!("https://git.example/workspace-{workspace}"));
        config["repo_dir"] = json!("live");
        config["deletion_policy"] = if abandon { json!("abandon") } else { Value::Null };
        config["drift_detection"] = if command.off { json!("off") } else { Value::Null };
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
            ..Default::default()
        };
        simulation::install(Some(Link::new(services, region, shared)));
        let provider =
            Self { client, schemas: Arc::clone(schemas), shared: Arc::clone(shared), region };
        if let Ok(response) =
            provider.answer(provider.client.configure_provider(request), found).await
        {
            note(&response.diagnostics, found);
        }
        simulation::install(None);
        provider
    }

    /// Waits for the response to a call.
    async fn answer<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
        found: Found<'_>,
    ) -> Result<T, Gone> {
        let began = Instant::now();
        let died = async {
            loop {
                let event = self.shared.event.notified();
                if self.shared.is_dead() {
                    return;
                }
                event.await;
            }
        };
        let failed = tokio::select! {
            biased;
            () = died => return Err(Gone),
            response = tokio::time::timeout(self.shared.call_limit(), call) => match response {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(error)) => ("responses", format!("a call ended with {error}")),
                Err(_) => ("time", format!("a call took longer than {:?}", began.elapsed())),
            }
        };
        found.borrow_mut().problems.push(failed);
        Err(Gone)
    }

    /// Ends the waits of running calls, as Terraform asks after an interrupt.
    pub(crate) async fn stop(&self) {
        _ = self.client.stop_provider(pb::stop_provider::Request {}).await;
    }

    pub(crate) async fn validate(
        &self,
        kind: Kind,
        config: &Value,
        found: Found<'_>,
    ) -> Result<bool, Gone> {
        let request = pb::validate_resource_config::Request {
            type_name: kind.resource_type().to_owned(),
            config: write(config),
            ..Default::default()
        };
        let response = self.answer(self.client.validate_resource_config(request), found).await?;
        Ok(note(&response.diagnostics, found))
    }

    /// Passes a stored object, as every command does.
    pub(crate) async fn upgrade(
        &self,
        kind: Kind,
        value: &Value,
        found: Found<'_>,
    ) -> Result<(), Gone> {
        let request = pb::upgrade_resource_state::Request {
            type_name: kind.resource_type().to_owned(),
            version: self.schemas.versions[kind.resource_type()],
            raw_state: Some(pb::RawState { json: value.to_string().into(), ..Default::default() }),
        };
        let response = self.answer(self.client.upgrade_resource_state(request), found).await?;
        note(&response.diagnostics, found);
        Ok(())
    }

    /// Returns the state after a read; null if the object is gone.
    pub(crate) async fn read(
        &self,
        kind: Kind,
        value: &Value,
        private: &Bytes,
        found: Found<'_>,
    ) -> Result<Planned, Gone> {
        let request = pb::read_resource::Request {
            type_name: kind.resource_type().to_owned(),
            current_state: write(value),
            private: private.clone(),
            ..Default::default()
        };
        let response = self.answer(self.client.read_resource(request), found).await?;
        Ok(Planned {
            has_errors: note(&response.diagnostics, found),
            value: read(response.new_state.as_ref()),
            private: response.private,
            ..Planned::default()
        })
    }

    pub(crate) async fn import(
        &self,
        kind: Kind,
        id: &str,
        found: Found<'_>,
    ) -> Result<Planned, Gone> {
        let request = pb::import_resource_state::Request {
            type_name: kind.resource_type().to_owned(),
            id: id.to_owned(),
            ..Default::default()
        };
        let response = self.answer(self.client.import_resource_state(request), found).await?;
        let has_errors = note(&response.diagnostics, found);
        let imported = response.imported_resources.into_iter().next();
        let (state, private) = imported.map_or_else(Default::default, |it| (it.state, it.private));
        Ok(Planned { value: read(state.as_ref()), private, has_errors, ..Planned::default() })
    }

    /// Plans. `again` is the private state of the first plan, which some hosts pass to the plan inside an
    /// apply.
    pub(crate) async fn plan(
        &self,
        kind: Kind,
        (prior, private): (&Value, &Bytes),
        config: &Value,
        found: Found<'_>,
    ) -> Result<Planned, Gone> {
        let is_destroy = config.is_null();
        let proposed =
            if is_destroy { Value::Null } else { self.schemas.proposed(kind, prior, config) };
        let request = pb::plan_resource_change::Request {
            type_name: kind.resource_type().to_owned(),
            prior_state: write(prior),
            proposed_new_state: write(&proposed),
            config: write(config),
            prior_private: private.clone(),
            ..Default::default()
        };
        let response =
            self.answer(self.client.plan_resource_change(request.clone()), found).await?;
        let has_errors = note(&response.diagnostics, found);
        if !has_errors {
            let faults = self.schemas.checks.plan(&request, &response);
            let problems = faults.into_iter().map(|fault| ("plans", format!("{kind:?}: {fault}")));
            found.borrow_mut().problems.extend(problems);
        }
        let path = |path: &pb::AttributePath| match path.steps.first()?.selector.as_ref()? {
            pb::attribute_path::step::Selector::AttributeName(name) => Some(name.clone()),
            _ => None,
        };
        Ok(Planned {
            value: read(response.planned_state.as_ref()),
            private: response.planned_private,
            requires_replace: response.requires_replace.iter().filter_map(path).collect(),
            has_errors,
        })
    }

    /// Applies a planned change.
    pub(crate) async fn apply(
        &self,
        kind: Kind,
        prior: &Value,
        config: &Value,
        planned: &Planned,
        found: Found<'_>,
    ) -> Result<Planned, Gone> {
        let request = pb::apply_resource_change::Request {
            type_name: kind.resource_type().to_owned(),
            prior_state: write(prior),
            planned_state: write(&planned.value),
            config: write(config),
            planned_private: planned.private.clone(),
            ..Default::default()
        };
        let response =
            self.answer(self.client.apply_resource_change(request.clone()), found).await?;
        let has_errors = note(&response.diagnostics, found);
        let value = read(response.new_state.as_ref());
        let name = value["name"].as_str().unwrap_or_default();
        let since = self.shared.since_creation(self.region, name).filter(|_| prior.is_null());
        if let Some(since) = since.filter(|since| *since > READ_BACK_LIMIT) {
            let text =
                format!("{name}: its create ended {since:?} after the response to its write");
            found.borrow_mut().problems.push(("read-back", text));
        }
        if !has_errors && !planned.value.is_null() {
            let faults = self.schemas.checks.result(&request, &response);
            let problems =
                faults.into_iter().map(|fault| ("results", format!("{kind:?}: {fault}")));
            found.borrow_mut().problems.extend(problems);
        }
        Ok(Planned { value, private: response.private, has_errors, ..Planned::default() })
    }
}

/// Keeps diagnostics. Returns whether there is an error among them.
fn note(diagnostics: &[pb::Diagnostic], found: Found<'_>) -> bool {
    let notes = diagnostics.iter().map(|diagnostic| Note {
        is_error: diagnostic.severity() == pb::diagnostic::Severity::Error,
        text: format!("{}\n{}", diagnostic.summary, diagnostic.detail),
    });
    let mut found = found.borrow_mut();
    let before = found.notes.len();
    found.notes.extend(notes);
    found.notes[before..].iter().any(|note| note.is_error)
}
