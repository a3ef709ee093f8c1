//! Reuse of connections, and their replacement after the service closes them.

use crate::server::{Reply, Server};
use crate::*;

const CREATED: &str = r#"{"name":"integrations/github/owners/x","owner":"users/a"}"#;

#[tokio::test]
async fn connection_is_reused_until_it_is_idle_and_closed_well_before_balancers_close_it() {
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
    let settings = Settings { max_retries: 0, ..settings(&server.base_url()) };
    let client = Client::new(settings).unwrap();
    get(&client).await.unwrap();
    server.ended().await;
    post(&client).await.unwrap();
    assert_eq!(server.connections(), 2);
}

/// Accepts connections and never responds, not even to a TLS handshake.
#[tokio::test]
async fn service_that_was_never_reached_is_given_up_after_fifteen_seconds() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let request_timeout = Duration::from_secs(30);
    let settings = settings(&format!("https://localhost:{port}"));
    let settings = Settings { max_retries: 10, request_timeout, ..settings };
    let client = Client::new(settings).unwrap();
    tokio::time::pause();
    for (seconds, attempts) in [(15.0_f32, 1), (0.0, 0)] {
        let started = tokio::time::Instant::now();
        let error = post(&client).await.unwrap_err();
        let took = started.elapsed().as_secs_f32();
        assert!((took - seconds).abs() < 0.2, "{took}");
        assert_eq!((error.attempts(), error.kind()), (attempts, ErrorKind::Unreachable));
        assert!(error.to_string().contains("could not connect in time"), "{error}");
        assert!(!error.may_have_been_processed());
    }
}
