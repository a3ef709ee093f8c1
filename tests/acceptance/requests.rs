//! The number of requests of each command (section "Cost" of the contract).

use crate::support::fixtures::{many_owners, roles};
use crate::support::{Outcome, Service, Workspace};

const ROLES: usize = 20;
const OWNERS: usize = 8;
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
fn creates_edits_and_destroys_of_n_objects_take_few_requests() {
    let (service, workspace) = Service::with_workspace();
    let all = || roles(ROLES) + many_owners(OWNERS);
    workspace.configure(all());
    let created = counted(&service, || apply(&workspace));
    assert!(created <= 2 * (ROLES + OWNERS) + 24, "{created} requests to create all");
    assert_eq!((service.requests_of("PATCH"), service.requests_of("POST")), (ROLES, OWNERS));

    let unchanged = counted(&service, || workspace.plan());
    assert!((1..=8).contains(&unchanged), "{unchanged} requests of an unchanged plan");
    workspace.configure(roles(ROLES).text("display_name", "Other") + many_owners(OWNERS));
    let edited = counted(&service, || workspace.apply());
    assert!(edited <= ROLES + 10, "{edited} requests to edit {ROLES} roles");
    let destroyed = counted(&service, || workspace.destroy());
    // Both processes read three objects and the list of each parent.
    assert!(destroyed <= ROLES + OWNERS + 20, "{destroyed} requests to destroy all");
}
