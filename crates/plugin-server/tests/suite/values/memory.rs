//! The memory that large messages need, as Linux reports it.

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Plugin, null};

use crate::suite::support::{errors, probe};

/// Returns an object with a list of `count` strings of 17 bytes.
fn texts(count: u32) -> pb::DynamicValue {
    let mut bytes = b"\x81\xa5texts\xdd".to_vec();
    bytes.extend(count.to_be_bytes());
    for at in 0..count {
        bytes.push(0xb1);
        bytes.extend(format!("text-{at:012}").into_bytes());
    }
    pb::DynamicValue { msgpack: bytes.into(), ..Default::default() }
}

/// Returns the most memory that the process has used, in bytes.
fn peak(plugin: &Plugin) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", plugin.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let kilobytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

/// Makes a call with a message of 9 MiB that contains half a million strings. Returns the most
/// memory that the process has used for it, as a multiple of the message.
async fn peak_of(call: &str) -> f64 {
    let plugin = Plugin::start(probe()).await;
    let client = plugin.connect().await;
    let message = texts(500_000).msgpack.len();
    let idle = peak(&plugin);
    let type_name = "probe_texts".to_owned();
    let state = texts(if call == "read" { 500_000 } else { 250_000 });
    let planned = Some(state.clone());
    let config = Some(state.clone());
    let prior = Some(null());
    let (diagnostics, returned) = match call {
        "read" => {
            let current_state = planned;
            let request =
                pb::read_resource::Request { type_name, current_state, ..Default::default() };
            let read = client.read_resource(request).await.unwrap();
            (read.diagnostics, read.new_state)
        }
        "plan" => {
            let request = pb::plan_resource_change::Request {
                type_name,
                prior_state: prior,
                proposed_new_state: planned,
                config,
                ..Default::default()
            };
            let plan = client.plan_resource_change(request).await.unwrap();
            (plan.diagnostics, plan.planned_state)
        }
        _ => {
            let request = pb::apply_resource_change::Request {
                type_name,
                prior_state: prior,
                planned_state: planned,
                config,
                ..Default::default()
            };
            let applied = client.apply_resource_change(request).await.unwrap();
            (applied.diagnostics, applied.new_state)
        }
    };
    assert_eq!(errors(&diagnostics), [""; 0]);
    assert!(returned == Some(state));
    #[allow(clippy::cast_precision_loss, reason = "a ratio")]
    let times = (peak(&plugin) - idle) as f64 / message as f64;
    times
}

/// The strings of tf-provider own their text: 24 bytes for each, and 32 of the allocator. Serde's
/// buffer needs another 32.
#[tokio::test]
async fn message_of_many_strings_needs_at_most_seven_times_its_size() {
    for call in ["read", "plan", "apply"] {
        let times = peak_of(call).await;
        assert!(times <= 7.0, "{call}: {times:.2}");
    }
}
