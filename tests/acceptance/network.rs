//! Certificates, proxies and redirects: the key is sent to the service only.

use access_fake::Fault;

use crate::support::fixtures::{impatient, role};
use crate::support::network::{Authority, Proxy};
use crate::support::{Service, Workspace};

const KEY: &str = "admin-key";

/// Returns a workspace whose system trusts this authority alone.
fn trusting(authority: &Authority, base_url: &str) -> Workspace {
    let workspace = Workspace::new(base_url, KEY);
    workspace.write("authority.pem", &authority.pem);
    let path = workspace.path().join("authority.pem").display().to_string();
    workspace.configure(role("viewer"));
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
    workspace.apply().fails_with(["certificate", "ca_file"]);
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
    workspace.configure(role("viewer"));
    workspace.apply().fails_with(["certificate", "ca_file"]);
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
        trusting(&authority, &base_url).apply().fails_with("certificate");
        assert_eq!(service.requests().len(), 0, "nothing was sent");
    }
}

#[test]
fn proxy_leads_to_the_service_and_never_sees_the_key() {
    let service = Service::full();
    let authority = Authority::new();
    let front = authority.serve("access.example", false, service.address());
    let proxy = Proxy::start(front.address);
    service.change_world(|world| world.base_paths.push("/gateway".to_owned()));
    let workspace = trusting(&authority, "https://access.example:8443/gateway")
        .with("HTTPS_PROXY", &proxy.url())
        .with("TF_LOG", "TRACE");
    workspace.apply().succeeds();
    assert!(service.requests().iter().all(|request| request.path.starts_with("/gateway/api/v1/")));

    let seen = proxy.seen();
    assert!(seen.iter().any(|line| line.starts_with("CONNECT access.example:8443 ")), "{seen:?}");
    assert!(!seen.concat().contains(KEY), "{seen:?}");
    assert!(!seen.concat().to_lowercase().contains("authorization:"), "{seen:?}");
}

#[test]
fn proxy_that_refuses_is_named_by_its_variable_and_status_without_a_retry() {
    let authority = Authority::new();
    let proxy = Proxy::refusing(407);
    let workspace =
        trusting(&authority, "https://access.example").with("HTTPS_PROXY", &proxy.url());
    workspace.apply().fails_with(["HTTPS_PROXY", "407"]);
    // The plan warns and the create fails, each after one attempt. The apply plans once more.
    assert!(proxy.seen().len() <= 3, "{:?}", proxy.seen());
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
    workspace.configure(role("viewer"));
    workspace.apply().succeeds();
    workspace.destroy().succeeds();

    let authority = Authority::new();
    let front = authority.serve("localhost", false, service.address());
    let base_url = format!("https://localhost:{}", front.address.port());
    trusting(&authority, &base_url).with("HTTPS_PROXY", &proxy.url()).apply().succeeds();

    let workspace = trusting(&authority, "https://access.invalid")
        .with("HTTPS_PROXY", &proxy.url())
        .with("NO_PROXY", "other.example,access.invalid");
    workspace.configure(impatient() + role("viewer"));
    workspace.apply().fails_with("access.invalid");
    assert_eq!(proxy.seen(), Vec::<String>::new());
}

#[test]
fn redirects_are_followed_nowhere() {
    let service = Service::full();
    let elsewhere = Service::full();
    let workspace = service.workspace();
    workspace.configure(role("viewer"));
    for (status, location) in [
        (301, format!("{}/api/v1/listings/github/roles/viewer", elsewhere.base_url())),
        (302, format!("http://localhost:{}/elsewhere", service.address().port())),
        (303, "/api/v1/listings/github/roles/other".to_owned()),
        (307, "https://attacker.example/".to_owned()),
        (308, format!("{}/api/v1/listings/github/roles/viewer", elsewhere.base_url())),
    ] {
        service.respond_normally();
        service.fault(Fault::respond(status, "").header("location", &location));
        let outcome = workspace.apply().fails_with([&status.to_string(), "base_url"]);
        assert!(outcome.errors().concat().contains(&location[..20]), "{}", outcome.output());
    }
    let paths = service.requests();
    assert!(paths.iter().all(|request| !request.path.contains("other")), "{paths:?}");
    assert_eq!(service.writes().len(), 0);
    assert_eq!(elsewhere.requests().len(), 0);
}
