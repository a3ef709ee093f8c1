//! Hostile responses, too large or too deep, and the memory that the plugin may use.

use std::fmt::Write as _;

use access_fake::Fault;
use plugin_server::testkit::proto::tfplugin6::diagnostic::Severity;
use serde_json::json;

use super::Host;
use crate::support::Service;

/// Returns the maximum of the plugin's memory, in MiB.
fn peak_memory(host: &Host) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.plugin.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

fn deep() -> String {
    let depth = 100_000;
    let mut body = r#"{"name":"listings/github/roles/viewer","management":"#.to_owned();
    body.extend(std::iter::repeat_n('[', depth));
    body.extend(std::iter::repeat_n(']', depth));
    body.push('}');
    body
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(target_os = "linux"), ignore = "reads memory from /proc")]
async fn hostile_bodies_are_errors_that_cost_little_memory() {
    let service = Service::full();
    let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
    let mut many = r#"{"name":"listings/github/roles/viewer","resources":["#.to_owned();
    for number in 0..600_000 {
        write!(many, "\"r{number}\",").unwrap();
    }
    let objects = format!("{{\"management\":[{}{{}}]}}", r#"{"":0},"#.repeat(1_000_000));
    let hostile = [
        ("a million objects", Fault::respond(200, objects)),
        ("of 64 MiB", Fault::respond(200, format!("{{\"padding\":\"{}\"}}", "x".repeat(64 << 20)))),
        ("deep", Fault::respond(200, deep())),
        ("cut off in a large list", Fault::respond(200, many)),
        ("a long error", Fault::respond(403, "no ".repeat(2 << 20))),
    ];
    for (what, fault) in hostile {
        service.respond_normally();
        service.fault(fault.on("GET"));
        let response = host.read(&super::state(), b"").await;
        let errors = response
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity() == Severity::Error);
        let errors: Vec<_> = errors.collect();
        assert_eq!(errors.len(), 1, "{what}");
        assert!(errors[0].detail.len() < 4_096, "{what}: {}", errors[0].detail.len());
    }
    assert!(peak_memory(&host) <= 96, "{} MiB", peak_memory(&host));
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(target_os = "linux"), ignore = "reads memory from /proc")]
async fn thousand_roles_cost_little_memory() {
    let service = Service::full();
    let mut states = Vec::new();
    for number in 0..1_000 {
        let id = format!("role-{number}");
        let fields = json!({
            "displayName": "Viewer", "priority": "3", "description": "d".repeat(500),
            "resources": (0..20).map(|number| format!("repositories/{number}")).collect::<Vec<_>>(),
        });
        service.put_role("github", &id, fields);
        let mut state = super::state();
        state["role"] = json!(id);
        state["name"] = json!(format!("listings/github/roles/{id}"));
        state["id"] = state["name"].clone();
        states.push(state);
    }
    let host = Host::start(&service).await;
    for chunk in states.chunks(50) {
        let reads = chunk.iter().map(|state| host.read(state, b""));
        for response in futures_util::future::join_all(reads).await {
            assert_eq!(response.diagnostics, []);
            let read = plugin_server::testkit::decode(&response.new_state.unwrap());
            assert_eq!(read["description"].as_str().unwrap().len(), 500);
        }
    }
    assert!(peak_memory(&host) <= 96, "{} MiB", peak_memory(&host));
    host.end().await;
}
