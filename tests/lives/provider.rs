//! The provider in this process: one for each region and walk, as Terraform starts one.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
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
use crate::host::Setting;
use crate::life::Flag;
use crate::link::{Link, Shared};
use crate::world::key;

/// The longest time between the response to a create's write and the end of the create: the read-back,
/// which waits for a second at most.
const READ_BACK_LIMIT: Duration = Duration::from_millis(1_500);

/// The time that a process takes to start. Calls that arrive soon after an interrupt are ended as well,
/// which concerns the process before.
const STARTUP: Duration = Duration::from_millis(1_100);

/// The schema of the provider, as far as a host needs it. It is the same for all lives.
pub(crate) struct Schemas {
    /// A block without arguments, by resource type.
    empty: BTreeMap<String, Value>,
    computed: BTreeMap<String, BTreeSet<String>>,
    versions: BTreeMap<String, i64>,
    provider: Value,
    checks: HostChecks,
}

impl Schemas {
    pub(crate) async fn load() -> Self {
        let server = simulated_server();
        let checks = HostChecks::of(&server);
        let request = pb::get_provider_schema::Request {};
        let schema = connect(server).await.get_provider_schema(request).await.expect("a schema");
        let attributes = |schema: &pb::Schema| schema.block.clone().expect("a block").attributes;
        let empty = |schema: &pb::Schema| -> Value {
            let names = attributes(schema).into_iter().map(|attribute| attribute.name);
            names.map(|name| (name, Value::Null)).collect::<Map<_, _>>().into()
        };
        let computed = |schema: &pb::Schema| {
            let computed = attributes(schema).into_iter().filter(|attribute| attribute.computed);
            computed.map(|attribute| attribute.name).collect()
        };
        let of_each = schema.resource_schemas.iter();
        Self {
            empty: of_each.clone().map(|(name, it)| (name.clone(), empty(it))).collect(),
            computed: of_each.clone().map(|(name, it)| (name.clone(), computed(it))).collect(),
            versions: of_each.map(|(name, it)| (name.clone(), it.version)).collect(),
            provider: empty(schema.provider.as_ref().expect("a provider")),
            checks,
        }
    }

    /// Returns a block without arguments.
    pub(crate) fn empty(&self, kind: Kind) -> &Value {
        &self.empty[kind.resource_type()]
    }

    /// Returns what Terraform proposes: the configuration, and prior values of the computed attributes
    /// that it does not set.
    fn proposed(&self, kind: Kind, prior: &Value, config: &Value) -> Value {
        let mut proposed = config.clone();
        if config.is_null() {
            return proposed;
        }
        for name in &self.computed[kind.resource_type()] {
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

/// A response.
#[derive(Default)]
pub(crate) struct Planned {
    pub(crate) value: Value,
    pub(crate) private: Bytes,
    pub(crate) requires_replace: Vec<String>,
    pub(crate) has_errors: bool,
}

/// A call that was not answered: the process died, or the call took too long.
pub(crate) struct Gone;

/// What the calls of a walk have shown: their diagnostics, and rules that were broken, by name.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) notes: Vec<Note>,
    pub(crate) problems: Vec<(&'static str, String)>,
}

/// A configured provider.
#[derive(Clone)]
pub(crate) struct Provider {
    client: Client,
    schemas: Arc<Schemas>,
    shared: Arc<Shared>,
    region: u8,
    pub(crate) found: Rc<RefCell<Findings>>,
}

/// Returns a value with the elements of sets sorted, because their order means nothing.
fn read(value: Option<&pb::DynamicValue>) -> Value {
    let mut value = value.map_or(Value::Null, decode);
    for member in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Value::Array(items) = member {
            items.sort_by_key(ToString::to_string);
        }
    }
    value
}

fn write(value: &Value) -> Option<pb::DynamicValue> {
    Some(if value.is_null() { null() } else { encode(value) })
}

impl Provider {
    /// Starts and configures a provider.
    pub(crate) async fn start(
        setting: &Setting<'_>,
        region: u8,
        shared: &Arc<Shared>,
        found: &Rc<RefCell<Findings>>,
    ) -> Self {
        let &Setting { schemas, services, workspace, command, phase } = setting;
        let known = &services.clients[usize::from(region)];
        if known.get().is_none() {
            _ = known.set(connect(simulated_server()).await);
        }
        tokio::time::sleep(STARTUP).await;
        let mut config = schemas.provider.clone();
        config["base_url"] = json!(format!("http://localhost:{}", 8_000 + u16::from(region)));
        config["api_key"] = json!(key(workspace));
        config["repo_uri"] = json!(format!("https://git.example/workspace-{workspace}"));
        config["repo_dir"] = json!("live");
        config["deletion_policy"] = json!(command.abandons(phase).then_some("abandon"));
        config["drift_detection"] = json!(command.has(Flag::Off).then_some("off"));
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
            ..Default::default()
        };
        let provider = Self {
            client: known.get().expect("set above").clone(),
            schemas: Arc::clone(schemas),
            shared: Arc::clone(shared),
            region,
            found: Rc::clone(found),
        };
        simulation::install(Some(Link::new(services, region, shared)));
        let configured = provider.answer(provider.client.configure_provider(request)).await;
        simulation::install(None);
        _ = configured.map(|response| provider.note(&response.diagnostics));
        provider
    }

    /// Returns the same provider with findings of its own.
    pub(crate) fn apart(&self) -> Self {
        Self { found: Rc::default(), ..self.clone() }
    }

    /// Waits for the response to a call.
    async fn answer<T>(&self, call: impl Future<Output = Result<T, CallError>>) -> Result<T, Gone> {
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
        tokio::select! {
            biased;
            () = died => {}
            response = tokio::time::timeout(self.shared.call_limit(), call) => match response {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(error)) => self.blame("responses", format!("a call ended with {error}")),
                Err(_) => self.blame("time", format!("a call took {:?}", began.elapsed())),
            }
        }
        Err(Gone)
    }

