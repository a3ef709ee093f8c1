//! What errors and warnings say about requests and about the state, compared with both.

use std::collections::BTreeSet;

use access_fake::Request;
use serde_json::Value;

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
    let was_sent = |methods: &[&str]| {
        let mut of_object = sent.iter().filter(|it| it.path.ends_with(&path));
        of_object.any(|it| methods.contains(&it.method.as_str()))
    };
    if ["DELETE was sent", "Nothing was sent"].iter().any(|it| detail.contains(it)) {
        let says = !["No DELETE was sent", "Nothing was sent"].iter().any(|it| detail.contains(it));
        assert_eq!(was_sent(&["DELETE"]), says, "whether a DELETE was sent: {detail}");
    }
    // What another resource has made was written.
    if detail.contains("This resource changed") && !detail.contains("Two resources") {
        let says = !detail.contains("This resource changed nothing");
        assert_eq!(was_sent(&["PATCH", "DELETE"]), says, "whether something changed: {detail}");
    }
}

/// Fails the test if a diagnostic says something else about the state of its object than what the state has
/// after the command. `before` and `after` are the objects in the state.
pub(super) fn check_state(
    summary: &str,
    detail: &str,
    before: &BTreeSet<String>,
    after: &BTreeSet<String>,
) {
    let object = object_of(summary, detail);
    // An older state is that of another address, or a deposed one. What a refresh keeps, a later step of
    // the command may remove.
    let is_of_another_step =
        ["older state is", "are not seen"].iter().any(|it| detail.contains(it));
    if before.contains(object) && !is_of_another_step {
        check_kept(detail, after.contains(object));
    }
}

/// Fails the test if a detail says something else about the state of its object than this.
pub(crate) fn check_kept(detail: &str, is_kept: bool) {
    let says = detail.contains("tate is ").then(|| detail.contains("tate is kept"));
    assert!(says.is_none_or(|says| says == is_kept), "whether the state is kept: {detail}");
}

/// Returns the object with which a summary begins, or the detail of a warning about the run:
/// "listings/github/roles/viewer: exists already".
fn object_of<'t>(summary: &'t str, detail: &'t str) -> &'t str {
    let mut first = [summary, detail].into_iter().filter_map(|text| text.split([' ', ':']).next());
    first.find(|word| word.contains('/')).unwrap_or_default()
}
