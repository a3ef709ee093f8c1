//! Identities, in each response and for states that were written without one, and imports.

use super::cases::*;
use super::*;

fn viewer() -> Value {
    json!({"listing": "github", "role": "viewer"})
}

#[tokio::test(flavor = "multi_thread")]
async fn state_without_an_identity_gets_one_also_without_reads() {
    let service = Service::documented_only(405);
    let host = Host::start(&service).await;
    let read = host.read(ROLE, &state(), b"").await;
    assert_eq!(identity(read.new_identity.as_ref()), viewer());
    let read = host.read(OWNER, &Owner.state(), b"").await;
    let expected = json!({"integration": "github", "integration_owner_id": "own-1"});
    assert_eq!(identity(read.new_identity.as_ref()), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn role_has_its_identity_in_the_plan_if_its_name_is_known() {
    let (_service, host) = Host::with_service().await;
    let planned = host.plan(ROLE, None, &config(), b"").await;
    assert_eq!(identity(planned.planned_identity.as_ref()), viewer());
    let created = host.apply(ROLE, None, &config(), &planned).await;
    assert_eq!(identity(created.new_identity.as_ref()), viewer());
    let state = decode(&created.new_state.unwrap());
    let changed = with(config(), &json!({"display_name": "Reader"}));
    let planned = host.plan(ROLE, Some(&state), &changed, &created.private).await;
    assert_eq!(identity(planned.planned_identity.as_ref()), viewer());
    let updated = host.apply(ROLE, Some(&state), &changed, &planned).await;
    assert_eq!(identity(updated.new_identity.as_ref()), viewer());

    let new_name = with(config(), &json!({ "role": unknown() }));
    let replaced = host.plan(ROLE, Some(&state), &new_name, &created.private).await;
    assert_eq!((replaced.requires_replace.len(), replaced.planned_identity), (1, None));
    let created = host.plan(ROLE, None, &new_name, b"").await;
    assert_eq!((created.diagnostics, created.planned_identity), (vec![], None));
}

/// The service assigns the ID, so the planned identity is null: OpenTofu 1.12 rejects one that is
/// partly unknown.
#[tokio::test(flavor = "multi_thread")]
async fn owner_has_its_identity_after_the_create() {
    for (planned_id, returned) in
        [(json!("ada"), None), (Value::Null, None), (json!("ada"), Some("own-7"))]
    {
        let service = Service::full();
        if let Some(id) = returned {
            let body =
                json!({"name": format!("integrations/github/owners/{id}"), "owner": "users/ada"});
            service.respond_to_all("POST", 200, &body.to_string());
        }
        let host = Host::start(&service).await;
        let config = with(creating(Owner), &json!({ "integration_owner_id": planned_id }));
        let planned = host.plan(OWNER, None, &config, b"").await;
        assert_eq!(planned.planned_identity, None);
        let created = host.apply(OWNER, None, &config, &planned).await;
        assert_eq!(errors(&created.diagnostics), [""; 0]);
        let state = decode(&created.new_state.unwrap());
        let id = returned.map_or_else(|| state["integration_owner_id"].clone(), |id| json!(id));
        let expected = json!({ "integration": "github", "integration_owner_id": id });
        assert_eq!(identity(created.new_identity.as_ref()), expected);
        if let Some(id) = returned {
            service.put_owner("github", id, "users/ada");
        }
        let read = host.read(OWNER, &state, &created.private).await;
        assert_eq!(errors(&read.diagnostics), [""; 0]);
        assert_eq!(identity(read.new_identity.as_ref()), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_imported_by_every_id_and_by_identity() {
    let service = Service::full();
    service.put_viewer();
    service.change_role("github", "viewer", json!({"resources": ["repo/b", "repo/a"]}));
    service.put_owner("github", "own-9", "users/ada");
    let owner = json!({"integration": "github", "integration_owner_id": "own-9"});
    let host = Host::start_with(&service, &json!({"api_key": "reader-key"})).await;
    let role_ids = ["github/viewer", "listings/github/roles/viewer"];
    let owner_ids = ["github/own-9", "integrations/github/owners/own-9", "github/users/ada"];
    for (type_name, ids, by_identity, attribute, expected) in [
        (ROLE, &role_ids[..], viewer(), "resources", json!(["repo/a", "repo/b"])),
        (OWNER, &owner_ids, owner, "owner", json!("users/ada")),
        // All owners of an integration have no identity.
        (OWNERS, &["okta", "integrations/okta"], Value::Null, "owners", json!(["users/founder"])),
    ] {
        let by = Some(&by_identity).filter(|identity| !identity.is_null());
        let first_id = if by.is_some() { "" } else { ids[0] };
        let first = host.import(type_name, first_id, by).await.imported_resources;
        let state = decode(first[0].state.as_ref().unwrap());
        assert_eq!(state[attribute], expected, "{type_name}");
        assert_eq!(identity(first[0].identity.as_ref()), by_identity);
        for id in ids {
            let imported = host.import(type_name, id, None).await;
            assert_eq!(imported.imported_resources, first, "{id}: {:?}", imported.diagnostics);
            assert_eq!(imported.diagnostics, [], "{id}");
        }
    }
    assert_eq!(service.writes().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_objects_and_wrong_ids_are_not_imported() {
    let service = Service::full();
    service.change_world(|world| world.duplicate_owners = true);
    for id in ["own-8", "own-9"] {
        service.put_owner("github", id, "users/ada");
    }
    let host = Host::start(&service).await;
    for (type_name, id, parts) in [
        (ROLE, "github/absent", &["404", "adopt_existing = true"][..]),
        (ROLE, "github", &["listings/{listing}/roles/{role}"]),
        (ROLE, "listings/github/roles/b%20", &["has an ID that must not contain `%`"]),
        (OWNER, "github/users/nobody", &["users/nobody", "own-8", "founder"]),
        (OWNER, "github/users/ada", &["own-8", "own-9"]),
        (OWNERS, "nowhere", &["404"]),
        (OWNERS, "a/b", &["a/b"]),
    ] {
        let imported = host.import(type_name, id, None).await;
        says(&imported.diagnostics, parts);
        assert_eq!(imported.imported_resources, [], "{id}");
    }
    service.clear_requests();
    let principal = json!({"integration": "okta", "integration_owner_id": "users/ada"});
    for (type_name, by_identity, summary, part) in [
        (ROLE, json!({"listing": "github", "role": ".."}), "Invalid role", ".."),
        (OWNER, principal, "Invalid integration_owner_id", "must not contain `/`"),
    ] {
        let imported = host.import(type_name, "", Some(&by_identity)).await;
        assert_eq!(errors(&imported.diagnostics), [summary]);
        says(&imported.diagnostics, &[part]);
        assert_eq!(imported.imported_resources, []);
    }
    assert_eq!(service.requests().len(), 0);

    // No read, no import: with `adopt_existing`, the next apply overwrites it unread.
    service.put_viewer();
    for status in [403, 404, 405, 501] {
        service.respond_to_all("GET", status, r#"{"message":"no read for you"}"#);
        let imported = host.import(ROLE, "github/viewer", None).await;
        let parts = ["no read for you", "adopt_existing = true", "roles/viewer"];
        says(&imported.diagnostics, &parts);
        assert_eq!(imported.imported_resources, [], "{status}");
    }
    // Another spelling of the ID is another object, and shown.
    for (type_name, name) in
        [(ROLE, "listings/github/roles/Viewer"), (OWNER, "integrations/github/owners/OWN-9")]
    {
        let body = json!({ "name": name, "owner": "users/ada", "displayName": "Viewer" });
        service.respond_to_all("GET", 200, &body.to_string());
        let id = if type_name == ROLE { "github/viewer" } else { "github/own-9" };
        let imported = host.import(type_name, id, None).await;
        says(&imported.diagnostics, &["its body is another", name]);
        assert_eq!(imported.imported_resources, [], "{id}");
    }
    for principal in [json!(7), json!(null)] {
        let name = "integrations/github/owners/own-9";
        let body = json!({ "name": name, "owner": principal });
        service.respond_to_all("GET", 200, &body.to_string());
        let imported = host.import(OWNER, "github/own-9", None).await;
        says(&imported.diagnostics, &[name, "`owner`"]);
        assert_eq!(imported.imported_resources, []);
    }
}
