//! Identities in state files, and imports by them.

use serde_json::json;

use crate::support::{Feature, Service, host_version};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.platform";

const CONFIGURATION: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 3
}

resource \"access_integration_owner\" \"platform\" {
  integration = \"okta\"
  owner       = \"groups/platform\"
}
";

#[test]
fn objects_have_identities_that_stay_through_their_lives() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    for service in [Service::full(), Service::documented_only(405)] {
        let workspace = service.workspace();
        workspace.configure(CONFIGURATION);
        workspace.apply().succeeds();
        let identity = |address| workspace.instance(address).unwrap()["identity"].clone();
        let (role, owner) = (identity(ROLE), identity(OWNER));
        assert_eq!(role, json!({"listing": "github", "role": "viewer"}));
        let id = workspace.state_of(OWNER).unwrap()["integration_owner_id"].clone();
        assert_eq!(owner, json!({"integration": "okta", "owner": id}));
        workspace.configure(&CONFIGURATION.replace("\"Viewer\"", "\"Reader\""));
        workspace.apply().succeeds();
        assert_eq!((identity(ROLE), identity(OWNER)), (role, owner));
        workspace.plan().exits(0);
    }
}

#[test]
fn replaced_role_has_the_identity_of_its_successor() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(CONFIGURATION);
    workspace.apply().succeeds();
    workspace.configure(&CONFIGURATION.replace("\"viewer\"\n  display", "\"reader\"\n  display"));
    assert_eq!(workspace.plan().exits(2).action(ROLE), "replace");
    workspace.apply().succeeds();
    let identity = &workspace.instance(ROLE).unwrap()["identity"];
    assert_eq!(*identity, json!({"listing": "github", "role": "reader"}));
    workspace.plan().exits(0);
}

#[test]
fn objects_are_imported_by_identity() {
    if !host_version().supports(Feature::Identity) {
        return;
    }
    let service = Service::full();
    let role = json!({"displayName": "Viewer", "priority": "3", "manager": "TERRAFORM"});
    service.put_role("github", "viewer", role);
    service.put_owner("okta", "own-9", "groups/platform");
    let workspace = service.workspace();
    let with_imports = |role: &str| {
        format!(
            "{CONFIGURATION}
import {{
  to = {ROLE}
  identity = {{
    listing = \"github\"
    role    = \"{role}\"
  }}
}}

import {{
  to = {OWNER}
  identity = {{
    integration = \"okta\"
    owner       = \"own-9\"
  }}
}}
"
        )
    };
    workspace.configure(&with_imports("absent"));
    workspace.plan().fails_with("404");
    workspace.configure(&with_imports("viewer"));
    let planned = workspace.plan();
    assert_eq!((planned.action(ROLE), planned.action(OWNER)), ("import", "import"));
    workspace.apply().succeeds();
    assert_eq!(service.writes().len(), 0);
    assert_eq!(workspace.state_of(OWNER).unwrap()["integration_owner_id"], "own-9");
    workspace.plan().exits(0);
}
