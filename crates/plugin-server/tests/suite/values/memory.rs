//! The memory that large messages need, as Linux reports it.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Plugin, null};

use crate::suite::support::{errors, probe};

/// Returns an object with a list of `count` strings of 17 bytes.
fn texts(count: u32) -> pb::DynamicValue {
    let mut bytes = b"\x81\xa5texts\xdd".to_vec();
    bytes.extend(count.to_be_bytes());
    for at in 0..count {
        bytes.push(0xb1);
        bytes.extend(format!("text-{at:012}").into_bytes());
    }
    pb::DynamicValue { msgpack: bytes.into(), json: Default::default() }
}

/// Returns the most memory that the process has used, in bytes.
fn peak(plugin: &Plugin) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", plugin.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

async fn read(client: &Client, state: pb::DynamicValue) {
    let request = pb::read_resource::Request {
        type_name: "probe_texts".into(),
        current_state: Some(state.clone()),
        ..Default::default()
    };
    let read = client.read_resource(request).await.unwrap();
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert!(read.new_state == Some(state));
}

async fn plan(client: &Client, config: pb::DynamicValue) {
    let request = pb::plan_resource_change::Request {
        type_name: "probe_texts".into(),
        prior_state: Some(null()),
        proposed_new_state: Some(config.clone()),
        config: Some(config.clone()),
        ..Default::default()
    };
    let plan = client.plan_resource_change(request).await.unwrap();
    assert_eq!(errors(&plan.diagnostics), [""; 0]);
    assert!(plan.planned_state == Some(config));
}

async fn apply(client: &Client, config: pb::DynamicValue) {
    let request = pb::apply_resource_change::Request {
        type_name: "probe_texts".into(),
        prior_state: Some(null()),
        planned_state: Some(config.clone()),
        config: Some(config.clone()),
        ..Default::default()
    };
    let applied = client.apply_resource_change(request).await.unwrap();
    assert_eq!(errors(&applied.diagnostics), [""; 0]);
    assert!(applied.new_state == Some(config));
}

/// The calls, each with a message of 34 MiB that contains two million strings.
const CALLS: [&str; 3] = ["read", "plan", "apply"];

async fn peak_of(call: &str) -> f64 {
    let plugin = Plugin::start(probe()).await;
    let client = plugin.connect().await;
    let message = texts(2_000_000).msgpack.len();
    match call {
        "read" => read(&client, texts(2_000_000)).await,
        "plan" => plan(&client, texts(1_000_000)).await,
        _ => apply(&client, texts(1_000_000)).await,
    }
    #[allow(clippy::cast_precision_loss, reason = "a ratio")]
    let times = peak(&plugin) as f64 / message as f64;
    #[allow(clippy::print_stderr, reason = "the figure is shown with --nocapture")]
    {
        eprintln!("{call}: {times:.2} times the message");
    }
    times
}

/// The strings of tf-provider own their text: 24 bytes for each, and 32 of the allocator. Serde's
/// buffer needs another 32.
#[tokio::test]
async fn message_of_two_million_strings_needs_at_most_seven_times_its_size() {
    for call in CALLS {
        let times = peak_of(call).await;
        assert!(times <= 7.0, "{call}: {times:.2}");
    }
}
