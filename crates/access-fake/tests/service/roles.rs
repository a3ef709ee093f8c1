//! The documented PATCH of a role.

use serde_json::{Value, json};

use crate::support::{Caller, Host};

const VIEWER: &str = "/api/v1/listings/github/roles/viewer";

fn create(caller: &Caller<'_>, body: &Value) -> Value {
    caller.patch(&format!("{VIEWER}?allowMissing=true"), body).json(200)
}

fn viewer() -> Value {
    json!({
        "displayName": "Viewer",
        "description": "Reads",
        "priority": "5",
        "resources": ["repo/a", "repo/b"],
        "repoUri": "https://git.example.com/a",
        "repoDir": "access",
    })
}

#[test]
fn role_is_created_with_allow_missing_alone() {
    let host = Host::full();
    for query in ["", "?allowMissing=false"] {
        let reply = host.admin().patch(&format!("{VIEWER}{query}"), &viewer());
        reply.is_refused(404, "listings/github/roles/viewer");
        assert_eq!(host.service().object("listings/github/roles/viewer"), None);
    }
    let role = create(&host.provider(), &viewer());
    assert_eq!(role["createTime"].as_str().unwrap().len(), "2026-01-02T03:04:05.123456789Z".len());
    let mut expected = viewer();
    expected["name"] = json!("listings/github/roles/viewer");
    expected["manager"] = json!("TERRAFORM");
    for time in ["createTime", "updateTime"] {
        expected[time] = role[time].clone();
    }
    assert_eq!(role, expected);
    assert_eq!(host.service().object("listings/github/roles/viewer"), Some(expected));
}

#[test]
fn role_of_a_missing_listing_is_not_created() {
    let host = Host::full();
    let reply = host.admin().patch("/api/v1/listings/nowhere/roles/x?allowMissing=true", &viewer());
    reply.is_refused(404, "listings/nowhere");
}

#[test]
fn create_ignores_the_mask_and_leaves_the_rest_empty() {
    let host = Host::full();
    let target = format!("{VIEWER}?allowMissing=true&updateMask=priority");
    let role = host.admin().patch(&target, &viewer()).json(200);
    assert_eq!(role["description"], "Reads");
    let target = "/api/v1/listings/github/roles/minimal?allowMissing=true";
    let minimal =
        host.admin().patch(target, &json!({"displayName": "B", "priority": "0"})).json(200);
    assert_eq!(minimal["description"], "");
    assert_eq!(minimal["resources"], json!([]));
    assert_eq!(minimal["priority"], "0");
    assert_eq!(minimal["repoUri"], "");
    assert_eq!(minimal.get("manager"), None);
    assert_eq!(minimal.get("management"), None);
    assert_eq!(minimal.get("deleteTime"), None);
}

#[test]
fn update_without_a_mask_sets_what_is_given() {
    let host = Host::full();
    create(&host.admin(), &viewer());
    let role = host.admin().patch(VIEWER, &json!({"displayName": "V", "priority": "6"})).json(200);
    assert_eq!(role["displayName"], "V");
    assert_eq!(role["priority"], "6");
    assert_eq!(role["description"], "Reads");
    assert_eq!(role["resources"], json!(["repo/a", "repo/b"]));
}

#[test]
fn update_sets_exactly_what_the_mask_names_and_clears_what_the_body_lacks() {
    let changed = json!({
        "displayName": "V", "description": "new", "priority": "6", "resources": ["repo/c"],
        "repoUri": "https://git.example.com/b", "repoDir": "elsewhere",
    });
    let required = json!({"displayName": "V", "priority": "6"});
    for field in ["displayName", "description", "priority", "resources", "repoUri", "repoDir"] {
        for body in [&changed, &required] {
            let host = Host::full();
            create(&host.admin(), &viewer());
            let role = host.admin().patch(&format!("{VIEWER}?updateMask={field}"), body).json(200);
            for other in viewer().as_object().unwrap().keys() {
                let cleared = if other == "resources" { json!([]) } else { json!("") };
                let expected = match (other == field, body.get(other)) {
                    (false, _) => viewer()[other].clone(),
                    (true, Some(value)) => value.clone(),
                    (true, None) => cleared,
                };
                assert_eq!(role[other], expected, "{other} after a mask of {field}");
            }
        }
    }
    let host = Host::full();
    create(&host.admin(), &viewer());
    let target = format!("{VIEWER}?updateMask=description%2Cresources");
    let role = host.admin().patch(&target, &changed).json(200);
    assert_eq!(role["description"], "new");
    assert_eq!(role["resources"], json!(["repo/c"]));
    assert_eq!(role["displayName"], "Viewer");
}

