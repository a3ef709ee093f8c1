//! Durations in Go's syntax (`30s`, `1m30s`, `1.5h`), as the arguments of Terraform's providers
//! have them.
//!
//! ```
//! use std::time::Duration;
//!
//! use plugin_server::duration::parse;
//!
//! let least = Duration::from_millis(1);
//! assert_eq!(parse("1m30s", least), Ok(Duration::from_secs(90)));
//! assert_eq!(parse("0s", least).unwrap_err(), "Must be at least 1ms, not \"0s\".");
//! ```

use std::time::Duration;

/// The longest duration, in whole hours of Go's limit, which is 2^63 - 1 nanoseconds. Times in the
/// future that are computed with it do not overflow.
const LONGEST: Duration = Duration::from_secs(2_562_047 * 3600);

/// Parses a duration: a sign if needed, and one or more decimal numbers, each with a unit (`ns`,
/// `us`, `µs`, `ms`, `s`, `m`, `h`). `0` needs no unit. `least` is in whole milliseconds.
///
/// # Errors
///
/// Returns a sentence about the rule that the text breaks, with the text: it is not a duration,
/// less than `least`, or more than 2562047 hours, which is Go's limit.
pub fn parse(text: &str, least: Duration) -> Result<Duration, String> {
    let rule = match parse_seconds(text) {
        None => "a duration such as `30s` or `1m30s`".to_owned(),
        Some(seconds) if seconds < least.as_secs_f64() => {
            format!("at least {}ms", least.as_millis())
        }
        Some(seconds) => match Duration::try_from_secs_f64(seconds) {
            Ok(duration) if duration <= LONGEST => return Ok(duration),
            _ => format!("at most {}h", LONGEST.as_secs() / 3600),
        },
    };
    Err(format!("Must be {rule}, not {text:?}."))
}

/// Returns the sum of the parts of a duration, such as `1m30s`, in seconds. `None` if a part is not
/// a number with a unit.
fn parse_seconds(text: &str) -> Option<f64> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(number) => (-1.0, number),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0.0);
    }
    let is_digit = |c: char| c.is_ascii_digit() || c == '.';
    let mut total = 0.0;
    loop {
        let (number, after) = rest.split_at(rest.find(|c| !is_digit(c))?);
        let (unit, next) = after.split_at(after.find(is_digit).unwrap_or(after.len()));
        let unit = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * unit;
        if next.is_empty() {
            return Some(sign * total);
        }
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_reads_go_syntax_or_names_the_rule() {
        for (text, milliseconds) in [
            ("30s", 30_000),
            ("1m30s", 90_000),
            ("1.5h", 5_400_000),
            ("1000us", 1),
            ("1000000ns", 1),
            ("1h2m3s4ms", 3_723_004),
            (".5s", 500),
            ("+5s", 5_000),
            ("2562047h", 9_223_369_200_000),
        ] {
            let expected = Ok(Duration::from_millis(milliseconds));
            assert_eq!(parse(text, Duration::from_millis(1)), expected, "{text}");
        }
        for text in ["0", "+0", "-0s"] {
            assert_eq!(parse(text, Duration::ZERO), Ok(Duration::ZERO), "{text}");
        }
        for (rule, texts) in [
            ("at least 1ms", &["0", "500us", "-5s", "-99999999999999999999999h"][..]),
            ("at most 2562047h", &["2562048h", "2562047h1s", "99999999999999999999999h"]),
            (
                "a duration such as",
                &["", "+", "30", "s", "--5s", "+-5s", "5 s", "5x", "1..5s", "1e3s", "5s3"],
            ),
        ] {
            for text in texts {
                let error = parse(text, Duration::from_millis(1)).unwrap_err();
                assert!(error.contains(rule) && error.contains(&format!("{text:?}")), "{error}");
            }
        }
    }
}
