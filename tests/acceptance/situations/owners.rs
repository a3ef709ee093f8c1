//! Owners: an adoption that is decided at the apply, malformed entries, and integrations that lose all
//! of their owners.

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
