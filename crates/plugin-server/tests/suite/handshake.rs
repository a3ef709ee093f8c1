//! The arguments, the environment, the handshake line and the socket.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
#[cfg(unix)]
use std::path::Path;
use std::time::Duration;

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Launch, Plugin};

#[cfg(unix)]
use super::support::probe_binary;
use super::support::{probe, start_probe};

struct Output {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs a plugin until it exits.
async fn output(launch: &Launch) -> Output {
    let run = launch.command().output();
    let output = tokio::time::timeout(Duration::from_secs(20), run).await.unwrap().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Output { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[tokio::test]
async fn program_started_by_hand_prints_what_its_argument_asks_for() {
    let by_hand = || probe().without("TF_PLUGIN_MAGIC_COOKIE");
    for launch in [by_hand(), probe().env("TF_PLUGIN_MAGIC_COOKIE", "wrong")] {
        let help = output(&launch).await;
        assert_eq!((help.code, help.stdout.as_str()), (Some(1), ""));
        assert!(help.stderr.contains("is a provider"), "{}", help.stderr);
    }
    let version = output(&by_hand().arg("--version")).await;
    assert_eq!((version.code, &version.stdout[..]), (Some(0), "terraform-provider-probe 1.2.3\n"));
    let other = output(&by_hand().arg("--verbose")).await;
    assert_eq!((other.code, other.stdout.as_str()), (Some(2), ""));
    assert!(other.stderr.contains("--help"), "{}", other.stderr);
    for argument in ["--help", "-help", "-h"] {
        let help = output(&by_hand().arg(argument)).await;
        assert_eq!((help.code, help.stderr.as_str()), (Some(0), ""), "{argument}");
        for part in [
            "terraform-provider-probe is a provider for Terraform",
            "source = \"test/probe\"",
            "terraform init",
            "--version",
            "\nCommands:\n  inspect    Print what the probe received.\n",
        ] {
            assert!(help.stdout.contains(part), "{part}: {}", help.stdout);
        }
    }
}

#[tokio::test]
async fn debug_is_offered_only_if_connections_are_protected() {
    let by_hand = |launch: Launch, argument| {
        launch.without("TF_PLUGIN_MAGIC_COOKIE").without("PLUGIN_CLIENT_CERT").arg(argument)
    };
    let help = |launch| async { output(&by_hand(launch, "--help")).await.stdout };
    let tcp = || probe().env("PROBE_TCP", "1");
    assert_eq!(help(probe()).await.contains("--debug"), cfg!(unix));
    assert!(!help(tcp()).await.contains("--debug"));
    let refused = output(&by_hand(tcp(), "--debug")).await;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("--debug requires a unix socket"), "{}", refused.stderr);
}

#[tokio::test]
async fn invalid_environment_is_an_error() {
    for launch in [
        probe().env("PLUGIN_MIN_PORT", "many"),
        probe().env("PLUGIN_CLIENT_CERT", "not a certificate"),
        probe().env(
            "PLUGIN_CLIENT_CERT",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ),
    ] {
        let output = output(&launch).await;
        assert_eq!((output.code, output.stdout.as_str()), (Some(1), ""), "{}", output.stderr);
        assert!(output.stderr.starts_with("[ERROR] "), "{}", output.stderr);
    }
}

#[tokio::test]
async fn line_is_printed_for_every_version_that_the_host_offers() {
    for versions in ["x,5", ""] {
        let launch = probe().env("PLUGIN_PROTOCOL_VERSIONS", versions);
        let plugin = Plugin::start(launch.env("PLUGIN_MULTIPLEX_GRPC", "true")).await;
        assert!(plugin.handshake.line.ends_with("|false"), "{}", plugin.handshake.line);
        plugin.connect().await;
    }
}

#[tokio::test]
#[cfg(unix)]
async fn socket_is_for_this_user_alone() {
    // The modes must not depend on the umask, so the program is started with one that allows
    // everything.
    let directory = tempfile::tempdir().unwrap();
    let wrapper = directory.path().join("wrapper");
    let script = format!("#!/bin/sh\numask 000\nexec {}\n", probe_binary().display());
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o755)).unwrap();
    let plugin = Plugin::start(Launch::new(wrapper)).await;
    let socket = Path::new(&plugin.handshake.address);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(plugin.handshake.network, "unix");
    assert_eq!(mode(socket), 0o600);
    assert_eq!(mode(socket.parent().unwrap()), 0o700);
    plugin.connect().await;
}

#[tokio::test]
#[cfg(unix)]
async fn socket_is_in_tmp_if_the_temporary_directory_is_unusable() {
    let directory = tempfile::tempdir().unwrap();
    let long = directory.path().join("x".repeat(150));
    std::fs::create_dir(&long).unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    for unusable in [long, file, directory.path().join("missing")] {
        let plugin = Plugin::start(probe().env("TMPDIR", &unusable)).await;
        assert!(plugin.handshake.address.starts_with("/tmp/"), "{}", plugin.handshake.address);
        plugin.connect().await;
    }
}

#[tokio::test]
async fn tcp_takes_the_first_free_port_of_the_range() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let plugin = Plugin::start(
        probe()
            .env("PROBE_TCP", "1")
            .env("PLUGIN_MIN_PORT", port.to_string())
            .env("PLUGIN_MAX_PORT", port.saturating_add(20).to_string()),
    )
    .await;
    let bound: std::net::SocketAddr = plugin.handshake.address.parse().unwrap();
    assert!(bound.ip().is_loopback() && bound.port() > port);
    plugin.connect().await;
}

#[tokio::test]
async fn plain_text_is_served_on_the_unix_socket_only() {
    #[cfg(unix)]
    {
        let plugin = Plugin::start(probe().plain()).await;
        let client = plugin.connect().await;
        let request = pb::get_metadata::Request {};
        client.get_metadata(request).await.unwrap();
    }
    let refused = output(&probe().plain().env("PROBE_TCP", "1")).await;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
}

#[tokio::test]
async fn standard_output_contains_only_the_handshake_line() {
    let (mut plugin, client) = start_probe().await;
    client.get_provider_schema(pb::get_provider_schema::Request {}).await.unwrap();
    plugin.shutdown(client).await;
    assert_eq!(plugin.stdout(), "");
    assert_eq!(plugin.stderr(), "", "without TF_LOG there is no log");
}
