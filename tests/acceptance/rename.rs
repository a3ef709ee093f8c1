//! Replacements by another name: an edit of `listing`, `role`, `integration` or `owner`, in both orders, by
//! direct and by saved plans. The plan says what the create will do; an edit never loses an object.

use access_fake::Fault;
use serde_json::json;

use crate::support::fixtures::{Block, Text, import, later, owner, owners, role};
use crate::support::{Feature, Outcome, Service, Workspace, host_version};

/// The situations of a new name.
const SITUATIONS: [&str; 5] = ["exists", "adoptable", "free", "orphan", "late"];

/// The situations in which the plan is an error.
const REFUSED: [&str; 2] = ["exists", "orphan"];

fn ordered(block: Block, create_before_destroy: bool) -> Block {
    if create_before_destroy { block.create_before_destroy() } else { block }
}

/// Returns a role, an owner, and the owners of an integration, under their old names, or under the new ones
/// of a situation.
fn resources(situation: &str, is_renamed: bool, create_before_destroy: bool) -> Text {
    let state = if is_renamed { "new" } else { "old" };
    let mut role = role(situation).text("role", &format!("{state}-{situation}"));
    let mut owner = owner(situation).text("owner", &format!("users/{state}-{situation}"));
    let mut list =
        owners(&["users/ada"]).at(situation).text("integration", &format!("{state}-{situation}"));
    if is_renamed && situation == "orphan" {
        role = role.text("listing", "nowhere");
        owner = owner.text("integration", "nowhere");
        list = list.text("integration", "nowhere-else");
    }
    if is_renamed && situation == "late" {
        role = role.set("role", "\"new-${terraform_data.late.output}\"");
        owner = owner.set("owner", "\"users/new-${terraform_data.late.output}\"");
        list = list.set("integration", "\"new-${terraform_data.late.output}\"");
    }
    let adopts = situation == "adoptable";
    let [role, owner, list] = [role, owner, list].map(|block| {
        let block = if adopts { block.adopting() } else { block };
        ordered(block, create_before_destroy)
    });
    Text(String::new()) + role + owner + list
}

/// Returns the resources of all situations; those of `renamed` under their new names.
fn configuration(renamed: &[&str], create_before_destroy: bool) -> Text {
    let late = if renamed.contains(&"late") { "late" } else { "later" };
    let mut text = Text(String::new()) + later("late", format!("{late:?}"));
    for situation in SITUATIONS {
        let is_renamed = renamed.contains(&situation);
        text = text + resources(situation, is_renamed, create_before_destroy);
    }
    text
}

/// Returns a service with the integrations of the lists, and somebody else's objects.
fn service() -> Service {
    let service = Service::full();
    for situation in SITUATIONS {
        for state in ["old", "new"] {
            service.local().put_integration(&format!("{state}-{situation}"));
        }
    }
    let theirs = json!({"displayName": "Theirs", "priority": "7"});
    for situation in ["exists", "adoptable"] {
        service.put_role("github", &format!("new-{situation}"), theirs.clone());
        let owner = format!("users/new-{situation}");
        service.put_owner("github", &format!("theirs-{situation}"), &owner);
        service.put_owner(&format!("new-{situation}"), "theirs", "users/theirs");
    }
    for situation in SITUATIONS {
        let integration = format!("old-{situation}");
        let ids = service.owner_ids(&integration, "users/founder");
        ids.iter().for_each(|id| service.remove_owner(&integration, id));
        let integration = format!("new-{situation}");
        let ids = service.owner_ids(&integration, "users/founder");
        ids.iter().for_each(|id| service.remove_owner(&integration, id));
    }
    service
}

/// Applies the last configuration, directly or by a saved plan.
fn apply(workspace: &Workspace, is_saved: bool) -> Outcome {
    if is_saved {
        workspace.save_plan(&[]);
        return workspace.apply_saved();
    }
    workspace.apply()
}

#[track_caller]
fn exists(service: &Service, situation: &str, state: &str, case: &str) {
    let role = service.role("github", &format!("{state}-{situation}"));
    assert!(role.is_some(), "{case}: role {state}-{situation}");
    let owner = format!("users/{state}-{situation}");
    assert_eq!(service.owners_named("github", &owner), 1, "{case}: {owner}");
    let owners = service.principals(&format!("{state}-{situation}"));
    assert!(owners.contains(&"users/ada".to_owned()), "{case}: {state}-{situation}: {owners:?}");
}

