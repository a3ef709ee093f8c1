//! Conclusions of `access_integration_owners` from lists (the table in DESIGN.md), and the time for
//! which lists may lag.

use std::time::{Duration, SystemTime};

use access_fake::HiddenObject;

use super::*;

const OWNERS: &str = "access_integration_owners";

fn state_of(owners: &Value) -> Value {
    let mut state = schema::empty_resource(OWNERS);
    state["integration"] = json!("github");
    state["id"] = json!("integrations/github");
    state["name"] = state["id"].clone();
    state["owners"] = owners.clone();
    state
}

/// Returns the owners after a refresh, and the summaries of the errors and warnings.
async fn refresh(host: &Host, owners: &Value, private: &[u8]) -> (Value, Vec<String>, Vec<String>) {
    let read = host.read_as(OWNERS, &state_of(owners), private).await;
    let (failed, warned): (Vec<_>, Vec<_>) = read
        .diagnostics
        .iter()
        .partition(|diagnostic| diagnostic.severity() == pb::diagnostic::Severity::Error);
    let summaries = |all: Vec<&pb::Diagnostic>| all.iter().map(|it| it.summary.clone()).collect();
    let state = decode(&read.new_state.unwrap());
    (state["owners"].clone(), summaries(failed), summaries(warned))
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Conclusion {
    /// The state is kept, with a warning.
    Kept,
    /// The state is kept, with an error.
    Error,
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_list_never_changes_the_owners() {
    use Conclusion::{Error, Kept};
    let other = "https://other.example.com/";
    // Without evidence, with it, and last seen at another address.
    for (status, body, expected) in [
        (404, "{}", [Kept, Error, Error]),
        (404, "not found", [Kept, Error, Error]),
        (405, "{}", [Kept, Kept, Kept]),
        (501, "{}", [Kept, Kept, Kept]),
        (401, "{}", [Error, Error, Error]),
        (403, "{}", [Error, Error, Error]),
        (400, "{}", [Error, Error, Error]),
        (302, "", [Error, Error, Error]),
        (200, "{\"integrationOwners\": 1}", [Error, Error, Error]),
        (200, "<html>", [Error, Error, Error]),
    ] {
        let service = Service::full();
        service.respond_to_all("GET", status, body);
        let here = service.base_url();
        let private = [
            json!({}),
            json!({"object": {"reads": true, "base_url": here}}),
            json!({"object": {"reads": true, "base_url": other}}),
        ];
        for (private, expected) in private.into_iter().zip(expected) {
            let host = Host::start(&service).await;
            let owners = json!(["users/ada"]);
            let (after, failed, warned) = refresh(&host, &owners, &private_state(&private)).await;
            assert_eq!(after, owners, "{status} {private}");
            let found = if failed.is_empty() { Kept } else { Error };
            assert_eq!(found, expected, "{status} {body:?} {private}: {failed:?} {warned:?}");
            assert_eq!(warned.len(), usize::from(found == Kept), "{status}: {warned:?}");
            host.end().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_is_the_state_if_private_state_is_unreadable() {
    let service = Service::full();
    let host = Host::start(&service).await;
    for private in UNREADABLE {
        let (owners, failed, warned) = refresh(&host, &json!(["users/ada"]), private).await;
        assert_eq!(owners, json!(["users/founder"]), "{private:?}");
        assert_eq!((failed.len(), warned.len()), (0, 0), "{private:?}");
    }
    host.end().await;
}

/// Returns the time some minutes ago, in seconds since the epoch.
fn minutes_ago(minutes: u64) -> u64 {
    let then = SystemTime::now() - Duration::from_secs(60 * minutes);
    then.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_may_lag_for_five_minutes() {
    let service = Service::full();
    service.put_owner("github", "own-7", "users/removed");
    let removed = service.local().owner("github", "own-7").unwrap();
    for (minutes, expected) in [
        (1, json!(["users/added", "users/founder"])),
        (6, json!(["users/founder", "users/removed"])),
    ] {
        let host = Host::start(&service).await;
        let private = json!({
            "object": {"reads": true, "base_url": service.base_url()},
            "owners": {"own-8": {
                "owner": "users/added", "stored": "users/added", "added_at": minutes_ago(minutes),
            }},
            "removed": {"own-7": {
                "create_time": removed["createTime"], "at": minutes_ago(minutes),
            }},
        });
        let owners = json!(["users/added", "users/founder"]);
        let (after, failed, _) = refresh(&host, &owners, &private_state(&private)).await;
        assert_eq!(after, expected, "{minutes}");
        assert_eq!(failed, [""; 0]);
        host.end().await;
    }
}

/// Only GET contradicts a list, and a GET that fails contradicts nothing.
#[tokio::test(flavor = "multi_thread")]
async fn owner_that_the_list_lacks_is_read_by_get() {
    for (status, expected, fails) in [
        (None, json!(["users/ada", "users/founder"]), false),
        (Some(404), json!(["users/founder"]), false),
        (Some(405), json!(["users/founder"]), false),
        (Some(403), json!(["users/founder"]), false),
        (Some(401), json!(["users/ada", "users/founder"]), true),
    ] {
        let service = Service::full();
        service.put_owner("github", "own-7", "users/ada");
        let object = "integrations/github/owners/own-7".to_owned();
        let hidden =
            HiddenObject { object, get: status, omit_from_list: true, ..HiddenObject::default() };
        service.change_world(|world| world.hidden.push(hidden));
        let host = Host::start(&service).await;
        let private = json!({
            "object": {"reads": true, "base_url": service.base_url()},
            "owners": {"own-7": {"owner": "users/ada", "stored": "users/ada"}},
        });
        let owners = json!(["users/ada", "users/founder"]);
        let (after, failed, _) = refresh(&host, &owners, &private_state(&private)).await;
        assert_eq!(after, expected, "{status:?}");
        assert_eq!(!failed.is_empty(), fails, "{status:?}: {failed:?}");
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_are_listed_as_one_resource() {
    let service = Service::full();
    service.put_owner("okta", "own-9", "groups/platform");
    let host = Host::start(&service).await;
    for (integration, limit, expected) in [("okta", 100, 1), ("okta", 0, 0), ("github", 1, 1)] {
        let request = pb::list_resource::Request {
            type_name: OWNERS.to_owned(),
            config: Some(encode(&json!({"integration": integration}))),
            include_resource_object: true,
            limit,
        };
        let mut stream = host.client.list_resource(request).await.unwrap();
        let mut events = Vec::new();
        while let Some(event) = stream.message().await.unwrap() {
            events.push(event);
        }
        assert_eq!(events.len(), expected, "{integration} {limit}");
        if limit == 100 {
            let identity = events[0].identity.as_ref().unwrap().identity_data.as_ref().unwrap();
            assert_eq!(decode(identity), json!({"integration": "okta"}));
            let state = decode(events[0].resource_object.as_ref().unwrap());
            assert_eq!(state["owners"], json!(["groups/platform", "users/founder"]));
        }
    }
    host.end().await;
}
