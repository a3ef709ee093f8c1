//! Replacements of a resource by itself: `-replace`, taint and `replace_triggered_by`, by direct and by
//! saved plans.

use access_fake::{LagRule, Read, World, Write};
use serde_json::json;

use crate::support::fixtures::{Block, Text, later, owner, owners, role};
use crate::support::{Outcome, Service, Workspace};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.ada";

/// What causes a replacement, and the form of the apply.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trigger {
    Replace,
    Taint,
    TriggeredBy,
}
use Trigger::{Replace, Taint, TriggeredBy};

const TRIGGERS: [Trigger; 3] = [Replace, Taint, TriggeredBy];

/// Returns a role and an owner that a change of `terraform_data.trigger` replaces.
fn both(trigger: usize, create_before_destroy: bool, with: impl Fn(Block) -> Block) -> Text {
    let lifecycle = format!(
        "lifecycle {{
    create_before_destroy = {create_before_destroy}
    replace_triggered_by  = [terraform_data.trigger]
  }}"
    );
    let [role, owner] = [role("viewer"), owner("ada")].map(|block| with(block).line(&lifecycle));
    later("trigger", trigger) + role + owner
}

/// Plans a replacement of these resources.
fn plan(workspace: &Workspace, trigger: Trigger, addresses: &[&str]) -> Outcome {
    let replaces: Vec<_> = addresses.iter().map(|address| format!("-replace={address}")).collect();
    let mut arguments = vec!["-out=saved.tfplan"];
    match trigger {
        Replace => arguments.extend(replaces.iter().map(String::as_str)),
        Taint => workspace.taint(addresses),
        TriggeredBy => {}
    }
    workspace.plan_with(&arguments)
}

/// Replaces the role and the owner.
fn replace(workspace: &Workspace, trigger: Trigger, saved: bool) -> Outcome {
    if saved {
        plan(workspace, trigger, &[ROLE, OWNER]).changes();
        return workspace.apply_saved();
    }
    let replaces = [ROLE, OWNER].map(|address| format!("-replace={address}"));
    match trigger {
        Replace => workspace.apply_with(&[&replaces[0], &replaces[1]]),
        Taint => {
            workspace.taint(&[ROLE, OWNER]);
            workspace.apply()
        }
        TriggeredBy => workspace.apply(),
    }
}

fn unchanged(block: Block) -> Block {
    block
}

#[track_caller]
fn both_exist(service: &Service, case: &str) {
    assert_eq!(service.display_name("viewer"), "Role", "{case}");
    assert_eq!(service.owners_named("github", "users/ada"), 1, "{case}");
}

#[test]
fn replacement_that_destroys_first_creates_the_objects_again() {
    let service = Service::full();
    let workspace = service.applied(both(0, false, unchanged));
    let mut number = 0;
    for (trigger, saved) in [(Replace, false), (Taint, true), (TriggeredBy, false), (Replace, true)]
    {
        let case = format!("{trigger:?}, saved: {saved}");
        service.clear_requests();
        number += usize::from(trigger == TriggeredBy);
        workspace.configure(both(number, false, unchanged));
        let outcome = replace(&workspace, trigger, saved);
        assert_eq!(outcome.code, 0, "{case}: {}", outcome.output());
        // No warning that the object exists: it is the resource's own.
        outcome.does_not_warn("import {");
        assert_eq!(service.requests_of("DELETE"), 2, "{case}");
        both_exist(&service, &case);
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{case}");
        workspace.plans_nothing();
    }
}

#[test]
fn create_before_destroy_is_refused_and_terraform_keeps_the_objects() {
    for (trigger, saved) in [(Replace, false), (Taint, false), (TriggeredBy, true), (Taint, true)] {
        let case = format!("{trigger:?}, saved: {saved}");
        let service = Service::full();
        let workspace = service.applied(both(0, true, unchanged));
        let number = usize::from(trigger == TriggeredBy);
        workspace.configure(both(number, true, unchanged));
        let mut outcome = replace(&workspace, trigger, saved);
        for name in ["roles/viewer", "users/ada"] {
            let parts =
                [name, "create_before_destroy", "terraform untaint", "adopt_existing = true"];
            outcome = outcome.fails_with(parts);
        }
        assert_eq!(service.writes().len(), 0, "{case}");
        both_exist(&service, &case);
        for address in [ROLE, OWNER] {
            assert!(workspace.state_of(address).is_some(), "{case}: {address}");
        }
        assert_eq!(workspace.deposed(), 0, "{case}");
        // The advice works.
        if trigger == Taint {
            for address in [ROLE, OWNER] {
                workspace.run(&["untaint", "-lock=false", address]).succeeds();
            }
        }
        if trigger != TriggeredBy {
            workspace.plans_nothing();
        }
    }
}

