//! Ephemeral resources over the protocol: results, private data, renewals, failures.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use bytes::Bytes;
use plugin_server::schema::{computed, new_schema, optional, required, sensitive};
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostChecks, connect, encode, unknown};
use plugin_server::{
    CallContext, EphemeralResource, OpenResponse, RenewResponse, Report as _, Server, stop_token,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::{StructEmpty, Value, ValueEmpty, ValueNumber};

use super::probe::Probe;
use super::support::{at, errors, state};

/// A session that misbehaves on command. It records its calls.
#[derive(Clone, Default)]
struct Session(Arc<Mutex<Vec<String>>>);

#[derive(Serialize, Deserialize)]
struct SessionState {
    command: Value<String>,
    seconds: ValueNumber,
    token: Value<String>,
}

type Lease = Value<(String, u32)>;

impl Session {
    fn record(&self, call: impl Into<String>) {
        self.0.lock().unwrap().push(call.into());
    }

    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    fn server(&self) -> Server {
        Server::builder("probe", Probe).ephemeral_resource("session", self.clone()).build()
    }

    async fn client(&self) -> Client {
        connect(self.server()).await
    }
}

const EPOCH: SystemTime = SystemTime::UNIX_EPOCH;

#[async_trait]
impl EphemeralResource for Session {
    type State<'a> = SessionState;
    type PrivateState<'a> = Lease;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let token = sensitive(computed(AttributeType::String, "The token."));
        let attributes = [
            ("command", required(AttributeType::String, "The command.")),
            ("seconds", optional(AttributeType::Number, "The time of renewal.")),
            ("token", token),
        ];
        Some(new_schema(0, "A session.", attributes))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: SessionState) -> Option<()> {
        self.record("validate");
        if config.command.as_deref_option() == Some("invalid") {
            diags.report_attribute_error("command", "Invalid command", "The test commands it.");
        }
        Some(())
    }

    async fn open<'a>(
        &self,
        diags: &mut Diagnostics,
        mut config: SessionState,
    ) -> Option<OpenResponse<SessionState, Lease>> {
        let command = config.command.as_deref_option().unwrap_or_default().to_owned();
        self.record(format!("open {command}"));
        config.token = Value::Value("s3cr3t".to_owned());
        match command.as_str() {
            "none" => return None,
            "panic" => panic!("commanded to panic"),
            "defer" if CallContext::current().unwrap().defer() => return None,
            "fail" => diags.report_error("Half open", "The test commands it."),
            "unknown" => config.token = Value::Unknown,
            "change" => config.seconds = Value::Value(7),
            "wait" => stop_token().cancelled().await,
            _ => {}
        }
        let seconds =
            config.seconds.as_ref_option().and_then(|seconds| u64::try_from(*seconds).ok());
        let mut response = OpenResponse::new(config, Value::Value((command, 1)));
        response.renew_at = seconds.map(|seconds| EPOCH + Duration::from_secs(seconds));
        Some(response)
    }

    async fn renew<'a>(&self, _: &mut Diagnostics, lease: Lease) -> Option<RenewResponse<Lease>> {
        let (command, number) = lease.as_option()?;
        self.record(format!("renew {command} {number}"));
        let lease = Value::Value((command, number + 1));
        Some(RenewResponse::new(lease).renew_at(EPOCH + Duration::from_millis(1_500)))
    }

    async fn close<'a>(&self, diags: &mut Diagnostics, lease: Lease) -> Option<()> {
        let (command, number) = lease.as_option()?;
        self.record(format!("close {command} {number}"));
        if command == "stuck" {
            diags.report_warning("Still open", "The test commands it.");
            return None;
        }
        Some(())
    }
}

fn session(command: &str, seconds: Json, token: Json) -> Json {
    json!({ "command": command, "seconds": seconds, "token": token })
}

fn type_name() -> String {
    "probe_session".to_owned()
}

fn open_request(command: &str, seconds: Json) -> pb::open_ephemeral_resource::Request {
    pb::open_ephemeral_resource::Request {
        type_name: type_name(),
        config: Some(encode(&session(command, seconds, Json::Null))),
        ..Default::default()
    }
}

async fn open(client: &Client, command: &str) -> pb::open_ephemeral_resource::Response {
    client.open_ephemeral_resource(open_request(command, Json::Null)).await.unwrap()
}

