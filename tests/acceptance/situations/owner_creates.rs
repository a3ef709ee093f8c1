//! Creates of owners: lost responses.

use access_fake::{OmittedFields, ResponseTo};

use super::*;

/// Returns `users/ada` with the ID `ada`.
fn ada(more: &str) -> String {
    owner("ada", &format!("  integration_owner_id = \"ada\"\n{more}"))
}

/// Returns a service without lists that stores `users/ada` as `users/id-17`.
fn with_own_spelling() -> Service {
    let service = Service::full();
    service.without_lists();
    service.change_world(|world| {
        world.canonical_owners.insert("users/ada".to_owned(), "users/id-17".to_owned());
    });
    service
}

#[test]
fn lost_owner_in_another_spelling_is_recognised_by_its_id_without_a_list() {
    let service = with_own_spelling();
    let workspace = service.workspace();
    workspace.configure(&ada(""));
    service.lose_responses("POST");
    workspace.apply().succeeds();
    assert_eq!(service.requests_of("POST"), 1);
    assert_eq!(service.owners_named("github", "users/id-17"), 1);
    service.respond_normally();
    workspace.plan().exits(0);
}

#[test]
fn lost_owner_in_another_spelling_without_a_creation_time_may_exist() {
    let service = with_own_spelling();
    service.change_world(|world| {
        world.omitted_fields.push(OmittedFields {
            responses: vec![ResponseTo::Get],
            fields: vec!["createTime".to_owned()],
            ..OmittedFields::default()
        });
    });
    let workspace = service.workspace();
    workspace.configure(&ada(""));
    service.lose_responses("POST");
    let error = workspace.apply().exits(1).only_error();
    for part in ["users/id-17", "may have", "id = \"integrations/github/owners/ada\""] {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(!error.contains("Choose another"), "{error}");
    assert_eq!(service.requests_of("POST"), 1);
    service.respond_normally();

    // The error's advice works.
    workspace.configure(
        &(ada("").replace("users/ada", "users/id-17")
            + "import {\n  to = access_integration_owner.ada\n  id = \"integrations/github/owners/ada\"\n}\n"),
    );
    workspace.apply().succeeds();
    assert_eq!(service.requests_of("POST"), 1);
    workspace.plan().exits(0);
}
