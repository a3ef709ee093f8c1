//! Times of the API.

use std::time::Duration;

use ::time::OffsetDateTime;
use ::time::format_description::well_known::Rfc3339;

/// The time after a write in which a response that does not show it counts as lagging. It is longer
/// than the lag of any replica that would still be in use.
pub(crate) const LAG: Duration = Duration::from_secs(5 * 60);

/// Parses a timestamp of the API.
pub(crate) fn parse_time(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// Returns whether one time is before the other. It is not if one of them cannot be parsed.
pub(crate) fn is_before(one: Option<&str>, other: Option<&str>) -> bool {
    let time = |text: Option<&str>| text.and_then(parse_time);
    matches!((time(one), time(other)), (Some(one), Some(other)) if one < other)
}

/// Returns whether two times are known and equal.
pub(crate) fn is_equal(one: Option<&str>, other: Option<&str>) -> bool {
    let time = |text: Option<&str>| text.and_then(parse_time);
    time(one).is_some() && time(one) == time(other)
}

/// Returns whether two times are equal, also if they cannot be parsed. The service may write one time in
/// several forms.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    one == other || is_equal(Some(one), Some(other))
}

/// Returns whether something happened less than [`LAG`] before `now`, in seconds since the epoch.
pub(crate) fn is_recent(seconds: i64, now: OffsetDateTime) -> bool {
    OffsetDateTime::from_unix_timestamp(seconds).is_ok_and(|then| now - then < LAG)
}

/// Returns the `Date` of the service's response, or the local time if there is none.
pub(crate) fn now(date: Option<OffsetDateTime>) -> OffsetDateTime {
    date.unwrap_or_else(OffsetDateTime::now_utc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_and_not_their_texts() {
        let cases = [
            (Some("2026-01-01T00:00:00Z"), Some("2026-01-01T00:00:01Z"), true, false),
            (Some("2026-01-01T00:00:00.5Z"), Some("2026-01-01T00:00:00.25Z"), false, false),
            (Some("2026-01-01T01:00:00+01:00"), Some("2026-01-01T00:00:00Z"), false, true),
            (Some("2026-01-01T00:30:00+01:00"), Some("2026-01-01T00:00:00Z"), true, false),
            (Some("yesterday"), Some("yesterday"), false, false),
            (None, None, false, false),
            (Some("2026-01-01T00:00:00Z"), None, false, false),
        ];
        for (one, other, before, equal) in cases {
            assert_eq!(is_before(one, other), before, "{one:?} {other:?}");
            assert_eq!(is_equal(one, other), equal, "{one:?} {other:?}");
        }
    }
}
