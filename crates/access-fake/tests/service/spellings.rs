//! Values and fields that responses return in another form than they were sent, and the service's
//! clock.

use serde_json::{Value, json};

use crate::support::Host;

const ROLES: &str = "/api/v1/listings/github/roles";
const VIEWER: &str = "/api/v1/listings/github/roles/viewer?allowMissing=true";
const OWNERS: &str = "/api/v1/integrations/github/owners";

fn with_world(change: Value) -> Host {
    let host = Host::full();
    host.change_world(&change);
    host
}

fn write(host: &Host) -> Value {
    let body = json!({
        "displayName": "Viewer", "priority": "5", "repoUri": "https://git.example/a/b",
    });
    host.provider().patch(VIEWER, &body).json(200)
}

fn responses(host: &Host) -> [Value; 3] {
    let written = write(host);
    let read = host.admin().get("/api/v1/listings/github/roles/viewer").json(200);
    let list = host.admin().get(ROLES).json(200);
    [written, read, list["listingRoles"][0].clone()]
}

#[test]
fn owner_is_stored_under_its_canonical_principal() {
    let host = with_world(json!({"canonical_owners": {"users/ada": "users/id-17"}}));
    let ada = json!({"owner": "users/ada"});
    let created = host.admin().post(&format!("{OWNERS}?integrationOwnerId=ada"), &ada).json(200);
    assert_eq!(created["owner"], "users/id-17");
    assert_eq!(host.service().owner("github", "ada").unwrap()["owner"], "users/id-17");
    host.admin().post(OWNERS, &ada).is_refused(409, "users/id-17");
    host.admin().post(OWNERS, &json!({"owner": "users/bob"})).json(200);
}

#[test]
fn repo_uri_is_stored_in_the_spelling_of_the_service() {
    let host = with_world(json!({"repo_uri_git_suffix": true}));
    for role in responses(&host) {
        assert_eq!(role["repoUri"], "https://git.example/a/b.git");
    }
    host.change_world(&json!({"repo_uri_upper_host": true}));
    assert_eq!(write(&host)["repoUri"], "https://GIT.EXAMPLE/a/b.git");
    host.change_world(&json!({"repo_uri_upper_host": false, "repo_uri_git_suffix": false}));
    assert_eq!(write(&host)["repoUri"], "https://git.example/a/b");
}

#[test]
fn fields_are_omitted_from_some_responses() {
    for (at, response) in ["write", "get", "list"].into_iter().enumerate() {
        let rule = json!({"responses": [response], "fields": ["manager", "updateTime"]});
        let host = with_world(json!({ "omitted_fields": [rule] }));
        for (number, object) in responses(&host).iter().enumerate() {
            let expected = number != at;
            assert_eq!(object["manager"] == "TERRAFORM", expected, "{response} {object}");
            assert_eq!(object["updateTime"].is_string(), expected, "{response} {object}");
            assert!(object["createTime"].is_string());
        }
    }
}

#[test]
fn fields_are_omitted_for_some_objects() {
    let rules = json!([
        {"object": "integrations/github/owners/founder", "fields": ["createTime"]},
        {"object": "listings/github/roles/other", "fields": ["manager"]},
    ]);
    let host = with_world(json!({ "omitted_fields": rules }));
    let founder = |integration| {
        host.admin().get(&format!("/api/v1/integrations/{integration}/owners/founder")).json(200)
    };
    assert_eq!(founder("github").get("createTime"), None);
    assert!(founder("okta")["createTime"].is_string());
    for role in responses(&host) {
        assert_eq!(role["manager"], "TERRAFORM");
    }
}

#[test]
fn clock_offset_shifts_times_and_the_date_header() {
    // A time after that of any clock on which this test runs, and a time before it.
    let year = |text: &str| text[..4].parse::<i32>().unwrap();
    let host = Host::full();
    let now = year(write(&host)["updateTime"].as_str().unwrap());
    for (offset_ms, shift) in [(94_694_400_000_i64, 3), (-94_694_400_000, -3)] {
        host.change_world(&json!({ "clock_offset_ms": offset_ms }));
        let updated = write(&host);
        let off = year(updated["updateTime"].as_str().unwrap()) - now;
        assert!((off - shift).abs() <= 1, "{updated}");
        let reply = host.admin().get(ROLES);
        let date = reply.header("date").unwrap();
        let date_year: i32 = date.split(' ').nth(3).unwrap().parse().unwrap();
        assert_eq!(date_year, now + off, "{date}");
        let dates = reply.headers.iter().filter(|(name, _)| name == "date").count();
        assert_eq!(dates, 1);
    }
}
