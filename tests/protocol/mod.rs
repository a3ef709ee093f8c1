//! gRPC against the built binary: requests that a damaged state file, an older version or another
//! host can cause, and current versions of Terraform do not send.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostChecks, Launch, Plugin, decode, encode, null, unknown};
use serde_json::{Value, json};

use crate::support::{Service, provider};

mod cases;
mod configure;
mod creates;
mod deferral;
mod deletes;
mod identity;
mod limits;
mod list;
mod owners;
mod reads;
mod registry;
mod schema;
mod secrets;
mod state_upgrade;
mod updates;

const ROLE: &str = "access_listing_role";
const OWNER: &str = "access_integration_owner";

/// The response to a plan.
pub(crate) type PlanResponse = pb::plan_resource_change::Response;

/// The plugin's process, and a client that has configured it.
pub(crate) struct Host {
    plugin: Plugin,
    client: Client,
    /// Terraform's own checks, for each plan and result without errors.
    checks: HostChecks,
}

impl Host {
    /// Starts the plugin and does not configure it.
    async fn launch(launch: Launch) -> Self {
        let plugin = Plugin::start(launch).await;
        let client = plugin.connect().await;
        let request = pb::get_provider_schema::Request {};
        let checks = HostChecks::of_schema(&client.get_provider_schema(request).await.unwrap());
        Self { plugin, client, checks }
    }

    /// Starts the plugin and does not configure it, as Terraform does for `validate`.
    async fn unconfigured() -> Self {
        Self::launch(Launch::new(provider()).without("TF_LOG")).await
    }

    async fn configure(&self, config: &Value) -> Vec<pb::Diagnostic> {
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(config)),
            ..Default::default()
        };
        self.client.configure_provider(request).await.unwrap().diagnostics
    }

    pub(crate) async fn start(service: &Service) -> Self {
        Self::start_with(service, &json!({})).await
    }

    /// Starts the plugin and configures it with these arguments in addition to the required ones.
    async fn start_with(service: &Service, more: &Value) -> Self {
        let host = Self::unconfigured().await;
        let mut config = schema::empty_provider();
        config["base_url"] = json!(service.base_url());
        config["api_key"] = json!("admin-key");
        config["repo_detection"] = json!("off");
        for (name, value) in more.as_object().unwrap() {
            config[name] = value.clone();
        }
        assert_eq!(host.configure(&config).await, []);
        host
    }

    async fn validate(&self, type_name: &str, config: &Value) -> Vec<pb::Diagnostic> {
        let request = pb::validate_resource_config::Request {
            type_name: type_name.to_owned(),
            config: Some(encode(config)),
            ..Default::default()
        };
        self.client.validate_resource_config(request).await.unwrap().diagnostics
    }

    async fn read(&self, state: &Value, private: &[u8]) -> pb::read_resource::Response {
        self.read_as(ROLE, state, private).await
    }

    pub(crate) async fn read_as(
        &self,
        type_name: &str,
        state: &Value,
        private: &[u8],
    ) -> pb::read_resource::Response {
        let request = pb::read_resource::Request {
            type_name: type_name.to_owned(),
            current_state: Some(encode(state)),
            private: private.to_vec().into(),
            ..Default::default()
        };
        self.client.read_resource(request).await.unwrap()
    }

    async fn plan(
        &self,
        prior: Option<&Value>,
        config: &Value,
        private: &[u8],
    ) -> pb::plan_resource_change::Response {
        self.plan_as(ROLE, prior, config, private).await
    }

    pub(crate) async fn plan_as(
        &self,
        type_name: &str,
        prior: Option<&Value>,
        config: &Value,
        private: &[u8],
    ) -> pb::plan_resource_change::Response {
        let request = pb::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(prior.map_or_else(null, encode)),
            proposed_new_state: Some(encode(&proposed(type_name, prior, config))),
            config: Some(encode(config)),
            prior_private: private.to_vec().into(),
            ..Default::default()
        };
        let response = self.client.plan_resource_change(request.clone()).await.unwrap();
        if errors(&response.diagnostics).is_empty() && response.deferred.is_none() {
            assert_eq!(
                self.checks.plan(&request, &response),
                [""; 0],
                "Terraform refuses this plan"
            );
        }
        response
    }

    /// Plans a destroy.
    pub(crate) async fn plan_destroy(
        &self,
        type_name: &str,
        state: &Value,
        private: &[u8],
    ) -> PlanResponse {
        let request = pb::plan_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(state)),
            proposed_new_state: Some(null()),
            config: Some(null()),
            prior_private: private.to_vec().into(),
            ..Default::default()
        };
        self.client.plan_resource_change(request).await.unwrap()
    }

    /// Applies a planned create.
    async fn apply_planned(
        &self,
        type_name: &str,
        config: &Value,
        planned: &pb::plan_resource_change::Response,
    ) -> pb::apply_resource_change::Response {
        self.apply(type_name, None, config, planned).await
    }

    pub(crate) async fn apply(
        &self,
        type_name: &str,
        prior: Option<&Value>,
        config: &Value,
        planned: &pb::plan_resource_change::Response,
    ) -> pb::apply_resource_change::Response {
        let request = pb::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(prior.map_or_else(null, encode)),
            planned_state: planned.planned_state.clone(),
            config: Some(encode(config)),
            planned_private: planned.planned_private.clone(),
            planned_identity: planned.planned_identity.clone(),
            ..Default::default()
        };
        let response = self.client.apply_resource_change(request.clone()).await.unwrap();
        if errors(&response.diagnostics).is_empty() {
            assert_eq!(
                self.checks.result(&request, &response),
                [""; 0],
                "Terraform refuses this result"
            );
        }
        response
    }

    /// Creates an object, and returns its state and private state.
    async fn create(&self, type_name: &str, config: &Value) -> (Value, Vec<u8>) {
        let planned = self.plan_as(type_name, None, config, b"").await;
        assert_eq!(errors(&planned.diagnostics), [""; 0]);
        let applied = self.apply_planned(type_name, config, &planned).await;
        assert_eq!(errors(&applied.diagnostics), [""; 0], "{:?}", applied.diagnostics);
        (decode(&applied.new_state.unwrap()), applied.private.to_vec())
    }

    /// Applies a create that another process has planned, for a service without objects.
    async fn apply_create(
        &self,
        type_name: &str,
        config: &Value,
    ) -> pb::apply_resource_change::Response {
        let empty = Service::full();
        let other = Self::start(&empty).await;
        let planned = other.plan_as(type_name, None, config, b"").await;
        other.end().await;
        self.apply_planned(type_name, config, &planned).await
    }

    /// Applies the destroy of an object.
    pub(crate) async fn destroy(
        &self,
        type_name: &str,
        state: &Value,
        private: &[u8],
    ) -> pb::apply_resource_change::Response {
        let request = pb::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(encode(state)),
            planned_state: Some(null()),
            config: Some(null()),
            planned_private: private.to_vec().into(),
            ..Default::default()
        };
        self.client.apply_resource_change(request).await.unwrap()
    }

    pub(crate) async fn end(mut self) {
        let status = self.plugin.shutdown(self.client).await;
        assert!(status.success(), "{status}");
    }
}

