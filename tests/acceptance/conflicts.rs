//! Two resources for one object, in one plan or in two states. No apply may lose an object.
//!
//! The table of combinations is that of `src/service/plans/tests.rs`. Here Terraform's graph calls the provider.

use serde_json::json;

use crate::support::Service;
use crate::support::fixtures::{Text, moved, owner, removed, role};

fn both(address: &str) -> Text {
    role("viewer").at(address) + owner("ada").at(address)
}

fn both_adopting(address: &str) -> Text {
    role("viewer").at(address).adopting() + owner("ada").at(address).adopting()
}

#[test]
fn copied_resource_block_fails_and_deletes_nothing() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(both("one") + both_adopting("two"));
    assert_eq!(workspace.plan().exits(1).errors().len(), 2, "two creates");
    workspace.configure(both("one"));
    workspace.apply().succeeds();
    service.clear_requests();
    for copy in [both("two"), both_adopting("two")] {
        workspace.configure(both("one") + copy);
        let apply = workspace.apply().fails_with("roles/viewer").fails_with("integrations/github");
        assert_eq!(apply.errors().len(), 2, "{}", apply.output());
    }
    // The copy is removed again.
    workspace.configure(both("one"));
    workspace.plans_nothing();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
}

#[test]
fn renamed_address_fails_the_plan_with_the_moved_block_that_then_works() {
    let service = Service::full();
    let workspace = service.applied(both("old"));
    let state = workspace.state();
    let cbd = |address: &str| {
        let role = role("viewer").at(address).create_before_destroy();
        role + owner("ada").at(address).create_before_destroy()
    };
    for renamed in [both_adopting("new"), cbd("new")] {
        workspace.configure(renamed);
        for outcome in [workspace.plan(), workspace.apply()] {
            for kind in ["access_listing_role", "access_integration_owner"] {
                assert_eq!(outcome.code, 1, "{}", outcome.output());
                let errors = outcome.errors();
                let error = errors.iter().find(|error| error.contains(&format!("{kind}.")));
                let error = error.unwrap_or_else(|| panic!("{kind}: {errors:#?}"));
                assert!(error.contains("moved {"), "{error}");
            }
        }
        assert_eq!(service.writes().len(), 0);
        assert_eq!(workspace.state()["resources"], state["resources"]);
    }
    let blocks = moved("access_listing_role.old", "access_listing_role.new")
        + moved("access_integration_owner.old", "access_integration_owner.new");
    workspace.configure(both("new") + blocks);
    workspace.apply().succeeds().without_warnings();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 2));
    assert!(workspace.state_of("access_listing_role.new").is_some());
    workspace.plans_nothing();
}

#[test]
fn removing_one_of_two_duplicates_fails_the_plan_and_two_ways_keep_the_object() {
    let service = Service::full();
    let mut workspace = service.applied(both("one"));
    for way in ["abandon", "removed"] {
        workspace.edit_state(|resources| {
            for mut resource in resources.clone() {
                resource["name"] = "two".into();
                resources.push(resource);
            }
        });
        workspace.configure(both("one"));
        let plan = workspace.plan().fails_with(["roles/viewer", "ACCESS_DELETION_POLICY=abandon"]);
        let plan = plan.fails_with(["integrations/github", "removed {"]);
        assert_eq!(plan.errors().len(), 2, "{way}: {}", plan.output());
        if way == "abandon" {
            workspace.set("ACCESS_DELETION_POLICY", "abandon");
        } else {
            let blocks =
                removed("access_listing_role.two") + removed("access_integration_owner.two");
            workspace.configure(both("one") + blocks);
        }
        workspace.apply().succeeds();
        workspace.set("ACCESS_DELETION_POLICY", "");
        assert_eq!((service.writes().len(), workspace.state_size()), (0, 2), "{way}");
    }
    workspace.plans_nothing();
}

#[test]
fn deposed_object_of_an_object_that_is_kept_is_discarded_by_abandon() {
    let service = Service::full();
    let mut workspace = service.applied(both("viewer"));
    workspace.edit_state(|resources| {
        for resource in resources {
            let mut old = resource["instances"][0].clone();
            old["deposed"] = json!("0badcafe");
            resource["instances"].as_array_mut().expect("instances").push(old);
        }
    });
    let outcome = workspace.apply().fails_with("ACCESS_DELETION_POLICY=abandon");
    assert_eq!(outcome.errors().len(), 2, "{}", outcome.output());
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.apply().succeeds();
    assert_eq!((workspace.deposed(), service.writes().len(), workspace.state_size()), (0, 0, 2));
    workspace.set("ACCESS_DELETION_POLICY", "");
    workspace.plans_nothing();
}
