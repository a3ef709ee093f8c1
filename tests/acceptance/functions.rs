//! Provider functions, which need neither key nor service.

use serde_json::json;

use crate::support::{Service, Workspace};

/// Returns a workspace without any setting of the provider.
fn workspace(service: &Service) -> Workspace {
    service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "")
}

#[test]
fn names_are_made_and_parsed_in_both_forms() {
    let service = Service::full();
    let workspace = workspace(&service);
    let cases = [
        ("listing_role_name(\"github\", \"viewer\")", json!("listings/github/roles/viewer")),
        ("listing_role_name(\"grün\", \"a:b\")", json!("listings/grün/roles/a:b")),
        (
            "parse_listing_role_name(\"listings/github/roles/viewer\")",
            json!({"listing": "github", "role": "viewer"}),
        ),
        (
            "parse_listing_role_name(\"github/viewer\")",
            json!({"listing": "github", "role": "viewer"}),
        ),
        ("integration_owner_name(\"okta\", \"o-1\")", json!("integrations/okta/owners/o-1")),
        (
            "parse_integration_owner_name(\"integrations/okta/owners/o-1\")",
            json!({"integration": "okta", "owner": "o-1"}),
        ),
        (
            "parse_integration_owner_name(\"okta/o-1\")",
            json!({"integration": "okta", "owner": "o-1"}),
        ),
    ];
    let outputs: Vec<_> = cases
        .iter()
        .enumerate()
        .map(|(index, (call, _))| {
            format!("output \"o{index}\" {{\n  value = provider::access::{call}\n}}\n")
        })
        .collect();
    workspace.configure(&outputs.concat());
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
    for (call, argument, message) in [
        ("listing_role_name(\"a/b\", \"viewer\")", "listing", "`/`"),
        ("listing_role_name(\"github\", \"\")", "role", "empty"),
        ("integration_owner_name(\"..\", \"o-1\")", "integration", "`..`"),
        ("integration_owner_name(\"okta\", \"users/x\")", "owner", "`/`"),
        ("parse_listing_role_name(\"github\")", "name", "listings/{listing}/roles/{role}"),
        ("parse_listing_role_name(\"integrations/okta/owners/o-1\")", "name", "listings/{listing}"),
        ("parse_integration_owner_name(\"okta/users/x\")", "name", "integrations/{integration}"),
        ("parse_integration_owner_name(\"okta/\")", "name", "empty"),
    ] {
        workspace.configure(&format!("output \"o\" {{\n  value = provider::access::{call}\n}}\n"));
        // Terraform wraps the message of the function in its own.
        let blamed = format!("Invalid value for \"{argument}\" parameter");
        let error = workspace.plan().fails_with([&blamed as &str, message]).only_error();
        assert!(!error.contains("..\n") && !error.ends_with(".."), "{error}");
    }
}

#[test]
fn name_of_a_role_known_only_after_apply_is_parsed_then() {
    let service = Service::full();
    let workspace = service.workspace();
    workspace.configure(
        "resource \"access_integration_owner\" \"platform\" {
  integration = \"okta\"
  owner       = \"teams/platform\"
}
output \"parts\" {
  value = provider::access::parse_integration_owner_name(access_integration_owner.platform.id)
}
output \"same\" {
  value = provider::access::integration_owner_name(
    access_integration_owner.platform.integration,
    access_integration_owner.platform.integration_owner_id,
  ) == access_integration_owner.platform.name
}
",
    );
    workspace.plan().exits(2);
    workspace.apply().succeeds();
    let state = workspace.state_of("access_integration_owner.platform").unwrap();
    let outputs = &workspace.state()["outputs"];
    assert_eq!(
        outputs["parts"]["value"],
        json!({"integration": "okta", "owner": state["integration_owner_id"]})
    );
    assert_eq!(outputs["same"]["value"], true);
}
