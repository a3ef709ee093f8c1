//! Two resources for one object: in one configuration, in one state, in two states; deposed objects.

use access_fake::{Action, Fault, World};
use serde_json::json;

use super::{
    add_duplicates, deposed, display_name, owner, owners_named, requests_of, role, start,
    workspace, writes,
};
use crate::support::Workspace;

fn both(address: &str, more: &str) -> String {
    format!("{}{}", role(address, "viewer", more), owner(address, "users/ada", more))
}

#[test]
fn two_creates_of_one_object_fail_the_plan() {
    let service = start(World::default());
    let workspace = workspace(&service);
    for more in ["", "  adopt_existing = true"] {
        workspace.configure(&(both("one", more) + &both("two", more)));
        let outcome = workspace.apply().exits(1);
        let errors = outcome.errors();
        assert_eq!(errors.len(), 2, "{errors:#?}");
        for summary in
            ["Two resources create one listing role", "Two resources create one integration owner"]
        {
            assert!(errors.iter().any(|error| error.starts_with(summary)), "{errors:#?}");
        }
    }
    assert_eq!(writes(&service), 0);
}

#[test]
fn create_of_a_managed_object_fails_the_plan() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&both("one", ""));
    workspace.apply().succeeds();
    service.service().clear_requests();
    for more in ["", "  adopt_existing = true"] {
        workspace.configure(&(both("one", "") + &both("two", more)));
        let errors = workspace.plan().exits(1).errors();
        for summary in
            ["Two resources manage one listing role", "Two resources manage one integration owner"]
        {
            assert!(errors.iter().any(|error| error.starts_with(summary)), "{more}: {errors:#?}");
        }
        workspace.apply().exits(1);
    }
    assert_eq!(writes(&service), 0);
    assert_eq!(workspace.state_size(), 2);
}

#[test]
fn create_of_an_object_that_was_imported_by_another_resource_fails_the_plan() {
    let service = start(World::default());
    let fields = json!({"displayName": "Viewer", "priority": "1"});
    service.service().put_role("github", "viewer", &fields).unwrap();
    let workspace = workspace(&service);
    let import = "import {\n  to = access_listing_role.one\n  id = \"github/viewer\"\n}\n";
    workspace.configure(&(role("one", "viewer", "") + import));
    workspace.apply().succeeds();
    service.service().clear_requests();
    workspace.configure(
        &(role("one", "viewer", "") + &role("two", "viewer", "  adopt_existing = true")),
    );
    workspace.apply().fails_with("Two resources manage one listing role");
    assert_eq!(writes(&service), 0);
}

#[test]
fn second_state_of_a_directory_is_refused_and_loses_nothing() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&both("one", ""));
    workspace.apply_with(&["-state=first.tfstate"]).succeeds();
    service.service().clear_requests();
    for _ in 0..2 {
        let errors = workspace.apply_with(&["-state=second.tfstate"]).exits(1).errors();
        assert_eq!(errors.len(), 2, "{errors:#?}");
        assert!(errors.iter().all(|error| error.contains("import {")), "{errors:#?}");
    }
    workspace
        .run(&["destroy", "-json", "-auto-approve", "-lock=false", "-state=second.tfstate"])
        .succeeds();
    assert_eq!(writes(&service), 0);
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    workspace.plan_with(&["-state=first.tfstate"]).exits(0);
}

/// Leaves a state in which two resources manage each object, as the state of an earlier version.
fn with_duplicates(workspace: &Workspace) {
    workspace.configure(&both("one", ""));
    workspace.apply().succeeds();
    add_duplicates(workspace);
}

#[test]
fn removing_one_of_two_duplicates_fails_the_plan_and_abandon_keeps_the_object() {
    let service = start(World::default());
    let mut workspace = workspace(&service);
    with_duplicates(&workspace);
    workspace.configure(&(both("one", "") + &both("two", "")));
    workspace.plan().exits(0);
    service.service().clear_requests();

    workspace.configure(&both("two", ""));
    let errors = workspace.plan().exits(1).errors();
    for summary in
        ["One listing role is destroyed and kept", "One integration owner is destroyed and kept"]
    {
        let error = errors.iter().find(|error| error.starts_with(summary));
        let error = error.unwrap_or_else(|| panic!("{summary}: {errors:#?}"));
        assert!(error.contains("ACCESS_DELETION_POLICY=abandon"), "{error}");
        assert!(error.contains("removed {"), "{error}");
    }
    workspace.apply().exits(1);
    assert_eq!(workspace.state_size(), 4);

    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds().warns("The listing role stays at the service");
    workspace.set("ACCESS_DELETION_POLICY", "");
    assert_eq!(writes(&service), 0);
    assert_eq!(workspace.state_size(), 2);
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    assert_eq!(owners_named(&service, "users/ada"), 1);
    workspace.plan().exits(0);
}

