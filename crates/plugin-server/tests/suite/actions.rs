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
use super::support::{errors, eventually};

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

async fn invoke(client: &Client, command: Json) -> ActionEvents {
    let request = pb::invoke_action::Request {
        action_type: "probe_ring".into(),
        config: Some(encode(&json!({ "command": command }))),
        ..Default::default()
    };
    client.invoke_action(request).await.unwrap()
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

#[tokio::test]
async fn action_is_in_metadata_and_schema() {
    let client = Ring::default().client().await;
    let metadata = client.get_metadata(pb::get_metadata::Request {}).await.unwrap();
    assert_eq!(metadata.actions[0].type_name, "probe_ring");
    let schemas = client.get_provider_schema(pb::get_provider_schema::Request {}).await.unwrap();
    assert_eq!(errors(&schemas.diagnostics), [""; 0]);
    let schema = schemas.action_schemas["probe_ring"].schema.as_ref().unwrap();
    assert_eq!(schema.block.as_ref().unwrap().attributes[0].name, "command");
}

#[tokio::test]
async fn action_sends_its_progress_and_completes_once() {
    let client = Ring::default().client().await;
    let (messages, diagnostics) = finish(invoke(&client, json!("ring")).await).await;
    assert_eq!(messages, ["ding", "dong"]);
    assert_eq!((errors(&diagnostics), diagnostics[0].summary.as_str()), (vec![], "Loud"));
    let (messages, _) = finish(invoke(&client, json!("flood")).await).await;
    assert_eq!((messages.len(), messages[1_001].as_str()), (1_002, "stroke 999"));
}

#[tokio::test]
async fn action_that_fails_completes_with_the_error() {
    let client = Ring::default().client().await;
    for (command, summary) in [
        ("fail", "The bell is broken"),
        ("none", "Could not invoke the action"),
        ("panic", "Provider crashed"),
    ] {
        let (messages, diagnostics) = finish(invoke(&client, json!(command)).await).await;
        assert_eq!((messages.len(), errors(&diagnostics)), (2, vec![summary]), "{command}");
    }
    for (action_type, config, summary) in [
        ("probe_other", json!({ "command": null }), "Unknown action"),
        ("probe_ring", json!({ "command": [1] }), "Unexpected value"),
    ] {
        let request = pb::invoke_action::Request {
            action_type: action_type.into(),
            config: Some(encode(&config)),
            ..Default::default()
        };
        let events = client.invoke_action(request).await.unwrap();
        let (messages, diagnostics) = finish(events).await;
        assert_eq!((messages.len(), errors(&diagnostics)), (0, vec![summary]));
    }
}

#[tokio::test]
async fn action_without_a_config_block_receives_null_attributes() {
    let provider = Ring::default();
    let client = provider.client().await;
    for config in [Some(null()), None] {
        let action_type = || "probe_ring".to_owned();
        let request = pb::validate_action_config::Request {
            type_name: action_type(),
            config: config.clone(),
        };
        let validated = client.validate_action_config(request).await.unwrap();
        assert_eq!(validated.diagnostics, []);
        let request = pb::plan_action::Request {
            action_type: action_type(),
            config: config.clone(),
            ..Default::default()
        };
        assert_eq!(client.plan_action(request).await.unwrap().diagnostics, []);
        let request =
            pb::invoke_action::Request { action_type: action_type(), config, ..Default::default() };
        let events = client.invoke_action(request).await.unwrap();
        assert_eq!(errors(&finish(events).await.1), [""; 0]);
    }
    assert_eq!(provider.calls(), ["invoke", "no command", "invoke", "no command"]);
}

#[tokio::test]
async fn action_is_validated_and_planned_with_unknown_values() {
    let client = Ring::default().client().await;
    let validate = async |command: Json| {
        let request = pb::validate_action_config::Request {
            type_name: "probe_ring".into(),
            config: Some(encode(&json!({ "command": command }))),
        };
        client.validate_action_config(request).await.unwrap().diagnostics
    };
    assert_eq!(validate(unknown()).await, []);
    let invalid = validate(json!("invalid")).await;
    assert_eq!(errors(&invalid), ["Invalid command"]);
    assert_eq!(super::support::path(invalid[0].attribute.as_ref().unwrap()), "command");

    let plan = async |command: Json, deferral_allowed| {
        let request = pb::plan_action::Request {
            action_type: "probe_ring".into(),
            config: Some(encode(&json!({ "command": command }))),
            client_capabilities: Some(pb::ClientCapabilities {
                deferral_allowed,
                ..Default::default()
            }),
        };
        client.plan_action(request).await.unwrap()
    };
    assert_eq!(plan(unknown(), true).await, pb::plan_action::Response::default());
    assert_eq!(errors(&plan(json!("refuse"), true).await.diagnostics), ["No bell"]);
    assert_eq!(errors(&plan(json!("none"), true).await.diagnostics), ["Could not plan the action"]);
    let reason = pb::deferred::Reason::ProviderConfigUnknown.into();
    let deferred = plan(json!("defer"), true).await.deferred;
    assert_eq!(deferred, Some(pb::Deferred { reason }));
    assert_eq!(plan(json!("defer"), false).await.deferred, None);
}

#[tokio::test]
async fn action_is_stopped_by_the_host() {
    let provider = Ring::default();
    let client = provider.client().await;
    let mut events = invoke(&client, json!("wait")).await;
    assert!(events.message().await.unwrap().is_some(), "the action has begun");
    client.stop_provider(pb::stop_provider::Request {}).await.unwrap();
    let (messages, diagnostics) = finish(events).await;
    assert_eq!(messages, ["dong", "stopped"]);
    assert_eq!(errors(&diagnostics), ["Interrupted"]);
}

#[tokio::test]
async fn action_whose_host_drops_the_stream_is_stopped() {
    let provider = Ring::default();
    let client = provider.client().await;
    let mut events = invoke(&client, json!("wait")).await;
    assert!(events.message().await.unwrap().is_some(), "the action has begun");
    drop(events);
    eventually("the action has stopped", || provider.calls() == ["invoke", "stopped"]).await;
}
