//! What errors and warnings say about requests, objects and the state, compared with all three.

use std::collections::BTreeSet;

use access_client::NOT_SENT;
use access_fake::Request;
use serde_json::Value;

/// The sentences of the provider.
#[path = "../../src/say/claims.rs"]
mod sentences;
use sentences::{CHANGED_NOTHING, NO_DELETE, NOTHING_SENT, STATE_DISCARDED, STATE_KEPT};

/// Returns the names of the objects in a state file.
pub(super) fn names_in(state: &Value) -> BTreeSet<String> {
    let resources = state["resources"].as_array().into_iter().flatten();
    let instances = resources.filter_map(|resource| resource["instances"].as_array()).flatten();
    let name = |instance: &Value| instance["attributes"]["name"].as_str().map(str::to_owned);
    instances.filter_map(name).collect()
}

/// Fails the test if a diagnostic says something else about its object than what was sent.
pub(crate) fn check_sent(summary: &str, detail: &str, sent: &[Request]) {
    let path = format!("/{}", object_of(summary, detail));
    let check = |claim: &str, methods: &[&str]| {
        let was_sent =
            |it: &&Request| it.path.ends_with(&path) && methods.contains(&it.method.as_str());
        let found = sent.iter().find(was_sent).filter(|_| detail.contains(claim));
        assert!(found.is_none(), "{found:?} was sent: {summary}: {detail}");
    };
    check(NO_DELETE, &["DELETE"]);
    check(NOTHING_SENT, &["DELETE"]);
    check(CHANGED_NOTHING, &["PATCH", "DELETE"]);
}

/// Fails the test if a diagnostic names a request, with the status of its response, that the service has not
/// received.
pub(crate) fn check_requests(text: &str, all: &[Request]) {
    let words: Vec<_> = text.split_whitespace().collect();
    for window in words.windows(3) {
        let &[method, path, status] = window else { continue };
        let method = method.trim_start_matches('(');
        let (Some(path), Ok(status)) = (path.strip_suffix(':'), status.parse::<u16>()) else {
            continue;
        };
        if !path.starts_with('/') || text.contains(NOT_SENT) {
            continue;
        }
        let path = path.split('?').next().unwrap_or_default();
        let was_sent =
            |it: &Request| (&*it.method, &*it.path, it.status) == (method, path, Some(status));
        assert!(all.iter().any(was_sent), "{method} {path}: no {status}: {text}: {all:?}");
    }
}

/// Fails the test if a detail says something else about the state of its object than this.
pub(crate) fn check_kept(detail: &str, is_kept: bool) {
    assert!(is_kept || !detail.contains(STATE_KEPT), "the state is not kept: {detail}");
    assert!(!is_kept || !detail.contains(STATE_DISCARDED), "the state is kept: {detail}");
}

/// Fails the test if an error says something else about the state of its object than what the state has after
/// the command. `before` and `after` are the objects in the state. What the warning of a refresh keeps, a
/// later step of the command may remove.
pub(super) fn check_state(
    summary: &str,
    detail: &str,
    before: &BTreeSet<String>,
    after: &BTreeSet<String>,
) {
    let object = object_of(summary, detail);
    if before.contains(object) {
        check_kept(detail, after.contains(object));
    }
}

/// Fails the test if a diagnostic is about an object that none of these states and configurations describes,
/// nor the private state, which has the next object of a replacement.
pub(crate) fn check_object(summary: &str, detail: &str, values: &[&Value], private: &[u8]) {
    let object = object_of(summary, detail).trim_matches('"');
    let private = String::from_utf8_lossy(private);
    let is_known = values.iter().any(|value| is_of(object, value)) || private.contains(object);
    assert!(is_known, "{object} is in none of {values:?} {private}: {summary}: {detail}");
}

/// Returns whether a value describes an object: by its name, as one of its owners, or by the arguments of the
/// names of a role, a single owner, one of all owners, and their parents.
fn is_of(object: &str, value: &Value) -> bool {
    let text = |name: &str| value[name].as_str().unwrap_or_default();
    let has = |list: &Value| list.as_array().is_some_and(|it| it.iter().any(|it| it == object));
    if [text("name"), text("owner")].contains(&object) || has(&value["owners"]) {
        return true;
    }
    let path: Vec<_> = object.split('/').collect();
    match path[..] {
        ["listings", listing] => listing == text("listing"),
        ["listings", listing, "roles", role] => listing == text("listing") && role == text("role"),
        ["integrations", integration] => integration == text("integration"),
        ["integrations", integration, "owners", id] => {
            let is_one_of_all = value["integration_owner_id"].is_null();
            integration == text("integration")
                && (is_one_of_all || id == text("integration_owner_id"))
        }
        _ => object.is_empty(),
    }
}

/// Returns the object with which a summary begins, or the detail of a warning about the run:
/// "listings/github/roles/viewer: exists already".
fn object_of<'t>(summary: &'t str, detail: &'t str) -> &'t str {
    let mut first = [summary, detail].into_iter().filter_map(|text| text.split([' ', ':']).next());
    first.find(|word| word.contains('/')).unwrap_or_default()
}
