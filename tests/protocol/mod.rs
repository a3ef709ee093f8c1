//! gRPC against the built binary, without a host: a row for each class of requests and responses. It proves
//! that what the deciders decide reaches the service, the state and the messages, also for requests that
//! only a damaged state file, an older version or another host causes.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{LazyLock, Mutex, OnceLock};

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Launch, Plugin, decode, encode, null, unknown};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::fixtures::{OWNER, OWNERS, ROLE};
use crate::support::schemas::Schemas;
use crate::support::{Service, claims, provider};

mod cases;
mod configure;
mod creates;
mod deletes;
#[cfg(unix)]
mod descriptors;
mod identity;
mod list;
mod memory;
mod owners;
mod reads;
mod renames;
mod repository;
mod secrets;
mod unknown_settings;
mod updates;
mod values;

type PlanResponse = pb::plan_resource_change::Response;
type ReadResponse = pb::read_resource::Response;
type DataResponse = pb::read_data_source::Response;
type ApplyResponse = pb::apply_resource_change::Response;
type ImportResponse = pb::import_resource_state::Response;

/// The data source of all roles of a listing.
const ALL_ROLES: &str = "access_listing_roles";

/// The schemas, requested once from a plugin of its own: a new attribute needs no change of the
/// tests.
static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| {
    let request = async { Schemas::request(&Host::unconfigured().await.client).await };
    // The calling test may run in a runtime already, which must not be blocked from within.
    let requesting =
        std::thread::spawn(|| tokio::runtime::Runtime::new().expect("a runtime").block_on(request));
    requesting.join().expect("schemas")
});

/// The plugin's process, and a client that has configured it.
struct Host {
    plugin: Plugin,
    client: Client,
    /// The service that it is configured for.
    service: OnceLock<access_fake::Service>,
    /// The plugin's working directory, which also contains its socket. A host that is dropped kills
    /// the plugin and removes it.
    directory: TempDir,
}