#[test]
fn create_before_destroy_with_adoption_writes_in_place_and_destroys_nothing() {
    for trigger in TRIGGERS {
        for saved in [false, true] {
            let case = format!("{trigger:?}, saved: {saved}");
            let service = Service::full();
            let workspace = service.applied(both(0, true, Block::adopting));
            let ids = service.owner_ids("github", "users/ada");
            workspace.configure(both(usize::from(trigger == TriggeredBy), true, Block::adopting));
            let outcome = replace(&workspace, trigger, saved);
            assert_eq!(outcome.code, 0, "{case}: {}", outcome.output());
            outcome.warns("roles/viewer");
            assert_eq!(service.requests_of("DELETE"), 0, "{case}");
            both_exist(&service, &case);
            assert_eq!(service.owner_ids("github", "users/ada"), ids, "{case}");
            assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{case}");
            workspace.plans_nothing();
        }
    }
}

/// A destroy that keeps the object would leave the create nothing but a refusal, after the state is gone.
#[test]
fn replacement_under_abandon_is_an_error_at_plan() {
    for create_before_destroy in [false, true] {
        for trigger in TRIGGERS {
            let case = format!("{trigger:?}, create_before_destroy = {create_before_destroy}");
            let service = Service::full();
            let abandon = |number| both(number, create_before_destroy, Block::abandoning);
            let workspace = service.applied(abandon(0));
            let state = workspace.state()["resources"].clone();
            workspace.configure(abandon(usize::from(trigger == TriggeredBy)));
            let outcome = plan(&workspace, trigger, &[ROLE, OWNER]);
            outcome
                .fails_with(["roles/viewer", "abandon"])
                .fails_with(["integrations/github", "abandon"]);
            assert_eq!(service.writes().len(), 0, "{case}");
            both_exist(&service, &case);
            if trigger != Taint {
                assert_eq!(workspace.state()["resources"], state, "{case}");
            }
            assert_eq!(workspace.state_size(), 3, "{case}");
        }
    }
}

#[test]
fn replacement_under_abandon_of_the_environment_adopts_if_it_may() {
    for create_before_destroy in [false, true] {
        let service = Service::full();
        let configuration = both(0, create_before_destroy, Block::adopting);
        let workspace = service.applied(configuration);
        let workspace = workspace.with("ACCESS_DELETION_POLICY", "abandon");
        replace(&workspace, Replace, true).succeeds();
        assert_eq!(service.requests_of("DELETE"), 0);
        both_exist(&service, "abandon");
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0));
    }
}

/// An apply of the list adds and removes already.
#[test]
fn list_of_owners_replaced_by_itself_is_an_error_at_plan() {
    const LIST: &str = "access_integration_owners.all";
    for create_before_destroy in [false, true] {
        for trigger in TRIGGERS {
            let service = Service::with_empty_okta();
            let list = |number: usize| {
                let lifecycle = format!(
                    "lifecycle {{
    create_before_destroy = {create_before_destroy}
    replace_triggered_by  = [terraform_data.trigger]
  }}"
                );
                later("trigger", number) + owners(&["users/ada", "users/ben"]).line(&lifecycle)
            };
            let workspace = service.applied(list(0));
            workspace.configure(list(usize::from(trigger == TriggeredBy)));
            plan(&workspace, trigger, &[LIST]).fails_with("integrations/okta");
            assert_eq!((service.writes().len(), workspace.state_size()), (0, 2), "{trigger:?}");
            assert_eq!(service.principals("okta"), ["users/ada", "users/ben"], "{trigger:?}");
        }
    }
}

/// The reads after the delete still return the old objects.
#[test]
fn replacement_under_lagging_reads_is_created_again() {
    let service = Service::full();
    let workspace = service.applied(both(0, false, unchanged));
    service.change_world(|world| {
        for read in [Read::Get, Read::List] {
            let (read, after) = (Some(read), Some(Write::Delete));
            world.lags.push(LagRule { read, after, reads: 2, ..LagRule::default() });
        }
    });
    replace(&workspace, Replace, false).succeeds();
    both_exist(&service, "lag");
    service.change_world(|world| world.lags.clear());
    workspace.plans_nothing();
}

