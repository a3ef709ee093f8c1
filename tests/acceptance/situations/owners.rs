//! Owners: an adoption that is decided at the apply, malformed entries, and integrations that lose all
//! of their owners.

use access_fake::OddList;
use serde_json::json;

use super::*;

/// Returns a value that is known only after apply.
fn flag(value: bool) -> String {
    format!("resource \"terraform_data\" \"flag\" {{\n  input = {value}\n}}\n")
}

#[test]
fn adoption_that_is_known_after_apply_is_decided_by_the_create() {
    let more = "  adopt_existing = terraform_data.flag.output";
    let all = "resource \"access_integration_owners\" \"all\" {
  integration    = \"github\"
  owners         = [\"users/founder\"]
  adopt_existing = terraform_data.flag.output
}
";
    for (configuration, warning) in [
        (owner("founder", more), "An existing integration owner may be adopted"),
        (all.to_owned(), "Existing owners may be adopted"),
    ] {
        for adopts in [true, false] {
            let service = Service::full();
            let workspace = service.workspace();
            workspace.configure(&(flag(adopts) + &configuration));
            workspace.plan().exits(2).warns(warning);
            if adopts {
                workspace.apply().succeeds();
                assert_eq!(workspace.state_size(), 2);
                workspace.plan().exits(0);
            } else {
                workspace.apply().fails_with("already");
                assert_eq!(workspace.state_size(), 1, "the flag alone");
            }
            assert_eq!(service.writes().len(), 0);
        }
    }
}

#[test]
fn malformed_entry_is_reported_by_an_import_by_principal() {
    let service = Service::full();
    service.change_world(|world| {
        world.lists.push(OddList { insert: vec![json!(17)], ..OddList::default() });
    });
    let workspace = service.workspace();
    workspace.configure(
        &(owner("founder", "")
            + "import {\n  to = access_integration_owner.founder\n  id = \"github/users/founder\"\n}\n"),
    );
    workspace.plan().exits(2).warns("Entries of the list of owners were skipped");
    workspace.apply().succeeds();

    // The entry does not keep a destroy of all other owners from being reported.
    let plan = workspace.plan_with(&["-destroy"]).exits(2);
    let warnings = plan.warnings();
    let emptied =
        warnings.iter().find(|warning| warning.contains("every owner that the service lists"));
    let emptied = emptied.unwrap_or_else(|| panic!("{warnings:#?}"));
    assert!(emptied.contains("1 entry of the list could not be read"), "{emptied}");
}

#[test]
fn replacement_of_every_owner_warns() {
    let service = Service::full();
    let workspace = service.workspace();
    let configuration = |more: &str| owner("founder", &format!("{more}  adopt_existing = true"));
    workspace.configure(&configuration(""));
    workspace.apply().succeeds();

    let moment = "The integration has no owners during the apply";
    workspace.configure(&configuration("  integration_owner_id = \"other\"\n"));
    let plan = workspace.plan().exits(2);
    assert_eq!(plan.action("access_integration_owner.founder"), "replace");
    plan.warns(moment);
    workspace.configure(&configuration("").replace("\"users/founder\"", "\"users/ada\""));
    workspace.plan().exits(2).warns(moment);
    // A second owner stays.
    service.put_owner("github", "second", "users/second");
    workspace.plan().exits(2).without_warnings();
    service.remove_owner("github", "second");

    workspace.configure(&configuration("").replace("\"github\"", "\"okta\""));
    workspace.plan().exits(2).warns("The integration is left without owners");
    // An abandoned owner stays.
    let workspace = workspace.with("ACCESS_DELETION_POLICY", "abandon");
    let warnings = workspace.plan().exits(2).warnings();
    assert!(!warnings.iter().any(|warning| warning.contains("without owners")), "{warnings:#?}");
}
