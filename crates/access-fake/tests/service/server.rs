//! Start and stop.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::thread;

use access_fake::{Fake, Running, Service, World};
use serde_json::json;

use crate::support::Host;

#[test]
fn service_stops_when_it_is_dropped() {
    let host = Host::full();
    let address = host.address();
    let mut open = TcpStream::connect(address).unwrap();
    drop(host);
    assert_eq!(TcpStream::connect(address).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    // The kernel may accept the first write; the reset that it causes fails the second.
    let _ = open.write_all(b"GET / HTTP/1.1\r\n\r\n");
    assert!(matches!(std::io::Read::read(&mut open, &mut [0]), Ok(0) | Err(_)));
}

#[tokio::test]
async fn service_stops_when_it_is_dropped_in_a_runtime() {
    let running = Fake::start(World::default()).await.unwrap();
    let address = running.address();
    assert_eq!(running.base_url(), format!("http://{address}"));
    drop(running);
    tokio::task::yield_now().await;
    let refused = TcpStream::connect(address).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn other_addresses_than_loopback_are_refused() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let service = Service::new(World::default());
        let refused = Running::start_blocking(service, address.parse().unwrap()).err().unwrap();
        assert!(refused.to_string().contains("loopback"), "{refused}");
    }
}

#[test]
fn connection_serves_many_requests() {
    let host = Host::full();
    let mut stream = TcpStream::connect(host.address()).unwrap();
    let request = "GET /api/v1/integrations/okta/owners HTTP/1.1\r\nhost: x\r\n";
    for last in ["", "connection: close\r\n"] {
        write!(stream, "{request}authorization: Bearer admin-key\r\n{last}\r\n").unwrap();
    }
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut stream, &mut bytes).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap().matches("200 OK").count(), 2);
}

#[test]
fn parallel_requests_lose_nothing() {
    let host = Host::full();
    thread::scope(|scope| {
        for worker in 0..8 {
            let host = &host;
            scope.spawn(move || {
                for number in 0..10 {
                    let body = json!({"owner": format!("users/{worker}-{number}")});
                    host.admin().post("/api/v1/integrations/okta/owners", &body).json(200);
                }
            });
        }
    });
    assert_eq!(host.service().owners("okta").len(), 81);
    assert_eq!(host.service().requests().len(), 80);
}
