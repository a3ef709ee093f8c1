//! `moved` blocks from generic REST providers, with states that those providers have written.

use super::*;

/// Returns an instance of a recorded state file.
fn recorded(provider: &str, name: &str) -> Value {
    let state = fixture(&format!("moved/{provider}.tfstate"));
    let resources = state["resources"].as_array().unwrap();
    let resource = resources.iter().find(|resource| resource["name"] == name).unwrap();
    resource["instances"][0].clone()
}

struct Source<'a> {
    host_name: &'a str,
    provider: &'a str,
    type_name: &'a str,
}

const RESTAPI: Source<'static> = Source {
    host_name: "registry.terraform.io",
    provider: "mastercard/restapi",
    type_name: "restapi_object",
};
const RESTFUL: Source<'static> = Source {
    host_name: "registry.terraform.io",
    provider: "magodo/restful",
    type_name: "restful_resource",
};

async fn move_to(
    host: &Host,
    target: &str,
    source: &Source<'_>,
    instance: &Value,
) -> pb::move_resource_state::Response {
    let request = pb::move_resource_state::Request {
        source_provider_address: format!("{}/{}", source.host_name, source.provider),
        source_type_name: source.type_name.to_owned(),
        source_schema_version: instance["schema_version"].as_i64().unwrap(),
        source_state: Some(pb::RawState {
            json: instance["attributes"].to_string().into(),
            ..Default::default()
        }),
        target_type_name: target.to_owned(),
        ..Default::default()
    };
    host.client.move_resource_state(request).await.unwrap()
}

/// Returns the state and identity of a move that succeeds.
async fn moved(host: &Host, target: &str, source: &Source<'_>, instance: &Value) -> (Value, Value) {
    let response = move_to(host, target, source, instance).await;
    assert_eq!(response.diagnostics, []);
    let identity = response.target_identity.unwrap().identity_data.unwrap();
    (decode(&response.target_state.unwrap()), decode(&identity))
}

/// Returns the detail of the error of a move that is refused.
async fn refused(host: &Host, target: &str, source: &Source<'_>, instance: &Value) -> String {
    let response = move_to(host, target, source, instance).await;
    assert_eq!(errors(&response.diagnostics), ["Unsupported move"]);
    assert_eq!(decode(&response.target_state.unwrap()), Value::Null);
    response.diagnostics[0].detail.clone()
}

const ROLE: &str = "access_listing_role";
const OWNER: &str = "access_integration_owner";

