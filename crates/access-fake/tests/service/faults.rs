//! Faults: the requests that they affect, what is processed, and what arrives.

use std::time::Duration;

use access_fake::{Action, Fault};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Host, paused};

const CREATE: &str = "/api/v1/listings/github/roles/viewer?allowMissing=true";
const FOUNDER: &str = "/api/v1/integrations/github/owners/founder";

fn viewer() -> Value {
    json!({"displayName": "Viewer", "priority": "5"})
}

fn is_created(host: &Host) -> bool {
    host.service().object("listings/github/roles/viewer").is_some()
}

#[test]
fn fault_affects_matching_requests() {
    let host = Host::full();
    let fault = Fault::respond(503, "{}").on("GET").at("*/integrations/*/owners/*");
    host.service().add_fault(fault.skipping(1).times(2));
    let statuses = [(); 4].map(|()| host.admin().get(FOUNDER).status());
    assert_eq!(statuses, [200, 503, 503, 200]);
    host.service().add_fault(Fault::respond(500, ""));
    assert_eq!(host.admin().get(FOUNDER).status(), 500);
    assert_eq!(host.service().faults().len(), 2);
    host.service().clear_faults();
    assert_eq!(host.admin().get(FOUNDER).status(), 200);
    let logged = host.service().requests().into_iter().map(|request| request.status);
    assert_eq!(logged.flatten().collect::<Vec<_>>(), [200, 503, 503, 200, 500, 200]);
}

#[test]
fn configured_response_replaces_the_real_one() {
    for processed in [false, true] {
        let host = Host::full();
        let headers = [("Content-Type", "text/html"), ("X-Gateway", "g")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let body = "<html>".to_owned();
        let fault = Fault::new(Action::Respond { status: 502, headers, body, processed });
        host.service().add_fault(fault.header("retry-after", "3"));
        let reply = host.admin().patch(CREATE, &viewer());
        assert_eq!((reply.status(), reply.text().as_str()), (502, "<html>"));
        let headers = ["content-type", "x-gateway", "retry-after"].map(|name| reply.header(name));
        assert_eq!(headers, [Some("text/html"), Some("g"), Some("3")]);
        assert_eq!(is_created(&host), processed);
    }
}

#[test]
fn request_without_a_response_is_processed_or_not_and_logged_without_a_status() {
    for (action, processed) in [
        (Action::Hang, false),
        (Action::HangAfterProcessing, true),
        (Action::Reset, false),
        (Action::ResetAfterProcessing, true),
        (Action::Hold { processed: false }, false),
        (Action::Hold { processed: true }, true),
    ] {
        let host = Host::full();
        host.service().add_fault(Fault::new(action.clone()));
        let request = || host.admin().request("PATCH", CREATE, &viewer().to_string());
        paused().block_on(async {
            let hour = Duration::from_secs(3_600);
            timeout(hour, host.service().handle(request())).await.unwrap_err();
            assert_eq!(is_created(&host), processed, "{action:?}");
            assert_eq!(host.service().requests()[0].status, None, "{action:?}");
            if matches!(action, Action::Hold { .. }) {
                let held = host.service().handle(request());
                let release = async { host.service().clear_faults() };
                assert_eq!(tokio::join!(held, release).0.status(), 200, "{action:?}");
                assert!(is_created(&host));
            }
        });
    }
}
