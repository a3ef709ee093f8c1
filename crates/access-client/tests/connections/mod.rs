//! Reuse of connections, and their replacement after the service closes them.

use crate::server::{Reply, Server};
use crate::*;

const CREATED: &str = r#"{"name":"integrations/github/owners/x","owner":"users/a"}"#;

fn client_without_retries(server: &Server) -> Client {
    Client::new(Settings { max_retries: 0, ..settings(server) }).unwrap()
}

#[tokio::test]
async fn connections_are_reused() {
    let server = Server::start(vec![Reply::ok(ROLE); 5]).await;
    let client = client(&server);
    for _ in 0..5 {
        get(&client).await.unwrap();
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn idle_connection_is_closed_well_before_balancers_close_it() {
    let server = Server::start(vec![Reply::ok(ROLE); 3]).await;
    let client = client(&server);
    get(&client).await.unwrap();
    tokio::time::pause();
    for (idle, connections) in [(15, 1), (25, 2)] {
        tokio::time::advance(Duration::from_secs(idle)).await;
        get(&client).await.unwrap();
        assert_eq!(server.connections(), connections, "after {idle} s");
    }
}

#[tokio::test]
async fn post_is_sent_over_a_new_connection_after_the_service_closed_the_old_one() {
    let Reply::Whole(last) = Reply::ok(ROLE) else { panic!("a whole response") };
    let server = Server::start(vec![Reply::Last(last), Reply::ok(CREATED)]).await;
    let client = client_without_retries(&server);
    get(&client).await.unwrap();
    server.ended().await;
    post(&client).await.unwrap();
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn post_is_not_repeated_if_the_connection_closes_after_it_was_written() {
    let server = Server::start(vec![Reply::ok(ROLE), Reply::Reset, Reply::ok(CREATED)]).await;
    let client = client_without_retries(&server);
    get(&client).await.unwrap();
    let error = post(&client).await.unwrap_err();
    assert!(error.may_have_been_processed());
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn outage_makes_calls_wait_and_go_on_together() {
    let mut script = vec![Reply::status(503, ""); 12];
    script.extend(vec![Reply::ok(ROLE); 40]);
    let server = Server::start(script).await;
    let settings =
        Settings { max_retries: 8, max_retry_wait: Duration::from_secs(60), ..settings(&server) };
    let client = Client::new(settings).unwrap();
    let mut calls = Vec::new();
    for _ in 0..10 {
        let client = client.clone();
        calls.push(tokio::spawn(async move { get(&client).await }));
    }
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(server.requests().len(), 12 + 10);
}

/// Accepts connections and never responds, not even to a TLS handshake.
#[tokio::test]
async fn service_that_never_responds_is_given_up_after_fifteen_seconds() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = Server::start(vec![]).await;
    let base_url = BaseUrl::parse(&format!("https://localhost:{port}")).unwrap();
    let request_timeout = Duration::from_secs(30);
    let defaults = Settings { max_retries: 10, request_timeout, ..settings(&server) };
    let client = Client::new(Settings { base_url, ..defaults }).unwrap();
    tokio::time::pause();
    for longest in [15, 3, 3] {
        let started = tokio::time::Instant::now();
        let error = post(&client).await.unwrap_err();
        let took = started.elapsed();
        assert!(took <= Duration::from_millis(longest * 1_000 + 100), "{took:?}");
        assert_eq!(error.kind(), ErrorKind::Unreachable);
        assert!(error.to_string().contains("could not connect in time"), "{error}");
        assert!(!error.may_have_been_processed());
    }
}

#[tokio::test]
async fn call_without_retries_is_sent_once_and_waits_for_nothing() {
    let script = vec![Reply::status(503, ""), Reply::throttled("50"), Reply::ok(ROLE)];
    let server = Server::start(script).await;
    let client = client(&server);
    let once = client.with_retries(Retries::Never);
    assert_eq!(get(&once).await.unwrap_err().kind(), ErrorKind::Server);
    for attempts in [1, 0] {
        let error = get(&once).await.unwrap_err();
        let ErrorKind::TooManyRequests { retry_after: Some(wait), .. } = error.kind() else {
            panic!("{error}")
        };
        assert!(wait <= Duration::from_secs(50) && wait > Duration::from_secs(30), "{wait:?}");
        assert_eq!((error.attempts(), error.status()), (attempts, Some(429)), "{error}");
    }
    // The wait concerns every call, and ends.
    tokio::time::pause();
    get(&client).await.unwrap();
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn retry_after_of_a_503_is_observed() {
    let server = Server::start(vec![Reply::asking(503, "1"), Reply::ok(ROLE)]).await;
    let started = std::time::Instant::now();
    get(&client(&server)).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));

    let date =
        "retry-after: Sun, 06 Nov 1994 08:49:38 GMT\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    let script = vec![Reply::with_headers(503, date, ""), Reply::ok(ROLE)];
    let server = Server::start(script).await;
    let started = std::time::Instant::now();
    get(&client(&server)).await.unwrap();
    assert!(started.elapsed() >= Duration::from_secs(1));

    let server = Server::start(vec![Reply::asking(503, "3600"), Reply::ok(ROLE)]).await;
    let client = client(&server);
    let error = get(&client).await.unwrap_err();
    assert!(error.to_string().contains("the service requested a wait of 3600 s"), "{error}");
    assert_eq!(error.shared_cause(), Some(SharedCause::Throttled));
    assert_eq!(error.status(), Some(503));
    // The same applies to every other call, without a request.
    let error = get(&client).await.unwrap_err();
    assert_eq!(error.shared_cause(), Some(SharedCause::Throttled));
    assert_eq!(error.attempts(), 0);
    assert_eq!(server.requests().len(), 1);
}
