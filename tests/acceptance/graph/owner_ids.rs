//! Owners with a fixed ID, and owners of one user, group or team under two IDs.

use access_fake::{Presence, World};
use serde_json::json;

use super::{deposed, owner, owners_named, start, workspace, writes};
use crate::support::{Feature, host_version};

const LEAD: &str = "access_integration_owner.lead";

/// Returns an owner with the ID `lead`.
fn lead(principal: &str, more: &str) -> String {
    owner("lead", principal, &format!("  integration_owner_id = \"lead\"\n{more}"))
}

#[test]
fn another_owner_under_the_same_id_replaces_the_first() {
    let full = World::default();
    let mut without_list = World::default();
    without_list.owners.list = Presence::Absent(access_fake::Absence::MethodNotAllowed);
    for (world, mode) in [(&full, "auto"), (&full, "off"), (&without_list, "auto")] {
        for saved in [false, true] {
            let case = format!("{mode}, {:?}, {saved}", world.owners.list);
            let service = start(world.clone());
            let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", mode);
            workspace.configure(&lead("users/ada", ""));
            workspace.apply().succeeds();
            workspace.configure(&lead("users/bob", ""));
            let plan = workspace.plan_with(&["-out=saved.tfplan"]);
            assert_eq!(plan.code, 2, "{case}: {}", plan.output());
            assert_eq!(plan.action(LEAD), "replace", "{case}");
            let applied = if saved {
                workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"])
            } else {
                workspace.apply()
            };
            assert_eq!(applied.code, 0, "{case}: {}", applied.output());
            assert_eq!(owners_named(&service, "users/ada"), 0, "{case}");
            assert_eq!(owners_named(&service, "users/bob"), 1, "{case}");
            let state = workspace.state_of(LEAD).expect("the owner");
            assert_eq!(state["name"], "integrations/github/owners/lead", "{case}");
            workspace.plan().exits(0);
        }
    }
}

#[test]
fn owner_that_replaces_another_under_its_id_must_not_exist() {
    let service = start(World::default());
    service.service().put_owner("github", "own-7", &json!({"owner": "users/bob"})).unwrap();
    let workspace = workspace(&service);
    workspace.configure(&lead("users/ada", ""));
    workspace.apply().succeeds();
    service.service().clear_requests();
    workspace.configure(&lead("users/bob", ""));
    let error = workspace.plan().exits(1).only_error();
    assert!(error.contains("users/bob is an owner of integrations/github already"), "{error}");
    assert_eq!(writes(&service), 0);
}

#[test]
fn id_of_a_replaced_owner_is_taken_until_the_owner_is_destroyed() {
    let more = "  lifecycle {\n    create_before_destroy = true\n  }";
    for saved in [false, true] {
        let feature =
            if saved { Feature::SavedSameNameReplacement } else { Feature::SameNameReplacement };
        if !host_version().supports(feature) {
            continue;
        }
        let service = start(World::default());
        let workspace = workspace(&service);
        workspace.configure(&lead("users/ada", more));
        workspace.apply().succeeds();
        service.service().clear_requests();

        workspace.configure(&lead("users/bob", more));
        workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
        let applied = if saved {
            workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"])
        } else {
            workspace.apply()
        };
        let error = applied.exits(1).only_error();
        for part in ["this ID belongs to users/ada already", "`create_before_destroy"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert_eq!(writes(&service), 0);
        assert_eq!((workspace.state_size(), deposed(&workspace)), (1, 0));
        assert_eq!(workspace.state_of(LEAD).expect("the owner")["owner"], "users/ada");

        workspace.configure(&lead("users/bob", ""));
        workspace.apply().succeeds();
        assert_eq!(owners_named(&service, "users/ada"), 0);
        assert_eq!(owners_named(&service, "users/bob"), 1);
        workspace.plan().exits(0);
    }
}

#[test]
fn owner_is_replaced_by_itself_in_the_spelling_of_the_service() {
    for id in ["", "  integration_owner_id = \"lead\"\n"] {
        for create_before_destroy in [false, true] {
            if create_before_destroy && !host_version().supports(Feature::SameNameReplacement) {
                continue;
            }
            let more = format!(
                "{id}  lifecycle {{\n    create_before_destroy = {create_before_destroy}\n  }}"
            );
            let mut world = World::default();
            world.canonical_owners.insert("users/ada".to_owned(), "users/id-17".to_owned());
            let service = start(world);
            let workspace = workspace(&service);
            workspace.configure(&owner("lead", "users/ada", &more));
            workspace.apply().succeeds();
            workspace.configure(&owner("lead", "users/id-17", &more));
            assert_eq!(workspace.plan().exits(2).action(LEAD), "replace");
            workspace.apply().succeeds();
            assert_eq!(owners_named(&service, "users/id-17"), 1);
            assert_eq!((workspace.state_size(), deposed(&workspace)), (1, 0));
            workspace.plan().exits(0);
        }
    }
}

/// Returns a resource for an owner under `users/ada` and its `import` block.
fn imported(address: &str, id: &str) -> String {
    let block = owner(address, "users/ada", "");
    format!(
        "{block}import {{\n  to = access_integration_owner.{address}\n  id = \"github/{id}\"\n}}\n"
    )
}

#[test]
fn duplicate_owner_is_removed_and_the_other_one_is_kept() {
    for (kept, removed) in [("one", "two"), ("two", "one")] {
        let service = start(World::default());
        for id in ["own-1", "own-2"] {
            service.service().put_owner("github", id, &json!({"owner": "users/ada"})).unwrap();
        }
        let workspace = workspace(&service);
        workspace.configure(&(imported("one", "own-1") + &imported("two", "own-2")));
        workspace.apply().succeeds();
        assert_eq!(workspace.state_size(), 2);

        // A third one is one too many, and may be meant as the one that is removed.
        service.service().clear_requests();
        workspace.configure(&(owner(kept, "users/ada", "") + &owner("three", "users/ada", "")));
        let errors = workspace.plan().exits(1).errors();
        let is_conflict = |error: &String| {
            error.starts_with("Two resources manage one integration owner")
                || error.starts_with("One integration owner is destroyed and created")
        };
        assert!(errors.iter().any(is_conflict), "{errors:#?}");
        assert_eq!(writes(&service), 0);

        workspace.configure(&owner(kept, "users/ada", ""));
        let plan = workspace.plan().exits(2).without_warnings();
        assert_eq!(plan.action(&format!("access_integration_owner.{removed}")), "delete");
        workspace.apply().succeeds();
        assert_eq!(owners_named(&service, "users/ada"), 1);
        assert_eq!(workspace.state_size(), 1);
        workspace.plan().exits(0);
    }
}
