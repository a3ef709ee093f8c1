//! Objects that another resource manages, or that are not managed: a create adopts them only if the
//! configuration asks for that.

use std::process::Stdio;

use access_fake::{Absence, Action, Fault, Running, World};
use serde_json::json;

use super::{add_duplicates, display_name, owner, owners_named, role, start, workspace, writes};
use crate::support::progress::{apply_with_log, provider_log, wait_until};
use crate::support::{Feature, Workspace, host_version};

const TAINTED: [&str; 3] = [
    "access_listing_role.viewer",
    "access_integration_owner.viewer",
    "access_integration_owners.viewer",
];

/// Returns a resource for the owners of the integration `okta`.
fn owners(address: &str, principal: &str, more: &str) -> String {
    format!(
        "resource \"access_integration_owners\" \"{address}\" {{
  integration = \"okta\"
  owners      = [\"{principal}\"]
{more}
}}
"
    )
}

/// Returns one resource of each type. `principal` owns the integration `okta`.
fn all(address: &str, principal: &str, more: &str) -> String {
    [
        role(address, "viewer", more),
        owner(address, "users/ada", more),
        owners(address, principal, more),
    ]
    .concat()
}

/// Returns a service, and a workspace that has applied a configuration.
fn applied(configuration: &str) -> (Running, Workspace) {
    let service = start(World::default());
    service.service().put_integration("okta");
    assert!(service.service().remove_owner("okta", "founder"));
    let workspace = workspace(&service);
    workspace.configure(configuration);
    workspace.apply().succeeds();
    service.service().clear_requests();
    (service, workspace)
}

/// Returns the principals of the owners of the integration `okta`.
fn owners_of_okta(service: &Running) -> Vec<serde_json::Value> {
    service.service().owners("okta").iter().map(|owner| owner["owner"].clone()).collect()
}

#[test]
fn abandoned_object_is_adopted_by_another_resource_only_if_it_is_asked_to() {
    let other = role("other", "other", "");
    let abandon = "  deletion_policy = \"abandon\"";
    let (service, workspace) = applied(&(other.clone() + &all("old", "users/carl", abandon)));

    // The create is planned after the destroy.
    let waits = "  depends_on = [access_listing_role.other]";
    let renamed = |more: &str| other.clone() + &all("new", "users/dora", more);
    workspace.configure(&renamed(waits).replace("Viewer", "New"));
    let errors = workspace.plan().exits(1).errors();
    assert_eq!(errors.len(), 3, "{errors:#?}");
    assert!(errors.iter().all(|error| error.contains("import {")), "{errors:#?}");
    workspace.apply().exits(1);
    assert_eq!(writes(&service), 0);
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    assert_eq!(owners_of_okta(&service), ["users/carl"]);

    // As the error of a destroyed and created object advises.
    workspace.configure(&renamed(&format!("{waits}\n  adopt_existing = true")));
    workspace.apply().succeeds().warns("stays at the service").warns("will be adopted");
    assert_eq!(owners_of_okta(&service), ["users/dora"]);
    assert_eq!(owners_named(&service, "users/ada"), 1);
    assert_eq!(workspace.state_size(), 4);
    workspace.plan().exits(0);
}

/// Terraform loads a state that it forgets and does not read it, as without a refresh. OpenTofu reads
/// it, as a tainted one.
#[test]
fn object_that_the_state_forgets_is_not_adopted_silently() {
    let forgotten: String = TAINTED
        .map(|address| address.replace("viewer", "old"))
        .map(|old| {
            format!("removed {{\n  from = {old}\n  lifecycle {{\n    destroy = false\n  }}\n}}\n")
        })
        .concat();
    let other = role("other", "other", "");

    // The plan reads another object first, so it has a refresh.
    let (service, workspace) = applied(&(other.clone() + &all("old", "users/carl", "")));
    let waits = "  depends_on = [access_listing_role.other]";
    workspace.configure(&(forgotten.clone() + &other + &all("new", "users/dora", waits)));
    if !host_version().is_tofu() {
        let errors = workspace.plan().exits(1).errors();
        assert_eq!(errors.len(), 3, "{errors:#?}");
        assert!(errors.iter().all(|error| error.contains("import {")), "{errors:#?}");
        assert_eq!(writes(&service), 0);
    }

    // It reads nothing: each object is an error or a warning, depending on what is loaded first.
    let (service, workspace) = applied(&all("old", "users/carl", ""));
    workspace.configure(&(forgotten + &all("new", "users/dora", "")).replace("Viewer", "New"));
    let outcome = workspace.plan();
    let reported = [outcome.warnings(), outcome.errors()].concat();
    for kind in ["listing role", "integration owner", "list of owners"] {
        let named = [
            format!("The existing {kind} is taken for the tainted one"),
            format!("Could not create {kind}"),
        ];
        let is_reported = |text: &String| named.iter().any(|summary| text.starts_with(summary));
        assert!(reported.iter().any(is_reported), "{kind}: {reported:#?}");
    }
    workspace.apply();
    assert!(
        owners_of_okta(&service).contains(&json!("users/carl")),
        "the plan did not name this owner"
    );
}

