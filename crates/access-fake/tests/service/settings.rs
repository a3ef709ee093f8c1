//! The settings of the service: what each changes in the responses, and what it does not.

use serde_json::{Value, json};

use crate::support::Host;

const ROLES: &str = "/api/v1/listings/github/roles";
const VIEWER: &str = "/api/v1/listings/github/roles/viewer?allowMissing=true";
const OWNERS: &str = "/api/v1/integrations/github/owners";

fn write(host: &Host, display_name: &str) -> Value {
    let body = json!({
        "displayName": display_name, "priority": "0", "repoUri": "https://git.example/a/b",
    });
    host.provider().patch(VIEWER, &body).json(200)
}

fn get(host: &Host) -> Value {
    host.admin().get(&format!("{ROLES}/viewer")).json(200)
}

fn list(host: &Host) -> Vec<Value> {
    host.admin().get(ROLES).json(200)["listingRoles"].as_array().unwrap().clone()
}

fn page(host: &Host, query: &str) -> (Vec<String>, String) {
    let page = host.admin().get(&format!("{ROLES}?{query}")).json(200);
    let entries = page["listingRoles"].as_array().unwrap();
    let id = |entry: &Value| Some(entry["name"].as_str()?.rsplit('/').next()?.to_owned());
    (entries.iter().filter_map(id).collect(), page["nextPageToken"].as_str().unwrap().to_owned())
}

/// Returns a listing with the roles `r0`, `r1` and so on, which is listed like this.
fn with_roles(count: usize, rule: Value) -> Host {
    let host = Host::with(json!({ "lists": [rule] }));
    for number in 0..count {
        let fields = json!({"displayName": format!("Role {number}"), "manager": "TERRAFORM"});
        host.service().put(&format!("listings/github/roles/r{number}"), &fields).unwrap();
    }
    host
}

#[test]
fn setting_changes_the_fields_of_a_role() {
    let usual = write(&Host::full(), "Viewer");
    for (setting, field, value) in [
        (json!({}), "priority", json!("0")),
        (json!({"omit_defaults": true}), "priority", Value::Null),
        (json!({"omit_defaults": true}), "description", Value::Null),
        (json!({"omit_defaults": true}), "resources", Value::Null),
        (json!({"ignores_caller": true}), "manager", Value::Null),
        (json!({"repo_uri_git_suffix": true}), "repoUri", json!("https://git.example/a/b.git")),
        (json!({"repo_uri_upper_host": true}), "repoUri", json!("https://GIT.EXAMPLE/a/b")),
    ] {
        let host = Host::with(setting.clone());
        let written = write(&host, "Viewer");
        assert_eq!(written[field], value, "{setting}");
        assert_eq!((&get(&host), &list(&host)[0]), (&written, &written), "{setting}");
        assert_eq!(written["displayName"], usual["displayName"]);
    }
}

#[test]
fn fields_are_omitted_from_some_responses_and_objects() {
    for (at, response) in ["write", "get", "list"].into_iter().enumerate() {
        let rules = json!([
            {"responses": [response], "fields": ["manager", "updateTime"]},
            {"object": "listings/github/roles/other", "fields": ["createTime"]},
        ]);
        let host = Host::with(json!({ "omitted_fields": rules }));
        for (number, object) in
            [write(&host, "V"), get(&host), list(&host)[0].clone()].iter().enumerate()
        {
            assert_eq!(object["manager"] == "TERRAFORM", number != at, "{response} {object}");
            assert_eq!(object["updateTime"].is_string(), number != at, "{response} {object}");
            assert!(object["createTime"].is_string());
        }
    }
}

