//! Changes made outside the configuration, with a service that offers all operations.

use serde_json::json;

use crate::support::Service;

const ROLE: &str = "access_listing_role.viewer";
const CONFIGURATION: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  description  = \"Reads\"
  priority     = 5
  resources    = [\"repo/a\"]
}
";

fn applied() -> (Service, crate::support::Workspace) {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(CONFIGURATION);
    workspace.apply().succeeds();
    (service, workspace)
}

#[test]
fn every_kind_of_drift_is_planned_and_corrected() {
    let (service, workspace) = applied();
    let original = service.role("github", "viewer").unwrap();
    let changes = [
        json!({"displayName": "By hand"}),
        json!({"description": "By hand"}),
        json!({"description": ""}),
        json!({"priority": "6"}),
        json!({"resources": ["repo/a", "repo/b"]}),
        json!({"resources": []}),
        json!({"manager": null}),
    ];
    for change in changes {
        service.change_role("github", "viewer", change.clone());
        assert_eq!(workspace.plan().exits(2).action(ROLE), "update", "{change}");
        workspace.apply().succeeds();
        let role = service.role("github", "viewer").unwrap();
        for field in ["displayName", "description", "priority", "resources", "manager"] {
            assert_eq!(role[field], original[field], "{field} after {change}");
        }
        workspace.plan().exits(0);
    }
}

#[test]
fn deleted_role_is_planned_for_creation() {
    let (service, workspace) = applied();
    service.remove_role("github", "viewer");
    assert_eq!(workspace.plan().exits(2).action(ROLE), "create");
    workspace.apply().succeeds();
    assert!(service.role("github", "viewer").is_some());
    workspace.plan().exits(0);
}

#[test]
fn role_with_a_delete_time_is_planned_for_creation() {
    let (service, workspace) = applied();
    service.return_deleted_roles();
    service.soft_delete_role("github", "viewer");
    assert_eq!(workspace.plan().exits(2).action(ROLE), "create");
    workspace.apply().succeeds();
    workspace.plan().exits(0);
}

#[test]
fn failed_reads_are_errors_that_keep_the_state() {
    let (service, workspace) = applied();
    let before = workspace.state_of(ROLE);
    let workspace = workspace.with("TF_LOG", "");
    workspace.write(
        "provider.tf",
        "provider \"access\" {\n  max_retries = 1\n  max_retry_wait = \"1s\"\n}\n",
    );
    let cases = [
        (401, "{}", "401"),
        (403, r#"{"message":"not for you"}"#, "drift_detection"),
        (403, "{}", "\"off\""),
        (404, "404 page not found", "base_url"),
        (404, "<html><body>not here</body></html>", "base_url"),
        (404, "", "base_url"),
        (410, "{}", "410"),
        (500, "boom", "500"),
        (503, "{}", "503"),
        (200, "garbage", "Could not read"),
        (200, "", "Could not read"),
        (302, "", "302"),
    ];
    for (status, body, message) in cases {
        service.respond_to_all("GET", status, body);
        workspace
            .apply()
            .fails_with(message)
            .fails_with("GET /api/v1/listings/github/roles/viewer");
        assert_eq!(workspace.state_of(ROLE), before, "{status} {body:?}");
    }
    service.respond_normally();
    workspace.plan().exits(0);
}

#[test]
fn wrong_base_url_never_empties_a_state() {
    let (service, mut workspace) = applied();
    workspace.set("ACCESS_BASE_URL", &format!("{}/elsewhere", service.base_url()));
    workspace.plan().fails_with("base_url");
    workspace.destroy().fails_with("base_url");
    assert!(workspace.state_of(ROLE).is_some());
}

#[test]
fn plan_and_refresh_write_nothing_and_a_key_that_reads_is_enough() {
    let (service, mut workspace) = applied();
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    service.clear_requests();
    workspace.set("ACCESS_API_KEY", "reader-key");
    workspace.plan().exits(2);
    workspace.plan_with(&["-refresh-only"]).exits(2);
    assert_eq!(service.writes().len(), 0);
    workspace.apply().fails_with("403");
}

#[test]
fn lagging_reads_do_no_harm() {
    let service = Service::full();
    service.lag_reads(3);
    let workspace = service.workspace();
    workspace.configure(CONFIGURATION);
    workspace.apply().succeeds();
    let outcome = workspace.plan();
    assert_eq!(outcome.action(ROLE), "no-op", "{}", outcome.output());
    assert!(workspace.state_of(ROLE).is_some());
}

#[test]
fn off_reads_nothing() {
    let (service, workspace) = applied();
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "off");
    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    service.clear_requests();
    let warnings = workspace.plan().exits(0).warnings();
    assert_eq!(warnings.len(), 1, "{warnings:#?}");
    assert!(warnings[0].contains("Drift detection is off"), "{warnings:#?}");
    assert_eq!(service.requests().len(), 0);
}