#[test]
fn wrong_bodies_are_refused_by_name() {
    let host = Host::full();
    create(&host.admin(), &viewer());
    let before = host.service().object("listings/github/roles/viewer");
    let table = [
        (json!({"displayName": "V"}), "priority is required"),
        (json!({"priority": "1"}), "displayName is required"),
        (json!({"displayName": "", "priority": "1"}), "displayName is required"),
        (json!({"displayName": 1, "priority": "1"}), "displayName must be a string"),
        (json!({"displayName": null, "priority": "1"}), "displayName must be a string"),
        (json!({"displayName": "V", "priority": 1}), "priority must be a decimal string"),
        (json!({"displayName": "V", "priority": "1.5"}), "priority must be a decimal string"),
        (json!({"displayName": "V", "priority": "1e3"}), "priority must be a decimal string"),
        (json!({"displayName": "V", "priority": "+1"}), "priority must be a decimal string"),
        (json!({"displayName": "V", "priority": " 1"}), "priority must be a decimal string"),
        (json!({"displayName": "V", "priority": ""}), "priority must be a decimal string"),
        (json!({"displayName": "V", "priority": "9223372036854775808"}), "64 bits"),
        (json!({"displayName": "V", "priority": "1", "description": null}), "description"),
        (json!({"displayName": "V", "priority": "1", "resources": "repo/a"}), "resources"),
        (json!({"displayName": "V", "priority": "1", "resources": [1]}), "resources"),
        (json!({"displayName": "V", "priority": "1", "display_name": "V"}), "display_name is no"),
        (json!({"displayName": "V", "priority": "1", "extra": 1}), "extra is not a field"),
        (json!({"displayName": "V", "priority": "1", "createTime": "x"}), "createTime is set by"),
        (json!({"displayName": "V", "priority": "1", "updateTime": "x"}), "updateTime is set by"),
        (json!({"displayName": "V", "priority": "1", "deleteTime": "x"}), "deleteTime is set by"),
        (json!({"displayName": "V", "priority": "1", "manager": "TERRAFORM"}), "manager is set by"),
        (json!({"displayName": "V", "priority": "1", "management": "x"}), "management is set by"),
        (json!({"displayName": "V", "priority": "1", "name": "x"}), "name is set by"),
        (json!(["displayName"]), "not a JSON object"),
        (json!(null), "not a JSON object"),
    ];
    for (body, message) in table {
        host.admin().patch(VIEWER, &body).is_refused(400, message);
    }
    for body in ["", "{", "{} x", "{\"displayName\": \"V\", \"priority\": \"1\"},"] {
        host.admin().send("PATCH", VIEWER, body).is_refused(400, "not a JSON object");
    }
    assert_eq!(host.service().object("listings/github/roles/viewer"), before);
}

#[test]
fn content_type_must_be_json() {
    let host = Host::full();
    create(&host.admin(), &viewer());
    for wrong in ["", "text/plain", "application/x-www-form-urlencoded", "application/jsonx"] {
        let caller = host.admin().with("content-type", wrong);
        caller.patch(VIEWER, &viewer()).is_refused(400, "Content-Type");
    }
    for right in ["application/json; charset=utf-8", "Application/JSON"] {
        let caller = host.admin().with("content-type", right);
        caller.patch(VIEWER, &viewer()).json(200);
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let host = Host::full();
    create(&host.admin(), &viewer());
    let table = [
        ("updateMask=", "updateMask"),
        ("updateMask=*", "\"*\""),
        ("updateMask=displayName,", "\"\""),
        ("updateMask=display_name", "display_name"),
        ("updateMask=updateTime", "updateTime"),
        ("updateMask=manager", "manager"),
        ("updateMask=name", "name"),
        ("updateMask=displayName,%20priority", "priority"),
        ("allowMissing=1", "allowMissing"),
        ("allowMissing", "allowMissing"),
        ("allow_missing=true", "unknown query parameter"),
        ("validateOnly=true", "unknown query parameter"),
        ("allowMissing=true&allowMissing=true", "is repeated"),
    ];
    for (query, message) in table {
        host.admin().patch(&format!("{VIEWER}?{query}"), &viewer()).is_refused(400, message);
    }
}

#[test]
fn path_segments_are_decoded_and_checked() {
    let host = Host::full();
    let target = "/api/v1/listings/github/roles/gr%C3%BCn%2B?allowMissing=true";
    let role = host.admin().patch(target, &viewer()).json(200);
    assert_eq!(role["name"], "listings/github/roles/grün+");
    for bad in ["a%2Fb", "..", "%2e%2e", "a%20b", "%00", "%zz", "%25", ""] {
        let target = format!("/api/v1/listings/github/roles/{bad}?allowMissing=true");
        host.admin().patch(&target, &viewer()).is_refused(400, "");
    }
    for unknown in ["/api/v1/listings", "/api/v1/listings/github/roles/a/b", "/", "/api/v2/x"] {
        let reply = host.admin().patch(unknown, &viewer());
        assert_eq!(
            (reply.status(), reply.text().as_str()),
            (404, "404 page not found"),
            "{unknown}"
        );
    }
}
