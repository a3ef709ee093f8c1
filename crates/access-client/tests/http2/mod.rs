//! HTTP/2 streams that the service refuses. The server writes its frames by hand, because a library
//! does not let a test choose the last stream of a GOAWAY.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::certificates::Authority;
use crate::*;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// The behaviour of the first connection after a number of requests.
#[derive(Clone, Copy, Debug)]
enum Ends {
    /// GOAWAY after `served` of the requests. The others are not processed.
    GoAway { served: usize, code: u32 },
    /// RST_STREAM with this code to each.
    Reset { code: u32 },
    /// GOAWAY that announces that all requests are processed, and then no response.
    Broken,
}

struct Http2Server {
    port: u16,
    authority: Authority,
    processed: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
}

type Stream = TlsStream<tokio::net::TcpStream>;

impl Http2Server {
    /// Serves every request, except that the first connection ends after the first request and
    /// `requests` more.
    async fn start(requests: usize, ends: Ends) -> Self {
        let authority = Authority::new();
        let mut config = authority.server_config("localhost", false);
        config.alpn_protocols = vec![b"h2".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let processed = Arc::new(AtomicUsize::new(0));
        let connections = Arc::new(AtomicUsize::new(0));
        let counts = (Arc::clone(&processed), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let first = counts.1.fetch_add(1, Ordering::SeqCst) == 0;
                let acceptor = acceptor.clone();
                let processed = Arc::clone(&counts.0);
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let end = first.then_some((requests, ends));
                    _ = serve(stream, end, &processed).await;
                });
            }
        });
        Self { port, authority, processed, connections }
    }

    fn client(&self, max_retries: u32) -> Client {
        let settings = Settings {
            max_retries,
            extra_roots: Some(self.authority.bundle()),
            ..settings(&format!("https://localhost:{}", self.port))
        };
        Client::new(settings).unwrap()
    }
}

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

async fn serve(
    mut stream: Stream,
    mut end: Option<(usize, Ends)>,
    processed: &AtomicUsize,
) -> std::io::Result<()> {
    stream.read_exact(&mut [0; 24]).await?;
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await?;
    let mut received = Vec::new();
    let mut warm = false;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).await?;
        let kind = head[3];
        let flags = head[4];
        let id = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        if kind == SETTINGS && flags & 1 == 0 {
            stream.write_all(&frame(SETTINGS, 1, 0, &[])).await?;
        }
        if !matches!(kind, HEADERS | DATA) || flags & END_STREAM == 0 {
            continue;
        }
        let Some((requests, ends)) = end.filter(|_| warm) else {
            warm = true;
            respond(&mut stream, id, processed).await?;
            continue;
        };
        received.push(id);
        if received.len() == requests {
            end = None;
            finish(&mut stream, &received, ends, processed).await?;
            if !matches!(ends, Ends::Reset { .. }) {
                return stream.shutdown().await;
            }
        }
    }
}

async fn finish(
    stream: &mut Stream,
    received: &[u32],
    ends: Ends,
    processed: &AtomicUsize,
) -> std::io::Result<()> {
    match ends {
        Ends::GoAway { served, code } => {
            let last = received[..served].last().copied().unwrap_or(1);
            let payload = [last.to_be_bytes(), code.to_be_bytes()].concat();
            stream.write_all(&frame(GOAWAY, 0, 0, &payload)).await?;
            for id in &received[..served] {
                respond(stream, *id, processed).await?;
            }
        }
        Ends::Reset { code } => {
            for id in received {
                stream.write_all(&frame(RST_STREAM, 0, *id, &code.to_be_bytes())).await?;
            }
        }
        Ends::Broken => {
            let payload = [u32::MAX >> 1, 0].map(u32::to_be_bytes).concat();
            stream.write_all(&frame(GOAWAY, 0, 0, &payload)).await?;
        }
    }
    Ok(())
}

async fn respond(stream: &mut Stream, id: u32, processed: &AtomicUsize) -> std::io::Result<()> {
    processed.fetch_add(1, Ordering::SeqCst);
    // `:status: 200` is entry 8 of the static table of HPACK.
    stream.write_all(&frame(HEADERS, END_HEADERS, id, &[0x88])).await?;
    let body = br#"{"name":"integrations/github/owners/x","owner":"users/a"}"#;
    stream.write_all(&frame(DATA, END_STREAM, id, body)).await
}

/// Sends a first request to open a connection, and then `count` requests at the same time.
async fn posts(server: &Http2Server, count: usize) -> Vec<Result<(), Error>> {
    let client = server.client(2);
    post(&client).await.unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..count {
        let client = client.clone();
        calls.spawn(async move { post(&client).await.map(drop) });
    }
    calls.join_all().await
}

#[tokio::test]
async fn streams_refused_by_a_goaway_are_sent_again() {
    for (served, code) in [(4, 0), (0, 0), (9, 0), (4, 11)] {
        let server = Http2Server::start(10, Ends::GoAway { served, code }).await;
        for result in posts(&server, 10).await {
            result.unwrap_or_else(|error| panic!("{served} served, code {code}: {error}"));
        }
        // The first request and ten more, none of them twice.
        assert_eq!(server.processed.load(Ordering::SeqCst), 11, "{served} served, code {code}");
        assert!(server.connections.load(Ordering::SeqCst) >= 2);
    }
}

#[tokio::test]
async fn refused_stream_is_sent_again() {
    let server = Http2Server::start(10, Ends::Reset { code: 7 }).await;
    for result in posts(&server, 10).await {
        result.unwrap();
    }
    assert_eq!(server.processed.load(Ordering::SeqCst), 11);
    assert_eq!(server.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn refused_stream_uses_up_a_retry() {
    let server = Http2Server::start(1, Ends::Reset { code: 7 }).await;
    let client = server.client(0);
    post(&client).await.unwrap();
    let error = post(&client).await.unwrap_err();
    assert!(!error.may_have_been_processed(), "{error}");
}

#[tokio::test]
async fn post_on_a_stream_that_may_have_been_processed_is_not_sent_again() {
    for ends in [Ends::Reset { code: 8 }, Ends::Reset { code: 2 }, Ends::Broken] {
        let server = Http2Server::start(5, ends).await;
        for result in posts(&server, 5).await {
            let error = result.unwrap_err();
            assert!(error.may_have_been_processed(), "{ends:?}: {error}");
        }
        assert_eq!(server.processed.load(Ordering::SeqCst), 1, "{ends:?}");
    }
}
