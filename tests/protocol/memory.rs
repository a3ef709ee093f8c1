//! The memory of the plugin, as Linux reports it, while responses are hostile or many.

use std::fmt::Write as _;

use access_fake::{EndlessPages, Fault, OddList};

use super::*;

/// The most memory that the plugin may take, in MiB: those of a hundred providers fit into a
/// runner.
const LIMIT: u64 = 96;

/// Returns the most memory that the plugin has taken, in MiB.
fn peak_memory(host: &Host) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", host.plugin.id())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[track_caller]
fn assert_small(host: &Host, what: &str) {
    let peak = peak_memory(host);
    assert!(peak <= LIMIT, "{what}: {peak} MiB");
}

async fn read_all(host: &Host) -> Vec<pb::Diagnostic> {
    host.read_data(ALL_ROLES, &json!({"listing": "github"})).await.diagnostics
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(target_os = "linux"), ignore = "reads memory from /proc")]
async fn hostile_bodies_are_errors_that_cost_little_memory() {
    let service = Service::full();
    let host = Host::start_with(&service, &json!({ "max_retries": 0 })).await;
    let name = r#""name":"listings/github/roles/viewer""#;
    let mut many = format!("{{{name},\"resources\":[");
    for number in 0..600_000 {
        write!(many, "\"r{number}\",").unwrap();
    }
    let objects = format!("{{\"management\":[{}{{}}]}}", r#"{"":0},"#.repeat(1_000_000));
    let deep = format!("{{{name},\"management\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for (what, fault) in [
        ("a million objects", Fault::respond(200, objects)),
        ("of 64 MiB", Fault::respond(200, format!("{{\"padding\":\"{}\"}}", "x".repeat(64 << 20)))),
        ("deep", Fault::respond(200, deep)),
        ("cut off in a large list", Fault::respond(200, many)),
        ("a long error", Fault::respond(403, "no ".repeat(2 << 20))),
    ] {
        service.clear_faults();
        service.add_fault(fault.on("GET"));
        let response = host.read(ROLE, &state(), b"").await;
        assert_eq!(errors(&response.diagnostics).len(), 1, "{what}");
        let length = response.diagnostics[0].detail.len();
        assert!(length < 4_096, "{what}: {length}");
        assert_small(&host, what);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(target_os = "linux"), ignore = "reads memory from /proc")]
async fn endless_lists_are_errors_that_cost_little_memory() {
    let path = "GET /api/v1/listings/github/roles";
    for (entries, token_bytes, reason) in [
        (1_000, 0, "more than 50,000 entries"),
        (1, 1 << 20, "token of its next page is longer than 4 KiB"),
    ] {
        let service = Service::full();
        let endless = Some(EndlessPages { entries, token_bytes });
        let rule = OddList { endless, ..OddList::default() };
        service.change_world(|world| world.lists.push(rule));
        let host = Host::start(&service).await;
        let found = read_all(&host).await;
        says(&found, &[path, reason, "resources and data sources for single objects"]);
        // Each object is read by GET instead.
        service.put_viewer();
        for _ in 0..5 {
            assert_eq!(host.read(ROLE, &state(), b"").await.diagnostics, []);
        }
        assert_small(&host, reason);
    }
}

#[tokio::test(flavor = "multi_thread")]
#[cfg_attr(not(target_os = "linux"), ignore = "reads memory from /proc")]
async fn thousand_roles_cost_little_memory() {
    let service = Service::full();
    for number in 0..1_000 {
        let resources: Vec<_> = (0..100).map(|it| format!("repositories/{number}/{it}")).collect();
        let fields = json!({"displayName": "Role", "priority": "1", "resources": resources,
                            "description": "A role with a description. ".repeat(20)});
        service.put_role("github", &format!("role-{number}"), fields);
    }
    let host = Host::start(&service).await;
    assert_eq!(read_all(&host).await, []);
    for number in 0..20 {
        let id = format!("listings/github/roles/role-{number}");
        let imported = host.import(ROLE, &id, None).await;
        let imported = imported.imported_resources.into_iter().next().expect("a resource");
        let state = decode(&imported.state.unwrap());
        let read = host.read(ROLE, &state, &imported.private).await;
        assert_eq!(errors(&read.diagnostics), [""; 0]);
    }
    assert_small(&host, "a thousand roles");
}
