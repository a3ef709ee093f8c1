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

/// An update whose response shows that the role is gone: the next refresh drops it, also without a read.
#[tokio::test(flavor = "multi_thread")]
async fn role_that_an_update_has_not_found_is_created_by_the_next_plan_without_reads() {
    let off = json!({ "drift_detection": "off", "max_retries": 0 });
    let mut config = super::config();
    config["display_name"] = json!("Other");
    for ((status, body), is_gone) in
        [(JSON_404, true), ((200, "$DELETED"), true), (HTML_404, false)]
    {
        let service = Service::full();
        let host = Host::start(&service).await;
        let (state, private) = host.create(ROLE, &super::config()).await;
        host.end().await;
        service.fault(Fault::respond(status, Role.body(body)).on("PATCH"));
        let host = Host::start_with(&service, &off).await;
        let planned = host.plan(Some(&state), &config, &private).await;
        let applied = host.apply(ROLE, Some(&state), &config, &planned).await;
        assert_eq!(errors(&applied.diagnostics).len(), 1, "{status} {body}");
        // With an error and no state, Terraform keeps the one before.
        let kept = applied.new_state.map(|state| decode(&state)).filter(|state| !state.is_null());
        assert_eq!(kept.unwrap_or_else(|| state.clone()), state, "{status} {body}");
        let private = if is_gone { applied.private.to_vec() } else { private };
        let read = host.read(&state, &private).await;
        assert_eq!(decode(&read.new_state.unwrap()).is_null(), is_gone, "{status} {body}");
        host.end().await;
    }
}
