//! Connections that close and outages that end.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use access_fake::{Action, Fault, RetryAfter, World};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::paused::Paused;
use crate::support::{Host, Reply, eventually};

const OWNERS: &str = "/api/v1/integrations/github/owners";
const GET_OWNERS: &str = "GET /api/v1/integrations/github/owners HTTP/1.1\r\nhost: x\r\n\
                          authorization: Bearer admin-key\r\n\r\n";

/// A connection that the client does not close.
struct KeptAlive(TcpStream);

impl KeptAlive {
    fn open(host: &Host) -> Self {
        let stream = TcpStream::connect(host.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self(stream)
    }

    fn get(&mut self) -> Reply {
        self.0.write_all(GET_OWNERS.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        loop {
            let mut buffer = [0; 4096];
            let length = self.0.read(&mut buffer).unwrap();
            assert_ne!(length, 0, "the response is cut off");
            bytes.extend_from_slice(&buffer[..length]);
            if Reply::is_complete(&bytes) {
                return Reply::read(&bytes);
            }
        }
    }

    /// Waits for the end of the connection.
    fn is_closed(&mut self) -> bool {
        self.0.read(&mut [0; 16]).unwrap() == 0
    }
}

#[test]
fn connection_is_closed_after_each_response_without_notice() {
    let host = Host::full();
    host.change_world(&json!({"close_after_response": true}));
    let mut connection = KeptAlive::open(&host);
    let reply = connection.get();
    assert_eq!((reply.status, reply.header("connection")), (200, None));
    assert!(connection.is_closed());
}

impl Paused {
    /// Checks that the service closes the connection 50 s after its last response.
    async fn closes_after_50_seconds(mut self) {
        self.advance(49).await;
        let open = self.stream.try_read(&mut [0; 16]).unwrap_err();
        assert_eq!(open.kind(), ErrorKind::WouldBlock);
        self.advance(2).await;
        assert_eq!(self.stream.read(&mut [0; 16]).await.unwrap(), 0);
    }
}

fn closing_idle_connections() -> World {
    World { idle_close_ms: Some(50_000), ..World::default() }
}

#[tokio::test(start_paused = true)]
async fn connection_is_closed_after_its_idle_time() {
    let mut connection = Paused::open(closing_idle_connections()).await;
    for _ in 0..2 {
        connection.send(GET_OWNERS).await;
        let reply = connection.reply().await;
        assert_eq!((reply.status, reply.header("connection")), (200, None));
        connection.advance(30).await;
    }
    connection.send(GET_OWNERS).await;
    connection.reply().await;
    let requests = connection.service.service().requests();
    assert!(requests.iter().all(|request| request.connection == requests[0].connection));
    connection.closes_after_50_seconds().await;
}

#[tokio::test(start_paused = true)]
async fn request_that_takes_longer_than_the_idle_time_is_not_cut_off() {
    let mut connection = Paused::open(closing_idle_connections()).await;
    connection.send(GET_OWNERS).await;
    connection.reply().await;
    let slow = Fault::new(Action::Delay { milliseconds: 200_000 });
    connection.service.service().add_fault(slow);
    connection.send(GET_OWNERS).await;
    while connection.service.service().requests().len() < 2 {
        tokio::task::yield_now().await;
    }
    // The idle time that began with the first response ends within the second request.
    connection.advance(100).await;
    connection.advance(101).await;
    assert_eq!(connection.reply().await.status, 200);
    connection.closes_after_50_seconds().await;
}

#[test]
fn outage_begins_at_a_request_and_ends() {
    let host = Host::full();
    let fault = Fault::new(Action::Unavailable { retry_after: RetryAfter::None, seconds: None });
    host.service().add_fault(fault.skipping(1).lasting(Duration::from_millis(300)));
    assert_eq!(host.admin().get(OWNERS).status, 200);
    let start = Instant::now();
    host.admin().get(OWNERS).is_refused(503, "not available");
    while host.admin().get(OWNERS).status == 503 {
        assert!(start.elapsed() < Duration::from_secs(60), "it never ends");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start.elapsed() >= Duration::from_millis(300));
    let statuses: Vec<Option<u16>> =
        host.service().requests().iter().map(|request| request.status).collect();
    assert_eq!(statuses[..2], [Some(200), Some(503)], "requests in the outage are logged");
    assert_eq!(*statuses.last().unwrap(), Some(200));
}

#[test]
fn outage_returns_how_long_to_wait() {
    let retry_after = |action: Value, for_ms: u64| {
        let host = Host::full();
        let fault = json!({"for_ms": for_ms, "action": action});
        host.caller("", "curl/8").post("/_fake/faults", &fault).json(200);
        let reply = host.admin().get(OWNERS);
        assert_eq!(reply.status, 503);
        reply.header("retry-after").map(str::to_owned)
    };
    assert_eq!(retry_after(json!({"type": "unavailable"}), 600_000), None);
    let seconds = json!({"type": "unavailable", "retry_after": "seconds"});
    let rest: u64 = retry_after(seconds, 600_000).unwrap().parse().unwrap();
    assert!((550..=600).contains(&rest), "{rest}");
    let seconds = json!({"type": "unavailable", "retry_after": "seconds", "seconds": 7});
    assert_eq!(retry_after(seconds, 600_000).unwrap(), "7");
    let date = json!({"type": "unavailable", "retry_after": "date"});
    assert!(retry_after(date, 600_000).unwrap().ends_with(" GMT"));
}

#[test]
fn connections_are_refused_from_a_request_on() {
    let host = Host::full();
    let fault = Fault::new(Action::Refuse { milliseconds: 300 });
    host.service().add_fault(fault.skipping(1).times(1));
    assert_eq!(host.admin().get(OWNERS).status, 200);
    let (bytes, _) = host.admin().exchange("GET", OWNERS, "");
    assert_eq!(String::from_utf8_lossy(&bytes), "");
    let start = Instant::now();
    while TcpStream::connect(host.address()).is_err() {
        assert!(start.elapsed() < Duration::from_secs(60), "it never listens again");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(host.admin().get(OWNERS).status, 200);
    let statuses: Vec<Option<u16>> =
        host.service().requests().iter().map(|request| request.status).collect();
    assert_eq!(statuses, [Some(200), None, Some(200)]);
}

#[test]
fn request_that_hangs_is_logged_without_a_status() {
    let host = Host::full();
    host.service().add_fault(Fault::new(Action::Hang));
    let mut stream = host.admin().open("GET", OWNERS, "");
    eventually("the request is logged", || !host.service().requests().is_empty());
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(stream.read(&mut [0; 16]).is_err(), "there is no response");
    assert_eq!(host.service().requests()[0].status, None);
    assert_eq!(host.service().requests()[0].finished_ms, None);
}
