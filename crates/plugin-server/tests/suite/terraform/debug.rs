//! Providers that a user has started with `--debug`.

use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::{Value as Json, json};
use tokio::io::AsyncBufReadExt as _;
use tokio::process::Child;

use super::Workspace;
use crate::suite::support::{eventually, probe, signal};

/// Starts the probe, and returns it with the value of `TF_REATTACH_PROVIDERS` that it
/// prints.
async fn debugged_probe() -> (Child, String) {
    let launch = probe().without("TF_PLUGIN_MAGIC_COOKIE").plain().arg("--debug");
    let mut child = launch.command().spawn().unwrap();
    let mut lines = tokio::io::BufReader::new(child.stdout.take().unwrap()).lines();
    let reattach = loop {
        let line = lines.next_line().await.unwrap().expect("the line to export");
        if let Some((_, value)) = line.split_once("TF_REATTACH_PROVIDERS='") {
            break value.trim_end_matches('\'').to_owned();
        }
    };
    (child, reattach)
}

/// A workspace whose only probe is the debugged one: its override names a directory without a
/// binary.
fn workspace(reattach: &str) -> Workspace {
    let workspace = Workspace::new("").env("TF_REATTACH_PROVIDERS", reattach);
    let empty = workspace.path("empty");
    std::fs::create_dir(&empty).unwrap();
    workspace.find_plugins_in(&empty);
    workspace
}

#[tokio::test]
async fn debugged_provider_serves_several_runs_with_a_configuration_for_each_alias() {
    let (mut child, reattach) = debugged_probe().await;
    let parsed: Json = serde_json::from_str(&reattach).unwrap();
    let plugin = &parsed["registry.terraform.io/test/probe"];
    assert_eq!((&plugin["Test"], &plugin["ProtocolVersion"]), (&json!(true), &json!(6)));
    let socket = plugin["Addr"]["String"].as_str().unwrap().to_owned();
    tokio::task::spawn_blocking(move || {
        let workspace = workspace(&reattach);
        workspace.write(
            "provider \"probe\" {\n  region = \"here\"\n}\n\
             provider \"probe\" {\n  alias = \"other\"\n  region = \"there\"\n}\n\
             resource \"probe_thing\" \"a\" {\n}\n\
             resource \"probe_thing\" \"b\" {\n  provider = probe.other\n}\n",
        );
        workspace.apply();
        workspace.plans_nothing();
        let instances = workspace.instances();
        let made = instances.iter().map(|it| it["attributes"]["made"].clone());
        assert_eq!(made.collect::<Vec<_>>(), ["here", "there"]);
    })
    .await
    .unwrap();
    signal(child.id().unwrap(), Signal::SIGINT);
    let exit = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.unwrap().unwrap();
    assert_eq!(exit.code(), Some(0));
    eventually("the socket is removed", || !Path::new(&socket).exists()).await;
}