#[test]
fn reads_of_one_kind_lag_after_one_kind_of_write() {
    let rule = |after: &str, read: &str, object: &str| json!({"lags": [{"after": after, "read": read, "object": object, "reads": 1}]});
    let viewer = "listings/github/roles/viewer";
    for (world, get_lags, list_lags) in [
        (json!({"lags": [{"reads": 1}]}), true, true),
        (rule("update", "get", viewer), true, false),
        (rule("update", "list", "listings/*"), false, true),
        (rule("create", "get", viewer), false, false),
        (rule("update", "get", "listings/github/roles/other"), false, false),
    ] {
        let host = Host::full();
        write(&host, "Before");
        host.service()
            .change_world(|settings| *settings = settings.changed(world.clone()).unwrap());
        write(&host, "After");
        let before = |lags| if lags { "Before" } else { "After" };
        assert_eq!(list(&host)[0]["displayName"], before(list_lags), "{world}");
        assert_eq!(get(&host)["displayName"], before(get_lags), "{world}");
        assert_eq!((&get(&host), &list(&host)[0]), (&get(&host), &get(&host)), "{world}");
        assert_eq!(
            host.service().object("listings/github/roles/viewer").unwrap()["displayName"],
            "After"
        );
    }
    let host = Host::with(json!({"lags": [{"after": "create", "reads": 1}]}));
    write(&host, "New");
    host.admin().get(&format!("{ROLES}/viewer")).is_refused(404, "roles/viewer");
    assert_eq!(list(&host), Vec::<Value>::new());
    assert_eq!(get(&host)["displayName"], "New");
}

#[test]
fn hidden_object_exists() {
    let object = "integrations/github/owners/founder";
    let founder = format!("{OWNERS}/founder");
    let hidden = json!({"object": object, "get": 404, "omit_from_list": true});
    let host = Host::with(json!({ "hidden": [hidden] }));
    host.admin().get(&founder).is_refused(404, "founder");
    assert_eq!(host.admin().get(OWNERS).json(200)["integrationOwners"], json!([]));
    assert!(host.service().object("integrations/github/owners/founder").is_some());
    let object = "integrations/github/owners";
    let host = Host::with(json!({"hidden": [{"object": object, "list": 403}]}));
    host.admin().get(OWNERS).is_refused(403, "owners");
    host.admin().get(&founder).json(200);
}

#[test]
fn deleted_role_is_returned_with_its_delete_time_if_configured() {
    for returned in [false, true] {
        let host = Host::with(json!({ "returns_deleted_roles": returned }));
        write(&host, "Viewer");
        let viewer = format!("{ROLES}/viewer");
        host.admin().delete(&viewer).json(200);
        let reply = host.admin().get(&viewer);
        assert_eq!(reply.status(), if returned { 200 } else { 404 });
        assert_eq!(reply.text().contains("deleteTime"), returned);
        assert_eq!(list(&host), Vec::<Value>::new());
        host.admin().delete(&viewer).is_refused(404, "roles/viewer");
    }
}

#[test]
fn list_is_odd() {
    let odd = json!([17, {"displayName": "no name"}, {"name": 5}]);
    for (rule, expected) in [
        (json!({}), vec!["r0", "r1", "r2"]),
        (json!({"collection": "listings/*/roles", "drop_probability": 1.0}), vec![]),
        (
            json!({"collection": "listings/other/roles", "drop_probability": 1.0}),
            vec!["r0", "r1", "r2"],
        ),
        (json!({ "insert": odd }), vec!["r0", "r1", "r2"]),
    ] {
        let host = with_roles(3, rule.clone());
        assert_eq!(page(&host, "").0, expected, "{rule}");
        let inserted = if rule.get("insert").is_some() { 3 } else { 0 };
        assert_eq!(list(&host).len(), expected.len() + inserted);
    }
    let edit = json!([{"id": "r1", "fields": {"displayName": "Stale", "manager": null}}]);
    let entries = list(&with_roles(2, json!({ "edit": edit })));
    assert_eq!(
        (&entries[0]["displayName"], &entries[0]["manager"]),
        (&json!("Role 0"), &json!("TERRAFORM"))
    );
    assert_eq!((&entries[1]["displayName"], entries[1].get("manager")), (&json!("Stale"), None));
}

