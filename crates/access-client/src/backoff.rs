//! The wait before a further attempt of a call.

use std::time::Duration;

/// The first backoff of a call; each further one is twice as long, up to [`MAX_BACKOFF`].
const FIRST_BACKOFF: Duration = Duration::from_millis(250);
const MAX_BACKOFF: Duration = Duration::from_secs(20);

/// Returns the backoff before a further attempt: exponential, with full jitter, so that calls that
/// failed together do not return together. `attempt` counts from 1; `random` is from 0 to 1.
pub(crate) fn backoff(attempt: u32, random: f64) -> Duration {
    doubled(FIRST_BACKOFF, attempt.saturating_sub(1), MAX_BACKOFF).mul_f64(random.clamp(0.0, 1.0))
}

/// Returns `first`, doubled `times` times, but at most `longest`.
pub(crate) fn doubled(first: Duration, times: u32, longest: Duration) -> Duration {
    first.saturating_mul(2_u32.saturating_pow(times.min(16))).min(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_its_limit() {
        let full: Vec<_> = (1..=9).map(|attempt| backoff(attempt, 1.0).as_millis()).collect();
        assert_eq!(full, [250, 500, 1000, 2000, 4000, 8000, 16000, 20000, 20000]);
        assert_eq!(backoff(3, 0.5).as_millis(), 500);
        assert_eq!(backoff(u32::MAX, 0.0), Duration::ZERO);
    }
}
