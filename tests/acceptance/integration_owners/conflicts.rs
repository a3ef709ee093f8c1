//! Other resources for the same owners, same-name replacements, and renamed addresses.

use super::*;
use crate::support::{Feature, host_version};

/// Returns the block of a single owner of `github`.
fn single(address: &str, principal: &str, more: &str) -> String {
    format!(
        "resource \"access_integration_owner\" \"{address}\" {{
  integration = \"github\"
  owner       = \"{principal}\"
{more}
}}
"
    )
}

/// Returns the errors of a plan, which writes nothing.
fn errors_of_plan(service: &Service, workspace: &Workspace) -> Vec<String> {
    let before = service.writes().len();
    let errors = workspace.plan().exits(1).errors();
    assert_eq!(service.writes().len(), before);
    errors
}

#[test]
fn single_owners_of_the_same_integration_are_an_error_at_plan() {
    // New next to new, in either order; contained in the list or not.
    let after = |address: &str| format!("  depends_on = [{address}]");
    let first = String::new;
    for (list, one) in [(first(), after(OWNERS)), (after("access_integration_owner.ben"), first())]
    {
        for principal in ["users/ada", "users/ben"] {
            let service = Service::full();
            let workspace = service.workspace();
            let list = owners(
                &["users/founder", "users/ada"],
                &format!("  adopt_existing = true\n{list}"),
            );
            workspace.configure(&(list + &single("ben", principal, &one)));
            let errors = errors_of_plan(&service, &workspace);
            assert_eq!(errors.len(), 1, "{errors:#?}");
            for part in ["managed twice", "`access_integration_owners`", principal] {
                assert!(errors[0].contains(part), "{part}: {errors:#?}");
            }
        }
    }
    // A new one next to an existing one, in both directions.
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let list = adopting(&["users/founder", "users/ada"]);
    workspace.configure(&(list.clone() + &single("ben", "users/ben", "")));
    assert!(errors_of_plan(&service, &workspace)[0].contains("managed twice"));

    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&single("ben", "users/ben", ""));
    workspace.apply().succeeds();
    workspace.configure(&(list + &single("ben", "users/ben", "")));
    assert!(errors_of_plan(&service, &workspace)[0].contains("managed twice"));
}

#[test]
fn two_resources_for_one_integration_are_an_error_at_plan() {
    let service = Service::full();
    let workspace = service.workspace();
    let second = |list: &[&str]| adopting(list).replace("\"github\" {", "\"second\" {");
    let first = adopting(&["users/founder", "users/ada"]);
    workspace.configure(&(first.clone() + &second(&["users/ben"])));
    let errors = errors_of_plan(&service, &workspace);
    assert!(errors[0].contains("Two resources create one list of owners"), "{errors:#?}");
    workspace.configure(&first);
    workspace.apply().succeeds();
    workspace.configure(&(first + &second(&["users/ben"])));
    let errors = errors_of_plan(&service, &workspace);
    assert!(errors[0].contains("Two resources manage one list of owners"), "{errors:#?}");
}

/// A destroy of the single owner would remove what the list keeps.
#[test]
fn single_owner_that_is_destroyed_and_kept_is_an_error_at_plan() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&single("ada", "users/ada", ""));
    workspace.apply().succeeds();
    workspace.configure(&adopting(&["users/founder", "users/ada"]));
    let errors = errors_of_plan(&service, &workspace);
    assert!(errors[0].contains("destroyed and kept"), "{errors:#?}");
    // Without the owner, both remove it.
    workspace.configure(&adopting(&["users/founder"]));
    workspace.apply().succeeds();
    assert_eq!(at_service(&service), ["users/founder"]);
    workspace.plan().exits(0);
}

#[test]
fn single_owners_move_to_the_list_without_a_write() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(&single("ada", "users/ada", ""));
    workspace.apply().succeeds();
    service.clear_requests();
    workspace.configure(&format!(
        "{}removed {{
  from = access_integration_owner.ada
  lifecycle {{
    destroy = false
  }}
}}
import {{
  to = {OWNERS}
  id = \"github\"
}}
",
        owners(&["users/founder", "users/ada"], "")
    ));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), [""; 0]);
    assert_eq!(workspace.state_size(), 1);
    workspace.plan().exits(0);
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trigger {
    Replace,
    Taint,
}

/// Makes a same-name replacement with other owners, and returns the plan's or apply's outcome.
fn replace(workspace: &Workspace, trigger: Trigger, saved: bool) -> crate::support::Outcome {
    let replace = format!("-replace={OWNERS}");
    let mut arguments = vec!["-refresh=true"];
    match trigger {
        Trigger::Replace => arguments.push(&replace),
        Trigger::Taint => {
            workspace.run(&["taint", "-lock=false", OWNERS]).succeeds();
        }
    }
    if !saved {
        return workspace.apply_with(&arguments);
    }
    arguments.push("-out=saved.tfplan");
    assert_eq!(workspace.plan_with(&arguments).exits(2).action(OWNERS), "replace");
    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"])
}