async fn renew(client: &Client, private: Option<Bytes>) -> pb::renew_ephemeral_resource::Response {
    let request = pb::renew_ephemeral_resource::Request { type_name: type_name(), private };
    client.renew_ephemeral_resource(request).await.unwrap()
}

async fn close(client: &Client, private: Option<Bytes>) -> Vec<pb::Diagnostic> {
    let request = pb::close_ephemeral_resource::Request { type_name: type_name(), private };
    client.close_ephemeral_resource(request).await.unwrap().diagnostics
}

#[tokio::test]
async fn ephemeral_resource_is_opened_renewed_and_closed_with_its_private_data() {
    let provider = Session::default();
    let client = provider.client().await;
    let metadata = client.get_metadata(pb::get_metadata::Request {}).await.unwrap();
    assert_eq!(metadata.ephemeral_resources[0].type_name, "probe_session");
    let schemas = client.get_provider_schema(pb::get_provider_schema::Request {}).await.unwrap();
    assert_eq!(errors(&schemas.diagnostics), [""; 0]);
    let block = schemas.ephemeral_resource_schemas["probe_session"].block.as_ref().unwrap();
    let token = block.attributes.iter().find(|attribute| attribute.name == "token").unwrap();
    assert!(token.computed && token.sensitive);

    let opened = client.open_ephemeral_resource(open_request("x", json!(90))).await.unwrap();
    assert_eq!(errors(&opened.diagnostics), [""; 0]);
    assert_eq!(state(&opened.result), session("x", json!(90), json!("s3cr3t")));
    let renew_at = opened.renew_at.unwrap();
    assert_eq!((renew_at.seconds, renew_at.nanos), (90, 0));
    let renewed = renew(&client, opened.private.clone()).await;
    assert_eq!(errors(&renewed.diagnostics), [""; 0]);
    let renew_at = renewed.renew_at.unwrap();
    assert_eq!((renew_at.seconds, renew_at.nanos), (1, 500_000_000));
    renew(&client, renewed.private).await;
    // Terraform closes with the private data of the open.
    assert_eq!(close(&client, opened.private).await, []);
    assert_eq!(provider.calls(), ["open x", "renew x 1", "renew x 2", "close x 1"]);
    let unlimited = open(&client, "x").await;
    assert_eq!((unlimited.renew_at, unlimited.deferred), (None, None));
}

#[tokio::test]
async fn ephemeral_result_that_terraform_would_refuse_is_found_by_the_testkit() {
    let provider = Session::default();
    let client = provider.client().await;
    let checks = HostChecks::of(&provider.server());
    for (command, refused) in [
        ("x", vec![]),
        ("change", vec!["seconds: the configuration omits it, so the provider may not set it"]),
    ] {
        let opened = open(&client, command).await;
        let request = open_request(command, Json::Null);
        assert_eq!(checks.open(&request, &opened), refused, "{command}");
    }
}

#[tokio::test]
async fn ephemeral_resource_that_the_host_does_not_close_is_closed_here() {
    for (command, summary, attribute) in
        [("fail", "Half open", ""), ("unknown", "Unknown value from the provider", "token")]
    {
        let provider = Session::default();
        let opened = open(&provider.client().await, command).await;
        assert_eq!(errors(&opened.diagnostics), [summary], "{command}");
        assert_eq!(at(&opened.diagnostics[0]), attribute);
        assert!(!opened.diagnostics[0].detail.contains("s3cr3t"), "{command}");
        assert_eq!((opened.result, opened.private), (None, None), "{command}");
        let expected = [format!("open {command}"), format!("close {command} 1")];
        assert_eq!(provider.calls(), expected);
    }
}

#[tokio::test]
async fn ephemeral_resource_that_fails_is_an_error() {
    let provider = Session::default();
    let client = provider.client().await;
    for (command, summary) in
        [("none", "Could not open the ephemeral resource"), ("panic", "Provider crashed")]
    {
        assert_eq!(errors(&open(&client, command).await.diagnostics), [summary]);
    }
    assert_eq!(provider.calls(), ["open none", "open panic"], "nothing is open");
    // Private data that cannot be read counts as empty, from which the provider returns nothing.
    let renewed = renew(&client, Some(b"\xc1"[..].into())).await;
    assert_eq!(errors(&renewed.diagnostics), ["Could not renew the ephemeral resource"]);
    assert_eq!(renewed.renew_at, None);
    let stuck = open(&client, "stuck").await;
    let closed = close(&client, stuck.private).await;
    assert_eq!(errors(&closed), ["Could not close the ephemeral resource"]);
    assert_eq!(closed.len(), 2, "the warning is there as well");
}

