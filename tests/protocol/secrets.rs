//! Secrets that the service returns in its errors, in every encoding: in no diagnostic, state or log.

use access_fake::{Action, Fault};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use plugin_server::testkit::Launch;
use serde_json::json;

use super::{Host, ROLE, config, errors};
use crate::support::{Service, provider};

/// Has characters that every encoding changes, and no part that occurs by chance.
const SECRET: &str = "qvx+7/Zebra=~\"&<k>2";

/// Returns the secret in base64, at each of the three alignments.
fn in_base64() -> Vec<String> {
    let shifted = (0..3).map(|shift| format!("{}{SECRET}", "x".repeat(shift)));
    shifted
        .flat_map(|text| [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)])
        .collect()
}

/// Returns the secret as it is and escaped, with and without its letters.
fn escaped() -> Vec<String> {
    let escapes: [fn(char) -> String; 5] = [
        |letter| format!("%{:02X}", u32::from(letter)),
        |letter| format!("%{:02x}", u32::from(letter)),
        |letter| format!("\\u{:04x}", u32::from(letter)),
        |letter| format!("&#{};", u32::from(letter)),
        |letter| format!("&#x{:x};", u32::from(letter)),
    ];
    let mut escaped = vec![SECRET.to_owned()];
    for escape in escapes {
        let special = |letter: char| match letter.is_ascii_alphanumeric() {
            true => letter.to_string(),
            false => escape(letter),
        };
        escaped.push(SECRET.chars().map(escape).collect());
        escaped.push(SECRET.chars().map(special).collect());
    }
    escaped
}

/// A plugin whose key, or gateway header, is the secret, and which logs everything.
async fn with_secret(service: &Service, is_key: bool) -> Host {
    let launch = Launch::new(provider()).env("TF_LOG", "TRACE").env("TF_LOG_PROVIDER", "TRACE");
    let host = Host::launch(launch).await;
    service.add_admin_key(SECRET);
    let mut settings = super::schema::empty_provider();
    settings["base_url"] = json!(service.base_url());
    settings["max_retries"] = json!(0);
    settings["api_key"] = json!(if is_key { SECRET } else { "admin-key" });
    if !is_key {
        settings["request_headers"] = json!({ "X-Gateway-Key": SECRET });
    }
    assert_eq!(host.configure(&settings).await, []);
    host
}

#[tokio::test(flavor = "multi_thread")]
async fn secret_that_is_echoed_in_any_encoding_is_redacted() {
    for is_key in [true, false] {
        let service = Service::full();
        let host = with_secret(&service, is_key).await;
        let planned = host.plan_as(ROLE, None, &config(), b"").await;
        let mut shown = String::new();
        for form in [escaped(), in_base64()].concat() {
            service.respond_normally();
            let body = json!({ "message": format!("cannot accept Bearer {form} here") });
            service.fault(Fault::respond(400, body.to_string()));
            let read = host.read(&super::state(), b"").await;
            let applied = host.apply_planned(ROLE, &config(), &planned).await;
            for diagnostics in [&read.diagnostics, &applied.diagnostics] {
                assert_eq!(errors(diagnostics).len(), 1, "{diagnostics:?}");
                shown += &diagnostics[0].detail;
            }
        }
        shown += &host.plugin.stderr();
        host.end().await;
        assert!(shown.contains("400"));
        // Logs are JSON: the escapes appear escaped there.
        let unescaped = shown.replace("\\\\", "\\").replace("\\\"", "\"");
        // In base64, the ends depend on the text around the secret.
        let middles = in_base64().into_iter().map(|form| form[4..form.len() - 4].to_owned());
        for form in escaped().into_iter().chain(["Zebra".to_owned()]).chain(middles) {
            for text in [&shown, &unescaped] {
                let place = text.find(&form).map(|at| &text[at.saturating_sub(200)..]);
                assert_eq!(place, None, "{form}");
            }
        }
    }
}

/// Bodies of every kind and length, with the key where texts are cut, and headers that repeat it.
#[tokio::test(flavor = "multi_thread")]
async fn secret_in_any_body_or_header_is_redacted() {
    let service = Service::full();
    let host = with_secret(&service, true).await;
    let planned = host.plan_as(ROLE, None, &config(), b"").await;
    let quoted = json!(SECRET).to_string();
    let bodies = [
        format!("{{\"message\":{quoted}}}"),
        format!("<html><title>{SECRET}</title>{SECRET}</html>"),
        format!("Authorization: Bearer {SECRET}\r\n"),
        format!("{}{SECRET}", "x".repeat(64 * 1024 - 5)),
        format!("{}{SECRET}", "\u{200b}".repeat(600)),
    ];
    let mut shown = String::new();
    for status in [200, 302, 400, 401, 403, 404, 409, 500] {
        for body in &bodies {
            service.local().clear_faults();
            let headers = [
                ("x-request-id".to_owned(), "id-qvx+7/Zebra=~".to_owned()),
                ("location".to_owned(), "https://elsewhere.example/?key=Zebra".to_owned()),
            ];
            let (headers, body) = (headers.into(), body.clone());
            service.fault(Fault::new(Action::Respond { status, headers, body, processed: false }));
            let applied = host.apply_planned(ROLE, &config(), &planned).await;
            for diagnostic in &applied.diagnostics {
                shown += &diagnostic.summary;
                shown += &diagnostic.detail;
            }
        }
    }
    shown += &host.plugin.stderr();
    host.end().await;
    assert!(!shown.contains(SECRET), "{}", shown.find(SECRET).unwrap_or_default());
}
