//! Secrets that the service returns in its errors: in no diagnostic, state or log.
//!
//! The tests of redaction in `access-client` have every form.

use access_fake::Fault;

use super::*;

/// Has characters that JSON and URLs escape, and no part that occurs by chance.
const SECRET: &str = "qvx+7/Zebra=~\"&<k>2";

#[tokio::test(flavor = "multi_thread")]
async fn secret_that_is_echoed_is_redacted() {
    let service = Service::full();
    service.add_admin_key(SECRET);
    let launch = Launch::new(provider()).env("TF_LOG", "TRACE").env("TF_LOG_PROVIDER", "TRACE");
    let host = Host::launch(launch).await;
    let settings = json!({"base_url": service.base_url(), "max_retries": 0, "api_key": SECRET});
    assert_eq!(host.configure(&settings).await, []);

    let planned = host.plan(ROLE, None, &config(), b"").await;
    let in_url: String = SECRET.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let echo = json!({ "message": format!("no {SECRET}, {in_url} here"), SECRET: in_url });
    service.add_fault(Fault::respond(400, echo.to_string()));
    let read = host.read(ROLE, &state(), b"").await;
    let applied = host.apply(ROLE, None, &config(), &planned).await;
    let mut shown = host.plugin.stderr();
    for diagnostics in [&read.diagnostics, &applied.diagnostics] {
        assert_eq!(errors(diagnostics).len(), 1, "{diagnostics:?}");
        says(diagnostics, &["400", "no [redacted], [redacted] here"]);
        shown += &diagnostics[0].detail;
    }
    for form in ["Zebra", &in_url] {
        let place = shown.find(form).map(|at| &shown[at.saturating_sub(200)..]);
        assert_eq!(place, None, "{form}");
    }
}
