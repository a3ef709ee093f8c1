//! Wrong settings, in arguments and in the environment.

use std::io::Read as _;

use super::cases::requests;
use super::*;

/// Configures a plugin and returns the diagnostics as one text, and how many are errors.
async fn configure(launch: Launch, arguments: &Value) -> (String, usize) {
    let host = Host::launch(launch).await;
    let found = host.configure(arguments).await;
    (format!("{found:?}"), errors(&found).len())
}

fn launch() -> Launch {
    Launch::new(provider()).without("TF_LOG").without("CI")
}

/// Returns a launch whose environment has all required settings.
fn complete() -> Launch {
    launch().env("ACCESS_BASE_URL", "https://access.example").env("ACCESS_API_KEY", "key")
}

/// One of each argument: `src/config`, `access-client` and `plugin-server` have the tables of their
/// rules.
#[tokio::test(flavor = "multi_thread")]
async fn wrong_argument_is_an_error_at_the_argument() {
    for (argument, value, part) in [
        ("base_url", json!("https://user:secret-in-it@access.example"), ""),
        ("repo_detection", json!("sometimes"), "auto"),
        ("repo_uri", json!("file:///etc"), ""),
        ("drift_detection", json!("sometimes"), "auto"),
        ("deletion_policy", json!("retain"), "abandon"),
        ("request_timeout", json!("500us"), "1ms"),
        ("max_retry_wait", json!("-1s"), ""),
        ("max_retries", json!(-1), ""),
        ("ca_file", json!("absent.pem"), "absent.pem"),
    ] {
        let required = json!({"api_key": "key", "base_url": "https://a.example"});
        let arguments = with(required, &json!({ argument: value }));
        let (text, failed) = configure(launch(), &arguments).await;
        assert_eq!(failed, 1, "{argument} = {value}: {text}");
        assert!(text.contains(argument) && text.contains(part), "{argument} = {value}: {text}");
        assert!(!text.contains("secret-in-it"), "{text}");
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn environment_variable_that_is_not_utf8_is_an_error_that_names_it() {
    use std::os::unix::ffi::OsStringExt as _;
    let variables = "ACCESS_BASE_URL ACCESS_API_KEY ACCESS_REPO_URI ACCESS_REPO_DIR \
        ACCESS_DRIFT_DETECTION ACCESS_DELETION_POLICY ACCESS_CA_FILE TF_APPEND_USER_AGENT \
        HTTPS_PROXY https_proxy";
    for variable in variables.split_whitespace() {
        let value = std::ffi::OsString::from_vec(b"http://canary\xff".to_vec());
        let launch = complete().env("HTTPS_PROXY", "").env(variable, value);
        let (text, failed) = configure(launch, &json!({})).await;
        assert_eq!(failed, 1, "{variable}: {text}");
        assert!(text.contains(variable), "{variable}: {text}");
        assert!(variable != "ACCESS_API_KEY" || !text.contains("canary"), "{text}");
    }
}

/// The proxy learns the host, and neither the key nor anything else that the tunnel carries.
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_sent_to_the_proxy_of_the_environment() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let proxy = format!("http://{address}");
    let heads = std::thread::spawn(move || {
        let mut head = [0; 1024];
        let (mut stream, _) = listener.accept().unwrap();
        let length = stream.read(&mut head).unwrap();
        String::from_utf8_lossy(&head[..length]).into_owned()
    });
    // Exceptions of other programs, which except nothing here.
    let exceptions = "*.corp.example,registry.corp.example:5000,192.168.*,[::1],metadata.internal.";
    let launch = complete().env("HTTPS_PROXY", proxy).env("NO_PROXY", exceptions);
    let host = Host::launch(launch).await;
    // A proxy that has never responded is given up after 15 s.
    assert_eq!(host.configure(&json!({"max_retries": 0})).await, []);
    let read = host.read(ROLE, &state(), b"").await;
    says(&read.diagnostics, &["HTTPS_PROXY"]);
    // Where nothing was sent to the proxy, it waits no longer.
    drop(std::net::TcpStream::connect(address));
    let head = heads.join().unwrap();
    assert!(head.starts_with("CONNECT access.example:443 "), "{head}");
    assert!(!head.to_lowercase().contains("authorization"), "{head}");
}

/// Through a proxy for http, the key would be readable.
#[tokio::test(flavor = "multi_thread")]
async fn loopback_is_reached_directly_whatever_the_variables_name() {
    let service = Service::full();
    let variables = "HTTPS_PROXY HTTP_PROXY ALL_PROXY https_proxy http_proxy all_proxy";
    let set = |launch: Launch, name: &str| launch.env(name, "http://127.0.0.1:1");
    let host = Host::launch(variables.split_whitespace().fold(launch(), set)).await;
    host.configure_for(&service, &json!({"max_retries": 0})).await;
    assert_eq!(errors(&host.read(ROLE, &state(), b"").await.diagnostics), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn configuring_sends_no_request_and_extreme_settings_work() {
    let service = Service::full();
    let settings = json!({"max_retry_wait": "2562047h", "request_timeout": "2562047h",
                          "max_retries": 1000});
    let host = Host::start_with(&service, &settings).await;
    assert_eq!(requests(&service), [""; 0]);
    let read = host.read(ROLE, &state(), b"").await;
    assert_eq!(errors(&read.diagnostics), [""; 0]);
}

/// A slip such as `ACCESS_BASE_URL=$ACCESS_API_KEY`, in every argument and in every variable. The key is
/// a value that a directory and a number can have.
#[tokio::test(flavor = "multi_thread")]
async fn value_that_is_the_key_is_refused_by_name_and_not_shown() {
    let key = "902176543218";
    let schema = SCHEMAS.provider.empty.as_object().unwrap();
    let arguments: Vec<_> = schema.keys().filter(|name| *name != "api_key").collect();
    assert_eq!(arguments.len(), 10);
    let value =
        |name: &str| if name == "max_retries" { json!(902_176_543_218_u64) } else { json!(key) };
    let all = arguments.iter().map(|name| ((*name).clone(), value(name))).collect::<Value>();
    let host = Host::launch(complete().env("ACCESS_API_KEY", key)).await;
    let config = Some(encode(&with(SCHEMAS.provider.empty.clone(), &all)));
    let request = pb::validate_provider_config::Request { config };
    let validated = host.client.validate_provider_config(request).await.unwrap().diagnostics;
    for found in [validated, host.configure(&all).await] {
        for argument in &arguments {
            says(
                &found,
                &[&format!("Invalid {argument}"), &format!("`{argument}` is the API key")],
            );
        }
        assert_eq!(errors(&found).len(), 10, "{found:?}");
        assert!(!format!("{found:?}").contains(key), "{found:?}");
    }
    let variables =
        ["BASE_URL", "REPO_URI", "REPO_DIR", "DRIFT_DETECTION", "DELETION_POLICY", "CA_FILE"];
    let variables = variables.map(|name| format!("ACCESS_{name}"));
    let set = |launch: Launch, name: &String| launch.env(name, key);
    let launch = variables.iter().fold(complete().env("ACCESS_API_KEY", key), set);
    let (text, failed) = configure(launch, &json!({})).await;
    assert_eq!(failed, variables.len(), "{text}");
    assert!(variables.iter().all(|name| text.contains(name)) && !text.contains(key), "{text}");
}
