//! The number of requests and connections of each command.

use crate::support::network::CountedWay;
use crate::support::{Outcome, Service, Workspace};

const ROLES: usize = 120;
const PARALLELISM: usize = 50;

fn roles(display_name: &str) -> String {
    format!(
        "resource \"access_listing_role\" \"many\" {{
  count        = {ROLES}
  listing      = \"github\"
  role         = \"role-${{count.index}}\"
  display_name = \"{display_name}\"
  priority     = count.index
}}
"
    )
}

/// Returns the number of GET, PATCH and DELETE requests of one run. There must be no others.
fn counted(service: &Service, run: impl FnOnce() -> Outcome) -> [usize; 3] {
    service.clear_requests();
    run().succeeds();
    let counts = ["GET", "PATCH", "DELETE"].map(|method| service.requests_of(method));
    assert_eq!(counts.iter().sum::<usize>(), service.requests().len(), "and no other method");
    counts
}

fn apply(workspace: &Workspace) -> Outcome {
    workspace.apply_with(&[&format!("-parallelism={PARALLELISM}")])
}

#[test]
fn requests_of_each_command_are_counted() {
    let service = Service::full();
    let way = CountedWay::to(service.address());
    let workspace = service.workspace().with("ACCESS_BASE_URL", &way.base_url());
    workspace.configure(&roles("Role"));
    // An existence check of each role at plan, another at the apply (a new process, which plans
    // again), and one read-back for all of them.
    assert_eq!(counted(&service, || apply(&workspace)), [2 * ROLES + 1, ROLES, 0]);
    // A few more than there are calls at once: if a connection becomes free a moment too late, the
    // next one is open already. They stay, so their number does not grow with the requests.
    let connections = way.connections();
    // Plan and apply are two processes.
    assert!(connections <= 3 * PARALLELISM, "{connections} connections for one apply");

    // A few reads by GET (more, if more begin before the first ends), and one list for the others.
    let refresh = |[reads, writes, deletes]: [usize; 3]| {
        assert!(reads <= 1 + PARALLELISM, "{reads} reads");
        [writes, deletes]
    };
    assert_eq!(refresh(counted(&service, || workspace.plan())), [0, 0]);
    workspace.configure(&roles("Other"));
    assert_eq!(refresh(counted(&service, || apply(&workspace))), [ROLES, 0]);
    assert_eq!(refresh(counted(&service, || workspace.destroy())), [0, ROLES]);
}

#[test]
fn requests_of_a_create_include_its_own_check_without_reads() {
    for status in [405, 501] {
        let service = Service::documented_only(status);
        let workspace = service.workspace();
        workspace.configure(&roles("Role"));
        let [reads, writes, _] = counted(&service, || workspace.apply());
        // A 405 for one role proves nothing about another, so each create checks.
        assert_eq!((reads, writes), (2 * ROLES + 1, ROLES));
    }
}

#[test]
fn requests_of_a_refresh_are_none_with_drift_detection_off() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "off");
    workspace.configure(&roles("Role"));
    // The existence check of the apply is not drift detection. One read-back follows.
    assert_eq!(counted(&service, || workspace.apply()), [ROLES + 1, ROLES, 0]);
    assert_eq!(counted(&service, || workspace.plan()), [0, 0, 0]);
    workspace.configure(&roles("Other"));
    assert_eq!(counted(&service, || workspace.apply()), [0, ROLES, 0]);
    assert_eq!(counted(&service, || workspace.destroy()), [0, 0, ROLES]);
}

#[test]
#[ignore = "takes half a minute; .ci/run runs it"]
fn requests_of_a_refresh_of_two_thousand_roles_are_a_few_lists() {
    let service = Service::full();
    service.put_listing("finance");
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "list");
    let text = "locals {
  listings = [\"github\", \"production\", \"iac\", \"finance\"]
}
resource \"access_listing_role\" \"many\" {
  count        = 2000
  listing      = local.listings[count.index % 4]
  role         = \"role-${count.index}\"
  display_name = \"Role\"
  priority     = count.index
}
";
    workspace.configure(text);
    workspace.apply().succeeds();
    let [reads, ..] = counted(&service, || workspace.plan());
    assert!(reads <= 12, "{reads} requests for 2,000 roles");
}
