//! The provider in this process: one for each walk, as Terraform starts one.

use std::sync::Arc;
use std::time::Duration;

use access_client::simulation;
use bytes::Bytes;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{CallError, Client, connect, decode, encode};
use serde_json::{Map, Value, json};
use terraform_provider_access::simulated_server;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::configuration::Address;
use crate::fate::Fate;
use crate::host::{Failed, Instance, Setting};
use crate::life::Flag;
use crate::link::{Link, Note, Shared};
use crate::oracle::played;
use crate::support::schemas::Schema;
pub(crate) use crate::support::schemas::Schemas;
use crate::world::{Oddity, key, text};

/// The longest time between the response to a create's write and the end of the create, which sends
/// nothing any more.
const END_LIMIT: Duration = Duration::from_millis(1_500);

/// The time that a process takes to start. Calls that arrive soon after an interrupt are ended as
/// well, which concerns the process before.
const STARTUP: Duration = Duration::from_millis(1_100);

/// The provider. A walk configures it anew, which resets all that a process knows. Not part of `Services`:
/// providers hold links, and links hold `Services`. Such a circle is never freed.
pub(crate) type ProviderClient = OnceCell<Client>;

/// What a host passes to a plan inside an apply.
#[derive(Default)]
pub(crate) struct Inside {
    pub(crate) deferral_allowed: bool,
    /// The private state of the first plan.
    pub(crate) planned_private: Bytes,
}

