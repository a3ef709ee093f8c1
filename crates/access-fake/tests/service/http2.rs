//! HTTP/2, and connections that refuse streams in the middle.

use access_fake::{Fake, Running, World};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

const OWNERS: &str = "/api/v1/integrations/github/owners";

async fn connect(service: &Running) -> SendRequest<String> {
    let stream = TcpStream::connect(service.address()).await.unwrap();
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

async fn post(sender: &SendRequest<String>, owner: usize) -> hyper::Result<StatusCode> {
    let request = Request::post(format!("http://localhost{OWNERS}"))
        .header("authorization", "Bearer admin-key")
        .header("content-type", "application/json")
        .body(format!("{{\"owner\": \"users/u{owner}\"}}"))
        .unwrap();
    sender.clone().send_request(request).await.map(|response| response.status())
}

/// Sends requests at once on one connection.
async fn post_many(service: &Running, count: usize) -> Vec<hyper::Result<StatusCode>> {
    let sender = connect(service).await;
    let requests = (0..count).map(|owner| {
        let sender = sender.clone();
        tokio::spawn(async move { post(&sender, owner).await })
    });
    let mut results = Vec::new();
    for request in requests.collect::<Vec<_>>() {
        results.push(request.await.unwrap());
    }
    results
}

#[tokio::test]
async fn requests_share_a_connection() {
    let service = Fake::start(World::default()).await.unwrap();
    let results = post_many(&service, 30).await;
    assert!(results.iter().all(|result| matches!(result, Ok(StatusCode::OK))), "{results:?}");
    let requests = service.service().requests();
    assert_eq!(requests.len(), 30);
    assert!(requests.iter().all(|request| request.connection == requests[0].connection));
}

#[tokio::test]
async fn streams_beyond_the_limit_are_refused_unprocessed_and_the_others_completed() {
    let world = World { goaway_after: Some(7), latency_ms: 100, ..World::default() };
    let service = Fake::start(world).await.unwrap();
    let results = post_many(&service, 20).await;
    let accepted = results.iter().filter(|result| matches!(result, Ok(StatusCode::OK))).count();
    let refused = results.iter().filter(|result| result.is_err()).count();
    assert_eq!((accepted, refused), (7, 13), "{results:?}");
    assert_eq!(service.service().owners("github").len(), 1 + 7);
    assert_eq!(service.service().requests().len(), 7);
    // The next connection accepts requests again.
    assert_eq!(post(&connect(&service).await, 99).await.unwrap(), StatusCode::OK);
}

#[tokio::test]
async fn refusal_reaches_a_client_without_open_streams() {
    let world = World { goaway_after: Some(2), ..World::default() };
    let service = Fake::start(world).await.unwrap();
    let sender = connect(&service).await;
    for owner in 0..2 {
        assert_eq!(post(&sender, owner).await.unwrap(), StatusCode::OK);
    }
    assert!(post(&sender, 2).await.is_err());
    assert_eq!(service.service().requests().len(), 2);
}
