//! Durations in Go's syntax (`30s`, `1m30s`, `1.5h`), as Terraform's own settings write them.

use std::time::Duration;

/// The longest duration, in whole hours of Go's limit, which is 2^63 - 1 nanoseconds. Times in the
/// future that are computed with it do not overflow.
pub(crate) const LONGEST: Duration = Duration::from_secs(2_562_047 * 3600);

/// A duration that was parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parsed {
    /// Less than zero.
    Negative,
    /// A duration of at most [`LONGEST`].
    Duration(Duration),
    /// More than [`LONGEST`].
    TooLong,
}

/// Parses a duration: a sign if needed, and one or more decimal numbers, each with a unit (`ns`,
/// `us`, `µs`, `ms`, `s`, `m`, `h`). `0` needs no unit. Returns `None` for anything else.
pub(crate) fn parse(text: &str) -> Option<Parsed> {
    let (negative, number) = match text.strip_prefix('-') {
        Some(number) => (true, number),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let seconds = if number == "0" { 0.0 } else { parse_seconds(number)? };
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|total| *total <= LONGEST);
    Some(match duration {
        Some(duration) if !negative || duration.is_zero() => Parsed::Duration(duration),
        _ if negative => Parsed::Negative,
        _ => Parsed::TooLong,
    })
}

/// Parses the numbers of a duration, and returns their sum in seconds.
fn parse_seconds(text: &str) -> Option<f64> {
    let mut rest = text;
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(digits);
        let unit_length =
            after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_length);
        let seconds = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        let number: f64 = number.parse().ok()?;
        total += number * seconds;
        rest = next;
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_reads_go_syntax() {
        let milliseconds = |number| Some(Parsed::Duration(Duration::from_millis(number)));
        let cases = [
            ("0", milliseconds(0)),
            ("30s", milliseconds(30_000)),
            ("1m30s", milliseconds(90_000)),
            ("1.5h", milliseconds(5_400_000)),
            ("250ms", milliseconds(250)),
            ("1h2m3s4ms", milliseconds(3_723_004)),
            (".5s", milliseconds(500)),
            ("+5s", milliseconds(5_000)),
            ("+0", milliseconds(0)),
            ("-0s", milliseconds(0)),
            ("2562047h", Some(Parsed::Duration(LONGEST))),
            ("2562048h", Some(Parsed::TooLong)),
            ("2562047h1s", Some(Parsed::TooLong)),
            ("99999999999999999999999h", Some(Parsed::TooLong)),
            ("-5s", Some(Parsed::Negative)),
            ("-99999999999999999999999h", Some(Parsed::Negative)),
            ("", None),
            ("+", None),
            ("30", None),
            ("s", None),
            ("--5s", None),
            ("+-5s", None),
            ("5 s", None),
            ("5x", None),
            ("1..5s", None),
            ("1e3s", None),
        ];
        for (text, parsed) in cases {
            assert_eq!(parse(text), parsed, "{text:?}");
        }
    }
}
