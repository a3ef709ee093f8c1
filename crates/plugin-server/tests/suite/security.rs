//! The peers that may connect.

use std::time::Duration;

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostCertificate, Plugin};

use super::support::probe;

async fn is_served(client: &Client) -> Result<(), String> {
    let request = pb::get_provider_schema::Request {};
    let provider = client.clone();
    let called = provider.get_provider_schema(request);
    match tokio::time::timeout(Duration::from_secs(30), called).await {
        Ok(response) => response.map(|_| ()).map_err(|status| status.to_string()),
        Err(_) => Err("no response".to_owned()),
    }
}

/// Calls the plugin: with TLS 1.3 a refusal arrives only with the first response.
async fn is_accepted(connected: Result<Client, String>) -> Result<(), String> {
    is_served(&connected?).await
}

#[tokio::test]
async fn host_connects_with_either_version_of_tls() {
    let certificate = |plugin: &Plugin| plugin.handshake.certificate.clone().unwrap();
    let plugin = Plugin::start(probe()).await;
    assert!(is_served(&plugin.connect().await).await.is_ok());
    assert!(!certificate(&plugin).is_empty());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let client = plugin.connect_by(&[version]).await.unwrap();
        assert_eq!(is_served(&client).await, Ok(()), "{version:?}");
    }
}

#[tokio::test]
async fn intruders_are_refused_while_the_host_is_served() {
    for launch in [probe(), probe().env("PROBE_TCP", "1")] {
        let plugin = Plugin::start(launch).await;
        let host = plugin.connect().await;
        assert_eq!(is_served(&host).await, Ok(()));
        // go-plugin's certificates all have the same subject and names.
        let other = HostCertificate::new();
        assert!(is_accepted(plugin.connect_as(None).await).await.is_err(), "without a certificate");
        assert!(is_accepted(plugin.connect_as(Some(&other)).await).await.is_err(), "with its own");
        assert!(is_accepted(plugin.connect_plain().await).await.is_err(), "in clear text");
        for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
            let refused = plugin.connect_with(Some(&other), &[version]).await;
            assert!(is_accepted(refused).await.is_err(), "{version:?}");
        }
        assert_eq!(is_served(&host).await, Ok(()));
    }
}

#[tokio::test]
async fn host_that_signs_with_another_key_is_refused() {
    let plugin = Plugin::start(probe()).await;
    let intruder = plugin.certificate().unwrap().with_key_of(&HostCertificate::new());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let refused = plugin.connect_with(Some(&intruder), &[version]).await;
        assert!(is_accepted(refused).await.is_err(), "the certificate is not a secret, its key is");
    }
}

#[tokio::test]
async fn silent_connections_do_not_delay_others() {
    let plugin = Plugin::start(probe()).await;
    let mut silent = Vec::new();
    for _ in 0..200 {
        silent.push(plugin.stream().await.unwrap());
    }
    let client = tokio::time::timeout(Duration::from_secs(5), plugin.connect()).await.unwrap();
    assert_eq!(is_served(&client).await, Ok(()));
}

/// The modes of the socket and of its directory refuse other users already. Here the modes admit
/// everybody, as on a file system that ignores them.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn peer_of_another_user_is_refused_even_if_the_file_modes_admit_it() {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::Command;

    const NOBODY: u32 = 65_534;
    if !nix::unistd::geteuid().is_root() {
        super::support::announce_untested("a process of another user, which only root can start");
        return;
    }
    let mut plugin = Plugin::start(probe().plain().env("TF_LOG", "WARN")).await;
    let socket = Path::new(&plugin.handshake.address).to_owned();
    set_permissions(&socket, Permissions::from_mode(0o666)).unwrap();
    set_permissions(socket.parent().unwrap(), Permissions::from_mode(0o711)).unwrap();
    let status_for = |user: u32| {
        let mut curl = Command::new("curl");
        curl.args([
            "--silent",
            "--max-time",
            "30",
            "--http2-prior-knowledge",
            "--output",
            "/dev/null",
        ]);
        curl.args(["--write-out", "%{http_code}", "--header", "content-type: application/grpc"]);
        curl.args(["--data-binary", "", "--unix-socket"]).arg(&socket);
        curl.arg("http://localhost/tfplugin6.Provider/GetMetadata");
        let output = curl.uid(user).output().expect("curl");
        String::from_utf8(output.stdout).expect("a status")
    };
    assert_eq!(status_for(0), "200", "the same user");
    assert_eq!(status_for(NOBODY), "000", "another user receives nothing");
    let host = plugin.connect_plain().await.unwrap();
    assert_eq!(is_served(&host).await, Ok(()));
    plugin.shutdown(host).await;
    let refused = "a connection of another user was refused";
    assert_eq!(plugin.stderr().matches(refused).count(), 1, "{}", plugin.stderr());
}
