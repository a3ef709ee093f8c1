//! Time stamps (RFC 3339 with nanoseconds) and the dates of HTTP headers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

/// The service's clock. While its offset stays the same, no two of its time stamps are equal.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    last: Duration,
    offset_ms: i64,
}

impl Clock {
    /// Returns a time stamp: the service's time or, if clocks are coarse or were set back, a
    /// nanosecond after the last stamp. After a change of the offset, stamps may go back.
    pub(crate) fn stamp(&mut self, now: SystemTime, offset_ms: i64) -> String {
        if self.offset_ms != offset_ms {
            *self = Self { last: Duration::ZERO, offset_ms };
        }
        let now = service_time(now, offset_ms);
        let since_epoch = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.last = since_epoch.max(self.last + Duration::from_nanos(1));
        rfc3339(self.last)
    }
}

/// Returns the time of a clock that is ahead by an offset, or behind if it is negative.
pub(crate) fn service_time(now: SystemTime, offset_ms: i64) -> SystemTime {
    let offset = Duration::from_millis(offset_ms.unsigned_abs());
    let shifted = if offset_ms < 0 { now.checked_sub(offset) } else { now.checked_add(offset) };
    shifted.unwrap_or(now)
}

fn rfc3339(since_epoch: Duration) -> String {
    let (year, month, day) = civil(since_epoch.as_secs() / SECONDS_PER_DAY);
    let (hour, minute, second) = time_of_day(since_epoch.as_secs());
    let nanoseconds = since_epoch.subsec_nanos();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nanoseconds:09}Z")
}

/// Formats the date of an HTTP header (RFC 9110, section 5.6.7).
pub(crate) fn http_date(time: SystemTime) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]; // 1970-01-01 was a Thursday
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let seconds = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let days = seconds / SECONDS_PER_DAY;
    let (year, month, day) = civil(days);
    let (hour, minute, second) = time_of_day(seconds);
    let weekday = DAYS.iter().cycle().nth((days % 7) as usize).copied().unwrap_or_default();
    let month = MONTHS.get(month as usize - 1).copied().unwrap_or_default();
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

fn time_of_day(seconds: u64) -> (u64, u64, u64) {
    let second = seconds % SECONDS_PER_DAY;
    (second / 3600, second / 60 % 60, second % 60)
}

/// Returns the year, month and day of a day counted from 1970-01-01. Years start in March here, so
/// that the leap day is the last one. An era is the 400 years after which the calendar repeats.
fn civil(days_since_epoch: u64) -> (u64, u64, u64) {
    const DAYS_FROM_0000_03_01_TO_EPOCH: u64 = 719_468;
    const DAYS_PER_ERA: u64 = 146_097;
    let days = days_since_epoch + DAYS_FROM_0000_03_01_TO_EPOCH;
    let day_of_era = days % DAYS_PER_ERA;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = days / DAYS_PER_ERA * 400 + year_of_era + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamp_is_written_as_rfc3339() {
        let table = [
            (0, 0, "1970-01-01T00:00:00.000000000Z"),
            (951_782_399, 1, "2000-02-28T23:59:59.000000001Z"),
            (951_782_400, 0, "2000-02-29T00:00:00.000000000Z"),
            (1_735_689_599, 999_999_999, "2024-12-31T23:59:59.999999999Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000000000Z"),
        ];
        for (seconds, nanoseconds, expected) in table {
            assert_eq!(rfc3339(Duration::new(seconds, nanoseconds)), expected);
        }
    }

    #[test]
    fn stamps_increase_even_when_the_clock_stands_or_goes_back() {
        let mut clock = Clock::default();
        let now = UNIX_EPOCH + Duration::from_secs(100);
        let stamps = [now, now, UNIX_EPOCH].map(|now| clock.stamp(now, 0));
        assert_eq!(stamps[0], "1970-01-01T00:01:40.000000000Z");
        assert!(stamps.is_sorted_by(|earlier, later| earlier < later), "{stamps:?}");
    }

    #[test]
    fn stamp_follows_the_offset_ahead_and_back() {
        let mut clock = Clock::default();
        let now = UNIX_EPOCH + Duration::from_secs(100);
        assert_eq!(clock.stamp(now, 60_000), "1970-01-01T00:02:40.000000000Z");
        assert_eq!(clock.stamp(now, -40_000), "1970-01-01T00:01:00.000000000Z");
        assert_eq!(clock.stamp(now, -40_000), "1970-01-01T00:01:00.000000001Z");
    }

    #[test]
    fn http_date_is_written_as_in_headers() {
        // The example of RFC 9110, section 5.6.7.
        let time = UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(http_date(time), "Sun, 06 Nov 1994 08:49:37 GMT");
    }
}