impl Host {
    /// Starts the plugin and does not configure it.
    async fn launch(launch: Launch) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let launch = launch.env("TMPDIR", directory.path()).directory(directory.path());
        let plugin = Plugin::start(launch).await;
        let client = plugin.connect().await;
        Self { plugin, client, service: OnceLock::new(), directory }
    }

    /// Starts the plugin and does not configure it, as Terraform does for `validate`. The handshake
    /// in TLS takes a third of a case; plugin-server's tests have it.
    async fn unconfigured() -> Self {
        Self::launch(Launch::new(provider()).plain().without("TF_LOG")).await
    }

    async fn configure(&self, arguments: &Value) -> Vec<pb::Diagnostic> {
        let config = with(SCHEMAS.provider.empty.clone(), arguments);
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
        };
        self.client.configure_provider(request).await.unwrap().diagnostics
    }

    async fn start(service: &Service) -> Self {
        Self::start_with(service, &json!({})).await
    }

    /// Returns a service with every operation, and a host of it.
    async fn with_service() -> (Service, Self) {
        let service = Service::full();
        let host = Self::start(&service).await;
        (service, host)
    }

    /// Starts the plugin and configures it with these arguments in addition to the required ones.
    async fn start_with(service: &Service, more: &Value) -> Self {
        let host = Self::unconfigured().await;
        host.configure_for(service, more).await;
        host
    }

    async fn configure_for(&self, service: &Service, more: &Value) {
        let required = json!({"base_url": service.base_url(), "api_key": "admin-key",
                              "repo_detection": "off"});
        assert_eq!(self.configure(&with(required, more)).await, []);
        _ = self.service.set(service.local().clone());
    }

    /// Starts and configures the plugin at the top of a Git checkout with this remote.
    async fn in_checkout(service: &Service, remote: &str) -> Self {
        let host = Self::unconfigured().await;
        let git = host.directory.path().join(".git");
        fs::create_dir(&git).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
        fs::write(git.join("config"), format!("[remote \"origin\"]\nurl = {remote}")).unwrap();
        host.configure_for(service, &json!({"repo_detection": "auto"})).await;
        host
    }

    async fn validate(&self, type_name: &str, config: &Value) -> Vec<pb::Diagnostic> {
        let request = pb::validate_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode(config)),
        };
        self.client.validate_resource_config(request).await.unwrap().diagnostics
    }

    async fn read_data(&self, type_name: &str, arguments: &Value) -> DataResponse {
        let config = with(SCHEMAS.data_sources[type_name].empty.clone(), arguments);
        let request = pb::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: Some(encode(&config)),
        };
        let response = self.client.read_data_source(request).await.unwrap();
        self.compare_requests(&response.diagnostics);
        response
    }

    async fn read(&self, type_name: &str, state: &Value, private: &[u8]) -> ReadResponse {
        let request = pb::read_resource::Request {
            type_name: type_name.to_owned(),
            current_state: Some(encode(state)),
            private: private.to_vec().into(),
            ..Default::default()
        };
        let earlier = self.requests().len();
        let mut response = self.client.read_resource(request).await.unwrap();
        self.compare(earlier, &[state], private, &response.diagnostics);
        let is_kept = response.new_state.as_ref().is_some_and(|it| !decode(it).is_null());
        response.diagnostics.iter().for_each(|it| claims::check_kept(&it.detail, is_kept));
        // A read returns integers as text.
        if let Some(state) = &mut response.new_state {
            let mut value = decode(state);
            if let Some(number) =
                value["priority"].as_str().and_then(|text| text.parse::<i64>().ok())
            {
                value["priority"] = number.into();
                *state = encode(&value);
            }
        }
        response
    }

    async fn plan(
        &self,
        type_name: &str,
        prior: Option<&Value>,
        config: &Value,
        private: &[u8],
    ) -> PlanResponse {
        let prior = prior.unwrap_or(&Value::Null);
        let request = SCHEMAS.plan_request(type_name, prior, config, private.to_vec().into());
        self.send_plan(request, &[prior, config]).await
    }

    /// Plans a create as Terraform does inside an apply.
    async fn plan_in_apply(&self, type_name: &str, config: &Value, private: &[u8]) -> PlanResponse {
        let request = pb::plan_resource_change::Request {
            client_capabilities: Some(pb::ClientCapabilities { deferral_allowed: true }),
            ..SCHEMAS.plan_request(type_name, &Value::Null, config, private.to_vec().into())
        };
        self.send_plan(request, &[config]).await
    }

    async fn send_plan(
        &self,
        request: pb::plan_resource_change::Request,
        values: &[&Value],
    ) -> PlanResponse {
        let earlier = self.requests().len();
        let response = self.client.plan_resource_change(request.clone()).await.unwrap();
        self.compare(earlier, values, &request.prior_private, &response.diagnostics);
        if errors(&response.diagnostics).is_empty() {
            let problems = SCHEMAS.checks.plan(&request, &response);
            assert_eq!(problems, [""; 0], "Terraform refuses this plan");
        }
        response
    }

    /// Hands over a stored state, as Terraform does in every command.
    async fn upgrade(&self, type_name: &str, state: &Value) {
        let request = pb::upgrade_resource_state::Request {
            type_name: type_name.to_owned(),
            version: 0,
            raw_state: Some(pb::RawState { json: state.to_string().into() }),
        };
        let response = self.client.upgrade_resource_state(request).await.unwrap();
        assert_eq!(response.diagnostics, []);
    }

    async fn plan_destroy(&self, type_name: &str, state: &Value, private: &[u8]) -> PlanResponse {
        let private = private.to_vec().into();
        let request = SCHEMAS.plan_request(type_name, state, &Value::Null, private);
        self.send_plan(request, &[state]).await
    }

    async fn apply(
        &self,
        type_name: &str,
        prior: Option<&Value>,
        config: &Value,
        planned: &PlanResponse,
    ) -> ApplyResponse {
        let request = pb::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(prior.map_or_else(null, encode)),
            planned_state: planned.planned_state.clone(),
            config: Some(encode(config)),
            planned_private: planned.planned_private.clone(),
            planned_identity: planned.planned_identity.clone(),
        };
        let earlier = self.requests().len();
        let response = self.client.apply_resource_change(request.clone()).await.unwrap();
        let values = [prior.unwrap_or(&Value::Null), config];
        self.compare(earlier, &values, &planned.planned_private, &response.diagnostics);
        if errors(&response.diagnostics).is_empty() {
            let problems = SCHEMAS.checks.result(&request, &response);
            assert_eq!(problems, [""; 0], "Terraform refuses this result");
        }
        response
    }

    /// Plans and applies a create, as one process does only inside an apply.
    async fn try_create(&self, type_name: &str, config: &Value) -> ApplyResponse {
        let planned = self.plan_in_apply(type_name, config, b"").await;
        assert_eq!(errors(&planned.diagnostics), [""; 0]);
        self.apply(type_name, None, config, &planned).await
    }

    /// Creates an object, and returns its state and private state.
    async fn create(&self, type_name: &str, config: &Value) -> (Value, Vec<u8>) {
        let applied = self.try_create(type_name, config).await;
        assert_eq!(errors(&applied.diagnostics), [""; 0], "{:?}", applied.diagnostics);
        (decode(&applied.new_state.unwrap()), applied.private.to_vec())
    }

    /// Applies a create that another process has planned, for a service without objects.
    async fn apply_create(&self, type_name: &str, config: &Value) -> ApplyResponse {
        let planned = Self::plan_create(type_name, config).await;
        self.apply(type_name, None, config, &planned).await
    }

    /// Plans a create in a process of its own, for a service without objects. Each one is planned
    /// once, whatever the number of cases that apply it.
    async fn plan_create(type_name: &str, config: &Value) -> PlanResponse {
        static PLANS: Mutex<BTreeMap<String, PlanResponse>> = Mutex::new(BTreeMap::new());
        let key = format!("{type_name} {config}");
        let known = PLANS.lock().expect("no panic").get(&key).cloned();
        if let Some(plan) = known {
            return plan;
        }
        let empty = Service::full();
        let plan = Self::start(&empty).await.plan(type_name, None, config, b"").await;
        PLANS.lock().expect("no panic").insert(key, plan.clone());
        plan
    }

    async fn destroy(&self, type_name: &str, state: &Value, private: &[u8]) -> ApplyResponse {
        let request = pb::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(state)),
            planned_state: Some(null()),
            config: Some(null()),
            planned_private: private.to_vec().into(),
            ..Default::default()
        };
        let earlier = self.requests().len();
        let response = self.client.apply_resource_change(request).await.unwrap();
        self.compare(earlier, &[state], private, &response.diagnostics);
        // With an error, Terraform keeps the state.
        let is_kept = !errors(&response.diagnostics).is_empty();
        response.diagnostics.iter().for_each(|it| claims::check_kept(&it.detail, is_kept));
        response
    }

    async fn import(&self, type_name: &str, id: &str, identity: Option<&Value>) -> ImportResponse {
        let identity =
            identity.map(|data| pb::ResourceIdentityData { identity_data: Some(encode(data)) });
        let request = pb::import_resource_state::Request {
            type_name: type_name.to_owned(),
            id: id.to_owned(),
            identity,
        };
        let response = self.client.import_resource_state(request).await.unwrap();
        self.compare_requests(&response.diagnostics);
        response
    }

    /// Returns the requests that the service has received.
    fn requests(&self) -> Vec<access_fake::Request> {
        self.service.get().map(|it| it.requests()).unwrap_or_default()
    }

    /// Fails the test if what a call reports contradicts its requests, which follow `earlier` ones, or is
    /// about another object than those of these states and configurations.
    fn compare(&self, earlier: usize, values: &[&Value], private: &[u8], found: &[pb::Diagnostic]) {
        let sent = self.requests().into_iter().skip(earlier).collect::<Vec<_>>();
        for it in found {
            claims::check_sent(&it.summary, &it.detail, &sent);
            claims::check_object(&it.summary, &it.detail, values, private);
        }
        self.compare_requests(found);
    }

    /// Fails the test if a diagnostic names a request that the service has not received.
    fn compare_requests(&self, found: &[pb::Diagnostic]) {
        let all = self.requests();
        for it in found.iter().filter(|_| self.service.get().is_some()) {
            claims::check_requests(&format!("{} {}", it.summary, it.detail), &all);
        }
    }
}

