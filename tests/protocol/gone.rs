//! When an object counts as gone: every answer to a read, with and without evidence that reads work.

use plugin_server::testkit::decode;
use plugin_server::testkit::proto::tfplugin6::diagnostic::Severity;
use serde_json::{Value, json};

use super::Host;
use crate::support::Service;

/// What is remembered of an object whose reads were seen to work: `{"reads": true}`.
const EVIDENCE: &[u8] = b"\x81\xa5reads\xc3";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The object leaves the state.
    Gone,
    /// The state stays, and nothing is wrong.
    Kept,
    /// The state stays, with an error.
    Failed,
}
use Verdict::{Failed, Gone, Kept};

const HTML: &str = "<html><body><h1>404 Not Found</h1></body></html>";

/// Status, body, verdict with evidence, verdict without.
const ANSWERS: [(u16, &str, Verdict, Verdict); 32] = [
    (404, r#"{"message":"no such object"}"#, Gone, Kept),
    (404, r#"{"code":5,"message":"not found","details":[]}"#, Gone, Kept),
    (404, "{}", Gone, Kept),
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
    ("access_listing_role", super::state())
}

fn owner() -> (&'static str, Value) {
    let state = json!({
        "integration": "github", "owner": "users/ada", "integration_owner_id": "own-1",
        "adopt_existing": null, "id": "integrations/github/owners/own-1",
        "name": "integrations/github/owners/own-1", "create_time": null, "update_time": null,
    });
    ("access_integration_owner", state)
}

async fn verdict(host: &Host, (kind, state): &(&str, Value), private: &[u8]) -> Verdict {
    let answer = host.read_as(kind, state, private).await;
    let failed = answer.diagnostics.iter().any(|it| it.severity() == Severity::Error);
    let read = decode(&answer.new_state.expect("a state"));
    if read.is_null() {
        assert!(!failed, "an error that drops the state as well");
        return Gone;
    }
    assert_eq!(&read, state, "what was not read stays as it is");
    if failed { Failed } else { Kept }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_services_own_word_is_proof_and_only_where_reads_work() {
    let service = Service::full();
    let settings = json!({ "max_retries": 0 });
    for (status, body, with_evidence, without) in ANSWERS {
        service.answer_all("GET", status, body);
        // What a run learns of one answer must not colour the next: a plugin for each.
        for (private, expected) in [(EVIDENCE, with_evidence), (&b""[..], without)] {
            for object in [role(), owner()] {
                let host = Host::start_with(&service, &settings).await;
                let judged = verdict(&host, &object, private).await;
                let kind = object.0;
                assert_eq!(judged, expected, "{kind}: {status} {body:?}, {private:?}");
                host.end().await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn role_with_a_delete_time_is_gone_with_or_without_evidence() {
    let service = Service::full();
    service.answer_all(
        "GET",
        200,
        r#"{"name":"listings/github/roles/viewer","displayName":"Viewer","deleteTime":"2026-01-01T00:00:00Z"}"#,
    );
    let host = Host::start(&service).await;
    for private in [EVIDENCE, b""] {
        assert_eq!(verdict(&host, &role(), private).await, Gone);
    }
    host.end().await;
}