#[tokio::test(flavor = "multi_thread")]
async fn roles_are_moved_whole_from_either_registry_without_a_configuration() {
    let host = Host::unconfigured().await;
    for host_name in ["registry.terraform.io", "registry.opentofu.org"] {
        let source = Source { host_name, ..RESTAPI };
        let (state, identity) = moved(&host, ROLE, &source, &recorded("restapi", "role")).await;
        assert_eq!(identity, json!({"listing": "production", "role": "operator"}));
        for (name, expected) in [
            ("listing", json!("production")),
            ("role", json!("operator")),
            ("display_name", json!("Operator")),
            ("priority", json!(2)),
            ("description", json!("May restart.")),
            ("resources", json!(["host/a", "host/b"])),
            ("id", json!("listings/production/roles/operator")),
            ("manager", Value::Null),
        ] {
            assert_eq!(state[name], expected, "{name}");
        }
        let source = Source { host_name, ..RESTFUL };
        let (state, identity) = moved(&host, ROLE, &source, &recorded("restful", "role")).await;
        assert_eq!(identity, json!({"listing": "production", "role": "auditor"}));
        assert_eq!(state["display_name"], "Auditor");
        assert_eq!(state["priority"], 1);
        assert_eq!(state["description"], Value::Null);
        assert_eq!(state["resources"], json!([]));
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_are_moved_whole() {
    let host = Host::unconfigured().await;
    let restapi = moved(&host, OWNER, &RESTAPI, &recorded("restapi", "owner")).await;
    let restful = moved(&host, OWNER, &RESTFUL, &recorded("restful", "owner")).await;
    for ((state, identity), id, owner) in
        [(restapi, "own-1", "groups/platform"), (restful, "own-3", "teams/inspection")]
    {
        assert_eq!(identity, json!({"integration": "github", "owner": id}));
        assert_eq!(state["integration_owner_id"], id);
        assert_eq!(state["owner"], owner);
        assert_eq!(state["name"], format!("integrations/github/owners/{id}"));
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn move_without_a_recorded_response_keeps_only_the_name() {
    let host = Host::unconfigured().await;
    for response in [Value::Null, json!(""), json!("{}"), json!("{\"name\":\"\"}"), json!("<html>")]
    {
        let mut instance = recorded("restapi", "role");
        instance["attributes"]["api_response"] = response;
        let (state, _) = moved(&host, ROLE, &RESTAPI, &instance).await;
        assert_eq!(state["name"], "listings/production/roles/operator");
        assert_eq!(state["display_name"], Value::Null);
        let mut instance = recorded("restapi", "owner");
        instance["attributes"]["api_response"] = Value::Null;
        let (state, _) = moved(&host, OWNER, &RESTAPI, &instance).await;
        assert_eq!(state["owner"], Value::Null);
        assert_eq!(state["integration_owner_id"], "own-1");
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_surely_ours_is_refused_with_the_reason() {
    let host = Host::unconfigured().await;
    let role = recorded("restapi", "role");
    for path in ["/api/v1/users", "/listings/a/b/roles", "", "/api/v1/listings//roles"] {
        let mut instance = role.clone();
        instance["attributes"]["path"] = json!(path);
        let detail = refused(&host, ROLE, &RESTAPI, &instance).await;
        assert!(detail.contains("…/listings/{listing}/roles/{role}"), "{path}: {detail}");
    }
    let detail = refused(&host, OWNER, &RESTAPI, &role).await;
    assert!(detail.contains("…/integrations/{integration}/owners/{owner}"), "{detail}");
    let detail = refused(&host, ROLE, &RESTFUL, &recorded("restful", "owner")).await;
    assert!(detail.contains("…/listings/{listing}/roles/{role}"), "{detail}");

    for (from, to, reason) in [
        ("roles/operator", "roles/another", "another role"),
        ("\"priority\":\"2\"", "\"priority\":[]", "differs from the documented type"),
        ("\"name\"", "\"deleteTime\":\"2026-11-01T00:00:00Z\",\"name\"", "deleted at 2026-11-01"),
    ] {
        let mut instance = role.clone();
        let response = instance["attributes"]["api_response"].as_str().unwrap().replace(from, to);
        instance["attributes"]["api_response"] = json!(response);
        let detail = refused(&host, ROLE, &RESTAPI, &instance).await;
        assert!(detail.contains(reason), "{detail}");
    }

    for source in [
        Source { provider: "other/restapi", ..RESTAPI },
        Source { type_name: "restapi_other", ..RESTAPI },
        Source { type_name: "restapi_object", ..RESTFUL },
    ] {
        refused(&host, ROLE, &source, &role).await;
    }
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_role_is_planned_for_an_update_that_records_the_manager() {
    let service = Service::full();
    let host = Host::start(&service).await;
    for (whole, unknowns) in [
        (true, &["manager", "update_time"][..]),
        (false, &["manager", "update_time", "management", "create_time"]),
    ] {
        let mut instance = recorded("restapi", "role");
        if !whole {
            instance["attributes"]["api_response"] = Value::Null;
        }
        let moved = move_to(&host, ROLE, &RESTAPI, &instance).await;
        let state = decode(&moved.target_state.unwrap());
        let mut config = config();
        config["listing"] = json!("production");
        config["role"] = json!("operator");
        config["display_name"] = json!("Operator");
        config["priority"] = json!(2);
        config["description"] = json!("May restart.");
        let planned = host.plan(Some(&state), &config, &moved.target_private).await;
        assert_eq!(planned.diagnostics, []);
        assert_eq!(planned.requires_replace, []);
        let planned = decode(&planned.planned_state.unwrap());
        for name in unknowns {
            assert_eq!(planned[name], unknown(), "{name}");
        }
        assert_eq!(planned["id"], "listings/production/roles/operator");
    }
    host.end().await;
}
