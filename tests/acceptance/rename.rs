//! Replacements by another name: an edit of `listing`, `role`, `integration` or `owner`, in both
//! orders. The plan says what the create will do; an edit never loses an object.

use serde_json::json;

use crate::support::fixtures::{Text, later, owner, owners, role, settings};
use crate::support::{Service, has_parts};

/// The situations of a new name, each with whether the new object is created before the old one is destroyed. A plan
/// is refused before the order matters.
const SITUATIONS: [(&str, bool); 8] = [
    ("exists", false),
    ("adoptable", false),
    ("adoptable", true),
    ("free", false),
    ("free", true),
    ("orphan", false),
    ("late", false),
    ("late", true),
];

/// The situations in which the plan is an error.
const REFUSED: [&str; 2] = ["exists", "orphan"];

/// The situations in which it is not.
const PASSING: [&str; 3] = ["adoptable", "free", "late"];

/// Returns the part of the names that the objects of a situation have.
fn label(situation: &str, create_before_destroy: bool) -> String {
    format!("{situation}{}", if create_before_destroy { "-first" } else { "" })
}

/// Returns a role, an owner, and the owners of an integration, under their old names, or under the
/// new ones of a situation.
fn resources(situation: &str, is_renamed: bool, create_before_destroy: bool) -> Text {
    let state = if is_renamed { "new" } else { "old" };
    let label = label(situation, create_before_destroy);
    let name = format!("{state}-{label}");
    let mut role = role(&label).text("role", &name);
    let mut owner = owner(&label).text("owner", &format!("users/{name}"));
    let mut list = owners(&["users/ada"]).at(&label).text("integration", &name);
    if is_renamed && situation == "orphan" {
        role = role.text("listing", "nowhere");
        owner = owner.text("integration", "nowhere");
        list = list.text("integration", "nowhere-else");
    }
    if is_renamed && situation == "late" {
        let late = format!("new-{}", label.replacen("late", "${terraform_data.late.output}", 1));
        role = role.text("role", &late);
        owner = owner.text("owner", &format!("users/{late}"));
        list = list.text("integration", &late);
    }
    let adopts = situation == "adoptable";
    let [role, owner] = [role, owner].map(|it| if adopts { it.adopting() } else { it });
    let [role, owner, list] = [role, owner, list]
        .map(|it| if create_before_destroy { it.create_before_destroy() } else { it });
    Text(String::new()) + role + owner + list
}

/// Returns the resources of all situations; those of `renamed` under their new names.
fn configuration(renamed: &[&str]) -> Text {
    let late = if renamed.contains(&"late") { "late" } else { "later" };
    let mut text = Text(String::new()) + later("late", format!("{late:?}"));
    for (situation, create_before_destroy) in SITUATIONS {
        let is_renamed = renamed.contains(&situation);
        text = text + resources(situation, is_renamed, create_before_destroy);
    }
    text
}

/// Returns a service with the integrations of the lists, and somebody else's objects.
fn service() -> Service {
    let service = Service::full();
    for (situation, create_before_destroy) in SITUATIONS {
        let label = label(situation, create_before_destroy);
        for state in ["old", "new"] {
            let integration = format!("{state}-{label}");
            service.put_integration(&integration);
            service.remove_principal(&integration, "users/founder");
        }
        if ["exists", "adoptable"].contains(&situation) {
            let theirs = json!({"displayName": "Theirs", "priority": "7"});
            service.put_role("github", &format!("new-{label}"), theirs);
            let owner = format!("users/new-{label}");
            service.put_owner("github", &format!("theirs-{label}"), &owner);
            service.put_owner(&format!("new-{label}"), "theirs", "users/theirs");
        }
    }
    service
}

#[track_caller]
fn exists(service: &Service, name: &str) {
    assert!(service.role("github", name).is_some(), "role {name}");
    assert_eq!(service.owners_named("github", &format!("users/{name}")), 1, "owner {name}");
    assert_eq!(service.owners_named(name, "users/ada"), 1, "list {name}");
}

#[test]
fn new_names_are_refused_adopted_or_created_as_the_plan_says_in_both_orders() {
    let service = service();
    let workspace = service.applied(configuration(&[]));
    workspace.configure(configuration(&[&REFUSED[..], &PASSING].concat()));
    let plan = workspace.plan_with(&["-out=saved.tfplan"]).exits(1);
    // A list of owners only adds to those who exist.
    assert_eq!(plan.errors().len(), 3 * REFUSED.len() - 1, "{:#?}", plan.errors());
    plan.fails_with(["github/roles/new-exists", "old-exists", "import {"])
        .fails_with(["users/new-exists", "changed nothing", "import {"])
        .fails_with(["listings/nowhere", "refer to that resource"])
        .fails_with(["integrations/nowhere ", "refer to that resource"])
        .fails_with(["integrations/nowhere-else", "refer to that resource"]);
    assert_eq!(service.writes().len(), 0, "a plan wrote");

    service.change_role("github", "old-free", json!({"resources": ["repo/a"]}));
    workspace.configure(configuration(&PASSING));
    let plan = workspace.save_plan(&[]).plans("access_listing_role.free", "replace");
    plan.warns(["roles/old-free", "`resources`"])
        .warns(["roles/new-adoptable", "will be adopted"])
        .warns(["theirs-adoptable", "will be adopted"])
        .warns(["integrations/new-adoptable", "not listed", "users/theirs"])
        .does_not_warn("new-free");
    workspace.apply_saved().succeeds();
    for (situation, create_before_destroy) in SITUATIONS {
        let label = label(situation, create_before_destroy);
        if REFUSED.contains(&situation) {
            exists(&service, &format!("old-{label}"));
        } else {
            exists(&service, &format!("new-{label}"));
            assert_eq!(service.role("github", &format!("old-{label}")), None);
        }
    }
    assert_eq!(workspace.deposed(), 0);
    let apply = workspace.apply().succeeds();
    assert_eq!(apply.action("access_integration_owners.adoptable"), "update");
    workspace.plans_nothing();
}

