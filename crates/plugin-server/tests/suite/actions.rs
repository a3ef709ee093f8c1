//! Actions over the protocol: progress, completion, cancellation, failures.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use plugin_server::schema::{new_schema, optional};
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::proto::tfplugin6::invoke_action::event::Type as Event;
use plugin_server::testkit::{ActionEvents, Client, connect, encode, null, unknown};
use plugin_server::{Action, ActionProgress, CallContext, Report as _, Server, stop_token};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tf_provider::Diagnostics;
use tf_provider::schema::{AttributeType, Schema};
use tf_provider::value::Value;

use super::probe::Probe;
use super::support::{at, errors, eventually};

/// An action that misbehaves on command. It records its calls.
#[derive(Clone, Default)]
struct Ring(Arc<Mutex<Vec<String>>>);

#[derive(Serialize, Deserialize)]
struct RingConfig {
    command: Value<String>,
}

impl Ring {
    fn record(&self, call: &str) {
        self.0.lock().unwrap().push(call.to_owned());
    }

    fn calls(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    async fn client(&self) -> Client {
        connect(Server::builder("probe", Probe).action("ring", self.clone()).build()).await
    }
}

#[async_trait]
impl Action for Ring {
    type Config<'a> = RingConfig;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let command = optional(AttributeType::String, "The command.");
        Some(new_schema(0, "Rings a bell.", [("command", command)]))
    }

    async fn validate<'a>(&self, diags: &mut Diagnostics, config: RingConfig) -> Option<()> {
        if config.command.as_deref_option() == Some("invalid") {
            diags.report_attribute_error("command", "Invalid command", "It is not valid.");
        }
        Some(())
    }

    async fn modify_plan<'a>(&self, diags: &mut Diagnostics, config: RingConfig) -> Option<()> {
        match config.command.as_deref_option() {
            Some("refuse") => diags.report_error("No bell", "There is no bell to ring."),
            Some("none") => return None,
            Some("defer") => drop(CallContext::current().unwrap().defer()),
            _ => {}
        }
        Some(())
    }

    async fn invoke<'a>(
        &self,
        diags: &mut Diagnostics,
        config: RingConfig,
        progress: &ActionProgress,
    ) -> Option<()> {
        self.record("invoke");
        progress.send("ding").await;
        progress.send("dong").await;
        match config.command.as_deref_option() {
            Some("panic") => panic!("commanded to panic"),
            Some("none") => return None,
            Some("fail") => {
                diags.report_error("The bell is broken", "It has a crack.");
                return None;
            }
            Some("flood") => {
                for stroke in 0..1_000 {
                    progress.send(format!("stroke {stroke}")).await;
                }
            }
            Some("wait") => {
                stop_token().cancelled().await;
                // The host may have exited. The message is discarded then.
                progress.send("stopped").await;
                self.record("stopped");
                diags.report_error("Interrupted", "The bell did not finish.");
                return None;
            }
            Some(_) => {}
            None => self.record("no command"),
        }
        diags.report_warning("Loud", "The bell was loud.");
        Some(())
    }
}

fn ring(config: pb::DynamicValue) -> pb::invoke_action::Request {
    let action_type = "probe_ring".to_owned();
    pb::invoke_action::Request { action_type, config: Some(config), ..Default::default() }
}

async fn invoke(client: &Client, command: &str) -> ActionEvents {
    client.invoke_action(ring(encode(&json!({ "command": command })))).await.unwrap()
}

/// Returns the messages, and the diagnostics of the completion, which must be the last event.
async fn finish(mut events: ActionEvents) -> (Vec<String>, Vec<pb::Diagnostic>) {
    let mut messages = Vec::new();
    loop {
        let event = events.message().await.unwrap().expect("a completion");
        match event.r#type.expect("an event is progress or completion") {
            Event::Progress(progress) => messages.push(progress.message),
            Event::Completed(completed) => {
                assert_eq!(events.message().await.unwrap(), None, "the last event");
                return (messages, completed.diagnostics);
            }
        }
    }
}

async fn validate(client: &Client, config: pb::DynamicValue) -> Vec<pb::Diagnostic> {
    let type_name = "probe_ring".to_owned();
    let request = pb::validate_action_config::Request { type_name, config: Some(config) };
    client.validate_action_config(request).await.unwrap().diagnostics
}

async fn plan(
    client: &Client,
    config: pb::DynamicValue,
    deferral_allowed: bool,
) -> pb::plan_action::Response {
    let request = pb::plan_action::Request {
        action_type: "probe_ring".into(),
        config: Some(config),
        client_capabilities: Some(pb::ClientCapabilities {
            deferral_allowed,
            ..Default::default()
        }),
    };
    client.plan_action(request).await.unwrap()
}