fn errors(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    summaries(diagnostics, pb::diagnostic::Severity::Error)
}

fn warnings(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    summaries(diagnostics, pb::diagnostic::Severity::Warning)
}

fn summaries(diagnostics: &[pb::Diagnostic], severity: pb::diagnostic::Severity) -> Vec<&str> {
    let is_wanted = |diagnostic: &&pb::Diagnostic| diagnostic.severity() == severity;
    diagnostics.iter().filter(is_wanted).map(|found| found.summary.as_str()).collect()
}

/// Fails the test unless the text of one diagnostic contains all of these parts.
#[track_caller]
fn says(found: &[pb::Diagnostic], parts: &[&str]) {
    let has_all = |it: &pb::Diagnostic| {
        parts.iter().all(|part| it.summary.contains(part) || it.detail.contains(part))
    };
    assert!(found.iter().any(has_all), "{parts:?} in {found:#?}");
}

fn identity(data: Option<&pb::ResourceIdentityData>) -> Value {
    data.map_or(Value::Null, |data| decode(data.identity_data.as_ref().unwrap()))
}

/// Returns the attribute to which the first error refers.
fn blamed(found: &[pb::Diagnostic]) -> String {
    let error = found.iter().find(|it| it.severity() == pb::diagnostic::Severity::Error);
    let path = error.expect("an error").attribute.as_ref().expect("an attribute");
    let Some(pb::attribute_path::step::Selector::AttributeName(name)) = &path.steps[0].selector
    else {
        panic!("no name in {path:?}")
    };
    name.clone()
}