#[test]
fn new_names_are_refused_adopted_or_created_as_the_plan_says_destroying_first() {
    rename(false);
}

#[test]
fn new_names_are_refused_adopted_or_created_as_the_plan_says_creating_first() {
    rename(true);
}

fn rename(create_before_destroy: bool) {
    for is_saved in [false, true] {
        let case = format!("create before destroy: {create_before_destroy}, saved: {is_saved}");
        let service = service();
        let workspace = service.applied(configuration(&[], create_before_destroy));
        workspace.configure(configuration(&SITUATIONS, create_before_destroy));
        let plan = workspace.plan_with(&["-out=saved.tfplan"]).exits(1);
        assert_eq!(plan.errors().len(), 3 * REFUSED.len(), "{case}: {:#?}", plan.errors());
        plan.fails_with(["github/roles/new-exists", "old-exists", "adopt_existing", "for_each"])
            .fails_with(["users/new-exists", "would destroy", "adopt_existing"])
            .fails_with(["integrations/new-exists", "would destroy", "adopt_existing"])
            .fails_with(["listings/nowhere", "-target"])
            .fails_with(["integrations/nowhere ", "-target"])
            .fails_with(["integrations/nowhere-else", "-target"]);
        assert_eq!(service.writes().len(), 0, "{case}: a plan wrote");

        let passing = ["adoptable", "free", "late"];
        workspace.configure(configuration(&passing, create_before_destroy));
        let plan = workspace.plan().changes();
        plan.warns(["roles/new-adoptable", "will be adopted"])
            .warns(["theirs-adoptable", "will be adopted"])
            .warns(["integrations/new-adoptable", "users/theirs"])
            .does_not_warn("new-free");
        let outcome = apply(&workspace, is_saved);
        assert_eq!(outcome.code, 0, "{case}: {}", outcome.output());
        for situation in passing {
            exists(&service, situation, "new", &case);
            assert_eq!(service.role("github", &format!("old-{situation}")), None, "{case}");
        }
        for situation in REFUSED {
            exists(&service, situation, "old", &case);
        }
        assert_eq!(workspace.deposed(), 0, "{case}");
        workspace.plans_nothing();
    }
}

/// A service with the two documented operations: the plan says what may happen, and nothing more is lost
/// than what the user was told.
#[test]
fn new_names_without_reads_are_written_with_a_warning() {
    if !host_version().supports(Feature::OnePlan) {
        return;
    }
    for status in [404, 405] {
        let service = Service::documented_only(status);
        // Without DELETE, only `abandon` destroys.
        let old = || role("viewer").abandoning() + owner("ada").abandoning();
        let workspace = service.applied(old());
        workspace.configure(
            role("viewer").abandoning().text("role", "reader")
                + owner("ada").abandoning().text("owner", "users/ben"),
        );
        workspace.plan().changes().warns(["roles/reader", "overwritten"]);
        workspace.apply().succeeds().warns("may have been");
        assert!(service.role("github", "reader").is_some(), "{status}");
        assert_eq!(service.owners_named("github", "users/ben"), 1, "{status}");
    }
}

/// A name that is taken between the plan and the apply of a saved plan costs nothing.
#[test]
fn name_that_was_taken_since_a_saved_plan_is_refused_by_the_destroy() {
    let service = Service::full();
    let workspace = service.applied(role("viewer") + owner("ada"));
    workspace
        .configure(role("viewer").text("role", "reader") + owner("ada").text("owner", "users/ben"));
    workspace.save_plan(&[]);
    service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
    service.put_owner("github", "theirs", "users/ben");
    service.clear_requests();
    let outcome = workspace.apply_saved();
    outcome
        .fails_with(["roles/reader", "listings/github/roles/viewer was not destroyed"])
        .fails_with(["users/ben", "was not destroyed"]);
    assert_eq!(service.writes().len(), 0);
    assert!(service.role("github", "viewer").is_some());
    assert_eq!(workspace.state_size(), 2);
}

