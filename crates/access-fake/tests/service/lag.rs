//! Lag of single objects, of single kinds of reads and after single kinds of writes.

use access_fake::{LagRule, World};
use serde_json::{Value, json};

use crate::paused::Paused;
use crate::support::Host;

const ROLES: &str = "/api/v1/listings/github/roles";
const OWNERS: &str = "/api/v1/integrations/github/owners";

fn lagging(rules: Value) -> Host {
    let host = Host::full();
    for role in ["lagging", "other"] {
        host.service().put_role("github", role, &json!({"displayName": "Before"})).unwrap();
    }
    host.change_world(&json!({ "lags": rules }));
    host
}

fn update(host: &Host, role: &str) {
    let body = json!({"displayName": "After", "priority": "1"});
    host.admin().patch(&format!("{ROLES}/{role}?allowMissing=true"), &body).json(200);
}

fn read(host: &Host, role: &str) -> Value {
    host.admin().get(&format!("{ROLES}/{role}")).json(200)["displayName"].clone()
}

fn listed(host: &Host, role: &str) -> Option<Value> {
    let list = host.admin().get(ROLES).json(200);
    let name = format!("listings/github/roles/{role}");
    let entries = list["listingRoles"].as_array().unwrap();
    Some(entries.iter().find(|entry| entry["name"] == name.as_str())?["displayName"].clone())
}

#[test]
fn one_object_lags_for_a_number_of_reads_and_others_do_not() {
    let host = lagging(json!([
        {"object": "listings/github/roles/lagging", "read": "get", "reads": 2},
    ]));
    update(&host, "lagging");
    update(&host, "other");
    assert_eq!(read(&host, "other"), "After");
    assert_eq!(listed(&host, "lagging").unwrap(), "After");
    assert_eq!([(); 3].map(|()| read(&host, "lagging")), ["Before", "Before", "After"]);
}

#[test]
fn list_lags_separately_from_get() {
    let host = lagging(json!([{"read": "list", "reads": 2}]));
    update(&host, "lagging");
    assert_eq!(read(&host, "lagging"), "After");
    let lists = [(); 3].map(|()| listed(&host, "lagging").unwrap());
    assert_eq!(lists, ["Before", "Before", "After"]);
}

#[test]
fn created_role_is_not_found_while_it_lags() {
    let host = lagging(json!([{"after": "create", "read": "get", "reads": 1}]));
    update(&host, "new");
    update(&host, "lagging");
    assert_eq!(read(&host, "lagging"), "After");
    host.admin().get(&format!("{ROLES}/new")).is_refused(404, "roles/new");
    assert_eq!(read(&host, "new"), "After");
}

#[test]
fn deleted_objects_are_read_while_they_lag() {
    let host = lagging(json!([{"after": "delete", "ms": 60_000}]));
    update(&host, "lagging");
    host.admin().delete(&format!("{ROLES}/lagging")).json(200);
    assert_eq!(read(&host, "lagging"), "After");
    assert_eq!(listed(&host, "lagging").unwrap(), "After");
    assert_eq!(host.service().role("github", "lagging"), None);
    host.admin().delete(&format!("{OWNERS}/founder")).json(200);
    host.admin().get(&format!("{OWNERS}/founder")).json(200);
    host.admin().delete(&format!("{OWNERS}/founder")).is_refused(404, "");
}

#[tokio::test(start_paused = true)]
async fn lag_ends_after_its_time() {
    let lag = LagRule { ms: 4_000, ..LagRule::default() };
    let mut connection = Paused::open(World { lags: vec![lag], ..World::default() }).await;
    let before = json!({"displayName": "Before"});
    connection.service.service().put_role("github", "lagging", &before).unwrap();
    let body = json!({"displayName": "After", "priority": "1"}).to_string();
    connection.send(&request("PATCH", "?allowMissing=true", &body)).await;
    assert_eq!(connection.reply().await.status, 200);
    for (seconds, expected) in [(0, "Before"), (3, "Before"), (1, "After")] {
        connection.advance(seconds).await;
        connection.send(&request("GET", "", "")).await;
        assert_eq!(connection.reply().await.json(200)["displayName"], expected);
    }
}

/// Returns a request for the lagging role.
fn request(method: &str, query: &str, body: &str) -> String {
    format!(
        "{method} {ROLES}/lagging{query} HTTP/1.1\r\nhost: x\r\n\
         authorization: Bearer admin-key\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

#[test]
fn created_owner_lags_in_lists() {
    let host = lagging(json!([{"object": "integrations/*", "read": "list", "reads": 1}]));
    let query = "?integrationOwnerId=ada";
    host.admin().post(&format!("{OWNERS}{query}"), &json!({"owner": "users/ada"})).json(200);
    host.admin().get(&format!("{OWNERS}/ada")).json(200);
    let count =
        || host.admin().get(OWNERS).json(200)["integrationOwners"].as_array().unwrap().len();
    assert_eq!([count(), count()], [1, 2]);
}
