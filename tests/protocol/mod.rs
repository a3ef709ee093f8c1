//! gRPC against the built binary: requests that a damaged state file, an older version or another
//! host can cause, and current versions of Terraform do not send.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Launch, Plugin, decode, encode, null, unknown};
use serde_json::{Value, json};

use crate::support::{Service, provider};

mod conclusions;
mod deferral;
mod identity;
mod integration_owners;
mod limits;
mod list;
mod not_found;
mod planned_private_state;
mod schema;
mod state_upgrade;
mod tainted;

const ROLE: &str = "access_listing_role";
const OWNER: &str = "access_integration_owner";

/// The plugin's process, and a client that has configured it.
struct Host {
    plugin: Plugin,
    client: Client,
}

impl Host {
    /// Starts the plugin and does not configure it, as Terraform does for `validate`.
    async fn unconfigured() -> Self {
        let launch = Launch::new(provider());
        let plugin = Plugin::start(launch.without("TF_LOG")).await;
        let client = plugin.connect().await;
        Self { plugin, client }
    }

    async fn start(service: &Service) -> Self {
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
        let request = pb::configure_provider::Request {
            terraform_version: "1.11.4".to_owned(),
            config: Some(encode(&config)),
            ..Default::default()
        };
        let response = host.client.configure_provider(request).await.unwrap();
        assert_eq!(response.diagnostics, []);
        host
    }

    async fn read(&self, state: &Value, private: &[u8]) -> pb::read_resource::Response {
        self.read_as(ROLE, state, private).await
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

    async fn plan_as(
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
        self.client.plan_resource_change(request).await.unwrap()
    }

    async fn end(mut self) {
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

/// Returns the private state of an object whose reads work, last seen by this service.
fn evidence(service: &Service) -> Vec<u8> {
    private_state(&json!({
        "object": { "reads": true, "seen": true, "base_url": service.base_url() },
    }))
}

/// Returns the bytes of a private state as the provider stores them.
fn private_state(value: &Value) -> Vec<u8> {
    rmp_serde::to_vec_named(value).expect("JSON has a MessagePack form")
}

/// Summaries of the errors.
fn errors(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    let is_error =
        |diagnostic: &&pb::Diagnostic| diagnostic.severity() == pb::diagnostic::Severity::Error;
    diagnostics.iter().filter(is_error).map(|error| error.summary.as_str()).collect()
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
    // The plan decides what the apply records: here nothing, because no repository is detected.
    for name in ["repo_uri", "repo_dir"] {
        assert_eq!(planned[name], Value::Null, "{name}");
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

#[tokio::test(flavor = "multi_thread")]
async fn value_of_a_wrong_type_is_an_error_at_its_attribute() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let mut config = config();
    config["display_name"] = json!({"not": "text"});
    let request = pb::validate_resource_config::Request {
        type_name: ROLE.to_owned(),
        config: Some(encode(&config)),
        ..Default::default()
    };
    let response = host.client.validate_resource_config(request).await.unwrap();
    let diagnostics = response.diagnostics;
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    assert!(format!("{:?}", diagnostics[0].attribute).contains("display_name"), "{diagnostics:?}");
    host.end().await;
}
