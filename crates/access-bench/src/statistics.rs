//! Quantiles, and the formats of figures.

use std::time::Duration;

/// Returns the quantile of the nearest rank; `share` is between 0 and 1. Without values it is zero.
pub(crate) fn quantile<T: Copy + Default + PartialOrd>(values: &[T], share: f64) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "a rank among values that fit into memory"
    )]
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
}

/// Returns the median; of an even number of values, the lower one of the two in the middle.
pub(crate) fn median<T: Copy + Default + PartialOrd>(values: &[T]) -> T {
    quantile(values, 0.5)
}

/// Formats a duration in seconds: `1.23 s`.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Formats a duration below a second: `1.23 ms` or `123 µs`.
pub(crate) fn short(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    if milliseconds >= 1.0 {
        format!("{milliseconds:.2} ms")
    } else {
        format!("{:.0} µs", milliseconds * 1e3)
    }
}

/// Formats bytes in millions: `12.3 MB`.
#[allow(clippy::cast_precision_loss, reason = "three digits are shown")]
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// Formats the ratio of two durations: `1.50×`.
pub(crate) fn ratio(time: Duration, floor: Duration) -> String {
    format!("{:.2}×", time.as_secs_f64() / floor.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_the_middle_of_any_order() {
        assert_eq!(median(&[9, 1, 5]), 5);
        assert_eq!(median(&[4, 1, 2, 3]), 2);
        assert_eq!(median::<u32>(&[]), 0);
    }

    #[test]
    fn quantile_is_a_value_that_was_measured() {
        let values: Vec<u32> = (1..=200).collect();
        assert_eq!(quantile(&values, 0.99), 198);
        assert_eq!(quantile(&values, 1.0), 200);
        assert_eq!(quantile(&[7], 0.01), 7);
    }

    #[test]
    fn numbers_have_their_units() {
        assert_eq!(seconds(Duration::from_millis(1_234)), "1.23 s");
        assert_eq!(short(Duration::from_micros(1_234)), "1.23 ms");
        assert_eq!(short(Duration::from_nanos(123_400)), "123 µs");
        assert_eq!(megabytes(12_340_000), "12.3 MB");
        assert_eq!(ratio(Duration::from_secs(3), Duration::from_secs(2)), "1.50×");
    }
}