#[test]
fn patch_reads_roles_by_the_documented_call() {
    let service = Service::documented_only(405);
    let workspace = service
        .workspace()
        .with("ACCESS_DRIFT_DETECTION", "patch")
        .with("ACCESS_REPO_URI", "https://git.example.com/a/b")
        .with("ACCESS_REPO_DIR", "roles");
    workspace.configure(CONFIGURATION);
    workspace.apply().succeeds();
    service.clear_requests();
    workspace.plan().exits(0).without_warnings();
    let requests = service.requests();
    assert_eq!(requests.len(), 1, "{requests:#?}");
    assert_eq!(requests[0].query_value("updateMask").as_deref(), Some("repoUri,repoDir"));
    assert_eq!(requests[0].query_value("allowMissing"), None);

    service.change_role("github", "viewer", json!({"displayName": "By hand"}));
    assert_eq!(workspace.plan().exits(2).action(ROLE), "update");
    workspace.apply().succeeds();
    service.remove_role("github", "viewer");
    assert_eq!(workspace.plan().exits(2).action(ROLE), "create");
}

#[test]
fn patch_warns_once_if_no_repository_is_known() {
    let service = Service::documented_only(405);
    let mut workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "patch");
    workspace.configure(
        &CONFIGURATION.replace("\"viewer\"\n", "\"viewer-${count.index}\"\n  count = 2\n"),
    );
    workspace.apply().succeeds();
    service.clear_requests();
    let outcome = workspace.plan().exits(0);
    assert_eq!(service.requests().len(), 0);
    let [warning] = &outcome.warnings()[..] else { panic!("{:#?}", outcome.warnings()) };
    assert!(warning.contains("Drift detection unavailable for listing roles"), "{warning}");
    assert!(warning.contains("no request was sent"), "{warning}");

    workspace.set("ACCESS_REPO_URI", "https://git.example.com/a/b");
    workspace.apply().succeeds();
    workspace.plan().exits(0).without_warnings();
}

#[test]
fn list_reads_all_roles_of_a_listing_at_once() {
    let service = Service::full();
    let workspace = service.workspace().with("ACCESS_DRIFT_DETECTION", "list");
    workspace.configure(
        "resource \"access_listing_role\" \"many\" {
  count        = 30
  listing      = count.index % 2 == 0 ? \"github\" : \"production\"
  role         = \"role-${count.index}\"
  display_name = \"Role ${count.index}\"
  priority     = count.index
}
resource \"access_integration_owner\" \"many\" {
  count       = 10
  integration = \"okta\"
  owner       = \"users/user-${count.index}\"
}
",
    );
    workspace.apply().succeeds().without_warnings();
    service.clear_requests();
    workspace.plan().exits(0).without_warnings();
    assert_eq!(service.requests().len(), 3, "{:#?}", service.requests());

    service.change_role("github", "role-4", json!({"displayName": "By hand"}));
    service.remove_role("production", "role-5");
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_listing_role.many[4]"), "update");
    assert_eq!(plan.action("access_listing_role.many[5]"), "create");
    workspace.apply().succeeds();
    workspace.plan().exits(0);
}

#[test]
fn list_that_does_not_work_is_replaced_by_reads() {
    let (service, workspace) = applied();
    let workspace = workspace.with("ACCESS_DRIFT_DETECTION", "list");
    for (status, body) in
        [(405, "{}"), (403, "{}"), (200, "garbage"), (200, "{\"nextPageToken\":\"x\"}")]
    {
        service.respond_to_lists(status, body);
        service.change_role("github", "viewer", json!({"displayName": "By hand"}));
        assert_eq!(workspace.plan().exits(2).action(ROLE), "update", "{status} {body}");
        workspace.apply().succeeds();
        workspace.plan().exits(0);
    }
}

#[test]
fn refusal_without_a_json_body_contains_the_advice_and_the_attribute() {
    for body in ["no entry", "", "<html></html>"] {
        let service = Service::full();
        let workspace = service.workspace();
        let role = |resources: &str| {
            format!(
                "resource \"access_listing_role\" \"viewer\" {{
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 0
{resources}}}
resource \"access_integration_owner\" \"ada\" {{
  integration = \"github\"
  owner       = \"users/ada\"
}}
"
            )
        };
        workspace.configure(&role(""));
        workspace.apply().succeeds();
        service.respond_to_objects(403, body);
        let errors = workspace.plan().exits(1).errors();
        let of = |kind: &str| {
            let summary = format!("Could not read {kind}");
            errors.iter().find(|error| error.starts_with(&summary)).expect("an error").clone()
        };
        for (kind, helps, advice) in [
            ("listing role", true, "\"off\" to send no reads"),
            ("integration owner", false, "Set `drift_detection = \"off\"` to send no reads"),
        ] {
            let error = of(kind);
            assert!(error.contains("a gateway or proxy may have refused"), "{error}");
            assert!(error.contains(&format!("This API key may not read the {kind}")), "{error}");
            assert!(error.contains(advice), "{error}");
            assert_eq!(error.contains("\"patch\""), helps, "{error}");
        }

        service.respond_to_all("PATCH", 403, body);
        workspace.configure(&role("  resources    = [\"repo/a\"]\n"));
        let outcome = workspace.apply().fails_with("Only admins may set `resources`");
        assert_eq!(outcome.blamed_lines(), ["resources    = [\"repo/a\"]"], "{body}");
    }
}