#[test]
fn object_deleted_outside_terraform_is_created_like_a_new_one() {
    let (service, workspace) = applied(&role("viewer", "viewer", ""));
    assert!(service.service().remove_role("github", "viewer"));
    workspace.plan_with(&["-out=saved.tfplan"]).exits(2);
    let theirs = json!({"displayName": "Theirs", "priority": "7"});
    service.service().put_role("github", "viewer", &theirs).unwrap();
    workspace.run(&["apply", "-json", "-lock=false", "saved.tfplan"]).exits(1);
    assert_eq!(display_name(&service, "viewer"), "Theirs");
    assert_eq!(writes(&service), 0);
}

/// Applies while the service holds the DELETE, until the provider has received the create as well.
fn apply_with_held_delete(service: &Running, workspace: &Workspace) {
    let held = Fault::new(Action::Hold { processed: false }).on("DELETE");
    service.service().add_fault(held);
    let mut apply = apply_with_log(workspace, "TRACE");
    apply.stdout(Stdio::piped()).stderr(Stdio::piped());
    let apply = apply.spawn().expect("terraform starts");
    wait_until("the DELETE is held", || {
        service.service().requests().iter().any(|request| request.method == "DELETE")
    });
    wait_until("the provider receives the destroy and the create", || {
        let log = provider_log(workspace);
        let is_apply = |line: &&str| {
            line.contains("call received") && line.contains("tf_rpc=ApplyResourceChange")
        };
        log.lines().filter(is_apply).count() == 2
    });
    // The create sends no request while it waits for the DELETE. If it did not wait, it would check whether
    // the owner exists in less time than this plan takes.
    workspace.plan_with(&["-refresh=false"]);
    service.service().clear_faults();
    let output = apply.wait_with_output().expect("terraform ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn owner_that_this_run_deletes_is_added_again_and_not_adopted() {
    let data = "resource \"terraform_data\" \"integration\" {\n  input = \"github\"\n}\n";
    let (service, workspace) = applied(&owner("a", "users/ada", ""));
    let known_after_apply = owner("b", "users/ada", "  adopt_existing = true")
        .replace("\"github\"", "terraform_data.integration.output");
    workspace.configure(&(data.to_owned() + &known_after_apply));
    apply_with_held_delete(&service, &workspace);
    assert_eq!(owners_named(&service, "users/ada"), 1, "the apply succeeded");
    workspace.plan().exits(0);
}

#[test]
fn owners_that_this_run_deletes_are_added_again_and_not_adopted() {
    let data = "resource \"terraform_data\" \"integration\" {\n  input = \"okta\"\n}\n";
    let single = owner("a", "users/ada", "").replace("github", "okta");
    let (service, workspace) = applied(&single);
    let known_after_apply = owners("all", "users/ada", "  adopt_existing = true")
        .replace("\"okta\"", "terraform_data.integration.output");
    workspace.configure(&(data.to_owned() + &known_after_apply));
    apply_with_held_delete(&service, &workspace);
    assert_eq!(owners_of_okta(&service), ["users/ada"], "the apply succeeded");
    workspace.plan().exits(0);
}

#[test]
fn tainted_objects_are_replaced_without_a_refresh() {
    if !host_version().supports(Feature::SameNameReplacement) {
        return;
    }
    for (mode, create_before_destroy) in [("auto", false), ("auto", true), ("off", true)] {
        let more =
            format!("  lifecycle {{\n    create_before_destroy = {create_before_destroy}\n  }}");
        let (service, workspace) = applied(&all("viewer", "users/carl", &more));
        let workspace = workspace.with("ACCESS_DRIFT_DETECTION", mode);
        for address in TAINTED {
            workspace.run(&["taint", "-lock=false", address]).succeeds();
        }
        let case = format!("{mode}, {create_before_destroy}");
        let plan = workspace.plan_with(&["-refresh=false"]);
        assert_eq!(plan.code, 2, "{case}: {}", plan.output());
        let apply = workspace.apply_with(&["-refresh=false"]);
        assert_eq!(apply.code, 0, "{case}: {}", apply.output());
        assert_eq!(display_name(&service, "viewer"), "Viewer", "{case}");
        assert_eq!(owners_named(&service, "users/ada"), 1, "{case}");
        assert_eq!(owners_of_okta(&service), ["users/carl"], "{case}");
        workspace.plan().exits(0);
    }
}

#[test]
fn tainted_object_that_was_replaced_outside_terraform_is_refused_without_a_refresh() {
    let (service, workspace) = applied(&all("viewer", "users/carl", ""));
    for address in TAINTED {
        workspace.run(&["taint", "-lock=false", address]).succeeds();
    }
    let theirs = json!({
        "displayName": "Theirs", "priority": "7", "createTime": "2020-01-02T03:04:05Z",
    });
    service.service().put_role("github", "viewer", &theirs).unwrap();
    for integration in ["github", "okta"] {
        for owner in service.service().owners(integration) {
            let name = owner["name"].as_str().expect("a name");
            let id = name.rsplit('/').next().expect("an ID");
            assert!(service.service().remove_owner(integration, id));
        }
    }
    let fields = json!({"owner": "users/ada", "createTime": "2020-01-02T03:04:05Z"});
    service.service().put_owner("github", "own-7", &fields).unwrap();
    service.service().put_owner("okta", "own-8", &json!({"owner": "users/eve"})).unwrap();
    let errors = workspace.plan_with(&["-refresh=false"]).exits(1).errors();
    assert_eq!(errors.len(), 3, "{errors:#?}");
}

#[test]
fn replacement_of_one_of_two_duplicates_is_finished_by_abandon() {
    let (service, mut workspace) = applied(&all("one", "users/carl", ""));
    service.service().put_integration("other");
    assert!(service.service().remove_owner("other", "founder"));
    add_duplicates(&workspace);
    let replaced = all("one", "users/carl", "")
        .replace("\"viewer\"", "\"editor\"")
        .replace("users/ada", "users/ben")
        .replace("\"okta\"", "\"other\"");
    workspace.configure(&(replaced + &all("two", "users/carl", "")));
    let errors = workspace.plan().exits(1).errors();
    assert_eq!(errors.len(), 3, "{errors:#?}");
    for error in errors {
        assert!(error.contains("ACCESS_DELETION_POLICY=abandon"), "{error}");
    }
    workspace.set("ACCESS_DELETION_POLICY", "abandon");
    workspace.plan().exits(2).warns("The listing role will stay at the service");
    workspace.apply().succeeds();
    workspace.set("ACCESS_DELETION_POLICY", "");
    assert_eq!(display_name(&service, "viewer"), "Viewer");
    assert_eq!(display_name(&service, "editor"), "Viewer");
    for principal in ["users/ada", "users/ben"] {
        assert_eq!(owners_named(&service, principal), 1, "{principal}");
    }
    assert_eq!(owners_of_okta(&service), ["users/carl"]);
    workspace.plan().exits(0);
}

#[test]
fn second_create_of_one_object_fails_the_apply_if_the_names_were_unknown() {
    let service = start(World {
        duplicate_owners: true,
        ..World::documented_only(Absence::MethodNotAllowed)
    });
    let workspace = workspace(&service);
    let data = "resource \"terraform_data\" \"parent\" {\n  input = \"github\"\n}\n";
    let both = |address: &str| {
        let resources = role(address, "viewer", "") + &owner(address, "users/ada", "");
        resources.replace("\"github\"", "terraform_data.parent.output")
    };
    workspace.configure(&(data.to_owned() + &both("one") + &both("two")));
    let errors = workspace.apply_with(&["-parallelism=1"]).exits(1).errors();
    for summary in
        ["Two resources create one listing role", "Two resources create one integration owner"]
    {
        assert!(errors.iter().any(|error| error.starts_with(summary)), "{errors:#?}");
    }
    assert_eq!(writes(&service), 2);
    assert_eq!(workspace.state_size(), 3);
}
