//! A DELETE that returns 404 although the object exists.

use access_fake::HiddenObject;

use super::*;

fn hidden_from_delete(object: &str) -> HiddenObject {
    HiddenObject { object: object.to_owned(), delete: Some(404), ..HiddenObject::default() }
}

#[test]
fn destroy_of_an_object_that_can_still_be_read_is_an_error() {
    for mode in ["auto", "list", "patch", "off"] {
        let service = Service::full();
        let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", mode);
        workspace.configure(&(role("viewer", "") + &owner("ada", "")));
        workspace.apply().succeeds();
        service.change_world(|world| {
            world.hidden.push(hidden_from_delete("listings/github/roles/*"));
            world.hidden.push(hidden_from_delete("integrations/github/owners/*"));
        });
        let outcome = workspace.destroy().fails_with("Could not delete listing role");
        let outcome = outcome.fails_with("Could not delete integration owner");
        for error in outcome.errors() {
            assert!(error.contains("still exists"), "{mode}: {error}");
            assert!(error.contains("deletion_policy"), "{mode}: {error}");
        }
        assert_eq!(workspace.state_size(), 2, "{mode}");
    }
}

/// A key that can neither read nor delete, but write: the documented call and the list decide.
#[test]
fn destroy_without_reads_is_decided_by_the_documented_call_and_the_list() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_REPO_URI", "https://example.com/a/b");
    service.change_world(|world| {
        for object in ["listings/github/roles/*", "integrations/github/owners/*"] {
            let hidden = hidden_from_get(object);
            world.hidden.push(HiddenObject { delete: Some(404), ..hidden });
        }
    });
    workspace.configure(&(role("viewer", "") + &owner("ada", "")));
    workspace.apply().succeeds();
    let outcome = workspace.destroy().fails_with("Could not delete listing role");
    outcome.fails_with("Could not delete integration owner");
    assert_eq!(workspace.state_size(), 2);

    service.remove_role("github", "viewer");
    remove_owner(&service, "users/ada");
    workspace.destroy().succeeds();
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn object_deleted_outside_terraform_is_destroyed_without_an_error() {
    let (service, workspace) = applied(&(role("viewer", "") + &owner("ada", "")));
    // Not refreshed: the destroy itself meets the 404.
    service.remove_role("github", "viewer");
    remove_owner(&service, "users/ada");
    workspace
        .run(&["destroy", "-json", "-auto-approve", "-lock=false", "-refresh=false"])
        .succeeds();
    assert_eq!(workspace.state_size(), 0);
}
