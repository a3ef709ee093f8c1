//! The lines that a call writes into the log.

use std::cell::RefCell;
use std::fmt::{Debug, Write};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::server::{Reply, Server};
use crate::*;

thread_local! {
    static LINES: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
}

/// Collects the events of each thread, which is each test, as text. It is the subscriber of the whole
/// process: tracing caches that an event interests nobody, if it first occurs on a thread without a
/// subscriber.
struct Log;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("access_client")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        LINES.with_borrow_mut(|lines| lines.push((*event.metadata().level(), line.0)));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test]
async fn requests_and_retries_have_a_line_with_the_base_address() {
    let server = Server::start(vec![Reply::status(503, ""), Reply::Reset, Reply::ok(ROLE)]).await;
    tracing::subscriber::set_global_default(Log).unwrap();
    get(&client(&server)).await.unwrap();
    let mut lines = LINES.take();
    lines.retain(|(level, _)| *level <= Level::DEBUG);
    let expected = [
        (Level::DEBUG, "status=503"),
        (Level::WARN, "503 Service Unavailable"),
        (Level::DEBUG, "request failed"),
        (Level::WARN, "the service could not be reached"),
        (Level::DEBUG, "status=200"),
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for ((level, line), (expected_level, part)) in lines.into_iter().zip(expected) {
        assert!(level == expected_level && line.contains(part), "{part}: {level} {line}");
        assert!(line.contains(&format!("base_url={}", server.base_url())), "{line}");
        assert!(line.contains("method=GET") && line.contains("/roles/viewer"), "{line}");
    }
}
