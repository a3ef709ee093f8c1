//! Creates: what is sent, objects that exist already, adoptions, and looks that cannot be made.
//!
//! `protocol::creates` has the whole table of looks. Here Terraform shows what its user meets.

use serde_json::json;

use crate::support::fixtures::{ADA, Block, REPOSITORY, VIEWER, import, later, owner, role};
use crate::support::{Service, has_parts};

const NAMES: [&str; 2] = ["listings/github/roles/viewer", "integrations/github/owners/own-7"];

#[test]
fn role_is_created_planned_without_changes_and_destroyed() {
    let (service, workspace) = Service::with_workspace();
    let viewer = role("viewer").text("description", "Reads everything").set("priority", i64::MIN);
    workspace.configure(viewer.clone().set("resources", "[\"repo/b\", \"repo/a\"]"));
    workspace.save_plan(&[]).plans(VIEWER, "create");
    // A name that is known at plan can be used elsewhere.
    assert_eq!(workspace.saved_change(VIEWER)["after"]["name"], NAMES[0]);
    workspace.apply_saved().succeeds().without_warnings();

    let writes = service.writes();
    assert_eq!(writes.len(), 1, "{writes:#?}");
    assert_eq!(writes[0].query_value("allowMissing").as_deref(), Some("true"));
    let mask = writes[0].query_value("updateMask").expect("a mask");
    let mut mask: Vec<_> = mask.split(',').collect();
    mask.sort_unstable();
    assert_eq!(mask, ["description", "displayName", "priority", "repoDir", "repoUri", "resources"]);
    let priority = i64::MIN.to_string();
    let body = json!({"displayName": "Role", "priority": priority,
                      "description": "Reads everything", "resources": ["repo/a", "repo/b"],
                      "repoUri": REPOSITORY, "repoDir": "configuration"});
    assert_eq!(writes[0].body, body, "no read-only field, and all 64 bits");

    let state = workspace.state_of(VIEWER).unwrap();
    assert_eq!(state["priority"].as_i64(), Some(i64::MIN));
    assert_eq!((&state["id"], &state["name"]), (&json!(NAMES[0]), &json!(NAMES[0])));
    assert_eq!((&state["manager"], &state["management"]), (&json!("TERRAFORM"), &json!(null)));
    assert!(state["create_time"].is_string() && state["update_time"].is_string(), "{state}");

    workspace.plan_with(&["-refresh=false"]).exits(0);
    let in_other_order = viewer.set("resources", "[\"repo/a\", \"repo/b\"]");
    workspace.plan_of(in_other_order).exits(0).without_warnings();
    workspace.destroy().succeeds().warns(["revoke"]);
    assert_eq!((service.role("github", "viewer"), workspace.state_size()), (None, 0));
}

#[test]
fn owner_is_created_planned_without_changes_and_destroyed() {
    let with_id = || owner("ben").text("integration_owner_id", "one");
    let (service, workspace) = Service::with_applied(owner("ada") + with_id());
    let state = workspace.state_of(ADA).unwrap();
    let id = state["integration_owner_id"].as_str().unwrap();
    assert_eq!(state["name"], format!("integrations/github/owners/{id}"));
    assert_eq!(state["id"], state["name"]);
    assert!(state["create_time"].is_string());
    let ben = workspace.state_of("access_integration_owner.ben").unwrap();
    assert_eq!(ben["id"], "integrations/github/owners/one");
    workspace.plan_with(&["-refresh=false"]).exits(0);
    workspace.plan_of(owner("ada") + owner("ben")).exits(0).without_warnings();
    workspace.destroy().succeeds();
    assert_eq!(service.principals("github"), ["users/founder"], "others are left alone");
}

/// A plan fails for what exists. The create decides about an object that has appeared since a saved plan.
#[test]
fn existing_objects_are_an_error_of_the_plan_and_of_the_create() {
    let (service, workspace) = Service::with_workspace();
    workspace.configure(role("viewer") + owner("ada"));
    workspace.save_plan(&[]).without_warnings();
    service.put_theirs();
    let saved = workspace.apply_saved();
    for (block, name) in [(role("viewer"), NAMES[0]), (owner("ada"), NAMES[1])] {
        let parts = ["import {", &format!("id = \"{name}\""), "*Import existing roles*"];
        let error = workspace.plan_of(&block).fails_with(parts).only_error();
        // An error on a screen of 78 columns is some seven lines longer than its text.
        let lines = error.lines().map(|line| line.len().div_ceil(76).max(1)).sum::<usize>();
        assert!(lines <= 13, "{lines}: {error}");
        assert!(saved.errors().iter().any(|it| parts.iter().all(|part| it.contains(part))));
    }
    assert_eq!(saved.exits(1).errors().len(), 2);
    // It stops no destroy.
    workspace.destroy_with(&["-refresh=false"]).succeeds();
    assert_eq!((service.writes().len(), workspace.state_size()), (0, 0));
    assert_eq!(service.display_name("viewer"), "Theirs");

    // The block of the error works.
    let imports = import(VIEWER, NAMES[0]) + import(ADA, NAMES[1]);
    workspace.apply_of(role("viewer") + owner("ada") + imports).succeeds();
    assert_eq!((service.requests_of("POST"), workspace.state_size()), (0, 2));
}

