//! Refreshes: the conclusion from each response of GET and of the parent's list.

use super::cases::Conclusion::{Dropped, Failed, Kept, Refreshed, Warned};
use super::cases::*;

/// Response; conclusion for an object that was read before, and for one that never was. The list of the
/// parent does not exist.
const GET: [(Response, Conclusion, Conclusion); 31] = [
    (OBJECT, Refreshed, Refreshed),
    ((200, "$OTHER"), Failed, Failed),
    ((200, "{}"), Failed, Failed),
    ((200, "[]"), Failed, Failed),
    ((200, "not json"), Failed, Failed),
    ((200, ""), Failed, Failed),
    ((204, ""), Failed, Failed),
    ((301, ""), Failed, Failed),
    ((400, r#"{"message":"bad"}"#), Failed, Failed),
    ((401, r#"{"message":"who"}"#), Failed, Failed),
    (FORBIDDEN, Failed, Failed),
    ((403, "<html></html>"), Failed, Failed),
    (JSON_404, Dropped, Warned),
    ((404, "{}"), Dropped, Warned),
    (TEXT_404, Failed, Warned),
    (HTML_404, Failed, Warned),
    (EMPTY_404, Failed, Warned),
    ((404, "[]"), Failed, Warned),
    ((404, "null"), Failed, Warned),
    ((404, r#"{"message":"cut of"#), Failed, Warned),
    ((405, r#"{"message":"no GET"}"#), Warned, Warned),
    ((405, ""), Warned, Warned),
    ((409, "{}"), Failed, Failed),
    ((410, r#"{"message":"gone"}"#), Dropped, Warned),
    ((410, "gone"), Failed, Warned),
    ((429, "{}"), Failed, Failed),
    (FAILURE, Failed, Failed),
    ((501, r#"{"message":"no GET"}"#), Warned, Warned),
    ((502, "<html></html>"), Failed, Failed),
    ((503, ""), Failed, Failed),
    ((504, ""), Failed, Failed),
];

/// Response of the parent's list to a GET with 404 in JSON; conclusion for an object that was read before.
/// One that was never read is kept with a warning, whatever the list has.
const LIST_AFTER_404: [(Response, Conclusion); 14] = [
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), Failed),
    ((200, r#"{"$ENTRIES":[]}"#), Dropped),
    ((200, r#"{"$ENTRIES":[$OTHER]}"#), Dropped),
    ((200, r#"{"$ENTRIES":[{"name":"unreadable"}]}"#), Dropped),
    ((200, "not json"), Dropped),
    // The parent is gone, or something else responds to everything.
    (JSON_404, Failed),
    (TEXT_404, Failed),
    ((405, ""), Dropped),
    ((501, ""), Dropped),
    ((401, "{}"), Failed),
    (FORBIDDEN, Failed),
    ((429, "{}"), Failed),
    (FAILURE, Failed),
    ((503, ""), Failed),
];

#[tokio::test(flavor = "multi_thread")]
async fn conclusions_from_get_are_those_of_the_table() {
    let mut cases = Vec::new();
    for entity in [Role, Owner] {
        let mut add = |response, history, expected| {
            let responses = vec![
                ("GET", entity.object_path(), response),
                ("GET", entity.list_path(), (405, "")),
            ];
            cases.push((Case { entity, history, drift_detection: "auto", responses }, expected));
        };
        for (response, read, never) in GET {
            add(response, Read, read);
            add(response, NeverRead, never);
            // At another address only the same object counts.
            let is_there = response == OBJECT;
            add(response, ReadElsewhere, if is_there { Refreshed } else { Failed });
        }
        add((200, "$RECREATED"), ReadElsewhere, Failed);
        if entity == Role {
            add((200, "$DELETED"), Read, Dropped);
            add((200, "$DELETED"), NeverRead, Dropped);
        }
    }
    compare(cases, Case::read).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn not_found_is_decided_by_the_list_as_in_the_table() {
    let mut cases = Vec::new();
    for (response, read) in LIST_AFTER_404 {
        for entity in [Role, Owner] {
            for (history, expected) in [(Read, read), (NeverRead, Warned), (ReadElsewhere, Failed)]
            {
                let responses = vec![
                    ("GET", entity.object_path(), JSON_404),
                    ("GET", entity.list_path(), response),
                ];
                let case = Case { entity, history, drift_detection: "auto", responses };
                cases.push((case, expected));
            }
        }
    }
    compare(cases, Case::read).await;
}

/// Response of the parent's list, and whether it confirms the state. GET returns another version.
const LIST_BEFORE_GET: [(Response, bool); 8] = [
    ((200, r#"{"$ENTRIES":[$SAME]}"#), true),
    ((200, r#"{"$ENTRIES":[$OTHER,$SAME]}"#), true),
    ((200, r#"{"$ENTRIES":[$OBJECT]}"#), false),
    ((200, r#"{"$ENTRIES":[$ENDED]}"#), false),
    ((200, r#"{"$ENTRIES":[$UNTIMED]}"#), false),
    ((200, r#"{"$ENTRIES":[]}"#), false),
    ((200, "not json"), false),
    (FORBIDDEN, false),
];

#[tokio::test(flavor = "multi_thread")]
async fn list_confirms_and_only_get_contradicts_as_in_the_table() {
    let mut cases = Vec::new();
    for (response, confirms) in LIST_BEFORE_GET {
        // The service returns no deleted owners.
        let entities = if response.1.contains("$ENDED") { vec![Role] } else { vec![Role, Owner] };
        for entity in entities {
            let responses =
                vec![("GET", entity.object_path(), OBJECT), ("GET", entity.list_path(), response)];
            let case = Case { entity, history: Read, drift_detection: "auto", responses };
            cases.push((case, if confirms { Kept } else { Refreshed }));
        }
    }
    compare(cases, Case::read_with_list).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_requested_with_drift_detection_off() {
    for entity in [Role, Owner] {
        for history in [Read, NeverRead, ReadElsewhere] {
            let case = Case { entity, history, drift_detection: "off", responses: Vec::new() };
            let (seen, requests) = case.clone().read().await;
            assert_eq!((seen, requests.len()), (Kept, 0), "{case:?}");
        }
    }
}
