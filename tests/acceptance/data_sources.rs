//! Data sources, with services that offer all operations and with others.

use access_fake::{Action, Fault};
use serde_json::{Value, json};

use crate::support::{Outcome, Service, Workspace};

const ROLE: &str = "data \"access_listing_role\" \"viewer\" {
  listing = \"github\"
  role    = \"viewer\"
}
";
const ROLES: &str = "data \"access_listing_roles\" \"all\" {
  listing = \"github\"
}
";
const OWNER_BY_ID: &str = "data \"access_integration_owner\" \"by_id\" {
  integration          = \"okta\"
  integration_owner_id = \"founder\"
}
";
const OWNER: &str = "data \"access_integration_owner\" \"founder\" {
  integration = \"okta\"
  owner       = \"users/founder\"
}
";
const OWNERS: &str = "data \"access_integration_owners\" \"all\" {
  integration = \"okta\"
}
";
/// The data sources, each with the object that its errors name.
const ALL: [(&str, &str); 5] = [
    (ROLE, "listings/github/roles/viewer"),
    (ROLES, "listings/github"),
    (OWNER_BY_ID, "integrations/okta/owners/founder"),
    (OWNER, "integrations/okta"),
    (OWNERS, "integrations/okta"),
];

/// Fails the test unless each data source fails and names its object, and some error has these parts.
fn all_fail_with(workspace: &Workspace, parts: &[&str]) {
    let outcome = plan(workspace, &ALL.map(|(configuration, _)| configuration).concat());
    let outcome = outcome.fails_with(parts);
    let errors = outcome.errors();
    assert_eq!(errors.len(), ALL.len(), "{}", outcome.output());
    for (_, object) in ALL {
        assert!(errors.iter().any(|error| error.contains(object)), "{object}: {errors:#?}");
    }
}

fn with_viewer() -> Service {
    let service = Service::full();
    service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "5"}));
    service
}

/// Reads one configuration and returns the state of this data source.
fn read(workspace: &Workspace, configuration: &str, address: &str) -> Value {
    workspace.configure(configuration);
    workspace.apply().succeeds().without_warnings();
    workspace.state_of(address).expect("the data source is in the state")
}

fn plan(workspace: &Workspace, configuration: &str) -> Outcome {
    workspace.configure(configuration);
    workspace.plan()
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|object| object["name"].as_str().unwrap()).collect()
}

#[test]
fn role_equals_its_resource_under_every_drift_detection() {
    let service = Service::full();
    service.manage_listing("github", json!({"kind": "AUTOMATIC"}));
    let owner = service.workspace().with("ACCESS_REPO_URI", "https://git.example.com/a/b");
    owner.configure(
        "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  description  = \"Reads\"
  priority     = 9223372036854775807
  resources    = [\"repo/b\", \"repo/a\"]
}
",
    );
    owner.apply().succeeds();
    let resource = owner.state_of("access_listing_role.viewer").unwrap();
    service.clear_requests();
    for drift_detection in ["auto", "off"] {
        for key in ["reader-key", "member-key"] {
            let workspace =
                service.workspace_with_key(key).with("ACCESS_DRIFT_DETECTION", drift_detection);
            let data = read(&workspace, ROLE, "access_listing_role.viewer");
            let list = read(&workspace, ROLES, "access_listing_roles.all");
            assert_eq!(list["roles"], json!([data]));
            for (name, value) in data.as_object().unwrap() {
                assert_eq!(*value, resource[name], "{name}, {drift_detection}, {key}");
            }
            let only_in_resource: Vec<_> = resource
                .as_object()
                .unwrap()
                .keys()
                .filter(|name| data.get(name.as_str()).is_none())
                .collect();
            assert_eq!(only_in_resource, ["adopt_existing", "allow_missing", "deletion_policy"]);
        }
    }
    assert_eq!(service.writes(), []);
}

#[test]
fn role_without_description_and_resources_has_null_and_an_empty_set() {
    let service = with_viewer();
    service.omit_defaults();
    service.change_role("github", "viewer", json!({"priority": "0"}));
    let role = read(&service.workspace(), ROLE, "access_listing_role.viewer");
    assert_eq!(role["description"], Value::Null);
    assert_eq!(role["resources"], json!([]));
    assert_eq!(role["priority"], 0);
    assert_eq!(role["manager"], Value::Null);
}

#[test]
fn owner_is_read_by_its_id_and_by_its_principal() {
    let service = Service::full();
    for drift_detection in ["auto", "off"] {
        let workspace = service
            .workspace_with_key("reader-key")
            .with("ACCESS_DRIFT_DETECTION", drift_detection);
        let by_id = read(&workspace, OWNER_BY_ID, "access_integration_owner.by_id");
        assert_eq!(by_id["owner"], "users/founder");
        assert_eq!(by_id["name"], "integrations/okta/owners/founder");
        assert_eq!(by_id["id"], by_id["name"]);
        assert!(by_id["create_time"].is_string());
        assert_eq!(read(&workspace, OWNER, "access_integration_owner.founder"), by_id);
        let all = read(&workspace, OWNERS, "access_integration_owners.all");
        assert_eq!(all["owners"], json!([by_id]));
    }
    assert_eq!(service.writes(), []);
}

