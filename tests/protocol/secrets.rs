//! Secrets that the service returns in its errors, in every encoding: in no diagnostic, state or log.

use access_fake::Fault;

use super::*;
use crate::support::secrets::{escaped, forms, in_base64};

/// Has characters that every encoding changes, and no part that occurs by chance.
const SECRET: &str = "qvx+7/Zebra=~\"&<k>2";

/// A plugin whose key, or gateway header, is the secret, and which logs everything.
async fn with_secret(service: &Service, is_key: bool) -> Host {
    let launch = Launch::new(provider()).env("TF_LOG", "TRACE").env("TF_LOG_PROVIDER", "TRACE");
    let host = Host::launch(launch).await;
    service.add_admin_key(SECRET);
    let (key, headers) = match is_key {
        true => (SECRET, Value::Null),
        false => ("admin-key", json!({ "X-Gateway-Key": SECRET })),
    };
    let settings = json!({"base_url": service.base_url(), "max_retries": 0, "api_key": key,
                          "request_headers": headers});
    let settings = with(schema::empty_provider(), &settings);
    assert_eq!(host.configure(&settings).await, []);
    host
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_that_is_echoed_in_any_encoding_is_redacted() {
    for is_key in [true, false] {
        let service = Service::full();
        let host = with_secret(&service, is_key).await;
        let planned = host.plan(ROLE, None, &config(), b"").await;
        let mut shown = String::new();
        for form in [escaped(SECRET), in_base64(SECRET)].concat() {
            service.respond_normally();
            let body = json!({ "message": format!("cannot accept Bearer {form} here") });
            service.fault(Fault::respond(400, body.to_string()));
            let read = host.read(ROLE, &state(), b"").await;
            let applied = host.apply(ROLE, None, &config(), &planned).await;
            for diagnostics in [&read.diagnostics, &applied.diagnostics] {
                assert_eq!(errors(diagnostics).len(), 1, "{diagnostics:?}");
                shown += &diagnostics[0].detail;
            }
        }
        shown += &host.plugin.stderr();
        assert!(shown.contains("400"));
        // Logs are JSON: the escapes appear escaped there.
        let unescaped = shown.replace("\\\\", "\\").replace("\\\"", "\"");
        for form in forms(SECRET, "Zebra") {
            for text in [&shown, &unescaped] {
                let place = text.find(&form).map(|at| &text[at.saturating_sub(200)..]);
                assert_eq!(place, None, "{form}");
            }
        }
    }
}
