//! The permissions of keys and callers, and the recognition of the provider.

use access_fake::Rank;
use serde_json::{Value, json};

use crate::support::{Host, PROVIDER};

const VIEWER: &str = "/api/v1/listings/github/roles/viewer";
const OWNERS: &str = "/api/v1/integrations/github/owners";

fn viewer() -> Value {
    json!({"displayName": "Viewer", "priority": "5"})
}

#[test]
fn request_without_a_valid_key_is_refused() {
    let host = Host::full();
    for authorization in
        ["", "Bearer", "Bearer wrong", "Bearer  admin-key", "admin-key", "Basic admin-key"]
    {
        let caller = host.admin().with("authorization", authorization);
        let reply = caller.get(VIEWER);
        reply.is_refused(401, "API key");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        caller.patch(&format!("{VIEWER}?allowMissing=true"), &viewer()).is_refused(401, "API key");
    }
    assert_eq!(host.service().role("github", "viewer"), None);
}

#[test]
fn key_is_added() {
    let host = Host::full();
    host.caller("another", "").get(OWNERS).is_refused(401, "");
    host.service().put_key("auditor", "another", Rank::Reader);
    host.caller("another", "").get(OWNERS).json(200);
    assert_eq!(host.service().requests()[1].key.as_deref(), Some("auditor"));
}

#[test]
fn reader_reads_and_writes_nothing() {
    let host = Host::full();
    host.service().put_role("github", "viewer", &viewer()).unwrap();
    let reader = host.caller("reader-key", PROVIDER);
    reader.get(VIEWER).json(200);
    reader.get(OWNERS).json(200);
    reader.patch(VIEWER, &viewer()).is_refused(403, "only read");
    reader.delete(VIEWER).is_refused(403, "only read");
    reader.post(OWNERS, &json!({"owner": "users/x"})).is_refused(403, "only read");
    reader.delete(&format!("{OWNERS}/founder")).is_refused(403, "only read");
}

#[test]
fn member_needs_a_mask_and_cannot_set_resources() {
    let host = Host::full();
    let member = host.caller("member-key", PROVIDER);
    let with_resources = json!({"displayName": "V", "priority": "6", "resources": ["repo/a"]});
    member.patch(VIEWER, &viewer()).is_refused(400, "updateMask is required");
    let create = format!("{VIEWER}?allowMissing=true&updateMask=displayName,priority");
    member.patch(&create, &with_resources).is_refused(403, "admin");
    assert_eq!(host.service().role("github", "viewer"), None);
    member.patch(&create, &viewer()).json(200);
    let update = format!("{VIEWER}?updateMask=displayName,resources");
    member.patch(&update, &with_resources).is_refused(403, "admin");
    // The mask determines the fields that are set. The body's `resources` are ignored unless the
    // mask contains them.
    let role = member.patch(&format!("{VIEWER}?updateMask=displayName"), &with_resources).json(200);
    assert_eq!((&role["displayName"], &role["resources"]), (&json!("V"), &json!([])));
}

#[test]
fn manager_is_set_by_the_last_writer() {
    let host = Host::full();
    let create = format!("{VIEWER}?allowMissing=true");
    assert_eq!(host.provider().patch(&create, &viewer()).json(200)["manager"], "TERRAFORM");
    assert_eq!(host.admin().patch(VIEWER, &viewer()).json(200).get("manager"), None);
    assert_eq!(host.admin().get(VIEWER).json(200).get("manager"), None);
    assert_eq!(host.provider().patch(VIEWER, &viewer()).json(200)["manager"], "TERRAFORM");
    host.service().change_world(|world| world.recognises_caller = false);
    assert_eq!(host.provider().patch(VIEWER, &viewer()).json(200).get("manager"), None);
}

#[test]
fn roles_of_a_managed_listing_are_written_only_by_the_provider() {
    let host = Host::full();
    let target = "/api/v1/listings/iac/roles/viewer";
    let create = format!("{target}?allowMissing=true");
    host.admin().patch(&create, &viewer()).is_refused(403, "infrastructure-as-code provider");
    let role = host.provider().patch(&create, &viewer()).json(200);
    assert_eq!(role["management"], "TERRAFORM");
    host.admin().get(target).json(200);
    host.admin().patch(target, &viewer()).is_refused(403, "infrastructure-as-code provider");
    host.admin().delete(target).is_refused(403, "infrastructure-as-code provider");
    host.provider().delete(target).json(200);
}

#[test]
fn log_has_requests_without_keys() {
    let host = Host::full();
    let target = format!("{VIEWER}?allowMissing=true&updateMask=displayName%2Cpriority");
    host.provider().with("x-gateway", "g").patch(&target, &viewer());
    host.caller("wrong-key", "").send("POST", OWNERS, "no json");
    let requests = host.service().requests();
    assert_eq!(requests.len(), 2);
    let first = &requests[0];
    assert_eq!((first.method.as_str(), first.path.as_str()), ("PATCH", VIEWER));
    assert_eq!(first.query, "allowMissing=true&updateMask=displayName%2Cpriority");
    assert_eq!(first.query_value("updateMask").as_deref(), Some("displayName,priority"));
    assert_eq!(first.query_value("pageSize"), None);
    assert_eq!(first.status, Some(200));
    assert_eq!(first.key.as_deref(), Some("admin"));
    assert_eq!(first.user_agent.as_deref(), Some(PROVIDER));
    assert_eq!(first.headers["x-gateway"], "g");
    assert_eq!(first.body, viewer());
    assert!(first.is_write());
    let second = &requests[1];
    assert_eq!((second.key.as_deref(), second.status), (None, Some(401)));
    assert_eq!(second.body, "no json");
    let log = format!("{requests:?}{}", serde_json::to_string(&requests).unwrap());
    for key in ["admin-key", "wrong-key", "Bearer"] {
        assert!(!log.contains(key), "{key} in {log}");
    }
    host.service().clear_requests();
    assert!(host.service().requests().is_empty());
}