/// Returns a value with some of its attributes replaced.
fn with(mut value: Value, attributes: &Value) -> Value {
    for (name, attribute) in attributes.as_object().expect("attributes") {
        value[name] = attribute.clone();
    }
    value
}

fn config() -> Value {
    let arguments =
        json!({"listing": "github", "role": "viewer", "display_name": "Viewer", "priority": 3});
    with(SCHEMAS.resources[ROLE].empty.clone(), &arguments)
}

fn state() -> Value {
    let name = "listings/github/roles/viewer";
    with(config(), &json!({"id": name, "name": name, "manager": "TERRAFORM", "resources": []}))
}

fn owners_config(integration: &str, owners: &[&str]) -> Value {
    let arguments = json!({"integration": integration, "owners": owners});
    with(SCHEMAS.resources[OWNERS].empty.clone(), &arguments)
}

/// plugin-server's tests have the table of damaged bytes.
#[tokio::test(flavor = "multi_thread")]
async fn private_state_that_is_unreadable_counts_as_empty() {
    let service = Service::documented_only(404);
    let host = Host::start(&service).await;
    let private = b"{\"schema_version\":\"1\"}";
    let read = host.read(ROLE, &state(), private).await;
    assert_eq!(decode(&read.new_state.unwrap()), state());
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    let planned = host.plan(ROLE, Some(&state()), &state(), private).await;
    assert_eq!(planned.diagnostics, []);
    assert_eq!(decode(&planned.planned_state.unwrap()), state());
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_with_unknown_names_sends_no_request() {
    let (service, host) = Host::with_service().await;
    let late = json!({"listing": unknown(), "priority": unknown(), "adopt_existing": unknown(),
                      "resources": [unknown(), unknown(), "repo/a"]});
    let planned = host.plan(ROLE, None, &with(config(), &late), b"").await;
    assert_eq!(planned.diagnostics, []);
    let planned = decode(&planned.planned_state.unwrap());
    for name in ["id", "name", "management", "manager", "create_time"] {
        assert_eq!(planned[name], unknown(), "{name}");
    }
    let changed = with(state(), &json!({"resources": [unknown()]}));
    let planned = host.plan(ROLE, Some(&state()), &changed, b"").await;
    let planned = decode(&planned.planned_state.unwrap());
    assert_eq!((&planned["update_time"], &planned["id"]), (&unknown(), &state()["id"]));
    assert_eq!(service.requests().len(), 0);
}
