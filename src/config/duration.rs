//! Durations in Go's syntax (`30s`, `1m30s`, `1.5h`), as Terraform's own settings write them.

use std::time::Duration;

/// Reads a duration: one or more decimal numbers, each with a unit (`ns`, `us`, `µs`, `ms`, `s`,
/// `m`, `h`). `0` needs no unit. Returns `None` for anything else, negative durations included.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
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
        total = total.checked_add(Duration::try_from_secs_f64(number * seconds).ok()?)?;
        rest = next;
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_reads_go_syntax() {
        let cases = [
            ("0", Some(0)),
            ("30s", Some(30_000)),
            ("1m30s", Some(90_000)),
            ("1.5h", Some(5_400_000)),
            ("250ms", Some(250)),
            ("1h2m3s4ms", Some(3_723_004)),
            (".5s", Some(500)),
            ("", None),
            ("30", None),
            ("s", None),
            ("-5s", None),
            ("+5s", None),
            ("5 s", None),
            ("5x", None),
            ("1..5s", None),
            ("1e3s", None),
            ("99999999999999999999999h", None),
        ];
        for (text, milliseconds) in cases {
            assert_eq!(parse(text), milliseconds.map(Duration::from_millis), "{text:?}");
        }
    }
}
