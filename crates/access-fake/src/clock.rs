//! Time stamps: RFC 3339 with nanoseconds.

use std::time::{Duration, SystemTime};

use time::OffsetDateTime;

/// The service's clock. While its offset stays the same, no two of its time stamps are equal.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    last: Option<SystemTime>,
    offset_ms: i64,
}

impl Clock {
    /// Returns a time stamp: the service's time or, if clocks are coarse or were set back, a
    /// nanosecond after the last stamp. After a change of the offset, stamps may go back.
    pub(crate) fn stamp(&mut self, now: SystemTime, offset_ms: i64) -> String {
        if self.offset_ms != offset_ms {
            *self = Self { last: None, offset_ms };
        }
        let now = service_time(now, offset_ms);
        let next = self.last.map_or(now, |last| now.max(last + Duration::from_nanos(1)));
        self.last = Some(next);
        rfc3339(next)
    }
}

/// Returns the time of a clock that is ahead by an offset, or behind if it is negative.
pub(crate) fn service_time(now: SystemTime, offset_ms: i64) -> SystemTime {
    let offset = Duration::from_millis(offset_ms.unsigned_abs());
    let shifted = if offset_ms < 0 { now.checked_sub(offset) } else { now.checked_add(offset) };
    shifted.unwrap_or(now)
}

/// Formats a time with all nine digits of its nanoseconds, so that stamps are ordered as text.
fn rfc3339(time: SystemTime) -> String {
    let time = OffsetDateTime::from(time);
    let (hour, minute, second, nanosecond) = time.to_hms_nano();
    format!("{}T{hour:02}:{minute:02}:{second:02}.{nanosecond:09}Z", time.date())
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn stamps_increase_even_when_the_clock_stands_or_goes_back() {
        let mut clock = Clock::default();
        let now = UNIX_EPOCH + Duration::from_secs(951_782_400);
        let stamps = [now, now, UNIX_EPOCH].map(|now| clock.stamp(now, 0));
        assert_eq!(stamps[0], "2000-02-29T00:00:00.000000000Z");
        assert!(stamps.is_sorted_by(|earlier, later| earlier < later), "{stamps:?}");
    }
}
