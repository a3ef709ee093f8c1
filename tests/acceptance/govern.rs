//! The guide "Govern access": its checks, applied to the local service.

use serde_json::json;

use super::walkthrough::blocks;
use crate::support::Service;
use crate::support::fixtures::role;

const PAGE: &str = "docs/guides/govern-access.md";
const URI: &str = "https://git.example.com/platform/access";

fn put_role(service: &Service, listing: &str, role: &str, dir: &str) {
    let fields = json!({"displayName": role, "priority": "0", "manager": "TERRAFORM",
        "repoUri": URI, "repoDir": dir});
    service.put_role(listing, role, fields);
}

#[test]
fn checks_are_quiet_where_access_is_governed_and_each_names_what_it_finds() {
    let service = Service::full();
    // Two teams own both integrations, and no user does.
    for integration in ["github", "okta"] {
        service.put_owner(integration, "own-1", "teams/a");
        service.put_owner(integration, "own-2", "groups/b");
        service.remove_owner(integration, "founder");
    }
    // Another directory has it.
    put_role(&service, "production", "theirs", "other");
    let workspace =
        service.workspace().with("ACCESS_REPO_URI", URI).with("ACCESS_REPO_DIR", "access");
    let viewers = role("viewer").at("this").set("for_each", "toset([\"viewer\"])");
    let viewers = viewers.set("role", "each.value") + blocks::with(PAGE, "check \"orphans\"");
    workspace.apply_of(viewers).succeeds().without_warnings();
    workspace.plan().exits(0).without_warnings();

    put_role(&service, "production", "old", "access");
    service.put_role("github", "hand", json!({"displayName": "x", "priority": "1"}));
    service.remove_owner("okta", "own-2");
    service.put_owner("github", "own-3", "users/ada");
    let plan = workspace.plan().exits(0);
    assert_eq!(plan.warnings().len(), 4, "{:#?}", plan.warnings());
    plan.warns(["Roles that name this directory, which no longer contains them: listings/production/roles/old."])
        .warns(["Roles without a manager: listings/github/roles/hand."])
        .warns(["Integrations with fewer than two owners: okta."])
        .warns(["Single users as owners: github: users/ada."]);
}
