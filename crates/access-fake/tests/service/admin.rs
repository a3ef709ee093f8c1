//! The pages under `/_fake`.

use access_fake::{Absence, Fault, Presence};
use serde_json::{Value, json};

use crate::support::{Caller, Host};

const ROLE: &str = "/_fake/listings/github/roles/admin";
const OWNER: &str = "/_fake/integrations/new/owners/ada";

/// Returns a caller like curl: no key, and the `Content-Type` of `-d`.
fn person(host: &Host) -> Caller {
    host.caller("", "curl/8").with("content-type", "application/x-www-form-urlencoded")
}

#[test]
fn role_is_changed_by_hand() {
    let host = Host::full();
    let person = person(&host);
    assert_eq!(person.patch(ROLE, &json!({"displayName": "x"})).status, 400);
    let role = person.send("PUT", ROLE, r#"{"priority": "2", "manager": "TERRAFORM"}"#).json(200);
    assert_eq!(role["displayName"], "admin");
    let changed = person.patch(ROLE, &json!({"displayName": "By hand", "priority": 3})).json(200);
    assert_eq!(changed["priority"], "3");
    assert_eq!(changed["manager"], "TERRAFORM");
    assert!(changed["updateTime"].as_str() > role["updateTime"].as_str());
    for bad in [json!({"display_name": "x"}), json!({"resources": "x"}), json!([])] {
        assert_eq!(person.patch(ROLE, &bad).status, 400, "{bad}");
    }
    let old = json!({"manager": null, "updateTime": "2020-01-02T03:04:05Z"});
    let changed = person.patch(ROLE, &old).json(200);
    assert_eq!(changed.get("manager"), None);
    assert_eq!(changed["updateTime"], "2020-01-02T03:04:05Z");
    assert_eq!(host.admin().get("/api/v1/listings/github/roles/admin").json(200), changed);
    assert_eq!(person.get(ROLE).json(200), changed);
    person.delete(ROLE).json(200);
    assert_eq!((person.delete(ROLE).status, person.get(ROLE).status), (404, 404));
}

#[test]
fn parents_and_owners_are_added_by_hand() {
    let host = Host::full();
    let person = person(&host);
    assert_eq!(person.send("PUT", OWNER, r#"{"owner": "users/ada"}"#).status, 400);
    person.send("PUT", "/_fake/integrations/new", "").json(200);
    person.send("PUT", OWNER, r#"{"owner": "users/ada"}"#).json(200);
    assert_eq!(person.get(OWNER).json(200)["owner"], "users/ada");
    person.delete(OWNER).json(200);
    assert_eq!(host.service().owners("new").len(), 1);
    person.send("PUT", "/_fake/listings/new", "").json(200);
    person.send("PUT", "/_fake/listings/new/roles/a", "{}").json(200);
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
    assert_eq!(person(&host).get("/_fake/world").json(200), world);
    for bad in [json!({"nonsense": 1}), json!({"roles": {"get": "absent-403"}}), json!([])] {
        assert_eq!(person(&host).patch("/_fake/world", &bad).status, 400, "{bad}");
    }
}

#[test]
fn faults_come_and_go_and_do_not_affect_the_pages() {
    let host = Host::full();
    let fault = json!({"method": "GET", "count": 1, "action": {"type": "respond", "status": 503}});
    person(&host).post("/_fake/faults", &fault).json(200);
    assert_eq!(person(&host).get("/_fake/faults").json(200)[0]["count"], 1);
    assert_eq!(host.admin().get("/api/v1/integrations/okta/owners").status, 503);
    assert_eq!(host.admin().get("/api/v1/integrations/okta/owners").status, 200);
    assert_eq!(person(&host).delete("/_fake/faults").json(200), json!([]));
    assert_eq!(person(&host).post("/_fake/faults", &json!({"method": "GET"})).status, 400);
    host.service().add_fault(Fault::respond(503, ""));
    assert_eq!(person(&host).get("/_fake/nothing").status, 404);
    assert_eq!(host.admin().get("/_fakes").status, 503);
}

#[test]
fn log_is_shown_and_omits_the_pages() {
    let host = Host::full();
    host.admin().get("/api/v1/integrations/okta/owners?pageSize=1");
    let log = person(&host).get("/_fake/requests").json(200);
    assert_eq!(log.as_array().unwrap().len(), 1);
    for (field, value) in [
        ("method", json!("GET")),
        ("path", json!("/api/v1/integrations/okta/owners")),
        ("query", json!("pageSize=1")),
        ("status", json!(200)),
        ("key", json!("admin")),
        ("user_agent", json!("curl/8")),
        ("body", Value::Null),
    ] {
        assert_eq!(log[0][field], value, "{field}");
    }
    assert!(log[0]["received_ms"].as_u64() <= log[0]["finished_ms"].as_u64());
    assert!(log[0]["connection"].as_u64() > Some(0));
}
