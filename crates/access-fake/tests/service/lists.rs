//! Unusual lists: malformed entries, pages that fail, tokens that loop.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::Host;

const ROLES: &str = "/api/v1/listings/github/roles";
const OWNERS: &str = "/api/v1/integrations/github/owners";

/// Returns a listing with the roles `r0`, `r1` and so on.
fn with_roles(count: usize, rule: Value) -> Host {
    let host = Host::full();
    for number in 0..count {
        let fields = json!({"displayName": format!("Role {number}"), "manager": "TERRAFORM"});
        host.service().put_role("github", &format!("r{number}"), &fields).unwrap();
    }
    host.change_world(&json!({ "lists": [rule] }));
    host
}

fn page(host: &Host, query: &str) -> (Vec<Value>, String) {
    let page = host.admin().get(&format!("{ROLES}?{query}")).json(200);
    let entries = page["listingRoles"].as_array().unwrap().clone();
    (entries, page["nextPageToken"].as_str().unwrap().to_owned())
}

fn ids(entries: &[Value]) -> Vec<&str> {
    let names = entries.iter().filter_map(|entry| entry["name"].as_str());
    names.map(|name| name.rsplit('/').next().unwrap()).collect()
}

#[test]
fn list_contains_inserted_entries_on_its_first_page() {
    let odd = json!([
        {"displayName": "no name"},
        17,
        "text",
        {"name": "listings/production/roles/x", "displayName": "other parent"},
        {"name": 5},
    ]);
    let host = with_roles(2, json!({"collection": "listings/github/roles", "insert": odd}));
    let (entries, token) = page(&host, "pageSize=1");
    assert_eq!(entries[..5], odd.as_array().unwrap()[..]);
    assert_eq!(entries[5]["name"], "listings/github/roles/r0");
    let (entries, _) = page(&host, &format!("pageSize=1&pageToken={token}"));
    assert_eq!(ids(&entries), ["r1"]);
    let owners = host.admin().get(OWNERS).json(200);
    assert_eq!(owners["integrationOwners"].as_array().unwrap().len(), 1);
}

#[test]
fn list_drops_repeats_and_edits_entries() {
    let host = with_roles(
        3,
        json!({
            "drop": ["r0"],
            "repeat": ["r1"],
            "edit": [
                {"id": "r2", "fields": {"displayName": "Stale", "manager": null}},
                {"fields": {"priority": {}}},
            ],
        }),
    );
    let (entries, _) = page(&host, "");
    assert_eq!(ids(&entries), ["r1", "r1", "r2"]);
    assert_eq!(entries[0]["displayName"], "Role 1");
    assert_eq!(entries[2]["displayName"], "Stale");
    assert_eq!(entries[2].get("manager"), None);
    assert_eq!(entries[1]["priority"], json!({}));
    assert_eq!(host.admin().get(&format!("{ROLES}/r2")).json(200)["displayName"], "Role 2");
}

#[test]
fn list_drops_and_repeats_at_random_with_a_seed() {
    let rule = json!({"drop_probability": 0.5, "repeat_probability": 0.3, "seed": 4});
    let lists = |rule: &Value| {
        let host = with_roles(40, rule.clone());
        [(); 2].map(|()| {
            let (entries, _) = page(&host, "");
            ids(&entries).into_iter().map(str::to_owned).collect::<Vec<String>>()
        })
    };
    let [first, second] = lists(&rule);
    assert_eq!(lists(&rule), [first.clone(), second.clone()]);
    assert_ne!(first, second);
    let distinct: BTreeSet<&String> = first.iter().collect();
    assert!((5..35).contains(&distinct.len()), "{distinct:?}");
    assert!(first.len() > distinct.len(), "some are repeated");
}

#[test]
fn list_fails_in_the_middle() {
    for status in [500, 404, 403] {
        let host = with_roles(3, json!({"fail_page": 2, "fail_status": status}));
        let (entries, token) = page(&host, "pageSize=2");
        assert_eq!(ids(&entries), ["r0", "r1"]);
        host.admin().get(&format!("{ROLES}?pageToken={token}")).is_refused(status, "list");
    }
    let host = with_roles(1, json!({"fail_page": 1}));
    host.admin().get(ROLES).is_refused(500, "list");
}

#[test]
fn list_loops_on_its_last_page() {
    for count in [1, 3] {
        let host = with_roles(count, json!({"loop_tokens": true}));
        let mut token = String::new();
        let mut seen = Vec::new();
        for _ in 0..6 {
            let (entries, next) = page(&host, &format!("pageSize=2&pageToken={token}"));
            assert!(!next.is_empty());
            seen.push(entries);
            token = next;
        }
        assert_eq!(seen[4], seen[5]);
        assert_eq!(ids(&seen[5]), [format!("r{}", count - 1)]);
    }
}

#[test]
fn page_begins_with_the_last_entry_of_the_page_before() {
    let host = with_roles(3, json!({"overlap": true}));
    let (first, token) = page(&host, "pageSize=1");
    let (second, token) = {
        assert_eq!(ids(&first), ["r0"]);
        page(&host, &format!("pageSize=1&pageToken={token}"))
    };
    assert_eq!(ids(&second), ["r0", "r1"]);
    let (third, token) = page(&host, &format!("pageSize=1&pageToken={token}"));
    assert_eq!((ids(&third), token.as_str()), (vec!["r1", "r2"], ""));
}

#[test]
fn page_sizes_have_limits() {
    let host = with_roles(5, json!({"default_page_size": 3, "largest_page_size": 4}));
    assert_eq!(page(&host, "").0.len(), 3);
    assert_eq!(page(&host, "pageSize=1000").0.len(), 4);
}

#[test]
fn page_that_is_too_large_is_refused() {
    let host = with_roles(10, json!({"refuse_over_bytes": 1500}));
    host.admin().get(ROLES).is_refused(413, "too large");
    let (entries, token) = page(&host, "pageSize=2");
    assert_eq!((entries.len(), token.is_empty()), (2, false));
}
