//! Data sources, with services that offer all operations and with others.

use access_fake::Fault;
use serde_json::json;

use crate::support::fixtures::{Block, OWNER, OWNERS, ROLE, Text, data, role, settings};
use crate::support::{Service, Workspace, has_parts};

fn viewer() -> Block {
    data(ROLE, "viewer").text("listing", "github").text("role", "viewer")
}

fn roles() -> Block {
    data("access_listing_roles", "all").text("listing", "github")
}

fn by_id() -> Block {
    data(OWNER, "by_id").text("integration", "okta").text("integration_owner_id", "founder")
}

fn by_principal() -> Block {
    data(OWNER, "founder").text("integration", "okta").text("owner", "users/founder")
}

fn owners() -> Block {
    data(OWNERS, "all").text("integration", "okta")
}

fn all() -> Text {
    viewer() + roles() + by_id() + by_principal() + owners()
}

/// The objects that the errors of all data sources name.
const NAMES: [&str; 5] = [
    "listings/github/roles/viewer",
    "listings/github",
    "integrations/okta/owners/founder",
    "users/founder",
    "integrations/okta",
];

/// Fails the test unless each data source fails and names its object, and some error has these
/// parts.
#[track_caller]
fn all_fail_with(workspace: &Workspace, parts: &[&str]) {
    let outcome = workspace.plan_of(all()).fails_with(parts);
    let errors = outcome.errors();
    assert_eq!(errors.len(), NAMES.len(), "{}", outcome.output());
    has_parts(&errors.join("\n"), &NAMES);
}

/// Whatever the mode, with keys that only read.
#[test]
fn data_sources_equal_the_resources() {
    let service = Service::full();
    service.manage_listing("github", Some(json!({"kind": "AUTOMATIC"})), false);
    let owner = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    let resource = role("viewer").text("description", "Reads").set("priority", i64::MAX);
    owner.apply_of(resource.set("resources", "[\"repo/b\", \"repo/a\"]")).succeeds();
    let resource = owner.state_of("access_listing_role.viewer").unwrap();
    service.clear_requests();
    for (mode, key) in [("auto", "reader-key"), ("off", "member-key")] {
        let workspace = service.workspace_with_key(key).with("ACCESS_DRIFT_DETECTION", mode);
        workspace.apply_of(all()).succeeds().without_warnings();
        let state = |address| workspace.state_of(address).expect("a data source");
        let data = state("access_listing_role.viewer");
        assert_eq!(state("access_listing_roles.all")["roles"], json!([data]));
        for (name, value) in resource.as_object().unwrap() {
            match data.get(name) {
                Some(read) => assert_eq!(read, value, "{name}, {mode}, {key}"),
                None => assert_eq!(name, "adopt_existing"),
            }
        }
        let by_id = state("access_integration_owner.by_id");
        assert_eq!(by_id["owner"], "users/founder");
        assert_eq!(by_id["name"], "integrations/okta/owners/founder");
        assert_eq!(by_id["id"], by_id["name"]);
        assert_eq!(state("access_integration_owner.founder"), by_id);
        assert_eq!(state("access_integration_owners.all")["owners"], json!([by_id]));
    }
    assert_eq!(service.writes(), []);
}

#[test]
fn list_leaves_out_deleted_roles_and_repeats_none() {
    let service = Service::full();
    let role = |id: &str, priority: &str| json!({"name": format!("listings/github/roles/{id}"), "displayName": id, "priority": priority});
    let mut deleted = role("c", "0");
    deleted["deleteTime"] = json!("2026-01-01T00:00:00Z");
    let roles_of = [role("b", "1"), deleted, role("a", "1"), role("b", "1"), role("z", "-1")];
    service.respond_to_lists(200, &json!({"listingRoles": roles_of}).to_string());
    let workspace = service.configured(roles());
    workspace.apply().succeeds().without_warnings();
    let data = workspace.state_of("access_listing_roles.all").expect("the list");
    let ids: Vec<_> = data["roles"].as_array().unwrap().iter().map(|it| &it["role"]).collect();
    assert_eq!(ids, ["z", "a", "b"]);
    // Absent members of the JSON.
    let values = ["description", "manager", "resources"].map(|name| &data["roles"][1][name]);
    assert_eq!(values, [&json!(null), &json!(null), &json!([])]);
}

