//! Who gets in.

use std::time::Duration;

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, HostCertificate, Plugin};

use super::support::probe;

async fn asks(client: &Client) -> Result<(), String> {
    let request = pb::get_provider_schema::Request {};
    let provider = client.clone();
    let asked = provider.get_provider_schema(request);
    match tokio::time::timeout(Duration::from_secs(5), asked).await {
        Ok(answer) => answer.map(|_| ()).map_err(|status| status.to_string()),
        Err(_) => Err("no answer".to_owned()),
    }
}

/// Connects and asks; TLS 1.3 shows a refusal only with the first answer.
async fn gets_in(connected: Result<Client, String>) -> Result<(), String> {
    asks(&connected?).await
}

#[tokio::test]
async fn host_connects_with_either_version_of_tls() {
    let certificate = |plugin: &Plugin| plugin.handshake.certificate.clone().unwrap();
    let plugin = Plugin::start(probe()).await;
    assert!(asks(&plugin.connect().await).await.is_ok());
    assert!(!certificate(&plugin).is_empty());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let client = plugin.connect_by(&[version]).await.unwrap();
        assert_eq!(asks(&client).await, Ok(()), "{version:?}");
    }
}

#[tokio::test]
async fn intruders_are_refused_while_the_host_is_served() {
    for launch in [probe(), probe().env("PROBE_TCP", "1")] {
        let plugin = Plugin::start(launch).await;
        let host = plugin.connect().await;
        assert_eq!(asks(&host).await, Ok(()));
        // go-plugin's certificates all have the same subject and names.
        let other = HostCertificate::new();
        assert!(gets_in(plugin.connect_as(None).await).await.is_err(), "without a certificate");
        assert!(gets_in(plugin.connect_as(Some(&other)).await).await.is_err(), "with its own");
        assert!(gets_in(plugin.connect_plain().await).await.is_err(), "in clear text");
        for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
            let refused = plugin.connect_with(Some(&other), &[version]).await;
            assert!(gets_in(refused).await.is_err(), "{version:?}");
        }
        assert_eq!(asks(&host).await, Ok(()));
    }
}

#[tokio::test]
async fn host_that_signs_with_another_key_is_refused() {
    let plugin = Plugin::start(probe()).await;
    let thief = plugin.certificate().unwrap().with_key_of(&HostCertificate::new());
    for version in [&rustls::version::TLS12, &rustls::version::TLS13] {
        let refused = plugin.connect_with(Some(&thief), &[version]).await;
        assert!(gets_in(refused).await.is_err(), "the certificate is no secret, its key is");
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
    assert_eq!(asks(&client).await, Ok(()));
}