/// The create decides about a name that becomes known in the apply, and speaks of its own resource
/// only.
#[test]
fn create_of_a_late_name_that_exists_does_not_claim_that_nothing_was_destroyed() {
    let service = Service::full();
    service.put_role("github", "reader", json!({"displayName": "Theirs", "priority": "7"}));
    let workspace = service.applied(later("name", "\"viewer\"") + role("viewer"));
    let late = role("viewer").set("role", "terraform_data.name.output");
    let error = workspace.apply_of(later("name", "\"reader\"") + late).exits(1).only_error();
    has_parts(&error, &["roles/reader", "Nothing was sent.", "import {"]);
    assert!(!error.contains("Nothing was changed"), "{error}");
}

/// Only the ID of an owner is edited, then its principal, and then somebody else has given the ID
/// away.
#[test]
fn owner_with_another_id_is_replaced() {
    let service = Service::full();
    let ada = |id: &str| owner("ada").text("integration_owner_id", id);
    let workspace = service.applied(ada("ada-1"));
    workspace.apply_of(ada("ada-2")).succeeds().does_not_warn("exists already");
    assert_eq!(service.owner_ids("github", "users/ada"), ["ada-2"]);
    workspace.apply_of(ada("ada-2").text("owner", "users/ben")).succeeds();
    assert_eq!(service.owner_ids("github", "users/ben"), ["ada-2"]);
    service.remove_owner("github", "ada-2");
    service.put_owner("github", "ada-2", "users/theirs");
    workspace.apply().succeeds();
    assert_eq!(service.owner_ids("github", "users/ben"), ["ada-2"]);
}

/// Shifted indices of `count`, and chains: the conflict of two addresses comes first.
#[test]
fn names_that_other_addresses_have_are_conflicts_and_name_moved_and_for_each() {
    let service = Service::full();
    let all = |names: &str, one: &str, two: &str| {
        let indexed = role("many").set("count", format!("length({names})"));
        let indexed = indexed.set("role", format!("{names}[count.index]"));
        indexed + role("one").text("role", one) + role("two").text("role", two)
    };
    let before = "[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]";
    let workspace = service.applied(all(before, "x", "y"));
    workspace.configure(all("[\"b\", \"c\", \"d\", \"e\", \"f\"]", "y", "z"));
    let plan = workspace.plan_with(&["-parallelism=1"]);
    let plan = plan.fails_with(["for_each", "moved {"]).fails_with(["for_each", "`moved` blocks"]);
    let plan = plan.fails_with(["from = access_listing_role.example[0]\n"]);
    let plan = plan.fails_with(["roles/y: is created by one resource, and another has it"]);
    let lines: usize = plan.errors().iter().map(|error| error.lines().count()).sum();
    assert!(lines <= 70, "{lines} lines: {:#?}", plan.errors());
    assert_eq!(service.writes().len(), 0);
    // One by one.
    workspace.apply_of(all(before, "x", "z")).succeeds();
    workspace.apply_of(all(before, "y", "z")).succeeds();
}

/// While an argument of the provider is unknown, a plan cannot look for a new name. It still
/// compares its own resources.
#[test]
fn plan_with_an_unknown_argument_of_the_provider_loses_nothing() {
    let (service, workspace) = Service::with_workspace();
    let configuration = |timeout: &str, roles: Text| {
        let settings = settings().set("request_timeout", "terraform_data.late.output");
        settings + later("late", format!("{timeout:?}")) + roles
    };
    workspace.apply_of(configuration("30s", role("viewer") + role("editor"))).succeeds();
    service.put_role("github", "theirs", json!({"displayName": "Theirs", "priority": "7"}));
    service.clear_requests();
    let renamed = role("viewer").text("role", "theirs");
    let moved = role("editor").at("other");
    workspace
        .apply_of(configuration("31s", renamed + moved))
        .fails_with([
            "roles/theirs",
            "`request_timeout`",
            "known only after apply",
            "block of its own",
        ])
        .fails_with(["roles/editor", "moved {"]);
    assert_eq!(service.writes().len(), 0);
    assert!(service.role("github", "viewer").is_some());
}
