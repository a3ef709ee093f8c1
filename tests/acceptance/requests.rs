//! The number of requests and connections of each command (section "Cost" of the contract).

use crate::support::fixtures::{ROLE, many_owners, resource, roles};
use crate::support::network::CountedWay;
use crate::support::{Outcome, Service, Workspace};

const ROLES: usize = 120;
const PARALLELISM: usize = 50;

/// Returns the number of requests of a command that must succeed.
#[track_caller]
fn counted(service: &Service, run: impl FnOnce() -> Outcome) -> usize {
    service.clear_requests();
    run().succeeds();
    service.requests().len()
}

fn apply(workspace: &Workspace) -> Outcome {
    workspace.apply_with(&[&format!("-parallelism={PARALLELISM}")])
}

#[test]
fn creates_edits_and_destroys_of_n_roles_take_few_requests() {
    let service = Service::full();
    let way = CountedWay::to(service.address());
    let workspace = service.workspace().with("ACCESS_BASE_URL", &way.base_url());
    workspace.configure(roles(ROLES));
    let created = counted(&service, || apply(&workspace));
    assert!(created <= 2 * ROLES + 12, "{created} requests to create {ROLES} roles");
    assert_eq!(service.requests_of("PATCH"), ROLES);
    // They stay open, so their number does not grow with the requests. Plan and apply are two processes.
    let connections = way.connections();
    assert!(connections <= 3 * PARALLELISM, "{connections} connections for one apply");

    let unchanged = counted(&service, || workspace.plan());
    assert!(unchanged <= 4, "{unchanged} requests of an unchanged plan");
    workspace.configure(roles(ROLES).text("display_name", "Other"));
    let edited = counted(&service, || workspace.apply());
    assert!(edited <= ROLES + 5, "{edited} requests to edit {ROLES} roles");
    let destroyed = counted(&service, || workspace.destroy());
    // Both processes read three roles and the list.
    assert!(destroyed <= ROLES + 8, "{destroyed} requests to destroy {ROLES} roles");
}

#[test]
fn creates_of_n_owners_take_few_requests() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(many_owners(40));
    let created = counted(&service, || workspace.apply());
    assert!(created <= 2 * 40 + 12, "{created} requests to create 40 owners");
    assert_eq!(service.requests_of("POST"), 40);
    let unchanged = counted(&service, || workspace.plan());
    assert!(unchanged <= 4, "{unchanged} requests of an unchanged plan");
}

#[test]
fn unchanged_plan_of_300_roles_takes_4_requests_and_of_four_listings_16() {
    let service = Service::full();
    let workspace = service.applied(roles(300));
    let unchanged = counted(&service, || workspace.plan());
    assert!((1..=4).contains(&unchanged), "{unchanged} requests of an unchanged plan");

    let service = Service::full();
    for listing in ["finance", "legal"] {
        service.put_listing(listing);
    }
    let listings = "[\"github\", \"production\", \"finance\", \"legal\"][count.index % 4]";
    let workspace = service.applied(roles(40).set("listing", listings));
    let unchanged = counted(&service, || workspace.plan());
    assert!((1..=16).contains(&unchanged), "{unchanged} requests of an unchanged plan");
}

#[test]
fn nothing_is_read_with_drift_detection_off_but_before_creates_and_deletes() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "off");
    workspace.configure(roles(ROLES));
    let created = counted(&service, || workspace.apply());
    assert!(created <= 2 * ROLES + 12, "{created} requests");
    assert_eq!(counted(&service, || workspace.plan()), 0);
    workspace.configure(roles(ROLES).text("display_name", "Other"));
    assert_eq!(counted(&service, || workspace.apply()), ROLES);
    // A DELETE names the object: the list shows whether it is still there.
    assert_eq!(counted(&service, || workspace.destroy()), ROLES + 4);
}

#[test]
fn creates_without_reads_look_for_each_object() {
    for status in [405, 501] {
        let service = Service::documented_only(status);
        let workspace = service.workspace();
        workspace.configure(roles(40));
        let created = counted(&service, || workspace.apply());
        assert!((2 * 40..=3 * 40 + 20).contains(&created), "{status}: {created} requests");
    }
}

#[test]
#[ignore = "takes half a minute; .ci/run runs it"]
fn unchanged_plan_of_two_thousand_roles_takes_a_few_lists() {
    let service = Service::full();
    let many = resource(ROLE, "many")
        .set("count", 2_000)
        .set("listing", "[\"github\", \"production\", \"iac\"][count.index % 3]")
        .text("role", "role-${count.index}")
        .text("display_name", "Role")
        .set("priority", "count.index");
    let workspace = service.applied(many);
    let unchanged = counted(&service, || workspace.plan());
    assert!(unchanged <= 18, "{unchanged} requests for 2,000 roles");
}