#[test]
fn pages_follow_one_another() {
    // The pages of a list of five, each with at most two entries.
    for (rule, pages) in [
        (json!({}), [vec!["r0", "r1"], vec!["r2", "r3"], vec!["r4"]]),
        (json!({"loop_tokens": true}), [vec!["r0", "r1"], vec!["r2", "r3"], vec!["r4"]]),
    ] {
        let host = with_roles(5, rule.clone());
        let mut token = String::new();
        for expected in pages {
            let (ids, next) = page(&host, &format!("pageSize=2&pageToken={token}"));
            assert_eq!(ids, expected, "{rule}");
            token = next;
        }
        assert_eq!(token.is_empty(), rule.get("loop_tokens").is_none(), "{rule}");
    }
    let host = with_roles(5, json!({"largest_page_size": 4}));
    assert_eq!(page(&host, "pageSize=1000").0.len(), 4);
    for status in [500, 403] {
        let host = with_roles(3, json!({"fail_page": 2, "fail_status": status}));
        let (_, token) = page(&host, "pageSize=2");
        host.admin().get(&format!("{ROLES}?pageToken={token}")).is_refused(status, "list");
    }
}

#[test]
fn clock_offset_shifts_times_and_the_date_header() {
    let year = |text: &str| text[..4].parse::<i32>().unwrap();
    let now = year(write(&Host::full(), "V")["updateTime"].as_str().unwrap());
    for (offset_ms, shift) in [(94_694_400_000_i64, 3), (-94_694_400_000, -3)] {
        let host = Host::with(json!({ "clock_offset_ms": offset_ms }));
        let updated = year(write(&host, "V")["updateTime"].as_str().unwrap());
        assert!((updated - now - shift).abs() <= 1, "{updated}");
        let reply = host.admin().get(ROLES);
        let date = reply.header("date").unwrap();
        assert_eq!(date.split(' ').nth(3).unwrap(), updated.to_string(), "{date}");
    }
}

#[test]
fn requests_beyond_the_rate_are_refused_and_change_nothing() {
    // A rate so low that no further request passes during the test.
    let host = Host::with(json!({"rate_limit": {"per_second": 0.001, "burst": 1}}));
    host.admin().get(OWNERS).json(200);
    let reply = host.admin().delete(&format!("{OWNERS}/founder"));
    reply.is_refused(429, "too many requests");
    assert_eq!(reply.header("retry-after"), Some("1000"));
    assert_eq!(host.service().objects("integrations/github").len(), 1);
}

#[test]
fn ids_are_stored_in_lower_case_and_found_in_any_if_configured() {
    let host = Host::with(json!({"lower_case_ids": true}));
    let body = json!({"displayName": "Viewer", "priority": "1"});
    let upper = format!("{ROLES}/VIEWER");
    let written = host.admin().patch(&format!("{upper}?allowMissing=true"), &body).json(200);
    assert_eq!(written["name"], "listings/github/roles/viewer");
    assert_eq!((host.admin().get(&upper).json(200), &list(&host)[0]), (written.clone(), &written));
    host.admin().patch(&upper, &body).json(200);
    host.admin().delete(&upper).json(200);
    assert_eq!(list(&host), Vec::<Value>::new());
    let added = format!("{OWNERS}?integrationOwnerId=ADA");
    let added = host.admin().post(&added, &json!({"owner": "users/Ada"})).json(200);
    let name = "integrations/github/owners/ada";
    assert_eq!((&added["name"], &added["owner"]), (&json!(name), &json!("users/Ada")));
}

#[test]
fn pages_do_not_end_if_configured() {
    let host = with_roles(3, json!({"endless": {"entries": 2, "token_bytes": 3000}}));
    let (first, token) = page(&host, "pageSize=2");
    assert_eq!(first, ["r0", "r1"]);
    assert!(token.len() < 100, "the token of a real page");
    let (second, mut token) = page(&host, &format!("pageToken={token}"));
    assert_eq!(second, ["r2", "endless-2-0", "endless-2-1"]);
    for number in 3..6 {
        assert_eq!(token.len(), 3000);
        let (entries, next) = page(&host, &format!("pageToken={token}"));
        assert_eq!(entries, [format!("endless-{number}-0"), format!("endless-{number}-1")]);
        assert_ne!(next, token);
        token = next;
    }
}