/// Terraform plans a tainted resource as a create: no first call has seen its new name.
#[test]
fn tainted_resource_with_another_name_is_destroyed_only_if_the_name_is_free() {
    if !host_version().supports(Feature::OnePlan) {
        return;
    }
    let service = Service::full();
    let workspace = service.applied(role("viewer") + owner("ada"));
    service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
    service.put_owner("github", "theirs", "users/ben");
    workspace.taint(&["access_listing_role.viewer", "access_integration_owner.ada"]);
    service.clear_requests();
    let taken = role("viewer").text("role", "reader") + owner("ada").text("owner", "users/ben");
    workspace.configure(taken);
    workspace.apply().fails_with(["roles/reader", "not destroyed"]).fails_with("users/ben");
    assert_eq!(service.writes().len(), 0);
    let free = role("viewer").text("role", "writer") + owner("ada").text("owner", "users/cai");
    workspace.configure(free);
    workspace.apply().succeeds();
    assert!(service.role("github", "writer").is_some());
    assert_eq!(service.role("github", "viewer"), None);
    assert_eq!((workspace.state_size(), workspace.deposed()), (2, 0));
}

/// Terraform passes a state also if it does not read the object.
#[test]
fn tainted_resource_without_a_refresh_is_known() {
    let service = Service::full();
    let workspace = service.applied(role("viewer") + owner("ada"));
    workspace.taint(&["access_listing_role.viewer", "access_integration_owner.ada"]);
    let plan = workspace.plan_with(&["-refresh=false"]).changes();
    plan.does_not_warn("exists already");
    let abandoning = workspace.with("ACCESS_DELETION_POLICY", "abandon");
    let parts = ["abandon", "adopt_existing"];
    let plan = abandoning.plan_with(&["-refresh=false"]).exits(1);
    assert_eq!(plan.errors().len(), 2, "{:#?}", plan.errors());
    plan.fails_with(parts);
}

/// A check that fails would fail in the apply as well, after the destroy.
#[test]
fn check_of_a_new_name_that_fails_is_an_error_at_plan() {
    for (status, is_error) in
        [(401, true), (418, true), (500, true), (403, false), (405, false), (501, false)]
    {
        for variable in ["auto", "off"] {
            let service = Service::full();
            let workspace =
                service.applied(role("viewer")).with("ACCESS_DRIFT_DETECTION", variable);
            service.fault(Fault::respond(status, "{}").on("GET").at("*/roles/reader"));
            workspace.configure(
                crate::support::fixtures::impatient() + role("viewer").text("role", "reader"),
            );
            let plan = workspace.plan_with(&["-refresh=false"]);
            let case = format!("{status}, {variable}");
            assert_eq!(plan.code, if is_error { 1 } else { 2 }, "{case}: {}", plan.output());
            if is_error {
                plan.fails_with(["roles/reader", "would destroy listings/github/roles/viewer"]);
            } else {
                plan.warns(["roles/reader", "overwritten"]);
            }
            assert_eq!(service.writes().len(), 0, "{case}");
        }
    }
}

/// The create decides about a name that becomes known in the apply, and says what is gone.
#[test]
fn create_of_a_late_name_that_exists_says_what_was_destroyed() {
    let service = Service::full();
    service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
    let workspace = service.applied(later("name", "\"viewer\"") + role("viewer"));
    let late = role("viewer").set("role", "terraform_data.name.output");
    workspace.configure(later("name", "\"reader\"") + late);
    let error = workspace.apply().exits(1).only_error();
    for part in ["roles/reader", "already deleted listings/github/roles/viewer.", "import {"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains("Nothing was changed"), "{error}");
}

#[test]
fn policy_or_an_import_in_the_same_edit_as_a_new_name_is_an_error() {
    let service = Service::full();
    let workspace = service.applied(role("viewer") + owner("ada"));
    workspace.configure(
        role("viewer").abandoning().text("role", "reader")
            + owner("ada").abandoning().text("owner", "users/ben"),
    );
    let parts = ["abandon", "first"];
    workspace.plan().exits(1).fails_with(parts).fails_with(["integrations/github", "abandon"]);

    let theirs = json!({"displayName": "Theirs", "priority": "7"});
    service.put_role("github", "theirs", theirs);
    let workspace = service.workspace();
    workspace.configure(import("access_listing_role.reader", "github/theirs") + role("reader"));
    let parts = ["listings/github/roles/theirs", "listings/github/roles/reader", "import"];
    workspace.apply().fails_with(parts);
    assert!(service.role("github", "theirs").is_some());
}

