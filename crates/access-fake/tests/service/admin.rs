//! The pages under `/_fake`.

use access_fake::{Absence, Presence};
use serde_json::{Value, json};

use crate::support::{Caller, Host};

const ROLE: &str = "/_fake/listings/github/roles/admin";
const OWNER: &str = "/_fake/integrations/github/owners/founder";

/// Returns a caller like curl: no key, and the `Content-Type` of `-d`.
fn person(host: &Host) -> Caller {
    host.caller("", "curl/8").with("content-type", "application/x-www-form-urlencoded")
}

fn put(host: &Host, page: &str, body: &Value) -> Value {
    person(host).send("PUT", page, &body.to_string()).json(200)
}

#[test]
fn role_is_changed_by_hand() {
    let host = Host::full();
    let person = person(&host);
    assert_eq!(person.patch(ROLE, &json!({"displayName": "x"})).status, 400);
    let role = put(&host, ROLE, &json!({"priority": "2", "manager": "TERRAFORM"}));
    assert_eq!(role["displayName"], "admin");
    let changed = person.patch(ROLE, &json!({"displayName": "By hand", "priority": 3})).json(200);
    assert_eq!(changed["displayName"], "By hand");
    assert_eq!(changed["priority"], "3");
    assert_eq!(changed["manager"], "TERRAFORM");
    assert!(changed["updateTime"].as_str() > role["updateTime"].as_str());
    let changed = person.patch(ROLE, &json!({"manager": null, "displayName": null})).json(200);
    assert_eq!((changed.get("manager"), &changed["displayName"]), (None, &json!("")));
    let read = host.admin().get("/api/v1/listings/github/roles/admin").json(200);
    assert_eq!(read, changed);
    assert_eq!(person.get(ROLE).json(200), changed);
    person.delete(ROLE).json(200);
    assert_eq!(person.delete(ROLE).status, 404);
    assert_eq!(person.get(ROLE).status, 404);
}

#[test]
fn wrong_changes_by_hand_are_refused() {
    let host = Host::full();
    put(&host, ROLE, &json!({}));
    let before = host.service().snapshot();
    for bad in [
        json!({"display_name": "x"}),
        json!({"unknown": null}),
        json!({"resources": "x"}),
        json!({"priority": "x"}),
        json!([]),
    ] {
        assert_eq!(person(&host).patch(ROLE, &bad).status, 400, "{bad}");
        assert_eq!(person(&host).send("PUT", ROLE, &bad.to_string()).status, 400, "{bad}");
    }
    assert_eq!(person(&host).send("PATCH", ROLE, "{").status, 400);
    let nowhere = "/_fake/listings/nowhere/roles/x";
    assert_eq!(person(&host).send("PUT", nowhere, "{}").status, 400);
    assert_eq!(host.service().snapshot(), before);
}

#[test]
fn role_is_soft_deleted_by_hand() {
    let host = Host::full();
    put(&host, ROLE, &json!({}));
    person(&host).delete(&format!("{ROLE}?soft=true")).json(200);
    let state = person(&host).get("/_fake/state").json(200);
    assert!(state["listings"]["github"]["roles"]["admin"]["deleteTime"].is_string());
    assert_eq!(host.service().role("github", "admin"), None);
}

#[test]
fn owner_is_changed_by_hand() {
    let host = Host::full();
    let changed = person(&host).patch(OWNER, &json!({"owner": "users/ada"})).json(200);
    assert_eq!(changed["owner"], "users/ada");
    assert_eq!(host.service().owner("github", "founder"), Some(changed));
    person(&host).delete(OWNER).json(200);
    assert_eq!(person(&host).patch(OWNER, &json!({"owner": "users/ada"})).status, 400);
    put(&host, OWNER, &json!({"owner": "teams/x"}));
    assert_eq!(host.service().owners("github").len(), 1);
}

