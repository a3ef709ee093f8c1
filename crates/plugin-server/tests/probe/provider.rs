//! A provider for tests of the server, whose `thing` runs the command in its attribute `command`.
//!
//! A command is `<action>:<method>`, with the method of the trait in which it runs, such as
//! `create`. [`Thing::run`] implements the commands.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use plugin_server::schema::{new_schema, optional};
use plugin_server::value::Number;
use plugin_server::{CallContext, Network, Report, Server, stop_token};
use serde::{Deserialize, Serialize};
use tf_provider::schema::{AttributeConstraint, AttributeType, Schema};
use tf_provider::value::{Value, ValueEmpty, ValueString};
use tf_provider::{AttributePath, Diagnostics, Provider, Resource, map};

/// Returns the server, with everything that the tests need.
pub(crate) fn server() -> Server {
    let tcp = std::env::var_os("PROBE_TCP").is_some();
    let texts = AttributeType::List(Box::new(AttributeType::String));
    let texts = new_schema(0, "Many texts.", [("texts", optional(texts, "The texts."))]);
    let region = Arc::default();
    Server::builder("probe", Probe(Arc::clone(&region)))
        .version("1.2.3")
        .address("registry.terraform.io/test/probe")
        .command("inspect", "Print what the probe received.")
        .network(if tcp { Network::Tcp } else { Network::Auto })
        .resource("thing", Thing(region))
        .resource("texts", store::Store::<Texts>::new(texts.block))
        .resource_with("listed", listed::listed(), |it| it.list_resource().generate_config())
        .data_source("echo", echo::Echo)
        .build()
}

#[path = "echo.rs"]
mod echo;
#[path = "listed.rs"]
mod listed;
#[path = "schema.rs"]
pub(crate) mod schema;
#[path = "store.rs"]
pub(crate) mod store;

use schema::{attribute, block};

#[derive(Serialize, Deserialize)]
struct Texts {
    texts: Value<Vec<Value<String>>>,
}

/// The region of a configuration of the provider.
type Region = Arc<OnceLock<String>>;

#[derive(Default)]
pub(crate) struct Probe(Region);

#[async_trait]
impl Provider for Probe {
    type Config<'a> = ProbeConfig;
    type MetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        let region = optional(AttributeType::String, "The region, or how to fail.");
        Some(new_schema(0, "The probe.", [("region", region)]))
    }

    async fn configure<'a>(
        &self,
        diags: &mut Diagnostics,
        _: String,
        config: ProbeConfig,
    ) -> Option<()> {
        match config.region.as_deref_option() {
            Some("panic") => panic!("configured to panic"),
            Some("none") => return None,
            Some("error") => diags.report_error("Configured to fail", COMMANDED),
            Some(region) => _ = self.0.set(region.to_owned()),
            None => {}
        }
        Some(())
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ProbeConfig {
    pub(crate) region: Value<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) port: Value<Number>,
    pub(crate) id: Value<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ThingState<'a> {
    pub(crate) command: ValueString<'a>,
    pub(crate) value: ValueString<'a>,
    pub(crate) replaced_by: ValueString<'a>,
    pub(crate) made: ValueString<'a>,
    pub(crate) tags: Value<Vec<ValueString<'a>>>,
    pub(crate) rules: Value<Vec<Value<Rule>>>,
}

/// The private state of a thing.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ThingPrivate {
    pub(crate) note: String,
}

/// What it makes is the region.
#[derive(Default)]
pub(crate) struct Thing(Region);

const COMMANDED: &str = "The test has commanded it.";

/// The step of a method after its command.
#[derive(PartialEq)]
enum Then {
    Go,
    /// Return the state, with an error.
    FailWith,
}

