//! Another base address than the one under which an object was last seen.

use access_fake::{Gateway, NotFoundBody};

use super::*;

const ADDRESSES: [&str; 2] = ["access_listing_role.viewer", "access_integration_owner.ada"];

fn both() -> String {
    role("viewer", "") + &owner("ada", "")
}

#[track_caller]
fn loses_nothing(workspace: &Workspace, there: &str, here: &str) {
    for outcome in [workspace.plan(), workspace.destroy(), workspace.apply_with(&["-refresh-only"])]
    {
        let errors = outcome.exits(1).errors();
        assert_eq!(errors.len(), 2, "{errors:#?}");
        for error in errors {
            assert!(error.contains(there) && error.contains(here), "{error}");
        }
    }
    for address in ADDRESSES {
        assert!(workspace.state_of(address).is_some(), "{address}");
    }
}

#[test]
fn other_region_neither_empties_the_state_nor_claims_a_destroy() {
    let (service, mut workspace) = applied(&both());
    let other = Service::full();
    workspace.set("ACCESS_BASE_URL", &other.base_url());
    loses_nothing(&workspace, &service.base_url(), &other.base_url());
    assert_eq!(other.writes().len(), 0);
    workspace.set("ACCESS_BASE_URL", &service.base_url());
    workspace.plan().exits(0);
}

#[test]
fn path_prefix_of_a_gateway_with_json_404_loses_nothing() {
    for body in [NotFoundBody::Json, NotFoundBody::Text, NotFoundBody::Html, NotFoundBody::Empty] {
        let (service, mut workspace) = applied(&both());
        service.change_world(|world| {
            world.gateways.push(Gateway { prefix: "/eu".to_owned(), status: 404, body });
        });
        let here = format!("{}/eu", service.base_url());
        workspace.set("ACCESS_BASE_URL", &here);
        loses_nothing(&workspace, &service.base_url(), &here);
        assert!(service.role("github", "viewer").is_some());
        assert_eq!(service.owners_named("github", "users/ada"), 1);
    }
}

#[test]
fn service_that_moved_is_recognised_and_plans_nothing() {
    let (service, mut workspace) = applied(&both());
    service.change_world(|world| world.base_paths.push("/eu".to_owned()));
    let here = format!("{}/eu", service.base_url());
    workspace.set("ACCESS_BASE_URL", &here);
    workspace.plan().exits(0).without_warnings();
    workspace.apply().succeeds();
    // Terraform stores private state only with a changed object, so the destroy verifies it again.
    workspace.destroy().succeeds();
    assert_eq!((service.role("github", "viewer"), workspace.state_size()), (None, 0));
}

/// In the other region another team has a role of the same name.
#[test]
fn role_of_the_same_name_in_another_region_is_not_touched() {
    for mode in ["auto", "list", "patch"] {
        let service = Service::full();
        let mut workspace = service
            .workspace()
            .with("ACCESS_DRIFT_DETECTION", mode)
            .with("ACCESS_REPO_URI", "https://example.com/ours");
        workspace.configure(&role("viewer", ""));
        workspace.apply().succeeds();
        let other = Service::full();
        other.change_world(|world| world.clock_offset_ms = -600_000);
        other.put_role(
            "github",
            "viewer",
            serde_json::json!({
                "displayName": "Theirs", "priority": "9", "repoUri": "https://example.com/theirs",
            }),
        );
        let theirs = other.role("github", "viewer");
        workspace.set("ACCESS_BASE_URL", &other.base_url());
        for outcome in [workspace.plan(), workspace.apply(), workspace.destroy()] {
            let error = outcome.exits(1).only_error();
            assert!(error.contains(&service.base_url()), "{mode}: {error}");
        }
        assert_eq!(other.role("github", "viewer"), theirs, "{mode}");
        assert_eq!(workspace.state_size(), 1, "{mode}");
    }
}
