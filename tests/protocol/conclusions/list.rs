//! Lists: an entry that equals the state confirms it, everything else leaves the decision to GET.

use super::Conclusion::{Kept, Refreshed};
use super::*;

/// Response to the list of the parent, before any GET. Whatever it is, the GET counts.
const WITHOUT_CONFIRMATION: [Response; 30] = [
    (200, r#"{"$ENTRIES":[$UNTIMED]}"#),
    (200, r#"{"$ENTRIES":[$OBJECT]}"#),
    (200, r#"{"$ENTRIES":[$RECREATED]}"#),
    (200, r#"{"$ENTRIES":[$OTHER]}"#),
    (200, r#"{"$ENTRIES":[]}"#),
    (200, r#"{"$ENTRIES":[17,{},null]}"#),
    (200, r#"{"$ENTRIES":{}}"#),
    (200, r#"{"$ENTRIES":[],"nextPageToken":"again"}"#),
    (200, "{}"),
    (200, "[]"),
    (200, "not json"),
    (200, ""),
    (204, ""),
    (301, ""),
    (400, "{}"),
    (401, "{}"),
    FORBIDDEN,
    JSON_404,
    TEXT_404,
    HTML_404,
    EMPTY_404,
    (405, ""),
    (409, "{}"),
    (410, "{}"),
    (429, "{}"),
    FAILURE,
    (501, ""),
    (502, "<html></html>"),
    (503, ""),
    (504, ""),
];

#[tokio::test(flavor = "multi_thread")]
async fn list_without_an_equal_entry_leaves_the_decision_to_get() {
    let mut cases = Vec::new();
    for response in WITHOUT_CONFIRMATION {
        for entity in [Role, Owner] {
            for evidence in [true, false] {
                let known = Knowledge { evidence, same_address: true, recent: false };
                let responses = vec![
                    ("GET", entity.object_path(), OBJECT),
                    ("GET", entity.list_path(), response),
                ];
                cases.push((Case { entity, drift_detection: "list", known, responses }, Refreshed));
            }
        }
    }
    assert_none(&differences(cases, |case| async move { case.read().await }).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_that_equals_the_state_confirms_it_without_a_get() {
    for entity in [Role, Owner] {
        for evidence in [true, false] {
            let known = Knowledge { evidence, same_address: true, recent: false };
            let responses = vec![
                ("GET", entity.object_path(), JSON_404),
                ("GET", entity.list_path(), (200, r#"{"$ENTRIES":[$SAME]}"#)),
            ];
            let case = Case { entity, drift_detection: "list", known, responses };
            let (seen, requests) = case.read().await;
            assert_eq!((seen, requests.len()), (Kept, 1), "{case:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_at_another_address_confirms_nothing() {
    for entity in [Role, Owner] {
        let known = Knowledge { evidence: true, same_address: false, recent: false };
        let responses = vec![
            ("GET", entity.object_path(), OBJECT),
            ("GET", entity.list_path(), (200, r#"{"$ENTRIES":[$SAME]}"#)),
        ];
        let case = Case { entity, drift_detection: "list", known, responses };
        let (seen, requests) = case.read().await;
        assert_eq!(seen, Refreshed, "{case:?}");
        let get = format!("GET /api/v1/{}", entity.name());
        assert!(requests.contains(&get), "{requests:?}");
    }
}
