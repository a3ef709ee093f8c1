//! How many requests and connections it takes, and no more.

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

/// The requests of one run by method, after which there are none.
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
fn full_service_is_asked_no_more_than_needed() {
    let service = Service::full();
    let way = CountedWay::to(service.address());
    let workspace = service.workspace().with("ACCESS_BASE_URL", &way.base_url());
    workspace.configure(&roles("Role"));
    // A look for each role, and one read back for all of them.
    assert_eq!(counted(&service, || apply(&workspace)), [ROLES + 1, ROLES, 0]);
    // A few more than are needed at once: where a connection is free a moment too late, the next one
    // is opened already. They stay, so their number does not grow with that of the requests.
    let connections = way.connections();
    assert!(connections <= 2 * PARALLELISM, "{connections} connections for one apply");

    assert_eq!(counted(&service, || workspace.plan()), [ROLES, 0, 0]);
    workspace.configure(&roles("Other"));
    assert_eq!(counted(&service, || apply(&workspace)), [ROLES, ROLES, 0]);
    assert_eq!(counted(&service, || workspace.destroy()), [ROLES, 0, ROLES]);
}

#[test]
fn service_without_reads_is_asked_for_them_once_or_so() {
    for status in [405, 501] {
        let service = Service::documented_only(status);
        let workspace = service.workspace();
        workspace.configure(&roles("Role"));
        let [reads, writes, _] = counted(&service, || workspace.apply());
        // Those that start at once all find out by themselves.
        assert!(reads <= 10, "{reads} reads");
        assert_eq!(writes, ROLES);
    }
}

#[test]
fn nothing_is_read_where_drift_detection_is_off() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "off");
    workspace.configure(&roles("Role"));
    // The look before a create is no drift detection.
    assert_eq!(counted(&service, || workspace.apply()), [ROLES, ROLES, 0]);
    assert_eq!(counted(&service, || workspace.plan()), [0, 0, 0]);
    workspace.configure(&roles("Other"));
    assert_eq!(counted(&service, || workspace.apply()), [0, ROLES, 0]);
    assert_eq!(counted(&service, || workspace.destroy()), [0, 0, ROLES]);
}

#[test]
#[ignore = "takes half a minute; .ci/run runs it"]
fn two_thousand_roles_of_four_listings_are_refreshed_by_a_few_lists() {
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