#[test]
fn listings_and_integrations_come_and_go() {
    let host = Host::full();
    let page = "/_fake/listings/new";
    person(&host).send("PUT", page, "").json(200);
    put(&host, page, &json!({"management": {"kind": "X"}, "provider_only": true}));
    let state = person(&host).get("/_fake/state").json(200);
    assert_eq!(state["listings"]["new"]["management"], json!({"kind": "X"}));
    person(&host).delete(page).json(200);
    assert_eq!(person(&host).delete(page).status, 404);
    let page = "/_fake/integrations/new";
    put(&host, page, &Value::Null);
    assert_eq!(host.service().owners("new").len(), 1);
    person(&host).delete(page).json(200);
    assert_eq!(person(&host).delete(page).status, 404);
}

#[test]
fn settings_are_changed_while_the_service_runs() {
    let host = Host::full();
    let change = json!({"roles": {"get": "absent-405"}, "omit_defaults": true});
    person(&host).patch("/_fake/world", &change).json(200);
    let change = json!({"roles": {"list": "absent-501"}});
    let world = person(&host).patch("/_fake/world", &change).json(200);
    assert_eq!(world["roles"]["get"], "absent-405");
    assert_eq!(world["omit_defaults"], true);
    assert_eq!(host.service().world().roles.get, Presence::Absent(Absence::MethodNotAllowed));
    assert_eq!(host.admin().get("/api/v1/listings/github/roles").status, 501);
    let limit = json!({"rate_limit": {"per_second": 5.0, "burst": 1}});
    person(&host).patch("/_fake/world", &limit).json(200);
    let world = put(&host, "/_fake/world", &json!({"error_body": "text"}));
    assert_eq!(world["roles"]["get"], "present");
    assert_eq!(world["rate_limit"], Value::Null);
    assert_eq!(person(&host).get("/_fake/world").json(200), world);
    for bad in [json!({"nonsense": 1}), json!({"roles": {"get": "absent-403"}}), json!([])] {
        assert_eq!(person(&host).patch("/_fake/world", &bad).status, 400, "{bad}");
    }
}

#[test]
fn faults_come_and_go() {
    let host = Host::full();
    let fault = json!({"method": "GET", "count": 1, "action": {"type": "respond", "status": 503}});
    person(&host).post("/_fake/faults", &fault).json(200);
    assert_eq!(host.admin().get("/api/v1/integrations/okta/owners").status, 503);
    assert_eq!(host.admin().get("/api/v1/integrations/okta/owners").status, 200);
    assert_eq!(person(&host).get("/_fake/faults").json(200)[0]["count"], 1);
    assert_eq!(person(&host).delete("/_fake/faults").json(200), json!([]));
    assert_eq!(person(&host).post("/_fake/faults", &json!({"method": "GET"})).status, 400);
}

#[test]
fn log_is_shown_and_cleared_and_omits_the_pages() {
    let host = Host::full();
    host.admin().get("/api/v1/integrations/okta/owners?pageSize=1");
    let log = person(&host).get("/_fake/requests").json(200);
    assert_eq!(log.as_array().unwrap().len(), 1);
    let request = &log[0];
    assert_eq!(request["method"], "GET");
    assert_eq!(request["path"], "/api/v1/integrations/okta/owners");
    assert_eq!(request["query"], "pageSize=1");
    assert_eq!(request["status"], 200);
    assert_eq!(request["key"], "admin");
    assert_eq!(request["user_agent"], "curl/8");
    assert_eq!(request["body"], Value::Null);
    assert!(request["received_ms"].as_u64() <= request["finished_ms"].as_u64());
    assert!(request["connection"].as_u64() > Some(0));
    person(&host).delete("/_fake/requests").json(200);
    assert_eq!(person(&host).get("/_fake/requests").json(200), json!([]));
}

#[test]
fn pages_have_no_faults_and_no_limit() {
    let host = Host::full();
    host.service().add_fault(access_fake::Fault::respond(503, ""));
    person(&host).get("/_fake/state").json(200);
    assert_eq!(person(&host).get("/_fake/nothing").status, 404);
    assert_eq!(host.admin().get("/_fakes").status, 503);
}
