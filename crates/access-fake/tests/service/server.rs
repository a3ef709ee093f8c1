//! Start, stop and the data file.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::{fs, thread};

use access_fake::{Fake, Running, Service, World};
use serde_json::json;

use crate::support::{Caller, Host, Reply};

const CREATE: &str = "/api/v1/listings/github/roles/viewer?allowMissing=true";

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

#[test]
fn data_file_survives_the_service() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("data.json");
    let start = || {
        let service = Service::open(World::default(), &file).unwrap();
        Running::start_blocking(service, "127.0.0.1:0".parse().unwrap()).unwrap()
    };
    let running = start();
    let admin = Caller::new(running.address(), "admin-key", "");
    let body = json!({"displayName": "V", "priority": "9007199254740993", "resources": ["a"]});
    let role = admin.patch(CREATE, &body).json(200);
    admin.delete("/api/v1/integrations/okta/owners/founder").json(200);
    running.service().manage_listing("new", Some(json!({"kind": 1})), true);
    let snapshot = running.service().snapshot();
    drop(running);

    let running = start();
    assert_eq!(running.service().role("github", "viewer"), Some(role));
    assert_eq!(running.service().snapshot(), snapshot);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file is left");

    fs::write(&file, "{\"listings\": 1}").unwrap();
    assert!(Service::open(World::default(), &file).is_err());
}

#[test]
fn write_that_cannot_be_saved_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let service = Service::open(World::default(), &folder.join("data.json")).unwrap();
    let running = Running::start_blocking(service, "127.0.0.1:0".parse().unwrap()).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let admin = Caller::new(running.address(), "admin-key", "");
    let body = json!({"displayName": "V", "priority": "1"});
    admin.patch(CREATE, &body).is_refused(500, "could not save the data");
    assert!(running.service().save_error().is_some());
    assert_eq!(admin.send("PUT", "/_fake/listings/x", "").status, 500);
    fs::create_dir(&folder).unwrap();
    admin.patch(CREATE, &body).json(200);
    assert_eq!(running.service().save_error(), None);
}

#[test]
fn body_that_is_too_large_is_refused() {
    let host = Host::full();
    let mut stream = host.admin().open("PATCH", CREATE, "");
    drop(stream.shutdown(std::net::Shutdown::Both));
    let large = format!("{{\"displayName\": \"{}\"}}", "x".repeat(17 << 20));
    stream = TcpStream::connect(host.address()).unwrap();
    let head =
        format!("PATCH {CREATE} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", large.len());
    stream.write_all(head.as_bytes()).unwrap();
    // The service may respond and close before it has read everything.
    let _ = stream.write_all(large.as_bytes());
    let mut bytes = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut bytes);
    if !bytes.is_empty() {
        assert_eq!(Reply::read(&bytes).status, 400);
    }
    assert_eq!(host.service().role("github", "viewer"), None);
}
