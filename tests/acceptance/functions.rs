//! Provider functions, which need neither key nor service.

use serde_json::json;

use crate::support::Service;

#[test]
fn names_are_made_and_parsed_in_both_forms() {
    let service = Service::full();
    // Without any setting of the provider.
    let workspace = service.workspace().with("ACCESS_BASE_URL", "").with("ACCESS_API_KEY", "");
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
    let outputs = cases.iter().enumerate().map(|(index, (call, _))| {
        format!("output \"o{index}\" {{\n  value = provider::access::{call}\n}}\n")
    });
    workspace.apply_of(outputs.collect::<String>()).succeeds().without_warnings();
    for (index, (call, expected)) in cases.iter().enumerate() {
        assert_eq!(workspace.state()["outputs"][format!("o{index}")]["value"], *expected, "{call}");
    }
    assert_eq!(service.requests(), []);
}
