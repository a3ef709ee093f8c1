//! Same-name replacements: `-replace`, taint and `replace_triggered_by`.

use access_fake::{Absence, World};
use serde_json::json;

use super::{deposed, display_name, owner, owners_named, role, start, workspace, writes};
use crate::support::{Feature, Outcome, Workspace, host_version};

const ROLE: &str = "access_listing_role.viewer";
const OWNER: &str = "access_integration_owner.ada";

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trigger {
    Replace,
    Taint,
    TriggeredBy,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Apply {
    Direct,
    SavedPlan,
}

fn configuration(create_before_destroy: bool, adopts: bool) -> String {
    let more = |adopts: bool| {
        let adopts = if adopts { "adopt_existing = true" } else { "" };
        format!(
            "  {adopts}
  lifecycle {{
    create_before_destroy = {create_before_destroy}
    replace_triggered_by  = [terraform_data.trigger]
  }}"
        )
    };
    format!(
        "variable \"trigger\" {{
  default = 0
}}
resource \"terraform_data\" \"trigger\" {{
  input = var.trigger
}}
{}{}",
        role("viewer", "viewer", &more(adopts)),
        owner("ada", "users/ada", &more(adopts))
    )
}

/// Replaces both resources, and returns the outcome of the apply.
fn replace(workspace: &Workspace, trigger: Trigger, number: usize, apply: Apply) -> Outcome {
    let variable = format!("-var=trigger={number}");
    let replaces = [format!("-replace={ROLE}"), format!("-replace={OWNER}")];
    let mut arguments = vec![variable.as_str()];
    match trigger {
        Trigger::Replace => arguments.extend(replaces.iter().map(String::as_str)),
        Trigger::Taint => {
            for address in [ROLE, OWNER] {
                workspace.run(&["taint", "-lock=false", address]).succeeds();
            }
        }
        Trigger::TriggeredBy => {}
    }
    if apply == Apply::Direct {
        return workspace.apply_with(&arguments);
    }
    arguments.push("-out=saved.tfplan");
    workspace.plan_with(&arguments).exits(2);
    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"])
}

fn walk(create_before_destroy: bool, cases: &[(Trigger, Apply, bool)]) {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&configuration(create_before_destroy, false));
    workspace.apply_with(&["-var=trigger=0"]).succeeds();
    let mut number = 0;
    for (trigger, apply, adopts) in cases {
        let case = format!("{trigger:?}, {apply:?}, adopt_existing = {adopts}");
        if *trigger == Trigger::TriggeredBy {
            number += 1;
        }
        workspace.configure(&configuration(create_before_destroy, *adopts));
        let outcome = replace(&workspace, *trigger, number, *apply);
        assert_eq!(outcome.code, 0, "{case}: {:#?}", outcome.errors());
        let warned = |text: &str| outcome.warnings().iter().any(|warning| warning.contains(text));
        let kept = create_before_destroy;
        assert_eq!(warned("The listing role was not deleted"), kept, "{case}");
        assert_eq!(warned("The integration owner was not deleted"), kept, "{case}");
        assert_eq!(display_name(&service, "viewer"), "Viewer", "{case}");
        assert_eq!(owners_named(&service, "users/ada"), 1, "{case}");
        assert_eq!((workspace.state_size(), deposed(&workspace)), (3, 0), "{case}");
        let plan = workspace.plan_with(&[&format!("-var=trigger={number}")]);
        assert_eq!(plan.code, 0, "{case}: {}", plan.output());
    }
}

#[test]
fn replacement_that_creates_before_it_destroys_keeps_the_object() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    walk(
        true,
        &[
            (Trigger::Replace, Apply::Direct, false),
            (Trigger::Taint, Apply::Direct, false),
            (Trigger::TriggeredBy, Apply::Direct, false),
            (Trigger::Replace, Apply::Direct, true),
            (Trigger::Taint, Apply::Direct, true),
            (Trigger::TriggeredBy, Apply::Direct, true),
        ],
    );
}

#[test]
fn replacement_by_a_saved_plan_keeps_the_object() {
    if !host_version().supports(Feature::SavedSameNameReplacement) {
        return;
    }
    walk(
        true,
        &[
            (Trigger::Replace, Apply::SavedPlan, true),
            (Trigger::Taint, Apply::SavedPlan, true),
            (Trigger::TriggeredBy, Apply::SavedPlan, true),
            (Trigger::Replace, Apply::SavedPlan, false),
            (Trigger::Taint, Apply::SavedPlan, false),
            (Trigger::TriggeredBy, Apply::SavedPlan, false),
        ],
    );
}