#[tokio::test]
async fn ephemeral_resource_is_deferred_with_unknown_results() {
    let client = Session::default().client().await;
    let request = |deferral_allowed| pb::open_ephemeral_resource::Request {
        client_capabilities: Some(pb::ClientCapabilities {
            deferral_allowed,
            ..Default::default()
        }),
        ..open_request("defer", Json::Null)
    };
    let deferred = client.open_ephemeral_resource(request(true)).await.unwrap();
    assert_eq!(errors(&deferred.diagnostics), [""; 0]);
    assert!(deferred.deferred.is_some() && deferred.private.is_none());
    assert_eq!(state(&deferred.result), session("defer", Json::Null, unknown()));
    let opened = client.open_ephemeral_resource(request(false)).await.unwrap();
    assert_eq!((opened.deferred, opened.private.is_some()), (None, true));
}

#[tokio::test]
async fn ephemeral_resource_validates_its_configuration() {
    let client = Session::default().client().await;
    for (config, expected) in [
        (session("x", unknown(), Json::Null), vec![]),
        (session("invalid", Json::Null, Json::Null), vec![("Invalid command", "command")]),
        (session("x", Json::Null, json!("t")), vec![("Read-only attribute", "token")]),
        (session("x", json!(0.5), Json::Null), vec![("Unsupported value", "seconds")]),
    ] {
        let request = pb::validate_ephemeral_resource_config::Request {
            type_name: type_name(),
            config: Some(encode(&config)),
        };
        let found = client.validate_ephemeral_resource_config(request).await.unwrap().diagnostics;
        let paths: Vec<String> = found.iter().map(at).collect();
        let found: Vec<(&str, &str)> =
            errors(&found).into_iter().zip(paths.iter().map(String::as_str)).collect();
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn ephemeral_resource_is_closed_after_a_stop() {
    let provider = Session::default();
    let client = provider.client().await;
    let opening = tokio::spawn({
        let client = client.clone();
        async move { open(&client, "wait").await }
    });
    super::support::eventually("the open waits", || provider.calls() == ["open wait"]).await;
    client.stop_provider(pb::stop_provider::Request {}).await.unwrap();
    let opened = opening.await.unwrap();
    assert_eq!(errors(&opened.diagnostics), [""; 0], "the result arrives");
    assert_eq!(close(&client, opened.private).await, []);
    assert_eq!(provider.calls(), ["open wait", "close wait 1"]);
}

/// An ephemeral resource with the default `renew`, which announces a renewal all the same.
struct NeverRenewed;

#[async_trait]
impl EphemeralResource for NeverRenewed {
    type State<'a> = Value<StructEmpty>;
    type PrivateState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        Some(new_schema(0, "Nothing.", []))
    }

    async fn open<'a>(
        &self,
        _: &mut Diagnostics,
        config: Self::State<'a>,
    ) -> Option<OpenResponse<Self::State<'a>, ValueEmpty>> {
        Some(OpenResponse::new(config, Value::Null).renew_at(EPOCH))
    }
}

#[tokio::test]
async fn ephemeral_resource_without_renew_is_an_error_at_its_renewal_only() {
    let server = Server::builder("probe", Probe).ephemeral_resource("session", NeverRenewed);
    let client = connect(server.build()).await;
    let request = pb::open_ephemeral_resource::Request {
        type_name: type_name(),
        config: Some(encode(&json!({}))),
        ..Default::default()
    };
    let opened = client.open_ephemeral_resource(request).await.unwrap();
    assert_eq!(errors(&opened.diagnostics), [""; 0]);
    let renewed = renew(&client, opened.private.clone()).await;
    assert_eq!(errors(&renewed.diagnostics), ["Renewal is not supported"]);
    assert_eq!(close(&client, opened.private).await, []);
}
