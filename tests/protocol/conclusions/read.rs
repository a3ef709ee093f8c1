//! Reads by GET (`auto` and `list`), by the documented PATCH (`patch`), and no reads (`off`).

use super::Conclusion::{Dropped, Failed, Kept, Refreshed, Warned};
use super::*;

/// Response; conclusion with evidence, without evidence, and at another base address.
const GET: [(Response, Conclusion, Conclusion, Conclusion); 30] = [
    (OBJECT, Refreshed, Refreshed, Refreshed),
    ((200, "$OTHER"), Failed, Failed, Failed),
    ((200, "{}"), Failed, Failed, Failed),
    ((200, "[]"), Failed, Failed, Failed),
    ((200, "not json"), Failed, Failed, Failed),
    ((200, ""), Failed, Failed, Failed),
    ((204, ""), Failed, Failed, Failed),
    ((301, ""), Failed, Failed, Failed),
    ((400, r#"{"message":"bad"}"#), Failed, Failed, Failed),
    ((401, r#"{"message":"who"}"#), Failed, Failed, Failed),
    (FORBIDDEN, Failed, Failed, Failed),
    ((403, "<html></html>"), Failed, Failed, Failed),
    (JSON_404, Dropped, Warned, Failed),
    ((404, "{}"), Dropped, Warned, Failed),
    (TEXT_404, Failed, Warned, Failed),
    (HTML_404, Failed, Warned, Failed),
    (EMPTY_404, Failed, Warned, Failed),
    ((404, "[]"), Failed, Warned, Failed),
    ((405, r#"{"message":"no GET"}"#), Warned, Warned, Warned),
    ((405, ""), Warned, Warned, Warned),
    ((409, "{}"), Failed, Failed, Failed),
    ((410, r#"{"message":"gone"}"#), Failed, Failed, Failed),
    ((429, "{}"), Failed, Failed, Failed),
    (FAILURE, Failed, Failed, Failed),
    ((500, ""), Failed, Failed, Failed),
    ((501, r#"{"message":"no GET"}"#), Warned, Warned, Warned),
    ((501, ""), Warned, Warned, Warned),
    ((502, "<html></html>"), Failed, Failed, Failed),
    ((503, ""), Failed, Failed, Failed),
    ((504, ""), Failed, Failed, Failed),
];

/// Responses that only roles have: `deleteTime`, and another creation time at another address.
const GET_OF_A_ROLE: [(Response, Conclusion, Conclusion, Conclusion); 1] =
    [((200, "$DELETED"), Dropped, Dropped, Dropped)];

/// Response of the parent's list to a GET with 404 in JSON; conclusion with evidence, without, and
/// without for an object that was written less than five minutes ago.
const LIST_AFTER_404: [(Response, Conclusion, Conclusion, Conclusion); 19] = [
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), Failed, Warned, Warned),
    ((200, r#"{"$ENTRIES":[]}"#), Dropped, Dropped, Warned),
    ((200, r#"{"$ENTRIES":[$OTHER]}"#), Dropped, Dropped, Warned),
    ((200, r#"{"$ENTRIES":[{"no":"name"},$OTHER]}"#), Dropped, Warned, Warned),
    ((200, r#"{"$ENTRIES":[17]}"#), Dropped, Warned, Warned),
    (FORBIDDEN, Failed, Warned, Warned),
    (JSON_404, Dropped, Warned, Warned),
    (TEXT_404, Dropped, Warned, Warned),
    ((405, ""), Dropped, Warned, Warned),
    ((501, ""), Dropped, Warned, Warned),
    ((401, "{}"), Failed, Warned, Warned),
    ((429, "{}"), Failed, Warned, Warned),
    // A list that fails contradicts nothing, as a list that does not exist.
    ((301, ""), Dropped, Warned, Warned),
    ((400, "{}"), Dropped, Warned, Warned),
    (FAILURE, Dropped, Warned, Warned),
    ((503, ""), Dropped, Warned, Warned),
    ((200, "not json"), Dropped, Warned, Warned),
    ((200, r#"{"$ENTRIES":[],"nextPageToken":"again"}"#), Dropped, Warned, Warned),
    // The page that arrived counts.
    ((200, r#"{"$ENTRIES":[$OBJECT],"nextPageToken":"again"}"#), Failed, Warned, Warned),
];

/// Response to the documented PATCH of `drift_detection = "patch"`; conclusion. Evidence of
/// GET does not matter. At another base address a GET has to find the role first.
const PATCH: [(Response, Conclusion); 25] = [
    (OBJECT, Refreshed),
    ((200, "$DELETED"), Dropped),
    ((200, "$OTHER"), Failed),
    ((200, "[]"), Failed),
    ((200, "not json"), Failed),
    ((200, ""), Failed),
    ((204, ""), Failed),
    ((301, ""), Failed),
    ((400, r#"{"message":"bad"}"#), Failed),
    ((401, r#"{"message":"who"}"#), Failed),
    (FORBIDDEN, Failed),
    (JSON_404, Dropped),
    (TEXT_404, Failed),
    (HTML_404, Failed),
    (EMPTY_404, Failed),
    ((404, "[]"), Failed),
    ((405, ""), Failed),
    ((409, "{}"), Failed),
    ((410, "{}"), Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
    ((501, ""), Failed),
    ((502, "<html></html>"), Failed),
    ((503, ""), Failed),
    ((504, ""), Failed),
];

fn known(evidence: bool, same_address: bool) -> Knowledge {
    Knowledge { evidence, same_address, recent: false }
}

async fn read(case: Case) -> (Conclusion, Vec<String>) {
    case.read().await
}

#[tokio::test(flavor = "multi_thread")]
async fn conclusions_from_get_are_those_of_the_table() {
    let mut cases = Vec::new();
    let rows = [Role, Owner].into_iter().flat_map(|entity| {
        let more = if entity == Role { &GET_OF_A_ROLE[..] } else { &[] };
        GET.iter().chain(more).map(move |row| (entity, *row))
    });
    for (entity, (response, with, without, elsewhere)) in rows {
        for drift_detection in ["auto", "list"] {
            for (known, expected) in [
                (known(true, true), with),
                (known(false, true), without),
                (known(true, false), elsewhere),
                (known(false, false), elsewhere),
            ] {
                let responses = vec![
                    ("GET", entity.object_path(), response),
                    ("GET", entity.list_path(), (405, "")),
                ];
                cases.push((Case { entity, drift_detection, known, responses }, expected));
            }
        }
    }
    assert_none(&differences(cases, read).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn not_found_is_decided_by_the_list_as_in_the_table() {
    let mut cases = Vec::new();
    for (response, with, without, recent) in LIST_AFTER_404 {
        for entity in [Role, Owner] {
            for drift_detection in ["auto", "list"] {
                for (known, expected) in [
                    (known(true, true), with),
                    (known(false, true), without),
                    (Knowledge { recent: true, ..known(false, true) }, recent),
                    // At another address no list can show that the object was deleted.
                    (known(true, false), Failed),
                ] {
                    let responses = vec![
                        ("GET", entity.object_path(), JSON_404),
                        ("GET", entity.list_path(), response),
                    ];
                    cases.push((Case { entity, drift_detection, known, responses }, expected));
                }
            }
        }
    }
    assert_none(&differences(cases, read).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn conclusions_from_patch_are_those_of_the_table() {
    let mut cases = Vec::new();
    for (response, expected) in PATCH {
        for evidence in [true, false] {
            for (get, same_address) in [(JSON_404, true), (OBJECT, false)] {
                let responses = vec![("PATCH", "*/roles/*", response), ("GET", "*/roles/*", get)];
                let known = known(evidence, same_address);
                cases.push((
                    Case { entity: Role, drift_detection: "patch", known, responses },
                    expected,
                ));
            }
        }
    }
    assert_none(&differences(cases, read).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn patch_is_not_sent_to_another_address_that_lacks_the_role() {
    let lacking =
        [(200, "$RECREATED"), (200, "not json"), JSON_404, TEXT_404, (405, ""), FORBIDDEN, FAILURE];
    for response in lacking {
        for evidence in [true, false] {
            let known = known(evidence, false);
            let responses = vec![("GET", "*/roles/*", response)];
            let case = Case { entity: Role, drift_detection: "patch", known, responses };
            let (seen, requests) = case.read().await;
            assert_eq!((seen, requests.len()), (Failed, 1), "{case:?}: {requests:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn object_with_another_creation_time_at_another_address_is_another_object() {
    let mut cases = Vec::new();
    for (entity, drift_detection) in
        [(Role, "auto"), (Role, "list"), (Owner, "auto"), (Owner, "list")]
    {
        for evidence in [true, false] {
            for body in ["$RECREATED", "$RECREATED_AND_DELETED"] {
                let responses = vec![("GET", entity.object_path(), (200, body))];
                let known = known(evidence, false);
                cases.push((Case { entity, drift_detection, known, responses }, Failed));
            }
        }
    }
    assert_none(&differences(cases, read).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_requested_if_nothing_is_read() {
    for (entity, drift_detection, expected) in
        [(Role, "off", Warned), (Owner, "off", Warned), (Owner, "patch", Kept)]
    {
        for (evidence, same_address) in [(true, true), (false, true), (true, false), (false, false)]
        {
            let known = known(evidence, same_address);
            let case = Case { entity, drift_detection, known, responses: Vec::new() };
            let (seen, requests) = case.read().await;
            assert_eq!((seen, &requests[..]), (expected, &[][..]), "{case:?}");
        }
    }
}