#[test]
fn replacement_without_reads_or_list_creates_the_objects_again() {
    for (mode, owner_lists) in [("off", true), ("auto", false)] {
        let service = Service::full();
        let workspace = service.applied(both(0, false, unchanged));
        let workspace = workspace.with("ACCESS_DRIFT_DETECTION", mode);
        if !owner_lists {
            service.without_lists();
        }
        replace(&workspace, Taint, false).succeeds();
        both_exist(&service, mode);
        assert_eq!(workspace.state_size(), 3);
    }
}

/// Other names replace the objects by others, and say what is not carried over.
#[test]
fn other_names_replace_the_objects_and_warn_about_access() {
    let service = Service::full();
    service.put_role(
        "github",
        "viewer",
        json!({"displayName": "Role", "priority": "1", "resources": ["a"]}),
    );
    let workspace = service.workspace();
    workspace.configure(role("viewer") + owner("ada"));
    workspace.import(ROLE, "github/viewer").succeeds();
    workspace.apply().succeeds();
    workspace.configure(role("reader").at("viewer") + owner("ben").at("ada"));
    let plan = workspace.plan().plans(ROLE, "replace").plans(OWNER, "replace");
    plan.warns(["roles/viewer", "`resources`"]);
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "viewer"), None);
    assert!(service.role("github", "reader").is_some());
    assert_eq!(service.principals("github"), ["users/ben", "users/founder"]);
    workspace.plans_nothing();
}

/// One ID passes from one principal to another.
#[test]
fn another_owner_under_the_same_id_replaces_the_first() {
    const LEAD: &str = "access_integration_owner.lead";
    let lead = |user: &str| owner(user).at("lead").text("integration_owner_id", "lead");
    for saved in [false, true] {
        let service = Service::full();
        let workspace = service.applied(lead("ada"));
        workspace.configure(lead("ben"));
        let plan = workspace.save_plan(&[]).plans(LEAD, "replace");
        plan.without_warnings();
        let applied = if saved { workspace.apply_saved() } else { workspace.apply() };
        applied.succeeds();
        assert_eq!(service.principals("github"), ["users/ben", "users/founder"], "{saved}");
        workspace.plans_nothing();

        // Created first, the ID is taken until the owner is destroyed.
        service.clear_requests();
        workspace.configure(lead("carl").create_before_destroy());
        workspace.apply().fails_with(["lead", "users/ben"]);
        assert_eq!(service.writes().len(), 0);
        assert_eq!(workspace.state_of(LEAD).expect("the owner")["owner"], "users/ben");
        assert_eq!(workspace.deposed(), 0);
    }
}

#[test]
fn owner_is_replaced_by_itself_in_the_spelling_of_the_service() {
    for fixed in [false, true] {
        let mut world = World::default();
        world.canonical_owners.insert("users/ada".to_owned(), "users/id-17".to_owned());
        let service = Service::start(world);
        let block = |user: &str| {
            let block = owner(user).at("ada");
            if fixed { block.text("integration_owner_id", "lead") } else { block }
        };
        let workspace = service.applied(block("ada"));
        workspace.configure(block("id-17"));
        workspace.plan().plans(OWNER, "replace");
        workspace.apply().succeeds();
        assert_eq!(service.owners_named("github", "users/id-17"), 1);
        workspace.plans_nothing();
    }
}

#[test]
fn replacement_whose_create_fails_after_the_destroy_is_finished_by_the_next_apply() {
    let service = Service::full();
    let workspace = service.applied(both(0, false, unchanged));
    for method in ["PATCH", "POST"] {
        service.fault(access_fake::Fault::respond(403, "{\"message\":\"no\"}").on(method));
    }
    replace(&workspace, Replace, false).fails_with("PATCH").fails_with("POST");
    service.respond_normally();
    workspace.plan().plans(ROLE, "create").plans(OWNER, "create");
    workspace.apply().succeeds();
    both_exist(&service, "failed");
    workspace.plans_nothing();
}

/// Another team has created both again meanwhile, and this state does not know it.
#[test]
fn objects_that_were_created_again_by_another_are_not_adopted_by_a_replacement() {
    let service = Service::full();
    let workspace = service.applied(both(0, true, unchanged));
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
    service.remove_role("github", "viewer");
    service.remove_principal("github", "users/ada");
    service.put_theirs();
    service.clear_requests();
    replace(&workspace, Replace, false).fails_with("import {");
    assert_eq!((service.writes().len(), service.display_name("viewer")), (0, json!("Theirs")));
    assert_eq!(workspace.state_size(), 3);
}