#[test]
fn objects_that_do_not_exist_are_errors_at_their_attributes() {
    let service = Service::full();
    let workspace = service.workspace_with_key("reader-key");
    let by_wrong_id = by_id().text("integration_owner_id", "no");
    let cases = [
        (viewer(), "role = \"viewer\"", "listings/github/roles/viewer"),
        (roles().text("listing", "no"), "listing = \"no\"", "listings/no"),
        (owners().text("integration", "no"), "integration = \"no\"", "integrations/no"),
        (by_principal().text("owner", "users/no"), "owner = \"users/no\"", "users/no"),
        (by_wrong_id, "integration_owner_id = \"no\"", "integrations/okta/owners/no"),
    ];
    let all = cases.iter().fold(Text::default(), |all, (block, ..)| all + block);
    let outcome = workspace.plan_of(all);
    let mut expected = cases.clone().map(|(_, line, _)| line);
    let mut blamed = outcome.blamed_lines();
    expected.sort_unstable();
    blamed.sort();
    assert_eq!(blamed, expected, "{}", outcome.output());
    let outcome = cases.iter().fold(outcome, |outcome, (.., name)| outcome.fails_with([*name]));
    let outcome = outcome.fails_with([
        "users/no of integrations/okta",
        "not among the owners",
        "users/founder",
    ]);
    // One of the five is a line.
    let complete = outcome.errors().into_iter().filter(|error| error.contains("-refresh=false"));
    assert_eq!(complete.count(), 4);

    let service = Service::full();
    service.put_viewer();
    service.soft_delete_role("github", "viewer");
    service.change_world(|world| world.returns_deleted_roles = true);
    service.workspace().plan_of(viewer()).fails_with(["deleted"]);
}

#[test]
fn principal_with_two_owners_is_an_error_that_lists_them() {
    let service = Service::full();
    service.put_owner("okta", "again", "users/founder");
    for number in 0..19 {
        service.put_owner("okta", &format!("own-{number}"), &format!("users/{number}"));
    }
    let both =
        ["more than once", "integrations/okta/owners/again", "integrations/okta/owners/founder"];
    let nobody = by_principal().at("nobody").text("owner", "users/no");
    let outcome = service.workspace().plan_of(by_principal() + by_id() + nobody).fails_with(both);
    let mut blamed = outcome.blamed_lines();
    blamed.sort();
    let lines = ["owner = \"users/founder\"", "owner = \"users/no\""];
    assert_eq!(blamed, lines, "the ID is one owner's");
    let errors = outcome.errors();
    let twice = errors.iter().find(|it| it.contains("more than once")).expect("an error");
    assert!(!twice.contains("users/7"), "{twice}");
    outcome.fails_with(["integrations/okta/owners/own-7", "and 1 more"]);
    service.without_lists();
    let outcome = service.workspace().plan_of(by_principal() + by_id()).fails_with(["405"]);
    assert_eq!(outcome.errors().len(), 1, "GET is enough for an ID: {}", outcome.output());
}

