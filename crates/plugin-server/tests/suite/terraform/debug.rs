//! Providers that a user has started with `--debug`.

use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;
use plugin_server::testkit::Launch;
use serde_json::{Value as Json, json};
use tokio::io::AsyncBufReadExt as _;
use tokio::process::Child;

use super::{Workspace, jar};
use crate::suite::support::{eventually, example, signal};

/// Starts the example provider, and returns it with the value of `TF_REATTACH_PROVIDERS` that it
/// prints.
async fn debugged_pantry() -> (Child, String) {
    let pantry = example("terraform-provider-pantry");
    let launch = Launch::new(pantry).without("TF_PLUGIN_MAGIC_COOKIE").plain().arg("--debug");
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

/// A workspace whose only pantry is the debugged one: its override names a directory without a
/// binary.
fn workspace(reattach: &str) -> Workspace {
    let workspace = Workspace::new("").env("TF_REATTACH_PROVIDERS", reattach);
    let overrides = std::fs::read_to_string(workspace.path("cli.tfrc")).unwrap();
    let shelf = workspace.path("shelf").display().to_string();
    let (start, rest) = overrides.split_once("\"example/pantry\" = \"").unwrap();
    let (_, end) = rest.split_once('"').unwrap();
    let overrides = format!("{start}\"example/pantry\" = \"{shelf}\"{end}");
    std::fs::write(workspace.path("cli.tfrc"), overrides).unwrap();
    workspace
}

#[tokio::test]
async fn debugged_provider_serves_several_runs_with_a_configuration_for_each_alias() {
    let (mut child, reattach) = debugged_pantry().await;
    let parsed: Json = serde_json::from_str(&reattach).unwrap();
    let plugin = &parsed["registry.terraform.io/example/pantry"];
    assert_eq!((&plugin["Test"], &plugin["ProtocolVersion"]), (&json!(true), &json!(6)));
    let socket = plugin["Addr"]["String"].as_str().unwrap().to_owned();
    tokio::task::spawn_blocking(move || {
        let workspace = workspace(&reattach);
        std::fs::create_dir(workspace.path("cellar")).unwrap();
        workspace.write(&format!(
            "provider \"pantry\" {{\n  alias = \"cellar\"\n  \
             directory = \"${{abspath(path.module)}}/cellar\"\n}}\n\
             resource \"pantry_jar\" \"cellar\" {{\n  provider = pantry.cellar\n  \
             label = \"pear\"\n  content = \"juice\"\n}}\n{}",
            jar("plum", "jam")
        ));
        workspace.apply();
        workspace.plans_nothing();
        assert_eq!(workspace.jar("plum").as_deref(), Some("jam"));
        assert_eq!(workspace.jar("pear"), None);
        assert_eq!(std::fs::read_to_string(workspace.path("cellar/pear")).unwrap(), "juice");
    })
    .await
    .unwrap();
    signal(child.id().unwrap(), Signal::SIGINT);
    let exit = tokio::time::timeout(Duration::from_secs(60), child.wait()).await.unwrap().unwrap();
    assert_eq!(exit.code(), Some(0));
    eventually("the socket is removed", || !Path::new(&socket).exists()).await;
}