impl Schemas {
    pub(crate) fn load() -> Arc<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let schemas = async { Self::request(&connect(simulated_server()).await).await };
        Arc::new(runtime.block_on(schemas))
    }

    fn of(&self, address: Address) -> &Schema {
        &self.resources[address.kind.resource_type()]
    }

    pub(crate) fn empty(&self, address: Address) -> &Value {
        &self.of(address).empty
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Planned {
    pub(crate) value: Value,
    pub(crate) private: Bytes,
    pub(crate) requires_replace: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Provider {
    client: Client,
    schemas: Arc<Schemas>,
    link: Arc<Link>,
    discards_warnings: bool,
}

/// Returns a value as hosts store it: the elements of sets are sorted, because their order means
/// nothing.
fn read(value: Option<&pb::DynamicValue>) -> Value {
    let mut value = value.map_or(Value::Null, decode);
    // A read returns integers as text.
    if let Some(priority) = value.get_mut("priority")
        && let Some(number) = priority.as_str().and_then(|text| text.parse::<i64>().ok())
    {
        *priority = number.into();
    }
    for member in value.as_object_mut().into_iter().flat_map(Map::values_mut) {
        if let Value::Array(items) = member {
            items.sort_by_key(ToString::to_string);
        }
    }
    value
}

impl Provider {
    pub(crate) async fn start(setting: &Setting, shared: &Arc<Shared>) -> Self {
        let Setting { schemas, services, client, workspace, command, phase } = setting;
        let client = client.get_or_init(|| connect(simulated_server())).await.clone();
        tokio::time::sleep(STARTUP).await;
        let mut config = schemas.provider.empty.clone();
        config["base_url"] = json!("http://localhost:8000");
        config["api_key"] = json!(key(*workspace));
        config["repo_uri"] = json!(format!("https://git.example/workspace-{workspace}"));
        config["repo_dir"] = json!("live");
        config["deletion_policy"] = json!(command.abandons(*phase).then_some("abandon"));
        config["drift_detection"] = json!(command.has(Flag::Off).then_some("off"));
        // Empty counts as unset.
        if services.world.has(Oddity::Blanks) {
            let arguments = &schemas.provider.schema.block.as_ref().expect("a block").attributes;
            for argument in arguments.iter().filter(|it| it.r#type == "\"string\"") {
                let value = &mut config[&argument.name];
                *value = if value.is_null() { json!("") } else { value.take() };
            }
        }
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
        };
        let (services, shared) = (Arc::clone(services), Arc::clone(shared));
        let provider = Self {
            client,
            schemas: Arc::clone(schemas),
            link: Arc::new(Link { services, shared }),
            discards_warnings: false,
        };
        simulation::install(Some(Arc::clone(&provider.link) as _));
        let configured = provider.answer(provider.client.configure_provider(request)).await;
        simulation::install(None);
        _ = configured.map(|response| provider.note(&response.diagnostics));
        provider
    }

    /// Returns the same provider, whose warnings nobody sees.
    pub(crate) fn without_warnings(&self) -> Self {
        Self { discards_warnings: true, ..self.clone() }
    }

    /// Waits for the response to a call. Fails if the process dies.
    async fn answer<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, Failed> {
        let (shared, began) = (&self.link.shared, Instant::now());
        let limit = Fate::call_limit(shared.lock().fate.as_ref());
        let death = async {
            while !shared.is_dead() {
                shared.event.notified().await;
            }
        };
        tokio::select! {
            biased;
            () = death => {}
            response = tokio::time::timeout(limit, call) => match response {
                Ok(Ok(response)) => return Ok(response),
                Ok(Err(error)) => shared.blame(played::HAS_RESPONSE, format!("a call ended with {error}")),
                Err(_) => shared.blame(played::ENDS_IN_TIME, format!("a call took {:?}", began.elapsed())),
            }
        }
        Err(Failed)
    }

    /// Keeps diagnostics. Fails if there is an error among them.
    fn note(&self, diagnostics: &[pb::Diagnostic]) -> Result<(), Failed> {
        let notes = diagnostics.iter().map(|diagnostic| Note {
            is_error: diagnostic.severity() == pb::diagnostic::Severity::Error,
            is_of_argument: diagnostic.attribute.is_some(),
            text: format!("{}\n{}", diagnostic.summary, diagnostic.detail),
        });
        let notes = notes.filter(|note| note.is_error || !self.discards_warnings);
        let notes: Vec<_> = notes.collect();
        let has_errors = notes.iter().any(|note| note.is_error);
        self.link.shared.lock().seen.notes.extend(notes);
        if has_errors { Err(Failed) } else { Ok(()) }
    }

    /// Ends the waits of running calls, as Terraform asks after an interrupt.
    pub(crate) async fn stop(&self) {
        _ = self.client.stop_provider(pb::stop_provider::Request {}).await;
    }

    pub(crate) async fn validate(&self, address: Address, config: &Value) -> Result<(), Failed> {
        let request = pb::validate_resource_config::Request {
            type_name: address.kind.resource_type().to_owned(),
            config: Some(encode(config)),
        };
        let response = self.answer(self.client.validate_resource_config(request)).await?;
        self.note(&response.diagnostics)
    }

    /// Passes a stored object, as every command does.
    pub(crate) async fn upgrade(&self, address: Address, value: &Value) -> Result<(), Failed> {
        let request = pb::upgrade_resource_state::Request {
            type_name: address.kind.resource_type().to_owned(),
            version: self.schemas.of(address).schema.version,
            raw_state: Some(pb::RawState { json: value.to_string().into() }),
        };
        let response = self.answer(self.client.upgrade_resource_state(request)).await?;
        self.note(&response.diagnostics)
    }

    /// Returns the object after a read, unless it is gone.
    pub(crate) async fn read(
        &self,
        address: Address,
        instance: Instance,
    ) -> Result<Option<Instance>, Failed> {
        let request = pb::read_resource::Request {
            type_name: address.kind.resource_type().to_owned(),
            current_state: Some(encode(&instance.value)),
            private: instance.private.clone(),
            ..Default::default()
        };
        let response = self.answer(self.client.read_resource(request)).await?;
        let result = self.note(&response.diagnostics);
        if result.is_err() && self.link.services.has_planted_defect {
            return Ok(None);
        }
        result?;
        let (value, private) = (read(response.new_state.as_ref()), response.private);
        Ok((!value.is_null()).then(|| Instance { value, private, ..instance }))
    }

    pub(crate) async fn import(&self, address: Address, id: String) -> Result<Instance, Failed> {
        let request = pb::import_resource_state::Request {
            type_name: address.kind.resource_type().to_owned(),
            id,
            ..Default::default()
        };
        let response = self.answer(self.client.import_resource_state(request)).await?;
        self.note(&response.diagnostics)?;
        let imported = response.imported_resources.into_iter().next().unwrap_or_default();
        let (value, private) = (read(imported.state.as_ref()), imported.private);
        Ok(Instance { value, private, ..Instance::default() })
    }

    pub(crate) async fn plan(
        &self,
        address: Address,
        prior: &Instance,
        config: &Value,
        inside: Inside,
    ) -> Result<Planned, Failed> {
        let (type_name, private) = (address.kind.resource_type(), prior.private.clone());
        let request = pb::plan_resource_change::Request {
            client_capabilities: Some(pb::ClientCapabilities {
                deferral_allowed: inside.deferral_allowed,
            }),
            planned_private: inside.planned_private,
            ..self.schemas.plan_request(type_name, &prior.value, config, private)
        };
        let response = self.answer(self.client.plan_resource_change(request.clone())).await?;
        self.note(&response.diagnostics)?;
        for fault in self.schemas.checks.plan(&request, &response) {
            self.link.shared.blame(played::PLAN_IS_ACCEPTED, format!("{address}: {fault}"));
        }
        let name = |path: &pb::AttributePath| match path.steps.first()?.selector.as_ref()? {
            pb::attribute_path::step::Selector::AttributeName(name) => Some(name.clone()),
            _ => None,
        };
        Ok(Planned {
            value: read(response.planned_state.as_ref()),
            private: response.planned_private,
            requires_replace: response.requires_replace.iter().filter_map(name).collect(),
        })
    }

    /// Applies a planned change. Returns the new object, if there is any, and whether the call
    /// succeeded: a failed update has a new object as well.
    pub(crate) async fn apply(
        &self,
        address: Address,
        prior: &Value,
        config: &Value,
        planned: &Planned,
    ) -> (Option<Instance>, Result<(), Failed>) {
        let request = pb::apply_resource_change::Request {
            type_name: address.kind.resource_type().to_owned(),
            prior_state: Some(encode(prior)),
            planned_state: Some(encode(&planned.value)),
            config: Some(encode(config)),
            planned_private: planned.private.clone(),
            ..Default::default()
        };
        let answer = self.answer(self.client.apply_resource_change(request.clone())).await;
        let Ok(response) = answer else { return (None, Err(Failed)) };
        let result = self.note(&response.diagnostics);
        let value = read(response.new_state.as_ref());
        let (name, shared) = (text(&value["name"]), &self.link.shared);
        let since = shared.since_creation(name);
        // It may have adopted what a list of owners has just created.
        let creates = prior.is_null() && planned.value["adopt_existing"] != true;
        // It may have waited for another address, which has deleted the new object.
        let is_there = || {
            let objects = self.link.services.objects();
            objects.iter().any(|it| it.name() == name)
        };
        let is_late = |since: &Duration| creates && *since > END_LIMIT && is_there();
        if let Some(since) = since.filter(is_late) {
            shared.blame(
                played::CREATE_ENDS_SOON,
                format!("{name}: its create ended {since:?} after its write"),
            );
        }
        if !planned.value.is_null() {
            if result.is_ok() {
                for fault in self.schemas.checks.result(&request, &response) {
                    shared.blame(played::RESULT_IS_ACCEPTED, format!("{address}: {fault}"));
                }
            }
            let what = match (value.is_null(), result.is_ok()) {
                (true, true) => Some("an apply returned neither a state nor an error"),
                (false, false) if prior.is_null() => Some("a create returned a state and an error"),
                _ => None,
            };
            if let Some(what) = what {
                shared.blame(played::RESULT_IS_ACCEPTED, format!("{address}: {what}"));
            }
        }
        let private = response.private;
        let new = (!value.is_null()).then(|| Instance { value, private, ..Instance::default() });
        (new, result)
    }
}
