//! Large messages and the time that calls take.

use std::time::{Duration, Instant};

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Plugin, encode};
use serde_json::json;

use super::support::{probe, probe_client};

#[tokio::test]
async fn messages_may_have_up_to_256_mebibytes() {
    let client = probe_client().await;
    // The response to a call that fails contains the private data of the request.
    let request = |bytes: usize| pb::read_resource::Request {
        type_name: "probe_other".into(),
        private: vec![b'x'; bytes].into(),
        ..Default::default()
    };
    let read = client.read_resource(request(100 << 20)).await.unwrap();
    assert_eq!(read.private.len(), 100 << 20);
    let refused = client.read_resource(request(257 << 20)).await.unwrap_err();
    assert_eq!(refused.code, 8, "resource exhausted: {refused}");
    assert!(client.read_resource(request(1)).await.is_ok());
}

/// Returns the time of one read.
async fn time_of_a_read(client: &Client) -> Duration {
    let request = pb::read_resource::Request {
        type_name: "probe_listed".into(),
        current_state: Some(encode(&json!({ "name": "n", "id": "i" }))),
        ..Default::default()
    };
    let start = Instant::now();
    client.read_resource(request).await.unwrap();
    start.elapsed()
}

/// Returns the times that a quarter of the reads of each client do not exceed. A busy machine
/// delays some reads of both clients, which take turns, and a delay on purpose delays all of one
/// client.
async fn lower_quartiles(clients: [&Client; 2]) -> [Duration; 2] {
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..200 {
        for (client, times) in clients.into_iter().zip(&mut times) {
            times.push(time_of_a_read(client).await);
        }
    }
    times.map(|mut times| {
        times.sort();
        times[times.len() / 4]
    })
}

#[tokio::test]
async fn calls_are_served_without_a_delay() {
    // Nagle's algorithm and delayed acknowledgements would add 40 ms to each, over TCP.
    let without_socket = probe_client().await;
    for launch in [probe(), probe().env("PROBE_TCP", "1")] {
        let plugin = Plugin::start(launch).await;
        let client = plugin.connect().await;
        let [without, with] = lower_quartiles([&without_socket, &client]).await;
        let limit = without + Duration::from_millis(35);
        assert!(with < limit, "{}: {with:?}, limit {limit:?}", plugin.handshake.network);
    }
}
