//! The content of errors, and the secrets that they do not contain.

use crate::server::{Reply, Server};
use crate::*;

#[tokio::test]
async fn redirects_are_not_followed_and_the_key_goes_nowhere_else() {
    let elsewhere = Server::start(vec![Reply::ok(ROLE)]).await;
    let location = format!("location: {}/x\r\n", elsewhere.base_url());
    for status in [301, 302, 303, 307, 308] {
        let reply = Reply::with_headers(status, &location, "");
        let server = Server::start(vec![reply]).await;
        let error = get(&client(&server)).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Redirect);
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn redirect_shows_its_target_without_secrets() {
    let targets = [
        (
            "https://user:hidden@login.example.com/sso?token=hidden#hidden",
            "https://login.example.com/sso",
        ),
        ("//login.example.com/a", "http://login.example.com/a"),
        ("https://login.example.com/canary-key%2B%2f%3d", "https://login.example.com/[redacted]"),
    ];
    for (location, shown) in targets {
        let reply = Reply::with_headers(302, &format!("location: {location}\r\n"), "");
        let server = Server::start(vec![reply]).await;
        let error = get(&client(&server)).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains(&format!("302 Found; it redirects to {shown} (at ")), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }
    let server = Server::start(vec![Reply::status(302, "")]).await;
    let error = get(&client(&server)).await.unwrap_err();
    assert!(error.to_string().contains("302 Found (at "), "{error}");
}

#[tokio::test]
async fn error_ends_with_the_base_address() {
    for reply in [
        Reply::status(403, r#"{"message":"no"}"#),
        Reply::status(404, "not found"),
        Reply::throttled("3600"),
        Reply::ok("garbage"),
    ] {
        let server = Server::start(vec![reply]).await;
        let error = get(&client(&server)).await.unwrap_err();
        assert!(error.to_string().ends_with(&format!("(at {})", server.base_url())), "{error}");
        assert_eq!(error.base_url(), server.base_url());
    }
}

#[tokio::test]
async fn brief_is_one_line_without_the_services_message() {
    let body = r#"{"message":"a long story"}"#;
    let server = Server::start(vec![Reply::status(401, body)]).await;
    let error = get(&client(&server)).await.unwrap_err();
    let brief = "GET /api/v1/listings/github/roles/viewer: 401 Unauthorized";
    assert_eq!(error.brief(), brief);
    assert_eq!(error.shared_cause(), Some(SharedCause::Unauthorized));
    assert!(error.to_string().starts_with(&format!("{brief}: a long story (at ")), "{error}");
}

#[tokio::test]
async fn plain_http_behind_https_is_recognised() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let serving = tokio::spawn(async move {
        let mut connections = 0;
        while let Ok((mut stream, _)) = listener.accept().await {
            connections += 1;
            _ = stream.read(&mut [0; 1024]).await;
            _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
            assert_eq!(connections, 1, "it is not retried");
        }
    });
    let server = Server::start(vec![]).await;
    let base_url = BaseUrl::parse(&format!("https://localhost:{port}/prefix")).unwrap();
    let client = Client::new(Settings { base_url, ..settings(&server) }).unwrap();
    let error = post(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotTls);
    assert_eq!(error.shared_cause(), Some(SharedCause::NotTls));
    assert!(!error.may_have_been_processed());
    let expected = format!("localhost:{port} does not use TLS");
    assert!(error.to_string().contains(&expected), "{error}");
    serving.abort();
}

#[tokio::test]
async fn header_values_are_redacted_as_the_key_is() {
    let echoed = "x-gateway: gate%2Dsecret; Authorization: QmVhcmVyIGNhbmFyeS1rZXkrLz0=; \
        canary-key+\\/= canary-key&#43;/= canary-key+&#x2F;&#x3D;";
    let body = format!("{{\"message\":\"{echoed}\"}}");
    let reply = Reply::with_headers(400, "x-request-id: gate-secret\r\n", &body);
    let server = Server::start(vec![reply]).await;
    let headers = vec![ExtraHeader::parse("X-Gateway", "gate-secret").unwrap()];
    let client = Client::new(Settings { headers, ..settings(&server) }).unwrap();
    let error = get(&client).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    for part in [
        "gate-secret",
        "gate%2D",
        "canary",
        "anary-key",
        "Y2FuYXJ5",
        "jYW5hcnkta2V5",
        "IGNhbmFyeS1rZXkr",
    ] {
        assert!(!shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(error.message().matches("[redacted]").count(), 5, "{shown}");
    assert_eq!(error.request_id(), Some("[redacted]"));
}