    fn blame(&self, rule: &'static str, text: String) {
        self.found.borrow_mut().problems.push((rule, text));
    }

    /// Keeps diagnostics. Returns whether there is an error among them.
    fn note(&self, diagnostics: &[pb::Diagnostic]) -> bool {
        let notes = diagnostics.iter().map(|diagnostic| Note {
            is_error: diagnostic.severity() == pb::diagnostic::Severity::Error,
            text: format!("{}\n{}", diagnostic.summary, diagnostic.detail),
        });
        let notes: Vec<Note> = notes.collect();
        let has_errors = notes.iter().any(|note| note.is_error);
        self.found.borrow_mut().notes.extend(notes);
        has_errors
    }

    /// Ends the waits of running calls, as Terraform asks after an interrupt.
    pub(crate) async fn stop(&self) {
        _ = self.client.stop_provider(pb::stop_provider::Request {}).await;
    }

    /// Returns whether the configuration has errors.
    pub(crate) async fn validate(&self, kind: Kind, config: &Value) -> Result<bool, Gone> {
        let request = pb::validate_resource_config::Request {
            type_name: kind.resource_type().to_owned(),
            config: write(config),
            ..Default::default()
        };
        let response = self.answer(self.client.validate_resource_config(request)).await?;
        Ok(self.note(&response.diagnostics))
    }

    /// Passes a stored object, as every command does.
    pub(crate) async fn upgrade(&self, kind: Kind, value: &Value) -> Result<(), Gone> {
        let request = pb::upgrade_resource_state::Request {
            type_name: kind.resource_type().to_owned(),
            version: self.schemas.versions[kind.resource_type()],
            raw_state: Some(pb::RawState { json: value.to_string().into(), ..Default::default() }),
        };
        let response = self.answer(self.client.upgrade_resource_state(request)).await?;
        self.note(&response.diagnostics);
        Ok(())
    }

    /// Returns the state after a read; null if the object is gone.
    pub(crate) async fn read(
        &self,
        kind: Kind,
        value: &Value,
        private: &Bytes,
    ) -> Result<Planned, Gone> {
        let request = pb::read_resource::Request {
            type_name: kind.resource_type().to_owned(),
            current_state: write(value),
            private: private.clone(),
            ..Default::default()
        };
        let response = self.answer(self.client.read_resource(request)).await?;
        let has_errors = self.note(&response.diagnostics);
        let (value, private) = (read(response.new_state.as_ref()), response.private);
        Ok(Planned { value, private, has_errors, ..Planned::default() })
    }

    pub(crate) async fn import(&self, kind: Kind, id: String) -> Result<Planned, Gone> {
        let request = pb::import_resource_state::Request {
            type_name: kind.resource_type().to_owned(),
            id,
            ..Default::default()
        };
        let response = self.answer(self.client.import_resource_state(request)).await?;
        let has_errors = self.note(&response.diagnostics);
        let imported = response.imported_resources.into_iter().next().unwrap_or_default();
        let (value, private) = (read(imported.state.as_ref()), imported.private);
        Ok(Planned { value, private, has_errors, ..Planned::default() })
    }

    /// Plans. `first` is the private state of the first plan, if this one is inside an apply.
    pub(crate) async fn plan(
        &self,
        kind: Kind,
        (prior, private): (&Value, &Bytes),
        config: &Value,
        first: Bytes,
    ) -> Result<Planned, Gone> {
        let request = pb::plan_resource_change::Request {
            type_name: kind.resource_type().to_owned(),
            prior_state: write(prior),
            proposed_new_state: write(&self.schemas.proposed(kind, prior, config)),
            config: write(config),
            prior_private: private.clone(),
            planned_private: first,
            ..Default::default()
        };
        let response = self.answer(self.client.plan_resource_change(request.clone())).await?;
        let has_errors = self.note(&response.diagnostics);
        if !has_errors {
            for fault in self.schemas.checks.plan(&request, &response) {
                self.blame("plans", format!("{kind:?}: {fault}"));
            }
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
    ) -> Result<Planned, Gone> {
        let request = pb::apply_resource_change::Request {
            type_name: kind.resource_type().to_owned(),
            prior_state: write(prior),
            planned_state: write(&planned.value),
            config: write(config),
            planned_private: planned.private.clone(),
            ..Default::default()
        };
        let response = self.answer(self.client.apply_resource_change(request.clone())).await?;
        let has_errors = self.note(&response.diagnostics);
        let value = read(response.new_state.as_ref());
        let name = value["name"].as_str().unwrap_or_default();
        let since = self.shared.since_creation(self.region, name).filter(|_| prior.is_null());
        if let Some(since) = since.filter(|since| *since > READ_BACK_LIMIT) {
            self.blame("read-back", format!("{name}: its create ended {since:?} after its write"));
        }
        if !has_errors && !planned.value.is_null() {
            for fault in self.schemas.checks.result(&request, &response) {
                self.blame("results", format!("{kind:?}: {fault}"));
            }
        }
        Ok(Planned { value, private: response.private, has_errors, ..Planned::default() })
    }
}
