//! Creates of owners: lost responses, lists that fail, and adoptions.

use access_fake::{Fault, OmittedFields, ResponseTo};

use super::*;

const ADA: &str = "access_integration_owner.ada";

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

/// Responds with this to each list of owners.
fn respond_to_owner_lists(service: &Service, status: u16, body: &str) {
    service.respond_normally();
    service.fault(Fault::respond(status, body).on("GET").at("*/owners"));
}

/// Failures of a list, and whether each one is a list that does not exist.
const LIST_FAILURES: [(u16, &str, bool); 3] =
    [(400, r#"{"message":"no"}"#, true), (200, "[]", true), (500, r#"{"message":"no"}"#, false)];

const UNCHECKED: &str = "The existence check of an integration owner is incomplete";

#[test]
fn owner_with_a_fixed_id_is_created_although_lists_fail() {
    for (status, body, _) in LIST_FAILURES {
        let service = Service::full();
        respond_to_owner_lists(&service, status, body);
        let workspace = service.workspace();
        let provider = "provider \"access\" {\n  max_retries = 0\n}\n".to_owned();
        workspace.configure(&(provider.clone() + &ada("")));
        workspace.plan().exits(2).warns(UNCHECKED);
        let applied = workspace.apply();
        assert_eq!(applied.code, 0, "{status} {body}: {}", applied.output());
        applied.warns(UNCHECKED);
        assert_eq!(service.owners_named("github", "users/ada"), 1, "{status} {body}");
        workspace.plan().exits(0);

        // GET finds an owner that exists.
        service.put_owner("github", "bob", "users/bob");
        let bob = ada("").replace("ada", "bob");
        workspace.configure(&(provider + &ada("") + &bob));
        workspace.plan().fails_with("users/bob is an owner of integrations/github already");
        workspace.apply().fails_with("id = \"integrations/github/owners/bob\"");
        assert_eq!(service.requests_of("POST"), 1, "{status} {body}");
    }
}

#[test]
fn owner_without_a_fixed_id_is_created_if_the_list_does_not_exist_in_a_known_form() {
    for (status, body, is_absent) in LIST_FAILURES {
        let service = Service::full();
        respond_to_owner_lists(&service, status, body);
        let workspace = service.workspace();
        workspace.configure(
            &("provider \"access\" {\n  max_retries = 0\n}\n".to_owned() + &owner("ada", "")),
        );
        let applied = workspace.apply();
        let expected = i32::from(!is_absent);
        assert_eq!(applied.code, expected, "{status} {body}: {}", applied.output());
        assert_eq!(service.requests_of("POST"), usize::from(is_absent));
        if is_absent {
            applied.warns(UNCHECKED);
            workspace.plan().exits(0);
        }
    }
}

#[test]
fn owner_under_another_id_is_not_offered_for_an_adoption_as_it_is() {
    let service = Service::full();
    service.put_owner("github", "own-1", "users/ada");
    let workspace = service.workspace();
    for adopts in [false, true] {
        workspace.configure(&ada(&format!("  adopt_existing = {adopts}")));
        let plan = workspace.plan().exits(1);
        assert_eq!(plan.blamed_lines(), ["integration_owner_id = \"ada\""]);
        let error = plan.only_error();
        for part in ["integration_owner_id = \"own-1\"", "own-1\"", "or omit it", "import {"] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert!(!error.contains("Or set `adopt_existing"), "{error}");
        workspace.apply().exits(1);
    }
    assert_eq!(service.writes().len(), 0);

    workspace.configure(&ada("  adopt_existing = true").replace("\"ada\"\n", "\"own-1\"\n"));
    workspace.apply().succeeds();
    assert_eq!(workspace.state_of(ADA).expect("the owner")["integration_owner_id"], "own-1");
}

/// The check of the adoption has read the owner, although the read-back after it fails.
#[test]
fn existence_check_of_an_adopted_owner_is_evidence() {
    let service = Service::full();
    service.without_lists();
    service.put_owner("github", "ada", "users/ada");
    let workspace = service.workspace();
    workspace.configure(&ada("  adopt_existing = true"));
    service.fault(Fault { skip: 2, ..Fault::respond(405, "{}").on("GET").at("*/owners/*") });
    workspace.apply().succeeds();
    service.respond_normally();
    service.remove_owner("github", "ada");
    assert_eq!(workspace.plan().exits(2).action(ADA), "create");
}
