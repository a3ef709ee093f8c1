//! Large messages and the time that calls take.

use std::time::{Duration, Instant};

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Plugin, encode};
use serde_json::{Value as Json, json};

use super::support::{errors, probe, probe_client, start_probe, thing, things};

#[tokio::test]
async fn messages_may_have_up_to_256_mebibytes() {
    let client = probe_client().await;
    let large = |bytes: usize| thing(json!({ "value": "x".repeat(bytes) }));
    let request = |state: &Json| pb::read_resource::Request {
        type_name: "probe_thing".into(),
        current_state: Some(encode(state)),
        ..Default::default()
    };
    let read = client.read_resource(request(&large(100 << 20))).await.unwrap();
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert!(read.new_state.unwrap().msgpack.len() > 100 << 20);
    let refused = client.read_resource(request(&large(257 << 20))).await.unwrap_err();
    assert_eq!(refused.code, 8, "resource exhausted: {refused}");
    let read = client.read_resource(request(&thing(json!({})))).await.unwrap();
    assert_eq!(errors(&read.diagnostics), [""; 0]);
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

/// Returns the times that a quarter of the reads of each client do not exceed. A busy machine delays some
/// reads of both clients, which take turns, and a delay on purpose delays all of one client.
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

/// Stops the provider again and again while it compares a large result. Returns the number of stops,
/// the time of the longest, and the whole time.
async fn stops_during_a_comparison(client: &Client) -> (u32, Duration, Duration) {
    let tags: Vec<String> = (0..100_000).map(|at| format!("resources/item-{at:06}")).collect();
    let planned = thing(json!({ "tags": tags, "made": plugin_server::testkit::unknown() }));
    let things = things(client);
    let running = tokio::spawn(async move { things.apply(&Json::Null, &planned).await });
    let start = Instant::now();
    let mut longest = Duration::ZERO;
    let mut stops = 0;
    while !running.is_finished() {
        assert!(start.elapsed() < Duration::from_secs(120), "the result is still being compared");
        let asked = Instant::now();
        client.stop_provider(pb::stop_provider::Request {}).await.unwrap();
        longest = longest.max(asked.elapsed());
        stops += 1;
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let whole = start.elapsed();
    let created = running.await.unwrap();
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    (stops, longest, whole)
}

// The plan is encoded on another thread, so that it does not delay the calls of this test.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_is_served_while_a_large_result_is_compared() {
    let (_plugin, client) = start_probe().await;
    let mut rounds = Vec::new();
    for _ in 0..10 {
        let (stops, longest, whole) = stops_during_a_comparison(&client).await;
        // A comparison on the thread that serves calls would delay one of them by its whole time, in
        // each round. A busy machine delays one in some rounds.
        if stops > 1 && longest < whole / 2 {
            return;
        }
        rounds.push((stops, longest, whole));
    }
    panic!("stops, the longest and the whole time: {rounds:?}");
}
