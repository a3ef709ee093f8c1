//! Certificates, proxies and redirects: the key is sent to the service only.

use access_fake::{Action, Fault};

use crate::support::network::{Authority, Proxy};
use crate::support::{Service, Workspace};

const ROLE: &str = "resource \"access_listing_role\" \"viewer\" {
  listing      = \"github\"
  role         = \"viewer\"
  display_name = \"Viewer\"
  priority     = 1
}
";
const KEY: &str = "admin-key";

/// Returns a workspace whose system trusts this authority alone.
fn trusting(authority: &Authority, base_url: &str) -> Workspace {
    let workspace = Workspace::new(base_url, KEY);
    workspace.write("authority.pem", &authority.pem);
    let path = workspace.path().join("authority.pem").display().to_string();
    workspace.configure(ROLE);
    workspace.with("SSL_CERT_FILE", &path)
}

#[test]
fn ca_file_is_trusted_in_addition_to_the_system_roots() {
    let service = Service::full();
    let authority = Authority::new();
    let front = authority.serve("localhost", false, service.address());
    let base_url = format!("https://localhost:{}", front.address.port());

    trusting(&authority, &base_url).apply().succeeds();

    let mut workspace = trusting(&Authority::new(), &base_url);
    let error = workspace.plan().exits(1).only_error();
    assert!(error.contains("certificate") && error.contains("ca_file"), "{error}");
    workspace.write("gateway.pem", &authority.pem);
    workspace.set("ACCESS_CA_FILE", &workspace.path().join("gateway.pem").display().to_string());
    service.remove_role("github", "viewer");
    workspace.apply().succeeds();
}

/// Without `SSL_CERT_FILE`, Windows and macOS verify certificates themselves.
#[test]
fn ca_file_is_trusted_where_the_system_verifies() {
    let service = Service::full();
    let authority = Authority::new();
    let front = authority.serve("localhost", false, service.address());
    let mut workspace = Workspace::new(&format!("https://localhost:{}", front.address.port()), KEY);
    workspace.configure(ROLE);
    let error = workspace.apply().exits(1).only_error();
    assert!(error.contains("certificate") && error.contains("ca_file"), "{error}");
    assert_eq!(service.requests().len(), 0, "nothing was sent");

    workspace.write("authority.pem", &authority.pem);
    workspace.set("ACCESS_CA_FILE", &workspace.path().join("authority.pem").display().to_string());
    workspace.apply().succeeds();
}

#[test]
fn invalid_certificates_are_refused_without_a_request() {
    let service = Service::full();
    let authority = Authority::new();
    for (host, expired) in [("localhost", true), ("elsewhere.example", false)] {
        let front = authority.serve(host, expired, service.address());
        let base_url = format!("https://localhost:{}", front.address.port());
        let workspace = trusting(&authority, &base_url);
        let error = workspace.apply().exits(1).only_error();
        assert!(error.contains("certificate"), "{error}");
        assert_eq!(service.requests().len(), 0, "nothing was sent");
    }
}

#[test]
fn proxy_leads_to_the_service_and_never_sees_the_key() {
    let service = Service::full();
    let authority = Authority::new();
    let front = authority.serve("access.example", false, service.address());
    let proxy = Proxy::start(front.address);
    let workspace = trusting(&authority, "https://access.example:8443/gateway")
        .with("HTTPS_PROXY", &proxy.url())
        .with("TF_LOG", "TRACE");
    // The local service has no prefix: its 404 shows that it received the request, and the path.
    let outcome = workspace.apply().exits(1);
    let error = outcome.only_error();
    assert!(error.contains("404"), "{error}");
    assert!(service.requests().iter().all(|request| request.path.starts_with("/gateway/api/v1/")));
    assert!(!service.requests().is_empty());

    let seen = proxy.seen();
    assert!(seen.iter().any(|line| line.starts_with("CONNECT access.example:8443 ")), "{seen:?}");
    assert!(!seen.concat().contains(KEY), "{seen:?}");
    assert!(!seen.concat().to_lowercase().contains("authorization:"), "{seen:?}");
}

#[test]
fn loopback_and_no_proxy_hosts_are_reached_without_a_proxy() {
    let service = Service::full();
    let proxy = Proxy::start(service.address());
    let workspace = service
        .workspace()
        .with("HTTP_PROXY", &proxy.url())
        .with("http_proxy", &proxy.url())
        .with("HTTPS_PROXY", &proxy.url())
        .with("ALL_PROXY", &proxy.url());
    workspace.configure(ROLE);
    workspace.apply().succeeds();
    workspace.destroy().succeeds();

    let authority = Authority::new();
    let front = authority.serve("localhost", false, service.address());
    let base_url = format!("https://localhost:{}", front.address.port());
    let workspace = trusting(&authority, &base_url).with("HTTPS_PROXY", &proxy.url());
    workspace.apply().succeeds();

    let workspace = trusting(&authority, "https://access.invalid")
        .with("HTTPS_PROXY", &proxy.url())
        .with("NO_PROXY", "other.example,access.invalid");
    workspace.configure(&format!("provider \"access\" {{\n  max_retries = 0\n}}\n{ROLE}"));
    workspace.apply().exits(1);
    assert_eq!(proxy.seen(), Vec::<String>::new());
}

#[test]
fn redirects_are_followed_nowhere() {
    let service = Service::full();
    let elsewhere = Service::full();
    let targets = [
        format!("{}/api/v1/listings/github/roles/viewer", elsewhere.base_url()),
        format!("http://localhost:{}/elsewhere", service.address().port()),
        "/api/v1/listings/github/roles/other".to_owned(),
        "https://attacker.example/".to_owned(),
    ];
    for status in [301, 302, 303, 307, 308] {
        for location in &targets {
            service.respond_normally();
            service.fault(Fault::new(Action::Redirect { status, location: location.clone() }));
            let workspace = service.workspace();
            workspace.configure(ROLE);
            let error = workspace.apply().exits(1).only_error();
            assert!(error.contains(&status.to_string()), "{error}");
            assert!(error.contains("base_url"), "{error}");
        }
    }
    let paths: std::collections::BTreeSet<_> =
        service.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(paths, ["/api/v1/listings/github/roles/viewer".to_owned()].into());
    assert_eq!(elsewhere.requests().len(), 0);
}

#[test]
fn base_url_with_plain_http_or_user_info_is_refused() {
    for base_url in [
        "http://access.example",
        "HTTP://access.example",
        "http://127.0.0.1.example",
        "http://localhost.example",
        "http://example/localhost",
        "http://localhost@access.example",
        "http://[::2]",
        "http://[::ffff:10.0.0.1]",
        "http://0.0.0.0",
        "http://10.0.0.1",
        "http://128.0.0.1",
        "http:access.example",
        "ws://127.0.0.1",
        "ftp://127.0.0.1",
        "https://user:secret-in-it@access.example",
        "https://access.example?key=1",
        "https://access.example#part",
    ] {
        let workspace = Workspace::new(base_url, KEY);
        workspace.configure(ROLE);
        let outcome = workspace.plan().exits(1);
        assert!(outcome.output().contains("base_url"), "{base_url}: {}", outcome.output());
        assert!(!outcome.output().contains("secret-in-it"), "{base_url}: {}", outcome.output());
    }
}
