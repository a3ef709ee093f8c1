//! Times of the API, which are texts of RFC 3339.

use std::cmp::Ordering;

use ::time::OffsetDateTime;
use ::time::format_description::well_known::Rfc3339;

/// Parses a time of RFC 3339.
fn parse(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339).ok()
}

/// Compares two times at the coarser precision of the two: a service may cut the fraction of a
/// second in reads. `None` if one of them is absent or cannot be parsed.
fn compare(one: Option<&str>, other: Option<&str>) -> Option<Ordering> {
    let one = one?;
    let other = other?;
    let digits = fraction_digits(one).min(fraction_digits(other));
    let cut = |time: OffsetDateTime| {
        let unit = 10_i128.pow(9 - digits);
        time.unix_timestamp_nanos().div_euclid(unit)
    };
    Some(cut(parse(one)?).cmp(&cut(parse(other)?)))
}

/// Returns the number of digits after the decimal point, at most nine.
fn fraction_digits(text: &str) -> u32 {
    let fraction = text.split_once('.').map_or("", |(_, rest)| rest);
    let digits = fraction.bytes().take_while(u8::is_ascii_digit).take(9);
    digits.fold(0, |count, _| count + 1)
}

/// Returns whether one time is before the other. It is not if one of them is not known.
#[must_use]
pub fn is_before(one: Option<&str>, other: Option<&str>) -> bool {
    compare(one, other) == Some(Ordering::Less)
}

/// Returns whether two times are equal. They are not if one of them is not known.
#[must_use]
pub fn is_equal(one: Option<&str>, other: Option<&str>) -> bool {
    compare(one, other) == Some(Ordering::Equal)
}

/// Returns whether two times differ. They do not if one of them is not known.
#[must_use]
pub fn is_different(one: Option<&str>, other: Option<&str>) -> bool {
    compare(one, other).is_some_and(Ordering::is_ne)
}

/// Returns whether two times are equal, also if they cannot be parsed.
#[must_use]
pub fn is_same(one: &str, other: &str) -> bool {
    one == other || is_equal(Some(one), Some(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_compared_at_the_coarser_precision() {
        for (one, other, expected) in [
            ("00:00:00Z", "00:00:01Z", Some(Ordering::Less)),
            ("00:00:00.5Z", "00:00:00.4Z", Some(Ordering::Greater)),
            ("00:00:00.58Z", "00:00:00.5Z", Some(Ordering::Equal)),
            ("00:00:00Z", "00:00:00.999Z", Some(Ordering::Equal)),
            ("00:00:01Z", "00:00:00.999Z", Some(Ordering::Greater)),
            ("01:00:00+01:00", "00:00:00Z", Some(Ordering::Equal)),
            ("00:30:00+01:00", "00:00:00Z", Some(Ordering::Less)),
            ("later", "later", None),
        ] {
            let [first, second] = [one, other].map(|time| format!("2026-01-01T{time}"));
            let first = Some(first.as_str());
            let second = Some(second.as_str());
            assert_eq!(compare(first, second), expected, "{one} {other}");
            let reverse = expected.map(Ordering::reverse);
            assert_eq!(compare(second, first), reverse, "{other} {one}");
            assert_eq!((compare(first, None), compare(None, first)), (None, None));
            let is_known_to_differ = expected.is_some_and(Ordering::is_ne);
            assert_eq!(is_different(first, second), is_known_to_differ, "{one} {other}");
            assert!(!is_different(first, None) && !is_different(None, first));
        }
        assert!(is_same("yesterday", "yesterday") && !is_same("yesterday", "today"));
    }
}