/// No owner that the configuration contains is ever removed.
#[test]
fn same_name_replacement_keeps_the_owners() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    for create_before_destroy in [false, true] {
        for trigger in [Trigger::Replace, Trigger::Taint] {
            for saved in [false, true] {
                // The apply of a saved plan cannot tell that a create replaces its own resource.
                let adopts = saved && create_before_destroy;
                let case = format!("{create_before_destroy} {trigger:?} {saved}");
                let more = format!(
                    "  adopt_existing = {adopts}
  lifecycle {{
    create_before_destroy = {create_before_destroy}
  }}"
                );
                let (service, workspace) = applied(&["users/founder", "users/ada"]);
                workspace.configure(&owners(&["users/founder", "users/ben"], &more));
                let outcome = replace(&workspace, trigger, saved);
                assert_eq!(outcome.code, 0, "{case}: {:#?}", outcome.errors());
                outcome.warns("The list of owners was not deleted");
                if create_before_destroy && trigger == Trigger::Taint && !saved {
                    // No destroy has shown yet that the tainted resource is this one.
                    assert_eq!(writes(&service), ["POST"], "{case}");
                    assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
                    workspace.apply().succeeds();
                }
                assert_eq!(writes(&service), ["POST", "DELETE"], "{case}");
                assert_eq!(at_service(&service), ["users/ben", "users/founder"], "{case}");
                assert_eq!(workspace.state_size(), 1, "{case}");
                workspace.plan().exits(0);
            }
        }
    }
}

/// The destroy has removed the state, so the create returns it in any case.
#[test]
fn same_name_replacement_whose_create_fails_keeps_owners_and_state() {
    for saved in [false, true] {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        forbid(&service, "POST");
        workspace.configure(&owners(&["users/founder", "users/ben"], ""));
        let outcome = replace(&workspace, Trigger::Replace, saved).succeeds();
        outcome.warns("Not all owners were changed").warns("not for you");
        assert_eq!(at_service(&service), ["users/ada", "users/founder"]);
        assert!(!is_tainted(&workspace));
        service.respond_normally();
        assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
        workspace.apply().succeeds();
        assert_eq!(at_service(&service), ["users/ben", "users/founder"]);
        workspace.plan().exits(0);
    }
}

#[test]
fn same_name_replacement_without_a_list_fails_and_keeps_the_state() {
    for (create_before_destroy, trigger) in
        [(false, Trigger::Replace), (false, Trigger::Taint), (true, Trigger::Replace)]
    {
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let more =
            format!("  lifecycle {{\n    create_before_destroy = {create_before_destroy}\n  }}");
        workspace.configure(&owners(&["users/founder", "users/ada"], &more));
        without_list(&service, 405);
        replace(&workspace, trigger, false).exits(1);
        assert_eq!(writes(&service), [""; 0], "{trigger:?}");
        assert_eq!(in_state(&workspace), ["users/ada", "users/founder"], "{trigger:?}");
    }
}

/// An owner that appears after the plan stays until the next one, as in an update.
#[test]
fn same_name_replacement_removes_only_owners_that_its_plan_names() {
    for (create_before_destroy, trigger) in
        [(false, Trigger::Replace), (false, Trigger::Taint), (true, Trigger::Replace)]
    {
        if create_before_destroy && !host_version().supports(Feature::SameNameReplacement) {
            continue;
        }
        let (service, workspace) = applied(&["users/founder", "users/ada"]);
        let mut workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
        service.put_owner("github", "own-7", "groups/ops");
        let more =
            format!("  lifecycle {{\n    create_before_destroy = {create_before_destroy}\n  }}");
        workspace.configure(&owners(&["users/ben", "users/founder"], &more));
        replace(&workspace, trigger, false).succeeds();
        assert_eq!(writes(&service), ["POST", "DELETE"], "{trigger:?}");
        assert_eq!(at_service(&service), ["groups/ops", "users/ben", "users/founder"]);
        assert!(!is_tainted(&workspace));

        workspace.set("ACCESS_DRIFT_DETECTION", "auto");
        assert_eq!(workspace.plan().exits(2).action(OWNERS), "update");
        workspace.apply().succeeds();
        assert_eq!(at_service(&service), ["users/ben", "users/founder"]);
        workspace.plan().exits(0);
    }
}

#[test]
fn saved_replacement_without_adoption_is_refused_and_loses_nothing() {
    if !host_version().supports(Feature::SavedSameNameReplacement) {
        return;
    }
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let more = "  lifecycle {\n    create_before_destroy = true\n  }";
    workspace.configure(&owners(&["users/founder", "users/ada"], more));
    replace(&workspace, Trigger::Replace, true).fails_with("has owners already");
    assert_eq!(writes(&service), [""; 0]);
    assert_eq!(in_state(&workspace), ["users/ada", "users/founder"]);
    // `terraform apply` without a plan file is not refused: the plan leaves a note.
    replace(&workspace, Trigger::Replace, false).succeeds();
    assert_eq!(writes(&service), [""; 0]);
    workspace.plan().exits(0);
}

#[test]
fn renamed_address_needs_a_moved_block() {
    let (service, workspace) = applied(&["users/founder", "users/ada"]);
    let renamed = adopting(&["users/founder", "users/ada"]).replace("\"github\" {", "\"all\" {");
    workspace.configure(&renamed);
    let errors = errors_of_plan(&service, &workspace);
    assert!(errors[0].contains("from = access_integration_owners.old_name"), "{errors:#?}");
    workspace.configure(&format!(
        "{renamed}moved {{\n  from = {OWNERS}\n  to   = access_integration_owners.all\n}}\n"
    ));
    workspace.apply().succeeds();
    assert_eq!(writes(&service), [""; 0]);
    workspace.plan().exits(0);
}
