//! Provider functions, which need neither key nor service.

use serde_json::json;

use crate::support::fixtures::{Text, owner};
use crate::support::{Service, Workspace};

/// Returns a workspace without any setting of the provider.
fn workspace(service: &Service) -> Workspace {
    service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "")
}

/// Returns an output for each call: `o0`, `o1` …
fn outputs<'a>(calls: impl Iterator<Item = &'a str>) -> String {
    let output =
        |(index, call)| format!("output \"o{index}\" {{\n  value = provider::access::{call}\n}}\n");
    calls.enumerate().map(output).collect()
}

#[test]
fn names_are_made_and_parsed_in_both_forms() {
    let service = Service::full();
    let workspace = workspace(&service);
    let role = json!({"listing": "github", "role": "viewer"});
    let owner = json!({"integration": "okta", "owner": "o-1"});
    let cases = [
        ("listing_role_name(\"github\", \"viewer\")", json!("listings/github/roles/viewer")),
        ("listing_role_name(\"grün\", \"a:b\")", json!("listings/grün/roles/a:b")),
        ("parse_listing_role_name(\"listings/github/roles/viewer\")", role.clone()),
        ("parse_listing_role_name(\"github/viewer\")", role),
        ("integration_owner_name(\"okta\", \"o-1\")", json!("integrations/okta/owners/o-1")),
        ("parse_integration_owner_name(\"integrations/okta/owners/o-1\")", owner.clone()),
        ("parse_integration_owner_name(\"okta/o-1\")", owner),
    ];
    workspace.configure(outputs(cases.iter().map(|(call, _)| *call)));
    workspace.apply().succeeds().without_warnings();
    for (index, (call, expected)) in cases.iter().enumerate() {
        assert_eq!(workspace.state()["outputs"][format!("o{index}")]["value"], *expected, "{call}");
    }
    assert_eq!(service.requests(), []);
}

#[test]
fn wrong_arguments_are_blamed_with_the_reason() {
    let service = Service::full();
    let workspace = workspace(&service);
    let cases = [
        ("listing_role_name(\"a/b\", \"viewer\")", "listing", "`/`"),
        ("listing_role_name(\"github\", \"\")", "role", "empty"),
        ("integration_owner_name(\"..\", \"o-1\")", "integration", "`..`"),
        ("integration_owner_name(\"okta\", \"users/x\")", "owner", "`/`"),
        ("parse_listing_role_name(\"github\")", "name", "listings/{listing}/roles/{role}"),
        ("parse_integration_owner_name(\"okta/users/x\")", "name", "integrations/{integration}"),
    ];
    workspace.configure(outputs(cases.iter().map(|(call, ..)| *call)));
    let outcome = workspace.plan().exits(1);
    assert_eq!(outcome.errors().len(), cases.len(), "{}", outcome.output());
    for (_, argument, message) in cases {
        // Terraform wraps the message of the function in its own.
        let blamed = format!("Invalid value for \"{argument}\" parameter");
        let is_blamed = |error: &String| error.contains(&blamed) && error.contains(message);
        assert!(outcome.errors().iter().any(is_blamed), "{argument}: {}", outcome.output());
    }
}

#[test]
fn name_that_is_known_only_after_apply_is_parsed_then() {
    let service = Service::full();
    let workspace = service.workspace();
    let call = "parse_integration_owner_name(access_integration_owner.ada.id)";
    workspace.configure(Text(outputs([call].into_iter())) + owner("ada"));
    workspace.plan().exits(2);
    workspace.apply().succeeds();
    let state = workspace.state_of("access_integration_owner.ada").expect("an owner");
    let expected = json!({"integration": "github", "owner": state["integration_owner_id"]});
    assert_eq!(workspace.state()["outputs"]["o0"]["value"], expected);
}
