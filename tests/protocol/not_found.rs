//! When an object counts as deleted: each response to a GET, with and without evidence (DESIGN.md).

use plugin_server::testkit::decode;
use plugin_server::testkit::proto::tfplugin6::diagnostic::Severity;
use serde_json::{Value, json};

use super::{Host, OWNER, ROLE, evidence, schema};
use crate::support::Service;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// The object is removed from the state.
    Deleted,
    /// The state is kept, without an error.
    Kept,
    /// The state is kept, with an error.
    Failed,
}
use Outcome::{Deleted, Failed, Kept};

const HTML: &str = "<html><body><h1>404 Not Found</h1></body></html>";

/// Status, body, outcome with evidence, outcome without evidence.
const RESPONSES: [(u16, &str, Outcome, Outcome); 32] = [
    (404, r#"{"message":"object does not exist"}"#, Deleted, Kept),
    (404, r#"{"code":5,"message":"not found","details":[]}"#, Deleted, Kept),
    (404, "{}", Deleted, Kept),
    (404, "404 page not found", Failed, Kept),
    (404, HTML, Failed, Kept),
    (404, "", Failed, Kept),
    (404, "[]", Failed, Kept),
    (404, "null", Failed, Kept),
    (404, "\"not found\"", Failed, Kept),
    (404, r#"{"message":"cut of"#, Failed, Kept),
    (405, "", Kept, Kept),
    (405, r#"{"message":"method not allowed"}"#, Kept, Kept),
    (501, r#"{"message":"not implemented"}"#, Kept, Kept),
    (301, "", Failed, Failed),
    (307, "", Failed, Failed),
    (400, r#"{"message":"bad"}"#, Failed, Failed),
    (401, r#"{"message":"who are you"}"#, Failed, Failed),
    (403, r#"{"message":"no"}"#, Failed, Failed),
    (403, HTML, Failed, Failed),
    (409, "{}", Failed, Failed),
    (410, r#"{"message":"gone"}"#, Failed, Failed),
    (429, "{}", Failed, Failed),
    (500, r#"{"message":"oh"}"#, Failed, Failed),
    (502, HTML, Failed, Failed),
    (503, "", Failed, Failed),
    (504, "", Failed, Failed),
    (200, "", Failed, Failed),
    (200, "not json", Failed, Failed),
    (200, "[]", Failed, Failed),
    (200, "{}", Failed, Failed),
    (200, r#"{"name":"listings/other/roles/one"}"#, Failed, Failed),
    (204, "", Failed, Failed),
];

fn role() -> (&'static str, Value) {
    (ROLE, super::state())
}

fn owner() -> (&'static str, Value) {
    let mut state = schema::empty_resource(OWNER);
    for (name, value) in [
        ("integration", "github"),
        ("owner", "users/ada"),
        ("integration_owner_id", "own-1"),
        ("id", "integrations/github/owners/own-1"),
        ("name", "integrations/github/owners/own-1"),
    ] {
        state[name] = json!(value);
    }
    (OWNER, state)
}

async fn outcome(host: &Host, (type_name, state): &(&str, Value), private: &[u8]) -> Outcome {
    let response = host.read_as(type_name, state, private).await;
    let failed = response.diagnostics.iter().any(|found| found.severity() == Severity::Error);
    let read = decode(&response.new_state.expect("a state"));
    if read.is_null() {
        assert!(!failed, "an error that drops the state as well");
        return Deleted;
    }
    assert_eq!(&read, state, "the state is kept as it is");
    if failed { Failed } else { Kept }
}

#[tokio::test(flavor = "multi_thread")]
async fn read_that_fails_deletes_only_after_a_json_404_with_evidence() {
    let service = Service::full();
    // Without a list the 404 counts as it is.
    service.without_lists();
    let settings = json!({ "max_retries": 0 });
    let evidence = evidence(&service);
    for (status, body, with_evidence, without) in RESPONSES {
        service.respond_to_objects(status, body);
        // Findings of one response must not affect the next: one plugin for each.
        for (private, expected) in [(&evidence[..], with_evidence), (&b""[..], without)] {
            for object in [role(), owner()] {
                let host = Host::start_with(&service, &settings).await;
                let seen = outcome(&host, &object, private).await;
                let (kind, known) = (object.0, !private.is_empty());
                assert_eq!(seen, expected, "{kind}: {status} {body:?}, evidence {known}");
                host.end().await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_that_contradicts_a_404_is_an_error_that_keeps_the_state() {
    let service = Service::full();
    put_objects(&service);
    service.respond_to_objects(404, r#"{"message":"object does not exist"}"#);
    let evidence = evidence(&service);
    for object in [role(), owner()] {
        let host = Host::start(&service).await;
        assert_eq!(outcome(&host, &object, &evidence).await, Failed, "{}", object.0);
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn list_that_lacks_the_object_confirms_a_404() {
    let service = Service::full();
    let evidence = evidence(&service);
    for object in [role(), owner()] {
        let host = Host::start(&service).await;
        assert_eq!(outcome(&host, &object, &evidence).await, Deleted, "{}", object.0);
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn not_found_at_another_base_address_is_an_error_that_keeps_the_state() {
    let (there, here) = (Service::full(), Service::full());
    let evidence = evidence(&there);
    for object in [role(), owner()] {
        let host = Host::start(&here).await;
        let response = host.read_as(object.0, &object.1, &evidence).await;
        assert_eq!(decode(&response.new_state.unwrap()), object.1);
        let detail = &response.diagnostics[0].detail;
        for address in [there.base_url(), here.base_url()] {
            assert!(detail.contains(&address), "{detail}");
        }
        host.end().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn role_with_a_delete_time_is_deleted_with_or_without_evidence() {
    let service = Service::full();
    service.without_lists();
    service.respond_to_objects(
        200,
        r#"{"name":"listings/github/roles/viewer","displayName":"Viewer","deleteTime":"2026-01-01T00:00:00Z"}"#,
    );
    let host = Host::start(&service).await;
    for private in [evidence(&service), Vec::new()] {
        assert_eq!(outcome(&host, &role(), &private).await, Deleted);
    }
    host.end().await;
}

/// Creates the objects of [`role`] and [`owner`] at the service.
fn put_objects(service: &Service) {
    service.put_role("github", "viewer", json!({"displayName": "Viewer", "priority": "3"}));
    service.put_owner("github", "own-1", "users/ada");
}
