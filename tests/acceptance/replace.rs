//! Replacements of a resource by itself: `-replace`, taint and `replace_triggered_by`, by direct
//! and by saved plans.

use access_fake::Fault;

use crate::support::fixtures::{
    ADA, Block, LIST, Text, VIEWER, import, later, owner, owners, role, settings,
};
use crate::support::{Feature, Outcome, Service, Workspace, host_version};

/// What causes a replacement.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trigger {
    Replace,
    Taint,
    TriggeredBy,
}
use Trigger::{Replace, Taint, TriggeredBy};

/// Returns a block that a change of `terraform_data.trigger` replaces.
fn triggered(block: Block, create_before_destroy: bool) -> Block {
    block.line(&format!(
        "lifecycle {{
    create_before_destroy = {create_before_destroy}
    replace_triggered_by  = [terraform_data.trigger]
  }}"
    ))
}

/// Returns a role and an owner that a change of `terraform_data.trigger` replaces.
fn both(trigger: usize, create_before_destroy: bool, with: fn(Block) -> Block) -> Text {
    let [role, owner] =
        [role("viewer"), owner("ada")].map(|block| triggered(with(block), create_before_destroy));
    later("trigger", trigger) + role + owner
}

/// Prepares the replacement of these resources. Returns the arguments of its plan.
fn prepare(workspace: &Workspace, triggers: &[(&str, Trigger)]) -> Vec<String> {
    let of = |trigger| triggers.iter().filter(move |it| it.1 == trigger).map(|it| it.0);
    workspace.taint(&of(Taint).collect::<Vec<_>>());
    of(Replace).map(|address| format!("-replace={address}")).collect()
}

/// Replaces the role and the owner.
fn replace(workspace: &Workspace, triggers: [Trigger; 2], saved: bool) -> Outcome {
    let arguments = prepare(workspace, &[(VIEWER, triggers[0]), (ADA, triggers[1])]);
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    if !saved {
        return workspace.apply_with(&arguments);
    }
    workspace.save_plan(&arguments);
    workspace.apply_saved()
}

#[track_caller]
fn both_exist(service: &Service, case: &str) {
    assert_eq!(service.display_name("viewer"), "Role", "{case}");
    assert_eq!(service.owners_named("github", "users/ada"), 1, "{case}");
}

#[test]
fn replacement_that_destroys_first_creates_the_objects_again() {
    let (service, workspace) = Service::with_applied(both(0, false, |block| block));
    for (number, triggers, saved) in [(0, [Replace, Taint], true), (1, [TriggeredBy; 2], false)] {
        let case = format!("{triggers:?}, saved: {saved}");
        service.clear_requests();
        workspace.configure(both(number, false, |block| block));
        let outcome = replace(&workspace, triggers, saved);
        assert_eq!(outcome.code, 0, "{case}: {}", outcome.output());
        // No warning that the object exists: it is the resource's own.
        outcome.does_not_warn("import {");
        assert_eq!(service.requests_of("DELETE"), 2, "{case}");
        both_exist(&service, &case);
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{case}");
    }
    // A create that fails after the destroy is finished by the next apply.
    for method in ["PATCH", "POST"] {
        service.add_fault(Fault::respond(403, "{\"message\":\"no\"}").on(method));
    }
    replace(&workspace, [Taint, Replace], false).fails_with(["PATCH"]).fails_with(["POST"]);
    service.clear_faults();
    workspace.apply().succeeds();
    both_exist(&service, "failed");
}

/// Terraform restores what it has deposed after an error of the create. Where the host does not mark the plan
/// inside the apply, that plan fails and leaves a deposed object; the way back that the text names deletes
/// nothing.
#[test]
fn create_before_destroy_is_refused_and_no_object_is_lost() {
    let (service, workspace) = Service::with_applied(both(0, true, |block| block));
    let is_marked = host_version().has(Feature::MarkedApply);
    for (number, triggers, saved) in [(0, [Taint, Replace], true), (1, [TriggeredBy; 2], false)] {
        let case = format!("{triggers:?}, saved: {saved}");
        let configuration = both(number, true, |block| block);
        workspace.configure(configuration.clone());
        let outcome = replace(&workspace, triggers, saved).exits(1);
        assert_eq!(service.writes().len(), 0, "{case}");
        both_exist(&service, &case);
        if !is_marked {
            let outcome = outcome.fails_with(["exists already", "import {"]);
            if workspace.deposed() > 0 {
                outcome.fails_with(["`(deposed object ...)`", "`terraform state rm`"]);
            }
            let id = service.owner_ids("github", "users/ada").remove(0);
            workspace.run(&["state", "rm", "-lock=false", VIEWER, ADA]).succeeds();
            let blocks = import(VIEWER, "github/viewer") + import(ADA, &format!("github/{id}"));
            workspace.apply_of(configuration + blocks).succeeds();
            both_exist(&service, &case);
            service.clear_requests();
            continue;
        }
        let mut outcome = outcome;
        for name in ["roles/viewer", "users/ada"] {
            outcome = outcome.fails_with([name, "terraform untaint", "adopt_existing = true"]);
        }
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{case}");
        // The advice works.
        if triggers.contains(&Taint) {
            workspace.untaint(&[VIEWER]);
            workspace.plans_nothing();
        }
    }
}

