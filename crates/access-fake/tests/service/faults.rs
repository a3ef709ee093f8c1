//! Faults, observed on a raw connection.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use access_fake::{Action, Fault};
use serde_json::{Value, json};

use crate::support::{Host, Reply, eventually};

const CREATE: &str = "/api/v1/listings/github/roles/viewer?allowMissing=true";
const FOUNDER: &str = "/api/v1/integrations/github/owners/founder";

fn viewer() -> Value {
    json!({"displayName": "Viewer", "priority": "5"})
}

fn with_fault(action: Action) -> Host {
    let host = Host::full();
    host.service().add_fault(Fault::new(action));
    host
}

fn is_created(host: &Host) -> bool {
    host.service().role("github", "viewer").is_some()
}

#[test]
fn fault_affects_matching_requests() {
    let host = Host::full();
    let fault = Fault::respond(503, "{}").on("GET").at("*/integrations/*/owners/*");
    host.service().add_fault(fault.skipping(1).times(2));
    let statuses = [(); 4].map(|()| host.admin().get(FOUNDER).status);
    assert_eq!(statuses, [200, 503, 503, 200]);
    host.service().add_fault(Fault::respond(500, ""));
    assert_eq!(host.admin().get(FOUNDER).status, 500);
    assert_eq!(host.service().faults().len(), 2);
    host.service().clear_faults();
    assert_eq!(host.admin().get(FOUNDER).status, 200);
}

#[test]
fn configured_response_replaces_the_real_one() {
    for processed in [false, true] {
        let headers = BTreeMap::from([
            ("Content-Type".to_owned(), "text/html".to_owned()),
            ("X-Gateway".to_owned(), "g".to_owned()),
        ]);
        let body = "<html>".to_owned();
        let host = with_fault(Action::Respond { status: 502, headers, body, processed });
        let reply = host.admin().patch(CREATE, &viewer());
        assert_eq!((reply.status, reply.text().as_str()), (502, "<html>"));
        assert_eq!(reply.header("content-type"), Some("text/html"));
        assert_eq!(reply.header("x-gateway"), Some("g"));
        assert_eq!(is_created(&host), processed);
        assert_eq!(host.service().requests()[0].status, Some(502));
    }
}

#[test]
fn redirect_has_a_location() {
    let location = "http://127.0.0.1:1/elsewhere".to_owned();
    let host = with_fault(Action::Redirect { status: 307, location: location.clone() });
    let reply = host.admin().patch(CREATE, &viewer());
    assert_eq!((reply.status, reply.header("location")), (307, Some(location.as_str())));
    assert!(!is_created(&host));
}

#[test]
fn reset_closes_the_connection_without_a_response() {
    for (action, processed) in [(Action::Reset, false), (Action::ResetAfterProcessing, true)] {
        let host = with_fault(action);
        let (bytes, end) = host.admin().exchange("PATCH", CREATE, &viewer().to_string());
        assert_eq!(bytes, b"");
        assert_eq!(end.unwrap_err().kind(), ErrorKind::ConnectionReset);
        assert_eq!(is_created(&host), processed);
        assert_eq!(host.service().requests()[0].status, None);
        host.service().clear_faults();
        assert_eq!(host.admin().patch(CREATE, &viewer()).status, 200, "others are served on");
    }
}

#[test]
fn hang_sends_nothing() {
    for (action, processed) in [(Action::Hang, false), (Action::HangAfterProcessing, true)] {
        let host = with_fault(action);
        let mut stream = host.admin().open("PATCH", CREATE, &viewer().to_string());
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let error = stream.read(&mut [0]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
        eventually("the request is processed or not", || is_created(&host) == processed);
    }
}

#[test]
fn cut_body_announces_more_than_arrives() {
    for bytes in [0, 1, 20, 100_000] {
        let host = with_fault(Action::CutBody { bytes });
        let (received, _) = host.admin().exchange("PATCH", CREATE, &viewer().to_string());
        let reply = Reply::read(&received);
        assert_eq!(reply.status, 200);
        let announced: usize = reply.header("content-length").unwrap().parse().unwrap();
        assert!(reply.body.len() < announced, "{} of {announced}", reply.body.len());
        if bytes < 100 {
            assert_eq!(reply.body.len(), bytes);
        }
        assert!(is_created(&host));
    }
}

#[test]
fn trickled_body_arrives_late_and_whole() {
    let host = with_fault(Action::Trickle { bytes: 40, milliseconds: 10 });
    let start = Instant::now();
    let owner = host.admin().get(FOUNDER).json(200);
    assert_eq!(owner["owner"], "users/founder");
    let pieces = u32::try_from(owner.to_string().len().div_ceil(40)).unwrap();
    assert!(start.elapsed() >= Duration::from_millis(10) * pieces);
}

#[test]
fn spoiled_responses_have_one_defect() {
    let host = with_fault(Action::Garbage);
    let reply = host.admin().patch(CREATE, &viewer());
    assert_eq!(reply.status, 200);
    assert!(std::str::from_utf8(&reply.body).is_err());
    assert!(is_created(&host));

    let host = with_fault(Action::Huge { bytes: 9 << 20 });
    let reply = host.admin().patch(CREATE, &viewer());
    assert!(reply.body.len() > 9 << 20);
    assert_eq!(reply.json(200)["displayName"], "Viewer");

    let host = with_fault(Action::WrongName);
    let role = host.admin().patch(CREATE, &viewer()).json(200);
    assert_eq!(role["name"], "listings/github/roles/another-object");
    assert_eq!(role["displayName"], "Viewer");
    host.admin().get("/api/v1/listings/github/roles/none").is_refused(404, "none");
}

#[test]
fn delay_comes_before_processing() {
    let host = with_fault(Action::Delay { milliseconds: 50 });
    let start = Instant::now();
    host.admin().patch(CREATE, &viewer()).json(200);
    assert!(start.elapsed() >= Duration::from_millis(50));

    let host = with_fault(Action::Delay { milliseconds: 60_000 });
    let _stream = host.admin().open("PATCH", CREATE, &viewer().to_string());
    eventually("the request arrives", || host.service().requests().len() == 1);
    assert!(!is_created(&host));
}

#[test]
fn response_is_held_until_the_faults_are_removed() {
    for processed in [false, true] {
        let host = with_fault(Action::Hold { processed });
        let mut stream = host.admin().open("PATCH", CREATE, &viewer().to_string());
        eventually("the request arrives", || host.service().requests().len() == 1);
        eventually("the request is processed or not", || is_created(&host) == processed);
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        stream.read(&mut [0]).unwrap_err();

        host.service().clear_faults();
        stream.set_read_timeout(None).unwrap();
        assert_eq!(stream.read(&mut [0]).unwrap(), 1, "the response begins");
        assert!(is_created(&host));
    }
}