#[test]
fn lists_are_read_to_the_last_page_in_a_documented_order() {
    let service = Service::full();
    for number in 0..2_300 {
        let priority = (number % 3).to_string();
        let fields = json!({"displayName": "Role", "priority": priority});
        service.put_role("github", &format!("r{number:04}"), fields);
    }
    for number in 0..1_100 {
        service.put_owner("okta", &format!("o{number:04}"), &format!("users/u{number}"));
    }
    let workspace = service.workspace_with_key("reader-key");
    let data = read(&workspace, ROLES, "access_listing_roles.all");
    let roles = data["roles"].as_array().unwrap();
    let order: Vec<_> = roles
        .iter()
        .map(|role| (role["priority"].as_i64().unwrap(), role["role"].as_str().unwrap()))
        .collect();
    assert_eq!(order.len(), 2_300);
    assert!(order.is_sorted(), "by priority, then by ID");
    assert_eq!(order[..2], [(0, "r0000"), (0, "r0003")]);

    // The last of the second page.
    let last = OWNER.replace("users/founder", "users/u1099");
    let owner = read(&workspace, &last, "access_integration_owner.founder");
    assert_eq!(owner["integration_owner_id"], "o1099");
    let data = read(&workspace, OWNERS, "access_integration_owners.all");
    let names = names(&data["owners"]);
    assert_eq!(names.len(), 1_101);
    assert!(names.is_sorted());
}

#[test]
fn list_leaves_out_deleted_roles_and_repeats_none() {
    let service = Service::full();
    let role = |id: &str, priority: &str| json!({"name": format!("listings/github/roles/{id}"), "displayName": id, "priority": priority});
    let mut deleted = role("c", "0");
    deleted["deleteTime"] = json!("2026-01-01T00:00:00Z");
    let list = json!({"listingRoles": [role("b", "1"), deleted, role("a", "1"), role("b", "1"),
                                       role("z", "-1")]});
    service.respond_to_lists(200, &list.to_string());
    let data = read(&service.workspace(), ROLES, "access_listing_roles.all");
    let expected = ["z", "a", "b"].map(|id| format!("listings/github/roles/{id}"));
    assert_eq!(names(&data["roles"]), expected);

    service.respond_to_lists(200, &json!({}).to_string());
    let data = read(&service.workspace(), ROLES, "access_listing_roles.all");
    assert_eq!(data["roles"], json!([]));
}

#[test]
fn role_that_does_not_exist_is_an_error_at_its_attribute() {
    let service = Service::full();
    let outcome = plan(&service.workspace_with_key("reader-key"), ROLE).exits(1);
    let outcome = outcome.fails_with(["GET /api/v1/listings/github/roles/viewer", "404"]);
    assert_eq!(outcome.blamed_lines(), ["role    = \"viewer\""]);
}

#[test]
fn role_that_was_deleted_does_not_exist() {
    let service = with_viewer();
    service.soft_delete_role("github", "viewer");
    plan(&service.workspace(), ROLE).fails_with("404");
    service.return_deleted_roles();
    let outcome = plan(&service.workspace(), ROLE).fails_with("deleted");
    assert_eq!(outcome.blamed_lines(), ["role    = \"viewer\""]);
    let data = read(&service.workspace(), ROLES, "access_listing_roles.all");
    assert_eq!(data["roles"], json!([]));
}

#[test]
fn missing_parents_and_owners_are_errors_at_their_attributes() {
    let service = Service::full();
    let workspace = service.workspace();
    let cases = [
        (ROLES.replace("github", "absent"), "listing = \"absent\"", "listings/absent"),
        (OWNERS.replace("okta", "absent"), "integration = \"absent\"", "integrations/absent"),
        (OWNER.replace("okta", "absent"), "integration = \"absent\"", "integrations/absent"),
        (
            OWNER.replace("users/founder", "users/absent"),
            "owner       = \"users/absent\"",
            "users/absent",
        ),
        (
            OWNER_BY_ID.replace("= \"founder\"", "= \"absent\""),
            "integration_owner_id = \"absent\"",
            "integrations/okta/owners/absent",
        ),
    ];
    for (configuration, line, message) in cases {
        let outcome = plan(&workspace, &configuration).fails_with(message);
        assert_eq!(outcome.blamed_lines(), [line], "{}", outcome.output());
    }
}

#[test]
fn principal_with_two_owners_is_an_error_that_lists_them() {
    let service = Service::full();
    service.put_owner("okta", "again", "users/founder");
    let outcome = plan(&service.workspace(), OWNER)
        .fails_with(["integrations/okta/owners/again", "integrations/okta/owners/founder"]);
    assert_eq!(outcome.blamed_lines(), ["owner       = \"users/founder\""]);
    plan(&service.workspace(), OWNER_BY_ID).exits(0);
}

