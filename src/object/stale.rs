//! Reads that are older than the provider's own write.
//!
//! Replicas and caches lag. A response whose `update_time` is earlier than the state's does not
//! contradict the state: it is older. It is read again for a few seconds. A restored backup looks
//! the same but stays, so it counts once the state's write is no longer recent.

use std::slice;
use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// The time after a write in which an older response counts as lagging. It is longer than the lag
/// of any replica that would still be in use.
pub(crate) const RECENT: Duration = Duration::from_secs(5 * 60);

/// The waits between further reads: about five seconds in all.
const WAITS: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1600),
    Duration::from_millis(2000),
];

/// The further reads of an object whose first read may lag, with a wait before each.
pub(crate) struct Rereads(slice::Iter<'static, Duration>);

/// The next step after a read that may lag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reread {
    /// The wait is over: read again.
    Now,
    /// No further read is left: the last one counts.
    Exhausted,
    /// Terraform stopped the call during the wait.
    Stopped,
}

impl Rereads {
    /// Returns the further reads for a write that reads may not show yet.
    pub(crate) fn after_write() -> Self {
        Self(WAITS.iter())
    }

    /// Returns no further reads: there is no write that the first read could miss.
    pub(crate) fn none() -> Self {
        Self([].iter())
    }

    /// Waits before the next read, if one is left.
    pub(crate) async fn wait(&mut self) -> Reread {
        match self.0.next() {
            None => Reread::Exhausted,
            Some(wait) if wait_unless_stopped(*wait).await => Reread::Now,
            Some(_) => Reread::Stopped,
        }
    }
}

/// Waits, and returns whether the call may go on: false if Terraform stopped it.
async fn wait_unless_stopped(wait: Duration) -> bool {
    let stop = plugin_server::stop_token();
    tokio::select! {
        () = tokio::time::sleep(wait) => true,
        () = stop.cancelled() => false,
    }
}

/// Parses a timestamp of the API.
pub(crate) fn parse_time(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// Returns whether a response is older than the state. It is not if one of the times cannot be
/// parsed.
pub(crate) fn is_older(response: Option<&str>, state: Option<&str>) -> bool {
    let time = |text: Option<&str>| text.and_then(parse_time);
    matches!((time(response), time(state)), (Some(response), Some(state)) if response < state)
}

/// Returns whether something happened less than [`RECENT`] before `now`.
pub(crate) fn is_recent(then: OffsetDateTime, now: OffsetDateTime) -> bool {
    now - then < RECENT
}

/// Returns the `Date` of the service's response, or the local time if there is none.
pub(crate) fn now(date: Option<OffsetDateTime>) -> OffsetDateTime {
    date.unwrap_or_else(OffsetDateTime::now_utc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_is_older_by_its_time_and_not_by_its_text() {
        let cases = [
            (Some("2026-01-01T00:00:00Z"), Some("2026-01-01T00:00:01Z"), true),
            (Some("2026-01-01T00:00:00.5Z"), Some("2026-01-01T00:00:00.25Z"), false),
            (Some("2026-01-01T01:00:00+01:00"), Some("2026-01-01T00:00:00Z"), false),
            (Some("2026-01-01T00:30:00+01:00"), Some("2026-01-01T00:00:00Z"), true),
            (Some("yesterday"), Some("2026-01-01T00:00:00Z"), false),
            (None, Some("2026-01-01T00:00:00Z"), false),
            (Some("2026-01-01T00:00:00Z"), None, false),
        ];
        for (response, state, older) in cases {
            assert_eq!(is_older(response, state), older, "{response:?} {state:?}");
        }
    }

    #[test]
    fn waits_are_about_five_seconds_in_all() {
        let total: Duration = WAITS.iter().sum();
        assert_eq!(total, Duration::from_secs(5));
    }
}
