//! Objects that exist but that a call cannot access, and paths behind a gateway.

use access_fake::{Gateway, NotFoundBody, World};
use serde_json::{Value, json};

use crate::support::{Host, PROVIDER};

const ROLES: &str = "/api/v1/listings/github/roles";
const VIEWER: &str = "/api/v1/listings/github/roles/viewer";
const OWNERS: &str = "/api/v1/integrations/github/owners";
const FOUNDER: &str = "/api/v1/integrations/github/owners/founder";

fn viewer() -> Value {
    json!({"displayName": "Viewer", "priority": "5"})
}

fn hiding(rules: Value) -> Host {
    let host = Host::full();
    host.service().put_role("github", "viewer", &viewer()).unwrap();
    host.change_world(&json!({ "hidden": rules }));
    host
}

fn ids(list: &Value, field: &str) -> Vec<String> {
    let names = list[field].as_array().unwrap().iter().map(|entry| entry["name"].as_str().unwrap());
    names.map(|name| name.rsplit('/').next().unwrap().to_owned()).collect()
}

#[test]
fn hidden_role_is_listed_and_written_but_not_read() {
    for status in [404, 403] {
        let host = hiding(json!([{"object": "listings/github/roles/viewer", "get": status}]));
        host.admin().get(VIEWER).is_refused(status, "listings/github/roles/viewer");
        assert_eq!(ids(&host.admin().get(ROLES).json(200), "listingRoles"), ["viewer"]);
        host.admin().patch(VIEWER, &viewer()).json(200);
        host.admin().delete(VIEWER).json(200);
        assert_eq!(host.service().role("github", "viewer"), None);
    }
}

#[test]
fn hidden_object_is_left_out_of_its_list_independently_of_get() {
    let host = hiding(json!([
        {"object": "listings/github/roles/*", "omit_from_list": true},
        {"object": "integrations/*/owners/founder", "omit_from_list": true},
    ]));
    assert_eq!(host.admin().get(ROLES).json(200)["listingRoles"], json!([]));
    assert_eq!(host.admin().get(OWNERS).json(200)["integrationOwners"], json!([]));
    host.admin().get(VIEWER).json(200);
    host.admin().get(FOUNDER).json(200);
}

#[test]
fn hidden_collection_is_refused_and_its_objects_are_read() {
    let host = hiding(json!([
        {"object": "listings/github/roles", "list": 403},
        {"object": "integrations/github/owners", "list": 404, "write": 403},
    ]));
    host.admin().get(ROLES).is_refused(403, "no access");
    host.admin().get(OWNERS).is_refused(404, "integrations/github/owners");
    host.admin().post(OWNERS, &json!({"owner": "users/ada"})).is_refused(403, "no access");
    host.admin().get(VIEWER).json(200);
    host.admin().get(FOUNDER).json(200);
}

#[test]
fn refused_delete_leaves_the_object() {
    let host = hiding(json!([
        {"object": "listings/*", "delete": 404},
        {"object": "integrations/*", "delete": 404},
    ]));
    for object in [VIEWER, FOUNDER] {
        host.admin().delete(object).is_refused(404, "not found");
        host.admin().get(object).json(200);
    }
}

#[test]
fn object_is_hidden_from_one_key_alone() {
    let host = hiding(json!([
        {"object": "listings/github/*", "key": "member", "get": 404, "omit_from_list": true},
    ]));
    let member = host.caller("member-key", PROVIDER);
    member.get(VIEWER).is_refused(404, "");
    assert_eq!(member.get(ROLES).json(200)["listingRoles"], json!([]));
    host.admin().get(VIEWER).json(200);
    assert_eq!(ids(&host.admin().get(ROLES).json(200), "listingRoles"), ["viewer"]);
}

#[test]
fn gateway_responds_under_its_prefix_alone() {
    let table = [
        (NotFoundBody::Json, Some("application/json"), r#"{"message":"#),
        (NotFoundBody::Text, Some("text/plain; charset=utf-8"), "404 page not found"),
        (NotFoundBody::Html, Some("text/html"), "<!doctype html>"),
        (NotFoundBody::Empty, None, ""),
    ];
    for (body, content_type, start) in table {
        let gateway = Gateway { prefix: "/wrong".to_owned(), status: 404, body };
        let host = Host::new(World { gateways: vec![gateway], ..World::default() });
        let reply = host.admin().get(&format!("/wrong{FOUNDER}"));
        assert_eq!((reply.status, reply.header("content-type")), (404, content_type));
        assert!(reply.text().starts_with(start), "{}", reply.text());
        host.admin().get(FOUNDER).json(200);
        assert_eq!(host.service().requests()[0].path, format!("/wrong{FOUNDER}"));
    }
}

#[test]
fn api_is_served_under_a_base_path_and_a_gateway_replaces_the_root() {
    let host = Host::full();
    host.change_world(&json!({
        "base_paths": ["/eu"],
        "gateways": [{"prefix": "/api", "status": 502, "body": "html"}],
    }));
    host.admin().get(&format!("/eu{FOUNDER}")).json(200);
    assert_eq!(host.admin().get(FOUNDER).status, 502);
    assert_eq!(host.admin().get(&format!("/europe{FOUNDER}")).text(), "404 page not found");
}
