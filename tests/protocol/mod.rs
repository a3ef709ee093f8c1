//! gRPC against the built binary: what a terraform of today does not send, but a state file that
//! was damaged, an older version or another host may.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Launch, Plugin, decode, encode, null, unknown};
use serde_json::{Value, json};

use crate::support::Service;

mod deferral;
mod gone;
mod identity;
mod limits;
mod list;
mod moves;
mod upgrade;

/// The plugin's process, and a client that has configured it.
struct Host {
    plugin: Plugin,
    client: Client,
}

impl Host {
    /// The plugin as Terraform asks it before, or without, configuring it.
    async fn unconfigured() -> Self {
        let launch = Launch::new(env!("CARGO_BIN_EXE_terraform-provider-access"));
        let plugin = Plugin::start(launch.without("TF_LOG")).await;
        let client = plugin.connect().await;
        Self { plugin, client }
    }

    async fn start(service: &Service) -> Self {
        Self::start_with(service, &json!({})).await
    }

    /// The plugin configured with more arguments than it needs.
    async fn start_with(service: &Service, more: &Value) -> Self {
        let host = Self::unconfigured().await;
        let arguments = [
            "api_key",
            "base_url",
            "ca_file",
            "drift_detection",
            "max_requests_per_second",
            "max_retries",
            "max_retry_wait",
            "repo_detection",
            "repo_dir",
            "repo_uri",
            "request_headers",
            "request_timeout",
        ];
        let mut config: Value = arguments
            .map(|name| (name.to_owned(), Value::Null))
            .into_iter()
            .collect::<serde_json::Map<_, _>>()
            .into();
        config["base_url"] = json!(service.base_url());
        config["api_key"] = json!("admin-key");
        config["repo_detection"] = json!("off");
        for (name, value) in more.as_object().unwrap() {
            config[name] = value.clone();
        }
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
            ..Default::default()
        };
        let answer = host.client.provider.clone().configure_provider(request).await.unwrap();
        assert_eq!(answer.into_inner().diagnostics, []);
        host
    }

    async fn read(&self, state: &Value, private: &[u8]) -> pb::read_resource::Response {
        self.read_as("access_listing_role", state, private).await
    }

    async fn read_as(
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
        self.client.provider.clone().read_resource(request).await.unwrap().into_inner()
    }

    async fn plan(
        &self,
        prior: Option<&Value>,
        config: &Value,
        private: &[u8],
    ) -> pb::plan_resource_change::Response {
        let request = pb::plan_resource_change::Request {
            type_name: "access_listing_role".to_owned(),
            prior_state: Some(prior.map_or_else(null, encode)),
            proposed_new_state: Some(encode(&proposed(prior, config))),
            config: Some(encode(config)),
            prior_private: private.to_vec().into(),
            ..Default::default()
        };
        self.client.provider.clone().plan_resource_change(request).await.unwrap().into_inner()
    }

    async fn end(mut self) {
        let status = self.plugin.shutdown(self.client).await;
        assert!(status.success(), "{status}");
    }
}

/// What Terraform proposes: the configuration, and what it does not set as it was before.
fn proposed(prior: Option<&Value>, config: &Value) -> Value {
    let mut proposed = config.clone();
    for name in [
        "resources",
        "integration_owner_id",
        "id",
        "name",
        "management",
        "manager",
        "repo_uri",
        "repo_dir",
        "create_time",
        "update_time",
    ] {
        if let (Some(prior), Some(Value::Null)) = (prior, config.get(name)) {
            proposed[name] = prior[name].clone();
        }
    }
    proposed
}

/// Summaries of the errors.
fn errors(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    let is_error = |it: &&pb::Diagnostic| it.severity() == pb::diagnostic::Severity::Error;
    diagnostics.iter().filter(is_error).map(|it| it.summary.as_str()).collect()
}

/// A file below `tests/fixtures`.
fn fixture(path: &str) -> Value {
    let path = format!("{}/tests/fixtures/{path}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_slice(&std::fs::read(&path).expect(&path)).expect(&path)
}

fn config() -> Value {
    let mut config = json!({
        "listing": "github", "role": "viewer", "display_name": "Viewer", "priority": 3,
    });
    for name in [
        "description",
        "resources",
        "allow_missing",
        "adopt_existing",
        "id",
        "name",
        "management",
        "manager",
        "repo_uri",
        "repo_dir",
        "create_time",
        "update_time",
    ] {
        config[name] = Value::Null;
    }
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

const PRIVATE: [&[u8]; 6] = [
    b"",
    b"\xc0",
    b"\xc1",
    b"{\"schema_version\":\"1\"}",
    b"\x81\xa5reads\xa3yes",
    b"\xdf\xff\xff\xff\xff",
];

#[tokio::test(flavor = "multi_thread")]
async fn private_state_that_does_not_read_is_nothing_remembered() {
    let service = Service::full();
    let host = Host::start(&service).await;
    for private in PRIVATE {
        // Without evidence a missing role is not told from missing reads: the state stays.
        let answer = host.read(&state(), private).await;
        assert_eq!(decode(&answer.new_state.unwrap()), state(), "{private:?}");
        let severities: Vec<_> = answer.diagnostics.iter().map(|it| it.severity()).collect();
        assert!(!severities.contains(&pb::diagnostic::Severity::Error), "{private:?}");
        let planned = host.plan(Some(&state()), &state(), private).await;
        assert_eq!(planned.diagnostics, [], "{private:?}");
        assert_eq!(decode(&planned.planned_state.unwrap()), state());
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_keeps_what_is_unknown_and_promises_no_more_than_it_knows() {
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
    for name in ["id", "name", "management", "manager", "repo_uri", "create_time"] {
        assert_eq!(planned[name], unknown(), "{name}");
    }

    let mut changed = state();
    changed["resources"] = json!([unknown()]);
    let planned = host.plan(Some(&state()), &changed, b"").await;
    let planned = decode(&planned.planned_state.unwrap());
    assert_eq!(planned["resources"], json!([unknown()]));
    assert_eq!(planned["update_time"], unknown());
    assert_eq!(planned["id"], state()["id"]);
    assert_eq!(service.requests().len(), 0, "a plan asks nothing");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn value_of_a_wrong_type_is_blamed_on_its_attribute() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let mut config = config();
    config["display_name"] = json!({"not": "text"});
    let request = pb::validate_resource_config::Request {
        type_name: "access_listing_role".to_owned(),
        config: Some(encode(&config)),
        ..Default::default()
    };
    let answer = host.client.provider.clone().validate_resource_config(request).await.unwrap();
    let diagnostics = answer.into_inner().diagnostics;
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert!(format!("{:?}", diagnostics[0].attribute).contains("display_name"), "{diagnostics:?}");
    host.end().await;
}
