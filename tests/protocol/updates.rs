//! Updates: an object that is not the state's, or that is gone.

use access_fake::Fault;
use serde_json::json;

use super::cases::*;
use super::{Host, ROLE, decode, errors};
use crate::support::Service;

/// With `drift_detection = "off"` no refresh finds another address first.
#[tokio::test(flavor = "multi_thread")]
async fn update_at_another_address_writes_only_what_it_has_read_there() {
    let off = json!({ "drift_detection": "off", "max_retries": 0 });
    let mut config = super::config();
    config["display_name"] = json!("Other");
    for (get, writes) in
        [("$SAME", true), ("$RECREATED", false), (r#"{"code":5,"message":"not found"}"#, false)]
    {
        let elsewhere = Service::full();
        elsewhere.respond_to_all("GET", 200, &Role.body("$SAME"));
        let host = Host::start(&elsewhere).await;
        let private = host.read(&Role.state(), b"").await.private;
        host.end().await;

        let service = Service::full();
        service.put_role("github", "viewer", json!({"displayName": "Theirs", "priority": "3"}));
        let status = if get.starts_with('$') { 200 } else { 404 };
        service.fault(Fault::respond(status, Role.body(get)).on("GET"));
        let host = Host::start_with(&service, &off).await;
        let planned = host.plan(Some(&Role.state()), &config, &private).await;
        assert_eq!(errors(&planned.diagnostics), [""; 0], "{get}");
        let applied = host.apply(ROLE, Some(&Role.state()), &config, &planned).await;
        assert_eq!(errors(&applied.diagnostics).is_empty(), writes, "{get}");
        assert_eq!(service.writes().len(), usize::from(writes), "{get}");
        host.end().await;
    }
}

/// An update that does not find the role is an error. The next refresh reads the role, also with drift
/// detection off, and decides like every other.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_an_update_has_not_found_is_read_by_the_next_refresh() {
    let off = json!({ "drift_detection": "off", "max_retries": 0 });
    let mut config = super::config();
    config["display_name"] = json!("Other");
    let list = (200, r#"{"$ENTRIES":[]}"#);
    // Response to PATCH, to the GET and the list of the refresh; whether the state drops the role.
    for (patch, get, list, is_gone) in [
        (JSON_404, JSON_404, list, true),
        (JSON_404, (405, ""), list, true),
        (JSON_404, (501, ""), list, true),
        (JSON_404, OBJECT, list, false),
        (JSON_404, JSON_404, JSON_404, false),
        (JSON_404, FAILURE, list, false),
        ((200, "$DELETED"), JSON_404, list, true),
        // A gateway's response shows nothing, so nothing is read.
        (HTML_404, JSON_404, list, false),
    ] {
        let case = format!("{patch:?} {get:?} {list:?}");
        let service = Service::full();
        let host = Host::start(&service).await;
        let (state, private) = host.create(ROLE, &super::config()).await;
        host.end().await;
        service.fault(Fault::respond(patch.0, Role.body(patch.1)).on("PATCH"));
        let host = Host::start_with(&service, &off).await;
        let planned = host.plan(Some(&state), &config, &private).await;
        let applied = host.apply(ROLE, Some(&state), &config, &planned).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{case}");
        // With an error and no state, Terraform keeps the one before.
        let kept = applied.new_state.map(|state| decode(&state)).filter(|state| !state.is_null());
        assert_eq!(kept.clone().unwrap_or_else(|| state.clone()), state, "{case}");
        let private = if kept.is_some() { applied.private.to_vec() } else { private };
        service.respond_normally();
        service.fault(Fault::respond(get.0, Role.body(get.1)).on("GET").at(Role.object_path()));
        service.fault(Fault::respond(list.0, Role.body(list.1)).on("GET").at(Role.list_path()));
        let read = host.read(&state, &private).await;
        assert_eq!(decode(&read.new_state.unwrap()).is_null(), is_gone, "{case}");
        host.end().await;
    }
}

/// A 404 to an update, then a confirmed read: the role is there, and later refreshes read nothing.
#[tokio::test(flavor = "multi_thread")]
async fn confirmed_read_clears_what_an_update_has_not_found() {
    let service = Service::full();
    let host = Host::start(&service).await;
    let mut config = super::config();
    let (state, private) = host.create(ROLE, &config).await;
    config["display_name"] = json!("Other");
    service.fault(Fault::respond(404, Role.body(JSON_404.1)).on("PATCH"));
    let planned = host.plan(Some(&state), &config, &private).await;
    let applied = host.apply(ROLE, Some(&state), &config, &planned).await;
    let mut private = applied.private.to_vec();
    host.end().await;
    service.respond_normally();
    let host = Host::start(&service).await;
    for _ in 0..5 {
        // The fourth is confirmed by the list.
        let read = host.read(&state, &private).await;
        assert_eq!(decode(&read.new_state.unwrap()), state);
        private = read.private.to_vec();
    }
    host.end().await;
    service.clear_requests();
    let host = Host::start_with(&service, &json!({ "drift_detection": "off" })).await;
    let read = host.read(&state, &private).await;
    assert_eq!(decode(&read.new_state.unwrap()), state);
    assert_eq!(service.requests().len(), 0);
    host.end().await;
}
