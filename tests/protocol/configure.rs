//! Wrong settings, in arguments and in the environment.

use plugin_server::testkit::Launch;
use serde_json::{Value, json};

use super::{Host, errors};
use crate::support::{Service, provider};

/// Configures a plugin and returns the diagnostics as one text, and how many are errors.
async fn configure(launch: Launch, more: &[(&str, Value)]) -> (String, usize) {
    let host = Host::launch(launch).await;
    let mut config = super::schema::empty_provider();
    for (name, value) in more {
        config[*name] = value.clone();
    }
    let found = host.configure(&config).await;
    host.end().await;
    (format!("{found:?}"), errors(&found).len())
}

fn launch() -> Launch {
    Launch::new(provider()).without("TF_LOG").without("CI")
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_argument_is_an_error_at_the_argument() {
    let header = |name: &str| json!({ name: "x" });
    let mut cases = vec![
        ("repo_detection", json!("sometimes"), "auto"),
        ("repo_uri", json!("file:///etc"), ""),
        ("drift_detection", json!("sometimes"), "auto"),
        ("drift_detection", json!("list"), "auto"),
        ("drift_detection", json!("patch"), "auto"),
        ("deletion_policy", json!("retain"), "abandon"),
        ("request_timeout", json!("30"), ""),
        ("request_timeout", json!("0s"), "1ms"),
        ("request_timeout", json!("500us"), "1ms"),
        ("request_timeout", json!("20000000000000000000000h"), "2562047h"),
        ("max_retry_wait", json!("soon"), ""),
        ("max_retry_wait", json!("-1s"), ""),
        ("max_retry_wait", json!("2562048h"), "2562047h"),
        ("max_retries", json!(-1), ""),
        ("max_requests_per_second", json!(0), ""),
        ("ca_file", json!("absent.pem"), "absent.pem"),
        ("request_headers", header("Authorization"), ""),
        ("request_headers", header("Content-Type"), ""),
        ("request_headers", header("Host"), ""),
    ];
    let addresses = [
        "http://access.example",
        "HTTP://access.example",
        "http://127.0.0.1.example",
        "http://localhost.example",
        "http://localhost@access.example",
        "http://[::2]",
        "http://[::ffff:10.0.0.1]",
        "http://0.0.0.0",
        "http://10.0.0.1",
        "http:access.example",
        "ws://127.0.0.1",
        "ftp://127.0.0.1",
        "https://user:secret-in-it@access.example",
        "https://access.example?key=1",
        "https://access.example#part",
        "https://access.example/api/v1",
        "https://access.example/eu/api/v1/",
    ];
    cases.extend(addresses.map(|address| ("base_url", json!(address), "")));
    for (argument, value, part) in cases {
        let mut arguments =
            vec![("api_key", json!("key")), ("base_url", json!("https://a.example"))];
        arguments.push((argument, value.clone()));
        let (text, failed) = configure(launch(), &arguments).await;
        assert_eq!(failed, 1, "{argument} = {value}: {text}");
        assert!(text.contains(argument) && text.contains(part), "{argument} = {value}: {text}");
        assert!(!text.contains("secret-in-it"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_is_no_header_value_and_two_keys_are_errors_that_show_none() {
    let base_url = ("base_url", json!("https://access.example"));
    for (key, file) in [("canary\u{7}key", None), ("canary key", None), ("canary", Some("canary"))]
    {
        let arguments = [base_url.clone(), ("api_key", json!(key)), ("api_key_file", json!(file))];
        let (text, failed) = configure(launch(), &arguments).await;
        assert!(failed > 0 && text.contains("api_key"), "{text}");
        assert!(file.is_some() || !text.contains("canary"), "{text}");
    }
}

/// An invalid value names its variable and is shown, unless it is the key's.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_variable_is_named_with_its_value() {
    for (variable, value) in [
        ("ACCESS_BASE_URL", "ftp://access.example"),
        ("ACCESS_REPO_URI", "file:///etc"),
        ("ACCESS_DRIFT_DETECTION", "sometimes"),
        ("ACCESS_DELETION_POLICY", "retain"),
        ("ACCESS_CA_FILE", "absent.pem"),
        ("TF_APPEND_USER_AGENT", "pipe\nline"),
        ("HTTPS_PROXY", "http://[bad"),
    ] {
        let launch =
            launch().env("ACCESS_BASE_URL", "https://access.example").env("ACCESS_API_KEY", "key");
        // Without a proxy, NO_PROXY does not count.
        let proxy = if variable == "NO_PROXY" { "http://127.0.0.1:1" } else { "" };
        let launch = launch.env("HTTPS_PROXY", proxy).env(variable, value);
        let (text, failed) = configure(launch, &[]).await;
        assert_eq!(failed, 1, "{variable}: {text}");
        let shown = value.escape_debug().to_string();
        let is_shown = text.contains(value)
            || text.contains(&shown)
            || text.contains(&shown.replace('\\', "\\\\"));
        assert!(text.contains(variable), "{variable}: {text}");
        assert!(is_shown || variable == "HTTPS_PROXY", "{variable}: {text}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn environment_variable_that_is_not_utf8_is_an_error_that_names_it() {
    use std::os::unix::ffi::OsStringExt as _;
    for variable in [
        "ACCESS_BASE_URL",
        "ACCESS_API_KEY",
        "ACCESS_REPO_URI",
        "ACCESS_REPO_DIR",
        "ACCESS_DRIFT_DETECTION",
        "ACCESS_DELETION_POLICY",
        "ACCESS_CA_FILE",
        "TF_APPEND_USER_AGENT",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "NO_PROXY",
    ] {
        let value = std::ffi::OsString::from_vec(b"http://canary\xff".to_vec());
        let launch =
            launch().env("ACCESS_BASE_URL", "https://access.example").env("ACCESS_API_KEY", "key");
        // Without a proxy, NO_PROXY does not count.
        let proxy = if variable == "NO_PROXY" { "http://127.0.0.1:1" } else { "" };
        let launch = launch.env("HTTPS_PROXY", proxy).env(variable, value);
        let (text, failed) = configure(launch, &[]).await;
        assert_eq!(failed, 1, "{variable}: {text}");
        assert!(text.contains(variable), "{variable}: {text}");
        assert!(variable != "ACCESS_API_KEY" || !text.contains("canary"), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn configuring_sends_no_request() {
    let service = Service::full();
    let arguments = [("base_url", json!(service.base_url())), ("api_key", json!("wrong"))];
    let (text, failed) = configure(launch(), &arguments).await;
    assert_eq!((failed, service.requests().len()), (0, 0), "{text}");
}
