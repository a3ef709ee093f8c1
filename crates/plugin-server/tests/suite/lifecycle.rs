//! Stop, shutdown and crashes.

use std::path::Path;
use std::time::{Duration, Instant};

#[cfg(unix)]
use nix::sys::signal::Signal;
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Plugin, null, unknown};
use serde_json::{Value as Json, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::support::{errors, eventually, probe, start_probe, state, thing, things};
#[cfg(unix)]
use super::support::{has_exited, signal};

/// The time that running calls may take after `Shutdown`.
const EXIT_GRACE: Duration = Duration::from_millis(1_200);
/// A time within which a process exits even on a busy machine.
const GENEROUS: Duration = Duration::from_secs(60);

/// Starts to create a thing with a command, and waits until the command runs.
async fn begin(
    client: &Client,
    what: &str,
    marker: &str,
) -> (tempfile::TempDir, tokio::task::JoinHandle<pb::apply_resource_change::Response>) {
    let directory = tempfile::tempdir().unwrap();
    let command = format!("{what}:create={}", directory.path().display());
    let client = client.clone();
    let call = tokio::spawn(async move {
        let planned = thing(json!({ "command": command, "value": "v", "made": unknown() }));
        things(&client).apply(&Json::Null, &planned).await
    });
    let marker = directory.path().join(marker);
    eventually("the call has begun", || marker.exists()).await;
    (directory, call)
}

async fn creates(client: &Client) {
    let planned = thing(json!({ "value": "v", "made": unknown() }));
    let created = things(client).apply(&Json::Null, &planned).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    assert_eq!(state(&created.new_state)["made"], "made");
}

/// Checks the response of a cancelled call: an error, and the known part of the state.
fn interrupted(response: &pb::apply_resource_change::Response) {
    assert_eq!(errors(&response.diagnostics), ["Interrupted"]);
    let state = state(&response.new_state);
    assert_eq!((&state["value"], &state["made"]), (&json!("v"), &Json::Null));
    assert_eq!(&response.private[..], b"\x81\xa4note\xa7created");
}

async fn stop(client: &Client) {
    let stopped = client.stop_provider(pb::stop_provider::Request {}).await.unwrap();
    assert_eq!(stopped.error, "");
}

/// Returns whether no file is left of the socket. There is none over TCP.
fn socket_is_removed(plugin: &Plugin) -> bool {
    if plugin.handshake.network == "tcp" {
        return true;
    }
    let socket = Path::new(&plugin.handshake.address);
    !socket.exists() && !socket.parent().unwrap().exists()
}

#[tokio::test]
async fn stop_ends_running_calls() {
    let client = super::support::probe_client().await;
    let (_directory, running) = begin(&client, "wait", "waiting").await;
    stop(&client).await;
    interrupted(&running.await.unwrap());
    creates(&client).await;
}

#[tokio::test]
#[cfg(unix)]
async fn interrupt_is_ignored() {
    let (mut plugin, client) = start_probe().await;
    let (_directory, running) = begin(&client, "wait", "waiting").await;
    for _ in 0..3 {
        signal(plugin.id(), Signal::SIGINT);
    }
    creates(&client).await;
    assert!(!running.is_finished());
    assert_eq!(plugin.exit(Duration::ZERO).await, None);
}

#[tokio::test]
#[cfg(unix)]
async fn terminate_stops_calls_and_sends_their_responses() {
    let (mut plugin, client) = start_probe().await;
    let (_directory, running) = begin(&client, "wait", "waiting").await;
    signal(plugin.id(), Signal::SIGTERM);
    interrupted(&running.await.unwrap());
    creates(&client).await;
    drop(client);
    // Without the signal, it would wait 10 s for another connection.
    let exit = plugin.exit(Duration::from_secs(9)).await.expect("an exit with the last connection");
    assert_eq!(exit.code(), Some(0));
    assert!(socket_is_removed(&plugin));
}

#[tokio::test]
#[cfg(unix)]
async fn terminate_twice_ends_at_once() {
    let (mut plugin, client) = start_probe().await;
    let (_directory, _running) = begin(&client, "hang", "hanging").await;
    signal(plugin.id(), Signal::SIGTERM);
    creates(&client).await;
    // The call never ends: only a second signal ends the process. Signals that arrive before the
    // process has handled the first count as one.
    let start = Instant::now();
    let exit = loop {
        assert!(start.elapsed() < GENEROUS, "no exit after two signals");
        signal(plugin.id(), Signal::SIGTERM);
        if let Some(exit) = plugin.exit(Duration::from_secs(1)).await {
            break exit;
        }
    };
    assert_eq!(exit.code(), Some(143));
    assert!(socket_is_removed(&plugin));
}

#[tokio::test]
async fn idle_shutdown_does_not_take_the_grace_period_and_leaves_no_socket() {
    let mut fastest = Duration::MAX;
    // A busy machine delays some of them, and the grace period would delay all.
    for _ in 0..10 {
        let (mut plugin, client) = start_probe().await;
        creates(&client).await;
        let start = Instant::now();
        assert_eq!(plugin.shutdown(client).await.code(), Some(0));
        assert!(socket_is_removed(&plugin));
        fastest = fastest.min(start.elapsed());
        if fastest < EXIT_GRACE {
            return;
        }
    }
    panic!("idle, yet {fastest:?}");
}

#[tokio::test]
async fn shutdown_does_not_wait_for_a_call_that_hangs_or_blocks() {
    let shuts_down = async |what, marker| {
        let (mut plugin, client) = start_probe().await;
        let (_directory, _running) = begin(&client, what, marker).await;
        // The calls never end.
        assert_eq!(plugin.shutdown(client).await.code(), Some(0), "{what}");
        assert!(socket_is_removed(&plugin), "{what}");
    };
    tokio::join!(shuts_down("hang", "hanging"), shuts_down("block", "blocking"));
}

#[tokio::test]
async fn shutdown_waits_for_a_call_that_stops() {
    let (mut plugin, client) = start_probe().await;
    let (_directory, running) = begin(&client, "wait", "waiting").await;
    client.shutdown().await.unwrap();
    interrupted(&running.await.unwrap());
    assert_eq!(plugin.exit(GENEROUS).await.unwrap().code(), Some(0));
}

#[tokio::test]
#[cfg(unix)]
async fn orphan_exits_after_its_host_was_killed() {
    // The host is a shell that starts the provider and waits. When the shell is killed, the
    // provider gets another parent and has no connection.
    let directory = tempfile::tempdir().unwrap();
    let wrapper = directory.path().join("wrapper");
    let program = super::support::probe_binary();
    let id = directory.path().join("id");
    let script = format!("#!/bin/sh\n{} &\necho $! >{}\nwait\n", program.display(), id.display());
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(&wrapper, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    let plugin = Plugin::start(plugin_server::testkit::Launch::new(wrapper)).await;
    let client = plugin.connect().await;
    creates(&client).await;
    let id: u32 = std::fs::read_to_string(id).unwrap().trim().parse().unwrap();
    signal(plugin.id(), Signal::SIGKILL);
    drop(client);
    eventually("the orphan has exited", || has_exited(id)).await;
    assert!(socket_is_removed(&plugin));
}

#[tokio::test]
async fn dropped_call_finishes_its_work() {
    let client = super::support::probe_client().await;
    let (directory, running) = begin(&client, "finish", "begun").await;
    // Dropping the future resets the stream, like a host that no longer waits.
    running.abort();
    let finished = directory.path().join("finished");
    eventually("the work is finished", || finished.exists()).await;
    creates(&client).await;
}

/// Such as a list that several calls wait for, and that the first of them has requested.
#[tokio::test]
async fn work_that_outlives_its_call_is_stopped_by_the_host_alone() {
    let client = super::support::probe_client().await;
    let (directory, call) = begin(&client, "share", "begun").await;
    assert_eq!(errors(&call.await.unwrap().diagnostics), [""; 0]);
    // Everything runs on one thread: whatever the end of the call has begun is over after another.
    creates(&client).await;
    let stopped = directory.path().join("stopped");
    assert!(!stopped.exists());
    stop(&client).await;
    eventually("the work is stopped", || stopped.exists()).await;
}

#[tokio::test]
async fn panic_becomes_a_diagnostic_of_its_call() {
    let (mut plugin, client) = start_probe().await;
    let (_directory, running) = begin(&client, "wait", "waiting").await;
    let planned = thing(json!({ "command": "panic:create", "made": unknown() }));
    let crashed = things(&client).apply(&Json::Null, &planned).await;
    assert_eq!(errors(&crashed.diagnostics), ["Provider crashed"]);
    assert!(crashed.diagnostics[0].detail.contains("commanded to panic"));
    assert_eq!(state(&crashed.new_state), Json::Null);
    assert_eq!(&crashed.private[..], b"\x81\xa4note\xa7planned");
    let stored = thing(json!({ "command": "panic:read" }));
    let crashed = things(&client).read(&stored).await;
    assert_eq!(errors(&crashed.diagnostics), ["Provider crashed"]);
    assert_eq!(state(&crashed.new_state), stored);
    assert!(!running.is_finished());
    creates(&client).await;
    // Terraform shows the text after this prefix as the crash of the plugin.
    assert!(plugin.stderr().starts_with("panic: "), "{}", plugin.stderr());
    assert!(plugin.stderr().contains("commanded to panic"));
    plugin.shutdown(client).await;
    assert!(socket_is_removed(&plugin));
}

#[tokio::test]
async fn log_is_json_with_the_keys_that_hosts_read() {
    let mut plugin = Plugin::start(probe().env("TF_LOG_PROVIDER_PROBE", "TRACE")).await;
    let client = plugin.connect().await;
    creates(&client).await;
    stop(&client).await;
    plugin.shutdown(client).await;
    let log = plugin.stderr();
    let mut served = false;
    for line in log.lines() {
        let line: Json = serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
        for key in ["@level", "@message", "@timestamp", "@module"] {
            assert!(line[key].is_string(), "{line}");
        }
        if line["@message"] == "call served" && line["tf_rpc"] == "ApplyResourceChange" {
            assert_eq!(line["tf_resource_type"], "probe_thing");
            assert!(line["tf_req_duration_ms"].is_u64(), "{line}");
            served = true;
        }
    }
    assert!(served, "{log}");
}

#[tokio::test]
async fn log_that_is_not_read_does_not_end_the_process() {
    let launch = probe().env("TF_LOG", "TRACE").env("PROBE_TCP", "1");
    let mut child = launch.command().spawn().unwrap();
    // Closes both pipes, after the handshake has been read from the first.
    let mut stdout = tokio::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut stdout, &mut line).await.unwrap();
    drop((stdout, child.stderr.take()));
    let fields: Vec<&str> = line.split('|').collect();
    // A peer that is not a TLS client makes the plugin log a warning, to the closed pipe. Each is
    // accepted by a plugin that has logged about the one before.
    for _ in 0..10 {
        let mut stream = tokio::net::TcpStream::connect(fields[3]).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        // Until the plugin closes the connection.
        let _ = stream.read_to_end(&mut Vec::new()).await;
    }
    assert!(child.try_wait().unwrap().is_none(), "the plugin runs");
    tokio::net::TcpStream::connect(fields[3]).await.unwrap();
}

#[tokio::test]
async fn stdio_stays_open_and_silent() {
    let (_plugin, client) = start_probe().await;
    let mut stdio = client.stdio().await.unwrap();
    let stdio = tokio::spawn(async move { stdio.message().await });
    // The plugin sends messages in order: earlier ones would arrive before these responses.
    for _ in 0..10 {
        creates(&client).await;
        tokio::task::yield_now().await;
    }
    assert!(!stdio.is_finished(), "the stream has neither an item nor an end");
    client.shutdown().await.unwrap();
    assert_eq!(stdio.await.unwrap().unwrap(), None, "it ends with the process");
}

/// OpenTofu calls this although the schema has no functions.
#[tokio::test]
async fn functions_are_none_which_is_not_an_error() {
    let client = super::support::probe_client().await;
    let functions = client.get_functions(pb::get_functions::Request {}).await;
    assert_eq!(functions, Ok(pb::get_functions::Response {}));
}

#[tokio::test]
async fn unknown_types_are_diagnostics() {
    let client = super::support::probe_client().await;
    let type_name = || "probe_other".to_owned();
    let request = pb::read_resource::Request {
        type_name: type_name(),
        current_state: Some(null()),
        ..Default::default()
    };
    let response = client.read_resource(request).await.unwrap();
    assert_eq!(errors(&response.diagnostics), ["Unknown resource type"]);
    let request = pb::list_resource::Request { type_name: type_name(), ..Default::default() };
    let mut events = client.list_resource(request).await.unwrap();
    let event = events.message().await.unwrap().unwrap();
    assert_eq!(errors(&event.diagnostic), ["Unknown resource type"]);
}