impl Thing {
    /// Runs the command, if it is one for this method. After `None`, the method returns nothing.
    async fn run(diags: &mut Diagnostics, state: &ThingState<'_>, when: &str) -> Option<Then> {
        let Some((what, at)) = Self::command(state).split_once(':') else { return Some(Then::Go) };
        let (at, argument) = at.split_once('=').unwrap_or((at, ""));
        if at != when {
            return Some(Then::Go);
        }
        match what {
            "panic" => panic!("commanded to panic"),
            "none" => return None,
            "fail" => {
                diags.report_error("Commanded to fail", COMMANDED);
                return None;
            }
            "fail_with" => {
                diags.report_error("Commanded to fail with a state", COMMANDED);
                return Some(Then::FailWith);
            }
            // Fails with the private data of the prior state as the summary.
            "recall" => {
                let prior = CallContext::current().unwrap().read_private::<ThingPrivate>();
                let note = prior.map_or("none".to_owned(), |prior| prior.note);
                diags.report_error(format!("prior {note}"), "");
                return None;
            }
            "deferral" if CallContext::current().unwrap().deferral_allowed() => {
                diags.report_error("Deferral is allowed", COMMANDED);
                return None;
            }
            // Waits until it is cancelled, then returns the state. There is a file `stopped` if it
            // is cancelled from the beginning.
            "wait" => {
                if stop_token().is_cancelled() {
                    touch(argument, "stopped");
                }
                touch(argument, "waiting");
                stop_token().cancelled().await;
                diags.report_error("Interrupted", COMMANDED);
                return Some(Then::FailWith);
            }
            // Ignores the cancellation.
            "hang" => {
                touch(argument, "hanging");
                std::future::pending::<()>().await;
            }
            // Blocks its thread.
            "block" => {
                touch(argument, "blocking");
                std::thread::sleep(Duration::from_secs(60));
            }
            // Finishes its work after the cancellation; `outlast` takes longer than a host that
            // exits waits.
            "finish" | "outlast" => {
                touch(argument, "begun");
                stop_token().cancelled().await;
                let rest = if what == "outlast" { 2_000 } else { 50 };
                tokio::time::sleep(Duration::from_millis(rest)).await;
                touch(argument, "finished");
            }
            // Begins work that goes on after the call, until it is cancelled.
            "share" => {
                let stop = stop_token();
                let directory = argument.to_owned();
                tokio::spawn(async move {
                    stop.cancelled().await;
                    touch(&directory, "stopped");
                });
                touch(argument, "begun");
            }
            _ => {}
        }
        Some(Then::Go)
    }

    fn command<'s>(state: &'s ThingState<'_>) -> &'s str {
        match &state.command {
            Value::Value(command) => command,
            _ => "",
        }
    }
}

/// Creates a file by which the test observes the progress of the command. It contains the ID of the
/// process.
fn touch(directory: &str, name: &str) {
    let id = std::process::id().to_string();
    std::fs::write(std::path::Path::new(directory).join(name), id).unwrap();
}

impl ThingState<'_> {
    /// Returns the state after the apply of this plan.
    fn made(mut self, region: &Region) -> Self {
        if !matches!(self.made, Value::Value(_)) {
            let made = region.get().map_or("made", String::as_str);
            self.made = Value::Value(made.to_owned().into());
        }
        self
    }
}

type Private = Value<ThingPrivate>;

fn noted(note: &str) -> Private {
    Value::Value(ThingPrivate { note: note.to_owned() })
}

#[async_trait]
impl Resource for Thing {
    type State<'a> = ThingState<'a>;
    type PrivateState<'a> = Private;
    type ProviderMetaState<'a> = ValueEmpty;

    fn schema(&self, _: &mut Diagnostics) -> Option<Schema> {
        use AttributeConstraint::{Computed, Optional, Required};
        let rule = map! {
            "port" => attribute(AttributeType::Number, Required),
            "id" => attribute(AttributeType::String, Computed),
        };
        let root = block(map! {
            "command" => attribute(AttributeType::String, Optional),
            "value" => attribute(AttributeType::String, Optional),
            "replaced_by" => attribute(AttributeType::String, Optional),
            "made" => attribute(AttributeType::String, Computed),
            "tags" => attribute(AttributeType::Set(Box::new(AttributeType::String)), Optional),
            "rules" => attribute(AttributeType::AttributeList(rule), Optional),
        });
        Some(Schema { version: 2, block: root })
    }