#[test]
fn removed_block_drops_one_of_two_duplicates_and_keeps_the_object() {
    let service = start(World::default());
    let workspace = workspace(&service);
    with_duplicates(&workspace);
    service.service().clear_requests();
    let removed = |resource_type: &str| {
        format!(
            "removed {{\n  from = {resource_type}.one\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"
        )
    };
    workspace.configure(
        &(both("two", "") + &removed("access_listing_role") + &removed("access_integration_owner")),
    );
    workspace.apply().succeeds();
    assert_eq!(writes(&service), 0);
    assert_eq!(workspace.state_size(), 2);
    workspace.plan().exits(0);
}

#[test]
fn deposed_objects_of_a_failed_apply_can_be_discarded() {
    let service = start(World::default());
    let mut workspace = workspace(&service);
    let cbd = "  lifecycle {\n    create_before_destroy = true\n  }";
    workspace.configure(&role("viewer", "old", cbd));
    workspace.apply().succeeds();

    // The new role is created, and the old one cannot be deleted.
    let refusal = Fault::respond(500, r#"{"message":"no"}"#).on("DELETE");
    service.service().add_fault(refusal);
    workspace.set("TF_LOG", "");
    workspace.configure(&format!(
        "provider \"access\" {{\n  max_retries = 0\n}}\n{}",
        role("viewer", "new", cbd)
    ));
    workspace.apply().exits(1);
    assert_eq!(deposed(&workspace), 1);
    service.service().clear_faults();

    // Back to the old role: the deposed object of the same name must not be deleted after it.
    workspace.configure(&role("viewer", "old", cbd));
    workspace.plan().fails_with("One listing role is destroyed and created");
    assert_eq!(display_name(&service, "old"), "Viewer");

    // The configuration that failed can be applied again.
    workspace.configure(&role("viewer", "new", cbd));
    workspace.apply().succeeds();
    assert_eq!(deposed(&workspace), 0);
    assert_eq!(display_name(&service, "new"), "Viewer");
    assert_eq!(display_name(&service, "old"), serde_json::Value::Null);
    workspace.plan().exits(0);
}

#[test]
fn deposed_object_of_a_role_that_is_kept_is_discarded_by_abandon() {
    let service = start(World::default());
    let mut workspace = workspace(&service);
    workspace.configure(&both("viewer", ""));
    workspace.apply().succeeds();
    // An interrupted same-name replacement leaves the same object deposed and in place.
    let mut state = workspace.state();
    for resource in state["resources"].as_array_mut().expect("resources") {
        let mut old = resource["instances"][0].clone();
        old["deposed"] = json!("0badcafe");
        resource["instances"].as_array_mut().expect("instances").push(old);
    }
    let text = serde_json::to_string(&state).expect("a state");
    std::fs::write(workspace.path().join("terraform.tfstate"), text).expect("the state file");
    assert_eq!(deposed(&workspace), 2);
    service.service().clear_requests();

    let errors = workspace.apply().exits(1).errors();
    assert!(errors.iter().all(|error| error.contains("ACCESS_DELETION_POLICY=abandon")));
    assert_eq!(errors.len(), 2, "{errors:#?}");
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    assert_eq!(deposed(&workspace), 0);
    assert_eq!(writes(&service), 0);
    assert_eq!(workspace.state_size(), 2);
    workspace.set("ACCESS_DELETION_POLICY", "");
    workspace.plan().exits(0);
}

#[test]
fn apply_that_failed_between_create_and_destroy_loses_nothing() {
    let service = start(World::default());
    let mut workspace = workspace(&service);
    let cbd = "  lifecycle {\n    create_before_destroy = true\n  }";
    workspace.configure(&role("viewer", "viewer", cbd));
    workspace.apply().succeeds();
    service.service().clear_requests();
    service.service().add_fault(Fault::new(Action::Reset).on("PATCH"));
    workspace.set("TF_LOG", "");
    let provider = "provider \"access\" {\n  max_retries = 0\n}\n";
    workspace.configure(&(provider.to_owned() + &role("viewer", "viewer", cbd)));
    workspace.apply_with(&["-replace=access_listing_role.viewer"]).exits(1);
    service.service().clear_faults();
    // A request on a connection that was kept alive is sent again over a new one, without a retry.
    let sent = requests_of(&service, "PATCH");
    assert!((1..=2).contains(&sent), "the create was sent {sent} times");
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    assert_eq!(requests_of(&service, "DELETE"), 0);
    assert_eq!((workspace.state_size(), deposed(&workspace)), (1, 0), "the create is rolled back");
    workspace.plan().exits(0);
}