#[test]
fn wrong_arguments_are_errors_before_any_request() {
    let service = Service::full();
    let workspace = service.workspace();
    let both = "  integration_owner_id = \"founder\"\n  owner                = \"users/founder\"";
    let cases = [
        (ROLE.replace("github", "a/b"), Some("listing = \"a/b\"")),
        (ROLE.replace("= \"viewer\"", "= \"..\""), Some("role    = \"..\"")),
        (ROLES.replace("github", "a%2Fb"), Some("listing = \"a%2Fb\"")),
        (OWNERS.replace("okta", ""), Some("integration = \"\"")),
        (OWNER.replace("okta", "a b"), Some("integration = \"a b\"")),
        (OWNER.replace("users/founder", "founder"), Some("owner       = \"founder\"")),
        (
            OWNER_BY_ID.replace("= \"founder\"", "= \"users/x\""),
            Some("integration_owner_id = \"users/x\""),
        ),
        (
            OWNER_BY_ID.replace("  integration_owner_id = \"founder\"", both),
            Some("owner                = \"users/founder\""),
        ),
        (OWNER_BY_ID.replace("  integration_owner_id = \"founder\"\n", ""), None),
    ];
    for (configuration, line) in cases {
        workspace.configure(&configuration);
        let outcome = workspace.run(&["validate", "-json"]);
        assert_eq!(outcome.code, 1, "{configuration}: {}", outcome.output());
        if let Some(line) = line {
            let quoted = serde_json::to_string(line).expect("JSON");
            let is_blamed = outcome.stdout.contains(quoted.trim_matches('"'));
            assert!(is_blamed, "{}", outcome.output());
        }
    }
    assert_eq!(service.requests(), []);
}

#[test]
fn data_source_with_unknown_arguments_is_read_during_the_apply() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(
        "resource \"terraform_data\" \"later\" {
  input = { id = \"founder\", owner = null }
}
data \"access_integration_owner\" \"founder\" {
  integration          = \"okta\"
  integration_owner_id = terraform_data.later.output.id
  owner                = terraform_data.later.output.owner
}
",
    );
    workspace.plan().exits(2);
    assert_eq!(service.requests(), []);
    workspace.apply().succeeds();
    let owner = workspace.state_of("access_integration_owner.founder").unwrap();
    assert_eq!(owner["owner"], "users/founder");
}

#[test]
fn unknown_provider_argument_is_an_error_without_a_request() {
    let service = with_viewer();
    for (configuration, _) in ALL {
        let workspace = service.workspace().with("ACCESS_BASE_URL", "");
        workspace.configure(&format!(
            "resource \"terraform_data\" \"region\" {{
  input = \"{}\"
}}
provider \"access\" {{
  base_url = terraform_data.region.output
}}
{configuration}",
            service.base_url()
        ));
        workspace.plan().fails_with("base_url");
    }
    assert_eq!(service.requests(), []);
}

#[test]
fn absent_operation_is_an_error() {
    for status in [404, 405, 501] {
        let service = Service::documented_only(status);
        all_fail_with(&service.workspace(), &[&status.to_string(), "GET /api/v1/"]);
        assert_eq!(service.writes(), []);
    }
}

#[test]
fn owner_is_read_if_one_of_two_operations_exists() {
    let service = Service::full();
    service.without_lists();
    let workspace = service.workspace();
    plan(&workspace, OWNER).fails_with("405");
    plan(&workspace, OWNER_BY_ID).exits(0);
}

#[test]
fn response_that_is_not_the_object_is_an_error_that_names_the_call() {
    let service = with_viewer();
    let workspace = service.workspace();
    workspace.write(
        "provider.tf",
        "provider \"access\" {\n  max_retries = 1\n  max_retry_wait = \"1s\"\n}\n",
    );
    for (status, body, parts) in [
        (401, r#"{"message":"who is this"}"#, ["401", "who is this", "api_key"]),
        (403, r#"{"message":"not for you"}"#, ["403", "not for you", "GET /api/v1/"]),
        (404, "404 page not found", ["404", "base_url", "GET /api/v1/"]),
        (404, "<html><body>no</body></html>", ["404", "base_url", "GET /api/v1/"]),
        (302, "", ["302", "base_url", "GET /api/v1/"]),
        (500, "{}", ["500", "GET /api/v1/", ""]),
        (200, "garbage", ["200", "GET /api/v1/", ""]),
        (200, "[]", ["200", "GET /api/v1/", ""]),
    ] {
        service.respond_to_all("GET", status, body);
        all_fail_with(&workspace, &parts);
    }
}

#[test]
fn object_of_another_name_is_refused() {
    let service = with_viewer();
    let workspace = service.workspace();
    service.fault(Fault::new(Action::WrongName));
    plan(&workspace, ROLE).fails_with("roles/viewer");
    plan(&workspace, OWNER_BY_ID).fails_with("owners/founder");
    service.respond_to_lists(
        200,
        r#"{"listingRoles":[{"name":"listings/other/roles/a","displayName":"A","priority":"1"}]}"#,
    );
    plan(&workspace, ROLES).exits(0).warns("listings/other/roles/a");
}