#[test]
fn role_that_must_exist_under_the_new_name_is_missed_at_plan() {
    let service = Service::full();
    let workspace = service.applied(role("viewer"));
    workspace.configure(role("viewer").text("role", "reader").set("allow_missing", false));
    workspace.apply().fails_with(["roles/reader", "allow_missing", "would destroy"]);
    assert!(service.role("github", "viewer").is_some());
}

/// Only the ID of an owner is edited: the principal is its own.
#[test]
fn owner_with_another_id_is_replaced() {
    let service = Service::full();
    let ada = |id: &str| owner("ada").text("integration_owner_id", id);
    let workspace = service.applied(ada("ada-1"));
    workspace.configure(ada("ada-2"));
    workspace.apply().succeeds().does_not_warn("exists already");
    assert_eq!(service.owner_ids("github", "users/ada"), ["ada-2"]);
    workspace.plans_nothing();
    // And only the principal, under a fixed ID.
    workspace.configure(ada("ada-2").text("owner", "users/ben"));
    workspace.apply().succeeds();
    assert_eq!(service.owner_ids("github", "users/ben"), ["ada-2"]);
    workspace.plans_nothing();
}

/// One of the two keys of an owner stays, and the other belongs to somebody else.
#[test]
fn owner_whose_new_id_or_principal_is_taken_is_an_error_at_plan_and_at_the_destroy() {
    let (no_id, mine) = (owner("ada"), owner("ada").text("integration_owner_id", "mine"));
    for (before, after) in [
        (no_id, owner("ada").text("integration_owner_id", "taken")),
        (mine.clone(), mine.text("owner", "users/bob")),
    ] {
        for is_saved in [false, true] {
            let service = Service::full();
            let workspace = service.applied(before.clone());
            workspace.configure(after.clone());
            if is_saved {
                workspace.save_plan(&[]);
            }
            service.put_owner("github", "taken", "users/bob");
            let outcome = if is_saved { workspace.apply_saved() } else { workspace.apply() };
            outcome.fails_with(["owners/taken", "users/bob"]);
            assert_eq!(service.writes().len(), 0, "saved: {is_saved}");
            assert_eq!(service.owners_named("github", "users/ada"), 1, "saved: {is_saved}");
            assert_eq!(workspace.state_size(), 1, "saved: {is_saved}");
        }
    }
}

/// Shifted indices of `count`, swaps and chains: the conflict of two addresses comes first.
#[test]
fn names_that_other_addresses_have_are_conflicts_and_name_moved_and_for_each() {
    let service = Service::full();
    let indexed = |names: &str| {
        role("many")
            .set("count", format!("length({names})"))
            .set("role", format!("{names}[count.index]"))
    };
    let workspace = service.applied(indexed("[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]"));
    workspace.configure(indexed("[\"b\", \"c\", \"d\", \"e\", \"f\"]"));
    let plan = workspace.plan_with(&["-parallelism=1"]).exits(1);
    for parts in [["for_each", "moved {"], ["count", "moved"]] {
        assert!(plan.errors().iter().any(|error| parts.iter().all(|part| error.contains(part))));
    }
    let lines: usize = plan.errors().iter().map(|error| error.lines().count()).sum();
    assert!(lines <= 60, "{lines} lines: {:#?}", plan.errors());
    assert_eq!(service.writes().len(), 0);
    // A chain, one by one, and a swap through a third name.
    let pair = |one: &str, two: &str| role("one").text("role", one) + role("two").text("role", two);
    let workspace = service.applied(pair("x", "y"));
    for (one, two) in [("y", "z"), ("y", "x")] {
        workspace.configure(pair(one, two));
        workspace.plan().exits(1);
    }
    for (one, two) in [("w", "y"), ("w", "x"), ("y", "x")] {
        workspace.configure(pair(one, two));
        workspace.apply().succeeds();
    }
    workspace.plans_nothing();
}