/// Returns what Terraform proposes: the configuration, and prior values of computed attributes that
/// it does not set.
fn proposed(type_name: &str, prior: Option<&Value>, config: &Value) -> Value {
    let mut proposed = config.clone();
    let Some(prior) = prior else { return proposed };
    for name in schema::computed_attributes(type_name) {
        if config[name].is_null() {
            proposed[name] = prior[name].clone();
        }
    }
    proposed
}

/// Summaries of the errors.
pub(crate) fn errors(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    summaries(diagnostics, pb::diagnostic::Severity::Error)
}

/// Summaries of the warnings.
fn warnings(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    summaries(diagnostics, pb::diagnostic::Severity::Warning)
}

fn summaries(diagnostics: &[pb::Diagnostic], severity: pb::diagnostic::Severity) -> Vec<&str> {
    let is_wanted = |diagnostic: &&pb::Diagnostic| diagnostic.severity() == severity;
    diagnostics.iter().filter(is_wanted).map(|found| found.summary.as_str()).collect()
}

/// Returns a file below `tests/fixtures`.
fn fixture(path: &str) -> Value {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(&path).expect(&path)).expect(&path)
}

fn config() -> Value {
    let mut config = schema::empty_resource(ROLE);
    config["listing"] = json!("github");
    config["role"] = json!("viewer");
    config["display_name"] = json!("Viewer");
    config["priority"] = json!(3);
    config
}

fn state() -> Value {
    let mut state = config();
    state["id"] = json!("listings/github/roles/viewer");
    state["name"] = state["id"].clone();
    state["manager"] = json!("TERRAFORM");
    state["resources"] = json!([]);
    state
}

const UNREADABLE: [&[u8]; 6] = [
    b"",
    b"\xc0",
    b"\xc1",
    b"{\"schema_version\":\"1\"}",
    b"\x81\xa5reads\xa3yes",
    b"\xdf\xff\xff\xff\xff",
];

#[tokio::test(flavor = "multi_thread")]
async fn private_state_that_is_unreadable_counts_as_empty() {
    let service = Service::full();
    let host = Host::start(&service).await;
    for private in UNREADABLE {
        // Without evidence, a 404 does not distinguish a missing role from missing reads.
        let read = host.read(&state(), private).await;
        assert_eq!(decode(&read.new_state.unwrap()), state(), "{private:?}");
        assert_eq!(errors(&read.diagnostics), [""; 0], "{private:?}");
        let planned = host.plan(Some(&state()), &state(), private).await;
        assert_eq!(planned.diagnostics, [], "{private:?}");
        assert_eq!(decode(&planned.planned_state.unwrap()), state());
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_keeps_unknown_values() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let mut config = config();
    config["listing"] = unknown();
    config["resources"] = json!([unknown(), unknown(), "repo/a"]);
    config["priority"] = unknown();
    let planned = host.plan(None, &config, b"").await;
    assert_eq!(planned.diagnostics, []);
    let planned = decode(&planned.planned_state.unwrap());
    for name in ["listing", "role", "display_name", "priority", "resources", "description"] {
        assert_eq!(planned[name], config[name], "{name}");
    }
    for name in ["id", "name", "management", "manager", "create_time"] {
        assert_eq!(planned[name], unknown(), "{name}");
    }
    let mut changed = state();
    changed["resources"] = json!([unknown()]);
    let planned = host.plan(Some(&state()), &changed, b"").await;
    let planned = decode(&planned.planned_state.unwrap());
    assert_eq!(planned["resources"], json!([unknown()]));
    assert_eq!(planned["update_time"], unknown());
    assert_eq!(planned["id"], state()["id"]);
    assert_eq!(service.requests().len(), 0, "a plan with unknown names sends no request");
    host.end().await;
}
