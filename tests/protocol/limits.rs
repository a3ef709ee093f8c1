//! Hostile responses, too large or too deep, and the memory that the plugin may use.

use std::fmt::Write as _;

use access_fake::Fault;

use super::*;

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
        let response = host.read(ROLE, &state(), b"").await;
        assert_eq!(errors(&response.diagnostics).len(), 1, "{what}");
        let length = response.diagnostics[0].detail.len();
        assert!(length < 4_096, "{what}: {length}");
    }
    assert!(peak_memory(&host) <= 96, "{} MiB", peak_memory(&host));
}
