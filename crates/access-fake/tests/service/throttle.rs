//! The rate limit and the latency.

use std::time::{Duration, Instant};

use access_fake::{RateLimit, RetryAfter, World};

use crate::support::Host;

const OWNERS: &str = "/api/v1/integrations/github/owners";

#[test]
fn requests_beyond_the_rate_are_refused_and_change_nothing() {
    for retry_after in [RetryAfter::None, RetryAfter::Seconds, RetryAfter::Date] {
        // A rate so low that no further request passes during the test.
        let limit = RateLimit { per_second: 0.001, burst: 2, retry_after };
        let host = Host::new(World { rate_limit: Some(limit), ..World::default() });
        host.admin().get(OWNERS).json(200);
        host.admin().get(OWNERS).json(200);
        let reply = host.admin().delete(&format!("{OWNERS}/founder"));
        reply.is_refused(429, "too many requests");
        assert_eq!(host.service().owners("github").len(), 1);
        assert_eq!(host.service().requests()[2].status, Some(429));
        let wait = reply.header("retry-after");
        match retry_after {
            RetryAfter::None => assert_eq!(wait, None),
            RetryAfter::Date => assert!(wait.unwrap().ends_with(" GMT")),
            RetryAfter::Seconds => {
                let wait: u64 = wait.unwrap().parse().unwrap();
                assert!((900..=1000).contains(&wait), "{wait}");
            }
        }
        host.service().change_world(|world| world.rate_limit = None);
        host.admin().get(OWNERS).json(200);
    }
}

#[test]
fn every_request_waits_for_the_latency() {
    let host = Host::new(World { latency_ms: 60, ..World::default() });
    let start = Instant::now();
    host.admin().get(OWNERS).json(200);
    assert!(start.elapsed() >= Duration::from_millis(60));
}