    async fn read<'a>(
        &self,
        diags: &mut Diagnostics,
        mut state: ThingState<'a>,
        private: Private,
        _: ValueEmpty,
    ) -> Option<(ThingState<'a>, Private)> {
        Self::run(diags, &state, "read").await?;
        match Self::command(&state) {
            "unknown:read" => state.made = Value::Unknown,
            "drift:read" => state.value = Value::Value("drifted".into()),
            _ => {}
        }
        Some((state, private))
    }

    async fn plan_create<'a>(
        &self,
        diags: &mut Diagnostics,
        mut proposed: ThingState<'a>,
        _: ThingState<'a>,
        _: ValueEmpty,
    ) -> Option<(ThingState<'a>, Private)> {
        Self::run(diags, &proposed, "plan_create").await?;
        proposed.made = Value::Unknown;
        match Self::command(&proposed) {
            "change:plan_create" => proposed.value = Value::Value("changed".into()),
            "invent:plan_create" => proposed.rules = Value::Value(vec![]),
            _ => {}
        }
        Some((proposed, noted("planned")))
    }

    async fn plan_update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: ThingState<'a>,
        proposed: ThingState<'a>,
        _: ThingState<'a>,
        private: Private,
        _: ValueEmpty,
    ) -> Option<(ThingState<'a>, Private, Vec<AttributePath>)> {
        Self::run(diags, &proposed, "plan_update").await?;
        let replace = match Self::command(&proposed) {
            "set:plan_update" => vec![AttributePath::new("tags").index(0)],
            _ if prior.replaced_by != proposed.replaced_by => {
                vec![AttributePath::new("replaced_by")]
            }
            _ => vec![],
        };
        Some((proposed, private, replace))
    }

    async fn plan_destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: ThingState<'a>,
        private: Private,
        _: ValueEmpty,
    ) -> Option<Private> {
        Self::run(diags, &prior, "plan_destroy").await.map(|_| private)
    }

    async fn create<'a>(
        &self,
        diags: &mut Diagnostics,
        planned: ThingState<'a>,
        _: ThingState<'a>,
        _: Private,
        _: ValueEmpty,
    ) -> Option<(ThingState<'a>, Private)> {
        if Self::run(diags, &planned, "create").await? == Then::FailWith {
            // Without the values that are unknown in the plan.
            return Some((planned, noted("created")));
        }
        let mut state = planned.made(&self.0);
        match Self::command(&state) {
            "unknown:create" => state.made = Value::Unknown,
            "change:create" => state.value = Value::Value("changed".into()),
            _ => {}
        }
        Some((state, noted("created")))
    }

    async fn update<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: ThingState<'a>,
        planned: ThingState<'a>,
        _: ThingState<'a>,
        _: Private,
        _: ValueEmpty,
    ) -> Option<(ThingState<'a>, Private)> {
        let state = match Self::run(diags, &planned, "update").await? {
            Then::Go => planned.made(&self.0),
            Then::FailWith => ThingState { command: planned.command, ..prior },
        };
        Some((state, noted("updated")))
    }

    async fn destroy<'a>(
        &self,
        diags: &mut Diagnostics,
        prior: ThingState<'a>,
        private: Private,
        _: ValueEmpty,
    ) -> Option<()> {
        if Self::command(&prior) == "private:destroy" {
            let note = private.map_or(String::new(), |private| private.note);
            diags.report_error("The private note", note);
            return None;
        }
        Self::run(diags, &prior, "destroy").await.map(drop)
    }
}