#[test]
fn adoption_shows_the_present_values_at_plan_and_touches_only_what_is_configured() {
    let service = Service::full();
    service.put_theirs();
    let workspace = service.workspace();
    let apply = workspace.apply_of(role("viewer").adopting() + owner("ada").adopting()).succeeds();
    let apply = apply.warns(["listings/github/roles/viewer", "`display_name`", "Theirs"]);
    let apply = apply
        .warns(["listings/github/roles/viewer", "`priority`", "7"])
        .warns(["integrations/github"]);
    apply.does_not_warn("`resources`").does_not_warn("import {");
    let stored = service.role("github", "viewer").unwrap();
    assert_eq!((&stored["displayName"], &stored["priority"]), (&json!("Role"), &json!("1")));
    assert_eq!(stored["resources"], json!(["repo/old"]), "not configured and not touched");
    assert_eq!(stored["manager"], "TERRAFORM");
    assert_eq!(service.requests_of("POST"), 0);

    // The argument itself is not sent to the service.
    service.clear_requests();
    workspace.apply_of(role("viewer") + owner("ada")).succeeds();
    assert_eq!(service.writes().len(), 0);
}

/// The create decides, also by an expression that turns out null.
#[test]
fn adoption_that_is_known_after_apply_is_decided_by_the_create() {
    let service = Service::full();
    service.put_theirs();
    service.put_role("github", "editor", json!({"displayName": "Theirs", "priority": "7"}));
    service.put_owner("github", "own-8", "users/ben");
    let adopts = |block: Block, flag| block.set("adopt_existing", flag);
    let [yes, no] = ["!terraform_data.no.output", "terraform_data.no.output ? true : null"];
    let adopting = adopts(role("viewer"), yes) + adopts(owner("ada"), yes);
    let refused = adopts(role("editor"), no) + adopts(owner("ben"), no);
    let workspace = service.configured(later("no", false) + adopting + refused);
    workspace.save_plan(&[]);
    let apply = workspace.apply_saved().fails_with(["roles/editor"]).fails_with(["users/ben"]);
    assert_eq!(apply.errors().len(), 2, "{}", apply.output());
    let names = ["viewer", "editor"].map(|role| service.display_name(role));
    assert_eq!((names, service.requests_of("POST")), ([json!("Role"), json!("Theirs")], 0));
    assert_eq!((service.writes().len(), workspace.state_size()), (1, 3));
}

/// Returns a service that answers a POST with the owner that there is, and compares principals
/// without case.
fn answering_with_what_exists() -> Service {
    let service = Service::full();
    service.change_world(|world| {
        world.returns_existing_owner = true;
        world.owners_ignore_case = true;
    });
    service
}

/// Somebody edits the spelling of a `for_each` key: Terraform creates and destroys at once, in
/// either order, and both are the same owner at the service.
#[test]
fn owner_whose_spelling_is_edited_stays_an_owner() {
    let service = answering_with_what_exists();
    let each = |name: &str, principal: &str| {
        let block = owner(name).set("for_each", format!("toset([\"users/{principal}\"])"));
        block.set("owner", "each.key")
    };
    let both = |ada: &str, ben: &str| each("ada", ada) + each("ben", ben).adopting();
    let workspace = service.applied(both("Ada", "Ben"));
    let outcome = workspace.apply_of(both("ada", "ben"));
    if outcome.code != 0 {
        // A create came first. The service's spelling is the way out.
        let errors = outcome.errors();
        let has_stopped = |spelling: &str| errors.iter().any(|it| it.contains(spelling));
        let [ada, ben] = ["Ada", "Ben"].map(|it| has_stopped(&format!("users/{it}")));
        assert!(ada || ben, "{errors:#?}");
        assert!(errors.iter().all(|it| it.contains("Nothing was added")), "{errors:#?}");
        let spelling = both(if ada { "Ada" } else { "ada" }, if ben { "Ben" } else { "ben" });
        workspace.apply_of(spelling).succeeds();
    }
    workspace.plans_nothing();
    let principals = service.principals("github").join(" ").to_lowercase();
    has_parts(&principals, &["users/ada", "users/ben"]);
}

#[test]
fn owner_of_another_team_is_not_taken_over_by_the_answer_to_a_post() {
    let service = answering_with_what_exists();
    service.put_owner("github", "own-7", "users/Ada");
    let workspace = service.configured(owner("ada"));
    let apply = workspace.apply();
    let error =
        apply.fails_with(["own-7", "users/Ada", "Nothing was added", "import {"]).only_error();
    assert_eq!(workspace.state_size(), 0, "{error}");
    // The way that the error names.
    let spelled = owner("ada").text("owner", "users/Ada") + import(ADA, NAMES[1]);
    workspace.apply_of(spelled).succeeds();
}

#[test]
fn one_person_is_not_an_owner_under_two_addresses() {
    let service = answering_with_what_exists();
    let workspace = service.configured(owner("ada") + owner("other").text("owner", "users/ADA"));
    let apply = workspace.apply().exits(1);
    assert_eq!(apply.errors().len(), 1, "{}", apply.output());
    assert_eq!((workspace.state_size(), service.requests_of("DELETE")), (1, 0));
}
