//! The rate limiter: a token bucket.

use std::time::{Duration, Instant};

use crate::world::RateLimit;

/// The level of the bucket, which is full at first.
#[derive(Debug, Default)]
pub(crate) struct Limiter {
    missing: f64,
    at: Option<Instant>,
}

impl Limiter {
    /// Takes one token.
    ///
    /// # Errors
    ///
    /// The bucket is empty; the error is the time until the next token.
    pub(crate) fn take(&mut self, limit: &RateLimit, now: Instant) -> Result<(), Duration> {
        let since = self.at.map_or(Duration::ZERO, |at| now.saturating_duration_since(at));
        self.at = Some(now);
        self.missing = (self.missing - since.as_secs_f64() * limit.per_second).max(0.0);
        let beyond = self.missing + 1.0 - f64::from(limit.burst.max(1));
        if beyond > 0.0 {
            let wait = Duration::try_from_secs_f64(beyond / limit.per_second);
            return Err(wait.unwrap_or(Duration::MAX));
        }
        self.missing += 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limiter_lets_a_burst_pass_and_then_the_rate() {
        let limit = RateLimit { per_second: 2.0, burst: 3 };
        let start = Instant::now();
        let mut limiter = Limiter::default();
        for _ in 0..3 {
            assert_eq!(limiter.take(&limit, start), Ok(()));
        }
        assert_eq!(limiter.take(&limit, start), Err(Duration::from_millis(500)));
        let later = start + Duration::from_millis(500);
        assert_eq!(limiter.take(&limit, later), Ok(()));
        assert!(limiter.take(&limit, later).is_err());
        let much_later = start + Duration::from_secs(60);
        for _ in 0..3 {
            assert_eq!(limiter.take(&limit, much_later), Ok(()));
        }
        assert!(limiter.take(&limit, much_later).is_err());
    }
}
