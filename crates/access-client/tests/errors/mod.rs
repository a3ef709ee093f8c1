//! The content of errors, and the secrets that they do not contain.

use crate::server::{Reply, Server};
use crate::*;

#[tokio::test]
async fn redirect_is_not_followed_and_shows_its_target_without_secrets() {
    let elsewhere = Server::start(vec![Reply::ok(ROLE)]).await;
    let there = format!("{}/x", elsewhere.base_url());
    let targets = [
        (301, &*there, &*there),
        (303, &there, &there),
        (
            307,
            "https://user:hidden@login.example.com/sso?token=hidden#hidden",
            "https://login.example.com/sso",
        ),
        (308, "//login.example.com/a", "http://login.example.com/a"),
        (
            302,
            "https://login.example.com/canary-key%2B%2f%3d",
            "https://login.example.com/[redacted]",
        ),
    ];
    for (status, location, shown) in targets {
        let location = format!("location: {location}\r\n");
        let error = get_of(Reply::with_headers(status, &location, "")).await.unwrap_err();
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Redirect);
        assert!(text.contains(&format!("; it redirects to {shown} (at ")), "{text}");
        assert!(!text.contains("hidden"), "{text}");
    }
    assert_eq!(elsewhere.requests().len(), 0);
    let error = get_of(Reply::status(302, "")).await.unwrap_err();
    assert!(error.to_string().contains("302 Found (at "), "{error}");
}

#[tokio::test]
async fn error_has_the_services_message_and_the_base_address_and_its_cause_neither() {
    let line = "GET /api/v1/listings/github/roles/viewer";
    for (reply, cause, message) in [
        (Reply::status(401, r#"{"message":"a long story"}"#), "401 Unauthorized", "a long story"),
        (Reply::status(404, "not found"), "404 Not Found", "not found"),
        (Reply::throttled("3600"), "429 Too Many Requests", "; the service requested a wait"),
        (Reply::ok("garbage"), "200 OK, but the body cannot be used", "its body is not JSON"),
    ] {
        let server = Server::start(vec![reply]).await;
        let error = get(&client(&server)).await.unwrap_err();
        assert_eq!(error.cause(), cause);
        let text = error.to_string();
        assert!(text.starts_with(line) && text.contains(message), "{text}");
        assert!(text.ends_with(&format!("(at {})", server.base_url())), "{text}");
        // The key is wrong for each, and the wait is for all.
        let is_shared = matches!(error.status(), Some(401 | 429));
        assert_eq!(error.affects_every_object(), is_shared, "{text}");
    }
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
    let client = Client::new(settings(&format!("https://localhost:{port}/prefix"))).unwrap();
    let error = post(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotTls);
    assert!(error.affects_every_object());
    assert!(!error.may_have_been_processed());
    let expected = format!("localhost:{port} does not use TLS");
    assert!(error.to_string().contains(&expected), "{error}");
    serving.abort();
}

#[tokio::test]
async fn message_is_cleaned_and_contains_no_secret() {
    // The control characters are within a secret, which is whole without them.
    let echoed = "canary-key+\\/= canary-key%2b/= no\\u001b[31m\\u202e \\n canary-\\u0000key+/=";
    let body = format!("{{\"error\":{{\"message\":\"{echoed} {}\"}}}}", "x".repeat(2000));
    let reply = Reply::with_headers(400, "x-request-id: canary-key+/=\r\n", &body);
    let server = Server::start(vec![reply]).await;
    let error = get(&client(&server)).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    for part in ["canary", "anary-key"] {
        assert!(!shown.contains(part), "{part} in {shown}");
    }
    assert!(!error.message().chars().any(char::is_control), "{shown}");
    assert!(error.message().contains("no [redacted] xxx"), "{shown}");
    assert_eq!(error.message().matches("[redacted]").count(), 3, "{shown}");
    assert_eq!(error.message().chars().count(), 513);
    assert!(shown.contains(" (request [redacted])"), "{shown}");
}
