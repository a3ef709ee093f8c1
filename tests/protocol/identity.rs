//! Identities: in each response, for states that were written without one, and imports by them.

use super::*;

fn data(identity: &Value) -> Option<pb::ResourceIdentityData> {
    Some(pb::ResourceIdentityData { identity_data: Some(encode(identity)) })
}

fn read_identity(identity: Option<&pb::ResourceIdentityData>) -> Value {
    identity.map_or(Value::Null, |data| decode(data.identity_data.as_ref().unwrap()))
}

fn viewer() -> Value {
    json!({"listing": "github", "role": "viewer"})
}

async fn read(
    host: &Host,
    type_name: &str,
    state: &Value,
    private: &[u8],
    identity: Option<pb::ResourceIdentityData>,
) -> pb::read_resource::Response {
    let request = pb::read_resource::Request {
        type_name: type_name.to_owned(),
        current_state: Some(encode(state)),
        private: private.to_vec().into(),
        current_identity: identity,
        ..Default::default()
    };
    host.client.read_resource(request).await.unwrap()
}

fn put_viewer(service: &Service) {
    service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "3"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn identity_schemas_name_what_an_import_needs() {
    let host = Host::unconfigured().await;
    let request = pb::get_resource_identity_schemas::Request {};
    let schemas = host.client.get_resource_identity_schemas(request).await;
    let schemas = schemas.unwrap().identity_schemas;
    for (type_name, expected) in [(ROLE, ["listing", "role"]), (OWNER, ["integration", "owner"])] {
        let schema = &schemas[type_name];
        assert_eq!(schema.version, 0);
        let attributes = &schema.identity_attributes;
        let names: Vec<_> = attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        assert_eq!(names, expected);
        for attribute in attributes {
            assert!(attribute.required_for_import, "{}", attribute.name);
            assert!(attribute.description.ends_with('.'), "{}", attribute.description);
        }
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn state_without_an_identity_gets_one_with_or_without_reads() {
    let service = Service::full();
    let host = Host::start(&service).await;
    put_viewer(&service);
    let mut private = Vec::new();
    for is_deleted in [false, true] {
        if is_deleted {
            service.remove_role("github", "viewer");
        }
        let response = read(&host, ROLE, &state(), &private, None).await;
        private = response.private.to_vec();
        assert_eq!(errors(&response.diagnostics), [""; 0]);
        assert_eq!(decode(&response.new_state.unwrap()).is_null(), is_deleted);
        assert_eq!(read_identity(response.new_identity.as_ref()), viewer());
    }
    host.end().await;

    let service = Service::documented_only(405);
    let host = Host::start(&service).await;
    let response = read(&host, ROLE, &state(), b"", None).await;
    assert_eq!(decode(&response.new_state.unwrap()), state());
    assert_eq!(read_identity(response.new_identity.as_ref()), viewer());
    let owner = &fixture("version-0/integration_owner-least.json")["attributes"];
    let response = read(&host, OWNER, owner, b"", None).await;
    let expected = json!({"integration": "okta", "owner": "own-1"});
    assert_eq!(read_identity(response.new_identity.as_ref()), expected);
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn identity_that_changes_is_an_error_that_keeps_the_prior_one() {
    let service = Service::full();
    let host = Host::start(&service).await;
    put_viewer(&service);
    let other = json!({"listing": "github", "role": "editor"});
    let response = read(&host, ROLE, &state(), b"", data(&other)).await;
    assert_eq!(errors(&response.diagnostics), ["Unexpected change of identity"]);
    assert_eq!(read_identity(response.new_identity.as_ref()), other);
    host.end().await;
}

async fn apply(
    host: &Host,
    type_name: &str,
    prior: &Value,
    config: &Value,
) -> (Value, pb::apply_resource_change::Response) {
    let provider = &host.client;
    let request = pb::plan_resource_change::Request {
        type_name: type_name.to_owned(),
        prior_state: Some(encode(prior)),
        proposed_new_state: Some(encode(&proposed(
            type_name,
            (!prior.is_null()).then_some(prior),
            config,
        ))),
        config: Some(encode(config)),
        ..Default::default()
    };
    let planned = provider.plan_resource_change(request).await.unwrap();
    assert_eq!(errors(&planned.diagnostics), [""; 0]);
    let planned_identity = read_identity(planned.planned_identity.as_ref());
    let request = pb::apply_resource_change::Request {
        type_name: type_name.to_owned(),
        prior_state: Some(encode(prior)),
        planned_state: planned.planned_state,
        config: Some(encode(config)),
        planned_private: planned.planned_private,
        planned_identity: planned.planned_identity,
        ..Default::default()
    };
    let applied = provider.apply_resource_change(request).await.unwrap();
    (planned_identity, applied)
}

#[tokio::test(flavor = "multi_thread")]
async fn role_has_its_identity_in_the_plan() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let (planned, created) = apply(&host, ROLE, &Value::Null, &config()).await;
    assert_eq!(planned, viewer());
    assert_eq!(read_identity(created.new_identity.as_ref()), viewer());
    let created = decode(&created.new_state.unwrap());
    let mut changed = config();
    changed["display_name"] = json!("Reader");
    let (planned, updated) = apply(&host, ROLE, &created, &changed).await;
    assert_eq!(planned, viewer());
    assert_eq!(errors(&updated.diagnostics), [""; 0]);
    assert_eq!(read_identity(updated.new_identity.as_ref()), viewer());
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn role_with_an_unknown_name_has_no_planned_identity() {
    let host = Host::unconfigured().await;
    let mut config = config();
    config["listing"] = unknown();
    let planned = host.plan(None, &config, b"").await;
    assert_eq!(planned.diagnostics, []);
    assert_eq!(planned.planned_identity, None);
    let mut config = super::config();
    config["role"] = unknown();
    let planned = host.plan(Some(&state()), &config, b"").await;
    assert_eq!(planned.requires_replace.len(), 1);
    assert_eq!(planned.planned_identity, None);
    host.end().await;
}

fn owner_config(id: Value) -> Value {
    let mut config = schema::empty_resource(OWNER);
    config["integration"] = json!("okta");
    config["owner"] = json!("users/ada");
    config["integration_owner_id"] = id;
    config
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_has_its_identity_after_the_create() {
    let service = Service::full();
    for id in [json!("ada"), Value::Null] {
        // One plugin for each, because a run creates an object once.
        let host = Host::start(&service).await;
        let (planned, created) = apply(&host, OWNER, &Value::Null, &owner_config(id)).await;
        // The service assigns the ID, so the planned identity is null: OpenTofu 1.12 rejects one
        // that is partly unknown.
        assert_eq!(planned, Value::Null);
        let state = decode(&created.new_state.unwrap());
        let expected = json!({"integration": "okta", "owner": state["integration_owner_id"]});
        assert_eq!(read_identity(created.new_identity.as_ref()), expected);
        let id = state["integration_owner_id"].as_str().unwrap();
        service.remove_owner("okta", id);
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn owner_with_another_id_than_planned_has_the_identity_of_its_read() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let response = r#"{"name": "integrations/okta/owners/own-7", "owner": "users/ada"}"#;
    service.respond_to_all("POST", 200, response);
    let (_, created) = apply(&host, OWNER, &Value::Null, &owner_config(json!("ada"))).await;
    assert_eq!(errors(&created.diagnostics), [""; 0]);
    let identity = json!({"integration": "okta", "owner": "own-7"});
    assert_eq!(read_identity(created.new_identity.as_ref()), identity);
    service.put_owner("okta", "own-7", "users/ada");
    let state = decode(&created.new_state.unwrap());
    let read = read(&host, OWNER, &state, b"", created.new_identity).await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
    assert_eq!(read_identity(read.new_identity.as_ref()), identity);
    host.end().await;
}

async fn import(
    host: &Host,
    type_name: &str,
    id: &str,
    identity: Option<pb::ResourceIdentityData>,
) -> pb::import_resource_state::Response {
    let request = pb::import_resource_state::Request {
        type_name: type_name.to_owned(),
        id: id.to_owned(),
        identity,
        client_capabilities: None,
    };
    host.client.import_resource_state(request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn import_by_identity_equals_import_by_name() {
    let service = Service::full();
    let host = Host::start(&service).await;
    put_viewer(&service);
    service.put_owner("okta", "own-9", "groups/platform");
    let owner = json!({"integration": "okta", "owner": "own-9"});
    for (type_name, name, identity) in [
        (ROLE, "listings/github/roles/viewer", viewer()),
        (OWNER, "integrations/okta/owners/own-9", owner),
    ] {
        let by_name = import(&host, type_name, name, None).await;
        assert_eq!(by_name.imported_resources.len(), 1, "{name}: {:?}", by_name.diagnostics);
        let by_identity = import(&host, type_name, "", data(&identity)).await;
        assert_eq!(by_identity.imported_resources, by_name.imported_resources);
        // Two addresses import one object.
        assert_eq!(by_identity.diagnostics.len(), 1, "{name}: {:?}", by_identity.diagnostics);
        let imported = &by_name.imported_resources[0];
        assert_eq!(read_identity(imported.identity.as_ref()), identity);
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn import_by_an_invalid_identity_sends_no_request() {
    let service = Service::full();
    let host = Host::start(&service).await;
    for (type_name, identity, summary) in [
        (ROLE, json!({"listing": "a/b", "role": "viewer"}), "Invalid listing"),
        (ROLE, json!({"listing": "github", "role": ".."}), "Invalid role"),
        (OWNER, json!({"integration": "", "owner": "own-1"}), "Invalid integration"),
        (OWNER, json!({"integration": "okta", "owner": "users/ada"}), "Invalid owner"),
    ] {
        let response = import(&host, type_name, "", data(&identity)).await;
        assert_eq!(errors(&response.diagnostics), [summary]);
        assert_eq!(response.imported_resources, []);
    }
    assert_eq!(service.requests().len(), 0);
    host.end().await;
}