#[tokio::test]
async fn action_sends_its_progress_and_completes_once() {
    let client = Ring::default().client().await;
    let metadata = client.get_metadata(pb::get_metadata::Request {}).await.unwrap();
    assert_eq!(metadata.actions[0].type_name, "probe_ring");
    let schemas = client.get_provider_schema(pb::get_provider_schema::Request {}).await.unwrap();
    assert_eq!(errors(&schemas.diagnostics), [""; 0]);
    let schema = schemas.action_schemas["probe_ring"].schema.as_ref().unwrap();
    assert_eq!(schema.block.as_ref().unwrap().attributes[0].name, "command");
    let (messages, diagnostics) = finish(invoke(&client, "ring").await).await;
    assert_eq!(messages, ["ding", "dong"]);
    assert_eq!((errors(&diagnostics), diagnostics[0].summary.as_str()), (vec![], "Loud"));
    let (messages, _) = finish(invoke(&client, "flood").await).await;
    assert_eq!((messages.len(), messages[1_001].as_str()), (1_002, "stroke 999"));
}

#[tokio::test]
async fn action_that_fails_completes_with_the_error() {
    let client = Ring::default().client().await;
    let command = |command: Json| ring(encode(&json!({ "command": command })));
    let unknown_type =
        pb::invoke_action::Request { action_type: "probe_other".into(), ..command(json!(null)) };
    for (request, messages, summary) in [
        (command(json!("fail")), 2, "The bell is broken"),
        (command(json!("none")), 2, "Could not invoke the action"),
        (command(json!("panic")), 2, "Provider crashed"),
        (unknown_type, 0, "Unknown action"),
        (command(json!([1])), 0, "Unexpected value"),
    ] {
        let (sent, diagnostics) = finish(client.invoke_action(request).await.unwrap()).await;
        assert_eq!((sent.len(), errors(&diagnostics)), (messages, vec![summary]));
    }
}

#[tokio::test]
async fn action_without_a_config_block_receives_null_attributes() {
    let provider = Ring::default();
    let client = provider.client().await;
    assert_eq!(validate(&client, null()).await, []);
    assert_eq!(plan(&client, null(), false).await.diagnostics, []);
    for config in [Some(null()), None] {
        let request = pb::invoke_action::Request { config, ..ring(null()) };
        let events = client.invoke_action(request).await.unwrap();
        assert_eq!(errors(&finish(events).await.1), [""; 0]);
    }
    assert_eq!(provider.calls(), ["invoke", "no command", "invoke", "no command"]);
}

#[tokio::test]
async fn action_is_validated_and_planned_with_unknown_values() {
    let client = Ring::default().client().await;
    let command = |command: Json| encode(&json!({ "command": command }));
    assert_eq!(validate(&client, command(unknown())).await, []);
    let invalid = validate(&client, command(json!("invalid"))).await;
    assert_eq!((errors(&invalid), &at(&invalid[0])[..]), (vec!["Invalid command"], "command"));
    let planned = plan(&client, command(unknown()), true).await;
    assert_eq!(planned, pb::plan_action::Response::default());
    for (name, summary) in [("refuse", "No bell"), ("none", "Could not plan the action")] {
        let planned = plan(&client, command(json!(name)), true).await;
        assert_eq!(errors(&planned.diagnostics), [summary]);
    }
    let reason = pb::deferred::Reason::ProviderConfigUnknown.into();
    let deferred = plan(&client, command(json!("defer")), true).await.deferred;
    assert_eq!(deferred, Some(pb::Deferred { reason }));
    assert_eq!(plan(&client, command(json!("defer")), false).await.deferred, None);
}

#[tokio::test]
async fn action_is_stopped_by_the_host_and_when_it_drops_the_stream() {
    let provider = Ring::default();
    let client = provider.client().await;
    let mut events = invoke(&client, "wait").await;
    assert!(events.message().await.unwrap().is_some(), "the action has begun");
    client.stop_provider(pb::stop_provider::Request {}).await.unwrap();
    let (messages, diagnostics) = finish(events).await;
    assert_eq!(messages, ["dong", "stopped"]);
    assert_eq!(errors(&diagnostics), ["Interrupted"]);

    let provider = Ring::default();
    let client = provider.client().await;
    let mut events = invoke(&client, "wait").await;
    assert!(events.message().await.unwrap().is_some(), "the action has begun");
    drop(events);
    eventually("the action has stopped", || provider.calls() == ["invoke", "stopped"]).await;
}
