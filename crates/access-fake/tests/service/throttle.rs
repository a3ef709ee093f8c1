//! The rate limit and the latency.

use std::time::{Duration, Instant};

use access_fake::{RateLimit, RetryAfter, World};

use crate::support::Host;

const OWNERS: &str = "/api/v1/integrations/github/owners";

/// Returns a service with a rate so low that no further request passes during a test.
fn limited(retry_after: RetryAfter) -> Host {
    let limit = RateLimit { per_second: 0.001, burst: 2, retry_after };
    Host::new(World { rate_limit: Some(limit), ..World::default() })
}

#[test]
fn requests_beyond_the_rate_are_refused() {
    let host = limited(RetryAfter::Seconds);
    host.admin().get(OWNERS).json(200);
    host.admin().get(OWNERS).json(200);
    let reply = host.admin().get(OWNERS);
    reply.is_refused(429, "too many requests");
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((900..=1000).contains(&wait), "{wait}");
    assert_eq!(host.service().requests()[2].status, Some(429));
    host.service().change_world(|world| world.rate_limit = None);
    host.admin().get(OWNERS).json(200);
}

#[test]
fn retry_after_has_the_configured_form() {
    for (retry_after, ends) in [(RetryAfter::None, None), (RetryAfter::Date, Some("GMT"))] {
        let host = limited(retry_after);
        host.admin().get(OWNERS);
        host.admin().get(OWNERS);
        let reply = host.admin().get(OWNERS);
        assert_eq!(reply.status, 429);
        let stderr = reply.header("retry-after").map(|stderr| &stderr[stderr.len() - 3..]);
        assert_eq!(stderr, ends);
        assert!(reply.header("date").is_some());
    }
}

#[test]
fn refused_requests_change_nothing() {
    let host = limited(RetryAfter::None);
    host.admin().get(OWNERS);
    host.admin().get(OWNERS);
    host.admin().delete(&format!("{OWNERS}/founder")).is_refused(429, "");
    assert!(host.service().owner("github", "founder").is_some());
}

#[test]
fn every_request_waits_for_the_latency() {
    let host = Host::new(World { latency_ms: 60, ..World::default() });
    let start = Instant::now();
    host.admin().get(OWNERS).json(200);
    assert!(start.elapsed() >= Duration::from_millis(60));
}
