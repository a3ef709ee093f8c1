//! Parsing of the `Date` and `Retry-After` headers.

use std::time::{Duration, SystemTime};

/// The longest wait that is returned. A call with a longer wait fails anyway, and sums do not
/// overflow.
const MAX_WAIT: Duration = Duration::from_secs(7 * 24 * 3600);

/// Parses a `Retry-After` header: seconds, or an HTTP date. The date is compared with the
/// response's `Date`, because the clocks of the two machines may differ.
pub(crate) fn parse(value: &str, date: Option<&str>, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number beyond 64 bits is a very long wait and not an error.
        let seconds = value.parse().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(MAX_WAIT));
    }
    if let Ok(seconds) = value.parse::<f64>()
        && seconds.is_finite()
        && seconds >= 0.0
    {
        return Some(Duration::try_from_secs_f64(seconds).unwrap_or(MAX_WAIT).min(MAX_WAIT));
    }
    let until = parse_date(value)?;
    let responded = date.and_then(parse_date).unwrap_or(now);
    Some(until.duration_since(responded).unwrap_or_default().min(MAX_WAIT))
}

/// Parses an HTTP date in any of the three forms of RFC 9110, 5.6.7.
pub(crate) fn parse_date(value: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(value.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATE: &str = "Sun, 06 Nov 1994 08:49:37 GMT";

    #[test]
    fn retry_after_reads_seconds_and_the_three_dates() {
        let cases = [
            ("0", Some(0)),
            ("7", Some(7)),
            (" 7 ", Some(7)),
            ("99999999999999999999999", Some(MAX_WAIT.as_secs())),
            ("Sun, 06 Nov 1994 08:49:47 GMT", Some(10)),
            ("Sunday, 06-Nov-94 08:49:47 GMT", Some(10)),
            ("Sun Nov  6 08:49:47 1994", Some(10)),
            ("Sun, 06 Nov 1994 08:49:27 GMT", Some(0)),
            ("Fri, 31 Dec 9999 23:59:59 GMT", Some(MAX_WAIT.as_secs())),
            ("-5", None),
            ("soon", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
        ];
        for (value, seconds) in cases {
            let wait = parse(value, Some(DATE), SystemTime::now());
            assert_eq!(wait, seconds.map(Duration::from_secs), "{value:?}");
        }
        // Without a date, this clock counts.
        let wait = parse("Sun, 06 Nov 1994 08:49:47 GMT", None, parse_date(DATE).unwrap());
        assert_eq!(wait, Some(Duration::from_secs(10)));
    }

    proptest::proptest! {
        #[test]
        fn retry_after_survives_anything(value in ".*", date in proptest::option::of(".*")) {
            let wait = parse(&value, date.as_deref(), SystemTime::now());
            proptest::prop_assert!(wait.is_none_or(|wait| wait <= MAX_WAIT));
        }
    }
}