#[test]
fn create_before_destroy_with_adoption_writes_in_place_and_destroys_nothing() {
    let (service, mut workspace) = Service::with_applied(both(0, true, Block::adopting));
    let ids = service.owner_ids("github", "users/ada");
    // Also under `abandon`.
    for (number, triggers, saved, policy) in
        [(0, [Taint, Replace], true, ""), (1, [TriggeredBy; 2], false, "abandon")]
    {
        let case = format!("{triggers:?}, saved: {saved}");
        workspace.set("ACCESS_DELETION_POLICY", policy);
        workspace.configure(both(number, true, Block::adopting));
        let outcome = replace(&workspace, triggers, saved);
        assert_eq!(outcome.code, 0, "{case}: {}", outcome.output());
        outcome.warns([if policy.is_empty() { "roles/viewer" } else { "Abandoned objects" }]);
        assert_eq!(service.requests_of("DELETE"), 0, "{case}");
        both_exist(&service, &case);
        assert_eq!(service.owner_ids("github", "users/ada"), ids, "{case}");
        assert_eq!((workspace.state_size(), workspace.deposed()), (3, 0), "{case}");
    }
    workspace.plans_nothing();
}

/// A destroy that leaves the object would leave the create nothing but a refusal, after the state
/// is gone; an apply of the list of owners adds and removes already.
#[test]
fn replacement_under_abandon_and_of_a_list_of_owners_keeps_the_state() {
    for (create_before_destroy, trigger) in [(true, Taint), (false, TriggeredBy)] {
        if create_before_destroy && !host_version().supports(Feature::MarkedApply) {
            continue;
        }
        let case = format!("{trigger:?}, create_before_destroy = {create_before_destroy}");
        let service = Service::with_empty_okta();
        let all = |number| {
            let list = triggered(owners(&["users/ada", "users/ben"]), create_before_destroy);
            let both = both(number, create_before_destroy, |block| block);
            settings().text("deletion_policy", "abandon") + both + list
        };
        let workspace = service.applied(all(0));
        workspace.configure(all(usize::from(trigger == TriggeredBy)));
        prepare(&workspace, &[VIEWER, ADA, LIST].map(|address| (address, trigger)));
        let outcome = workspace.apply();
        let part = if create_before_destroy { "exists already" } else { "The state is kept." };
        outcome.fails_with(["roles/viewer", part]).fails_with(["integrations/github", part]);
        assert_eq!((service.writes().len(), workspace.state_size()), (0, 4), "{case}");
        assert_eq!(workspace.deposed(), 0, "{case}");
        both_exist(&service, &case);
        assert_eq!(service.principals("okta"), ["users/ada", "users/ben"], "{case}");
        if trigger == Taint {
            // The list, which only adds, is its own successor.
            workspace.untaint(&[VIEWER, ADA]);
            workspace.plans_nothing();
        }
    }
}

/// With `lifecycle { destroy = false }` the host forgets the old object before the create, which is
/// then refused: the object is at the service and in no state, and `import` is the way.
#[test]
fn replacement_of_a_forgotten_object_is_refused_and_names_the_import() {
    if !host_version().supports(Feature::Forget) {
        return;
    }
    let keeping = |block: Block| block.line("lifecycle {\n    destroy = false\n  }");
    let (service, workspace) =
        Service::with_applied(keeping(role("viewer")) + keeping(owner("ada")));
    let outcome = replace(&workspace, [Taint, Replace], false).exits(1);
    for error in outcome.errors() {
        assert!(error.contains("import {"), "{error}");
        assert!(!error.contains("Terraform has kept"), "{error}");
    }
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 0));
    let id = service.owner_ids("github", "users/ada").remove(0);
    let blocks = import(VIEWER, "github/viewer") + import(ADA, &format!("github/{id}"));
    workspace.apply_of(keeping(role("viewer")) + keeping(owner("ada")) + blocks).succeeds();
    workspace.plans_nothing();
}
