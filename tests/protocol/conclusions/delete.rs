//! Destroys: responses to DELETE, and the calls that decide what its 404 means.

use super::Conclusion::{Dropped, Failed};
use super::*;

const MODES: [&str; 4] = ["auto", "list", "patch", "off"];

/// Response to DELETE; conclusion, with and without evidence, in every mode. The tables below
/// decide a 404.
const DELETE: [(Response, Conclusion); 20] = [
    ((200, "{}"), Dropped),
    ((200, "$OBJECT"), Dropped),
    ((200, ""), Dropped),
    ((204, ""), Dropped),
    ((301, ""), Failed),
    ((400, "{}"), Failed),
    ((401, "{}"), Failed),
    (FORBIDDEN, Failed),
    ((405, r#"{"message":"no DELETE"}"#), Failed),
    ((405, ""), Failed),
    ((409, "{}"), Failed),
    ((410, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
    ((500, ""), Failed),
    ((501, "{}"), Failed),
    ((501, ""), Failed),
    ((502, "<html></html>"), Failed),
    ((503, ""), Failed),
    ((504, ""), Failed),
];

/// The bodies of the 404 of a DELETE. None of them proves a deletion.
const NOT_FOUND: [Response; 4] = [JSON_404, TEXT_404, HTML_404, EMPTY_404];

/// After DELETE with 404 and evidence: responses to GET and list; conclusion.
const WITH_EVIDENCE: [(Response, Response, Conclusion); 10] = [
    (OBJECT, (200, r#"{"$ENTRIES":[]}"#), Failed),
    (JSON_404, (200, r#"{"$ENTRIES":[]}"#), Dropped),
    (JSON_404, (200, r#"{"$ENTRIES":[17]}"#), Dropped),
    (JSON_404, (200, r#"{"$ENTRIES":[$OBJECT]}"#), Failed),
    (JSON_404, FORBIDDEN, Failed),
    (JSON_404, JSON_404, Dropped),
    (JSON_404, (405, ""), Dropped),
    (JSON_404, FAILURE, Dropped),
    (FAILURE, (200, r#"{"$ENTRIES":[]}"#), Failed),
    ((401, "{}"), (200, r#"{"$ENTRIES":[]}"#), Failed),
];

/// After DELETE with 404 of a role without evidence: responses to GET and PATCH; conclusion.
const ROLE_WITHOUT_EVIDENCE: [(Response, Response, Conclusion); 14] = [
    (OBJECT, JSON_404, Failed),
    ((200, "$DELETED"), OBJECT, Dropped),
    (JSON_404, JSON_404, Dropped),
    (JSON_404, OBJECT, Failed),
    (JSON_404, (200, "$DELETED"), Dropped),
    (JSON_404, TEXT_404, Failed),
    (JSON_404, EMPTY_404, Failed),
    (JSON_404, FORBIDDEN, Failed),
    (JSON_404, FAILURE, Failed),
    (TEXT_404, JSON_404, Dropped),
    ((405, ""), JSON_404, Dropped),
    ((405, ""), OBJECT, Failed),
    (FORBIDDEN, JSON_404, Dropped),
    (FAILURE, JSON_404, Failed),
];

/// After DELETE with 404 of an owner without evidence: responses to GET and list; conclusion.
const OWNER_WITHOUT_EVIDENCE: [(Response, Response, Conclusion); 12] = [
    (OBJECT, (200, r#"{"$ENTRIES":[]}"#), Failed),
    (JSON_404, (200, r#"{"$ENTRIES":[]}"#), Dropped),
    (JSON_404, (200, r#"{"$ENTRIES":[$OBJECT]}"#), Failed),
    // The principal owns the integration under another ID: it was not removed.
    (JSON_404, (200, r#"{"$ENTRIES":[$OTHER]}"#), Failed),
    (JSON_404, (200, r#"{"$ENTRIES":[17]}"#), Failed),
    (JSON_404, FORBIDDEN, Failed),
    (JSON_404, JSON_404, Failed),
    (JSON_404, (405, ""), Failed),
    (JSON_404, FAILURE, Failed),
    ((405, ""), (200, r#"{"$ENTRIES":[]}"#), Dropped),
    ((405, ""), (405, ""), Failed),
    (FAILURE, (200, r#"{"$ENTRIES":[]}"#), Failed),
];

fn known(evidence: bool) -> Knowledge {
    Knowledge { evidence, same_address: true, recent: false }
}

async fn destroy(case: Case) -> (Conclusion, Vec<String>) {
    case.destroy().await
}

#[tokio::test(flavor = "multi_thread")]
async fn conclusions_from_delete_are_those_of_the_table() {
    let mut cases = Vec::new();
    for (response, expected) in DELETE {
        for entity in [Role, Owner] {
            // Neither evidence nor mode matters for a response other than 404.
            for (drift_detection, evidence) in
                [("auto", true), ("auto", false), ("patch", false), ("off", true)]
            {
                let responses = vec![("DELETE", entity.object_path(), response)];
                let known = known(evidence);
                cases.push((Case { entity, drift_detection, known, responses }, expected));
            }
        }
    }
    assert_none(&differences(cases, destroy).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn delete_with_404_is_decided_as_in_the_tables() {
    let mut cases = Vec::new();
    let mut add =
        |entity: Entity, evidence, get, other: (&'static str, &'static str, Response), expected| {
            for (number, not_found) in NOT_FOUND.into_iter().enumerate() {
                // Neither the body nor the mode matters: one body with all modes shows the latter.
                let modes = if number == 0 { &MODES[..] } else { &MODES[..1] };
                for &drift_detection in modes {
                    let responses = vec![
                        ("DELETE", entity.object_path(), not_found),
                        ("GET", entity.object_path(), get),
                        other,
                    ];
                    let known = known(evidence);
                    cases.push((Case { entity, drift_detection, known, responses }, expected));
                }
            }
        };
    for entity in [Role, Owner] {
        for (get, list, expected) in WITH_EVIDENCE {
            add(entity, true, get, ("GET", entity.list_path(), list), expected);
        }
    }
    for (get, patch, expected) in ROLE_WITHOUT_EVIDENCE {
        add(Role, false, get, ("PATCH", "*/roles/*", patch), expected);
    }
    for (get, list, expected) in OWNER_WITHOUT_EVIDENCE {
        add(Owner, false, get, ("GET", "*/owners", list), expected);
    }
    assert_none(&differences(cases, destroy).await);
}

/// Response to GET at another base address; whether DELETE follows.
const ELSEWHERE: [(Response, bool); 8] = [
    (OBJECT, true),
    ((200, "$RECREATED"), false),
    (JSON_404, false),
    (TEXT_404, false),
    ((405, ""), false),
    (FORBIDDEN, false),
    (FAILURE, false),
    ((200, "not json"), false),
];

#[tokio::test(flavor = "multi_thread")]
async fn destroy_at_another_address_deletes_only_what_it_has_read_there() {
    for (get, deletes) in ELSEWHERE {
        for entity in [Role, Owner] {
            for drift_detection in MODES {
                for evidence in [true, false] {
                    let responses = vec![
                        ("GET", entity.object_path(), get),
                        ("DELETE", entity.object_path(), (200, "{}")),
                    ];
                    let known = Knowledge { same_address: false, ..known(evidence) };
                    let case = Case { entity, drift_detection, known, responses };
                    let (seen, requests) = case.destroy().await;
                    let expected = if deletes { Dropped } else { Failed };
                    assert_eq!(seen, expected, "{case:?}");
                    let sent = requests.iter().any(|request| request.starts_with("DELETE"));
                    assert_eq!(sent, deletes, "{case:?}");
                }
            }
        }
    }
}