#[test]
fn wrong_arguments_are_errors_at_validate() {
    let (service, workspace) = Service::with_workspace();
    let cases = [
        (viewer().text("listing", "a/b"), "listing = \\\"a/b\\\""),
        (viewer().text("role", ".."), "role = \\\"..\\\""),
        (roles().text("listing", "a%2Fb"), "listing = \\\"a%2Fb\\\""),
        (owners().text("integration", ""), "integration = \\\"\\\""),
        (by_principal().text("owner", "founder"), "owner = \\\"founder\\\""),
        (by_id().text("integration_owner_id", "users/x"), "integration_owner_id = \\\"users/x\\\""),
        (by_id().text("owner", "users/both"), "owner = \\\"users/both\\\""),
        (
            data(OWNER, "none").text("integration", "okta"),
            "access_integration_owner\\\" \\\"x7\\\"",
        ),
    ];
    let blocks = cases.iter().enumerate();
    let blocks = blocks.map(|(number, (block, _))| block.clone().at(&format!("x{number}")));
    workspace.configure(blocks.fold(Text::default(), |all, block| all + block));
    let outcome = workspace.run(&["validate", "-json"]).exits(1);
    for (block, line) in cases {
        assert!(outcome.stdout.contains(line), "{block}: {line}: {}", outcome.output());
    }
    assert_eq!(service.requests(), []);
}

#[test]
fn absent_operations_and_other_responses_are_errors_that_name_the_call() {
    let service = Service::documented_only(405);
    all_fail_with(&service.workspace(), &["405", "GET /api/v1/"]);
    let (service, workspace) = Service::with_workspace();
    service.put_viewer();
    workspace.write("provider.tf", &settings().set("max_retries", 0).to_string());
    for (status, body, parts) in [
        (403, r#"{"message":"not for you"}"#, ["403", "not for you", "GET /api/v1/"]),
        (404, "<html><body>no</body></html>", ["404", "base_url", "GET /api/v1/"]),
    ] {
        service.respond_to_all("GET", status, body);
        all_fail_with(&workspace, &parts);
    }
    service.clear_faults();
    // Another object, and no role or owner of the requested name.
    let other = r#"{"name":"listings/github/roles/other","owner":"users/a"}"#;
    let list = r#"{"listingRoles":[{"name":"listings/other/roles/a","displayName":"A"}]}"#;
    service.add_fault(Fault::respond(200, list).at("*/roles"));
    service.add_fault(Fault::respond(200, other));
    let plan = workspace.plan_of(viewer() + by_id() + roles()).warns(["listings/other/roles/a"]);
    plan.fails_with(["roles/viewer"]).fails_with(["owners/founder"]);
}

/// What an attribute cannot hold is left out, by name. Anything else is shown as it is.
#[test]
fn odd_objects_are_shown_and_unreadable_ones_are_left_out_by_name() {
    let (service, workspace) = Service::with_workspace();
    let [role, owner] = ["listings/github/roles", "integrations/okta/owners"];
    let list = json!({"listingRoles": [
        {"name": format!("{role}/odd"), "displayName": "Odd", "priority": "abc"},
        {"name": format!("{role}/a b"), "displayName": "", "priority": "1"},
    ]});
    service.respond_to_lists(200, &list.to_string());
    let list = json!({"integrationOwners": [
        {"name": format!("{owner}/gone"), "owner": "deleted:users/ada?uid=1", "createTime": "then"},
        {"name": format!("{owner}/none")},
    ]});
    let fault = Fault::respond(200, list.to_string());
    service.add_fault(fault.on("GET").at("*/integrations/okta/owners"));
    let outcome = workspace.apply_of(roles() + owners()).succeeds();
    outcome.warns(["listings/github/roles/odd", "`priority`"]).warns(["okta/owners/none"]);
    let data = |address| workspace.state_of(address).expect("a data source");
    let roles = data("access_listing_roles.all")["roles"].clone();
    assert_eq!((&roles[0]["role"], roles.as_array().unwrap().len()), (&json!("a b"), 1));
    let owners = data("access_integration_owners.all")["owners"].clone();
    assert_eq!(owners.as_array().unwrap().len(), 1);
    assert_eq!(owners[0]["owner"], "deleted:users/ada?uid=1");
    assert_eq!(owners[0]["create_time"], "then");
}