#[test]
fn replacement_that_destroys_first_creates_the_object_again() {
    walk(
        false,
        &[
            (Trigger::Replace, Apply::Direct, false),
            (Trigger::Taint, Apply::SavedPlan, true),
            (Trigger::TriggeredBy, Apply::SavedPlan, false),
            (Trigger::Taint, Apply::Direct, false),
        ],
    );
}

/// A configuration that sets these attributes leaves no mark in the saved plan.
#[test]
fn saved_replacement_with_explicit_settings_is_refused_and_stays_in_the_state() {
    if !host_version().supports(Feature::SavedSameNameReplacement) {
        return;
    }
    let service = start(World::default());
    let workspace = workspace(&service);
    let explicit = "  adopt_existing  = false
  deletion_policy = \"delete\"
  lifecycle {
    create_before_destroy = true
  }";
    let of_role = format!("  allow_missing   = true\n{explicit}");
    workspace
        .configure(&(role("viewer", "viewer", &of_role) + &owner("ada", "users/ada", explicit)));
    workspace.apply().succeeds();
    let replaces = [format!("-replace={ROLE}"), format!("-replace={OWNER}")];
    workspace.plan_with(&[&replaces[0], &replaces[1], "-out=saved.tfplan"]).exits(2);
    let apply = workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]);
    apply.fails_with("the role exists already");
    assert_eq!(owners_named(&service, "users/ada"), 1);
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    for address in [ROLE, OWNER] {
        assert!(workspace.state_of(address).is_some(), "Terraform restores what it has deposed");
    }
    assert_eq!(deposed(&workspace), 0);

    workspace.apply_with(&[&replaces[0], &replaces[1]]).succeeds();
    assert_eq!(owners_named(&service, "users/ada"), 1);
    workspace.plan().exits(0);
}

#[test]
fn object_that_appears_after_a_saved_plan_is_not_overwritten() {
    let service = start(World::default());
    let workspace = workspace(&service);
    workspace.configure(&format!(
        "{}{}",
        role("viewer", "viewer", ""),
        owner("ada", "users/ada", "")
    ));
    workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
    let theirs = json!({"displayName": "Theirs", "priority": "7"});
    service.service().put_role("github", "viewer", &theirs).unwrap();
    service.service().put_owner("github", "own-7", &json!({"owner": "users/ada"})).unwrap();
    let outcome = workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).exits(1);
    // Terraform's errors are one for each attribute of the mark.
    assert_eq!(outcome.errors().len(), 5, "{:#?}", outcome.errors());
    for id in ["listings/github/roles/viewer", "integrations/github/owners/own-7"] {
        let block = format!("id = \"{id}\"");
        assert!(outcome.output().contains(&block.replace('"', "\\\"")), "{}", outcome.output());
    }
    assert_eq!(display_name(&service, "viewer"), "Theirs");
    assert_eq!(owners_named(&service, "users/ada"), 1);
    assert_eq!(writes(&service), 0);
    assert_eq!(workspace.state_size(), 0);
}

#[test]
fn replacement_without_reads_keeps_the_object() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    for (world, mode) in [
        (World::documented_only(Absence::NotFound), "auto"),
        (World::documented_only(Absence::MethodNotAllowed), "auto"),
        (World::default(), "patch"),
        (World::default(), "off"),
    ] {
        let service = start(world);
        let workspace = workspace(&service).with("ACCESS_DRIFT_DETECTION", mode);
        let more = "  lifecycle {\n    create_before_destroy = true\n  }";
        workspace.configure(&role("viewer", "viewer", more));
        workspace.apply().succeeds();
        workspace.apply_with(&["-replace=access_listing_role.viewer"]).succeeds();
        workspace.run(&["taint", "-lock=false", ROLE]).succeeds();
        workspace.apply().succeeds();
        assert_eq!(display_name(&service, "viewer"), "Viewer", "{mode}");
        assert_eq!((workspace.state_size(), deposed(&workspace)), (1, 0), "{mode}");
        let deletes = service.service().requests();
        assert!(deletes.iter().all(|request| request.method != "DELETE"), "{mode}");
        workspace.plan().exits(0);
    }
}
