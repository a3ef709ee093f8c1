//! What only a connection shows: a reset, a body that is cut off, and the pages for changes by
//! hand.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use access_fake::{Action, Fake, Fault, Running, World};
use serde_json::{Value, json};

const FOUNDER: &str = "/api/v1/integrations/github/owners/founder";

/// Sends a request, and returns everything that arrives and how the connection ended.
fn exchange(service: &Running, head: &str, body: &str) -> (String, std::io::Result<usize>) {
    let mut stream = TcpStream::connect(service.address()).unwrap();
    let length = body.len();
    let request = format!(
        "{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer admin-key\r\n\
         content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let end = stream.read_to_end(&mut bytes);
    (String::from_utf8(bytes).unwrap(), end)
}

#[test]
fn reset_closes_one_connection_without_a_response() {
    let service = Fake::start_blocking(World::default()).unwrap();
    service.service().add_fault(Fault::new(Action::Reset).times(1));
    let (text, end) = exchange(&service, &format!("GET {FOUNDER}"), "");
    assert_eq!((text.as_str(), end.unwrap_err().kind()), ("", ErrorKind::ConnectionReset));
    assert!(exchange(&service, &format!("GET {FOUNDER}"), "").0.starts_with("HTTP/1.1 200"));
}

#[test]
fn cut_body_announces_more_than_arrives() {
    for bytes in [0, 20, 100_000] {
        let service = Fake::start_blocking(World::default()).unwrap();
        service.service().add_fault(Fault::new(Action::CutBody { bytes }));
        let (text, _) = exchange(&service, &format!("DELETE {FOUNDER}"), "");
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let announced = head.split("content-length: ").nth(1).unwrap();
        let announced: usize = announced.split("\r\n").next().unwrap().parse().unwrap();
        assert!(head.starts_with("HTTP/1.1 200") && body.len() < announced, "{text}");
        assert_eq!(body.len(), bytes.min("{}".len()));
        assert!(
            service.service().object("integrations/github/owners/founder").is_none(),
            "it is processed"
        );
    }
}

#[test]
fn pages_change_the_service_by_hand() {
    let service = Fake::start_blocking(World::default()).unwrap();
    let page = |head: &str, body: Value| {
        let (method, path) = head.split_once(' ').unwrap();
        let (text, _) = exchange(&service, &format!("{method} /_fake/{path}"), &body.to_string());
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        (head[9..12].to_owned(), serde_json::from_str::<Value>(body).unwrap())
    };
    let ok = "200".to_owned();
    let role = "listings/github/roles/admin";
    assert_eq!(page(&format!("GET {role}"), json!({})).0, "400");
    assert_eq!(page(&format!("PUT {role}"), json!({"priority": 7})).1["priority"], "7");
    let changed = page(&format!("PATCH {role}"), json!({"displayName": "By hand"}));
    assert_eq!(
        (&changed.1["displayName"], &changed.1["priority"]),
        (&json!("By hand"), &json!("7"))
    );
    assert_eq!(page(&format!("GET {role}"), json!({})), changed);
    assert_eq!(page(&format!("PATCH {role}"), json!({"unknown": 1})).0, "400");
    // By another client than the provider, unless it says otherwise.
    for (change, manager) in [
        (json!({"manager": "TERRAFORM"}), json!("TERRAFORM")),
        (json!({"priority": 8, "manager": "TERRAFORM"}), json!("TERRAFORM")),
        (json!({"priority": 9}), Value::Null),
    ] {
        assert_eq!(page(&format!("PATCH {role}"), change).1["manager"], manager);
    }
    assert_eq!(page(&format!("DELETE {role}"), json!({})).0, ok);
    let owner = "integrations/github/owners/ada";
    assert_eq!(page(&format!("PUT {owner}"), json!({})).1["owner"], "users/ada");
    let changed = page(&format!("PATCH {owner}"), json!({"owner": "users/bea"}));
    assert_eq!(changed.1["owner"], "users/bea");
    assert_eq!(page(&format!("DELETE {owner}"), json!({})).0, ok);
    assert_eq!(page("PATCH world", json!({"latency_ms": 1})).1["latency_ms"], 1);
    assert_eq!(page("GET world", json!({})).1["latency_ms"], 1);
    assert_eq!(page("PATCH world", json!({"unknown": 1})).0, "400");
    let fault = json!({"action": {"type": "respond", "status": 418}});
    assert_eq!(page("POST faults", fault).0, ok);
    assert!(exchange(&service, &format!("GET {FOUNDER}"), "").0.starts_with("HTTP/1.1 418"));
    assert_eq!(page("DELETE faults", json!({})).1, json!([]));
    assert_eq!(page("GET requests", json!({})).1[0]["status"], 418);
}
