//! Identities in state files. `import` has the imports by them.

use serde_json::json;

use crate::support::fixtures::{owner, role};
use crate::support::{Feature, Service, host_version};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.ada";

#[test]
fn objects_have_identities_that_stay_through_their_lives() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    for service in [Service::full(), Service::documented_only(405)] {
        let workspace = service.applied(role("viewer") + owner("ada"));
        let identity = |address| workspace.instance(address).unwrap()["identity"].clone();
        let (of_role, of_owner) = (identity(ROLE), identity(OWNER));
        assert_eq!(of_role, json!({"listing": "github", "role": "viewer"}));
        let id = workspace.state_of(OWNER).unwrap()["integration_owner_id"].clone();
        assert_eq!(of_owner, json!({"integration": "github", "owner": id}));
        workspace.configure(role("viewer").text("display_name", "Reader") + owner("ada"));
        workspace.apply().succeeds();
        assert_eq!((identity(ROLE), identity(OWNER)), (of_role, of_owner));
        workspace.plans_nothing();
    }
}

#[test]
fn replaced_role_has_the_identity_of_its_successor() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    workspace.configure(role("reader").at("viewer"));
    workspace.plan().plans(ROLE, "replace");
    workspace.apply().succeeds();
    let identity = &workspace.instance(ROLE).unwrap()["identity"];
    assert_eq!(*identity, json!({"listing": "github", "role": "reader"}));
    workspace.plans_nothing();
}
