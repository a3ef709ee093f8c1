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
async fn connection_that_the_service_closes_is_replaced_without_a_retry() {
    // The service closes the kept-alive connection just when the request arrives.
    let server = Server::start(vec![Reply::ok(ROLE), Reply::Reset, Reply::ok(ROLE)]).await;
    let client = client_without_retries(&server);
    get(&client).await.unwrap();
    get(&client).await.unwrap();
    assert_eq!(server.requests().len(), 3);

    // A new connection that the service closes is a failure.
    let server = Server::start(vec![Reply::Reset, Reply::ok(ROLE)]).await;
    let error = get(&client_without_retries(&server)).await.unwrap_err();
    assert_eq!((error.attempts(), server.requests().len()), (1, 1));
    // So is the one that replaces another.
    let server = Server::start(vec![Reply::ok(ROLE), Reply::Reset, Reply::Reset]).await;
    let client = client_without_retries(&server);
    get(&client).await.unwrap();
    let error = get(&client).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(error.attempts(), 1);
    assert_eq!(server.requests().len(), 3);
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

#[tokio::test]
async fn post_that_waits_at_the_gate_is_probed_by_a_get() {
    let mut script = vec![Reply::status(503, ""); 3];
    // Any response to the probe shows that the service works.
    script.extend([Reply::status(405, ""), Reply::ok(CREATED)]);
    let server = Server::start(script).await;
    let client = client_without_retries(&server);
    for _ in 0..3 {
        get(&client).await.unwrap_err();
    }
    post(&client).await.unwrap();
    let requests = server.requests();
    assert!(requests[3].starts_with("GET /api/v1/integrations/github/owners HTTP"), "{requests:?}");
    assert!(requests[4].starts_with("POST /api/v1/integrations/github/owners HTTP"));
    assert_eq!(requests.len(), 5);
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
    assert_eq!(error.shared_cause(), Some(SharedCause::Outage));
    assert_eq!(error.status(), Some(503));
    // The same applies to every other call, without a request.
    let error = get(&client).await.unwrap_err();
    assert_eq!(error.shared_cause(), Some(SharedCause::Outage));
    assert_eq!(error.attempts(), 0);
    assert_eq!(server.requests().len(), 1);
}
