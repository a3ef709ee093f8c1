//! A place for one object, which can show for a while what was before the last write.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::world::Lag;

/// What is there, and what reads still show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Slot<T> {
    current: Option<T>,
    #[serde(skip)]
    earlier: Option<Earlier<T>>,
}

/// What was before the writes that reads do not show yet.
#[derive(Clone, Debug, PartialEq)]
struct Earlier<T> {
    value: Option<T>,
    reads_left: u32,
    until: Instant,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { current: None, earlier: None }
    }
}

impl<T> Slot<T> {
    /// A place whose reads do not lag.
    pub(crate) fn of(value: T) -> Self {
        Self { current: Some(value), earlier: None }
    }

    /// What is there.
    pub(crate) fn current(&self) -> Option<&T> {
        self.current.as_ref()
    }

    /// Writes; reads go on showing what they showed for as long as they lag.
    pub(crate) fn write(&mut self, value: Option<T>, lag: Lag, now: Instant) {
        let before = std::mem::replace(&mut self.current, value);
        let shown = match self.earlier.take() {
            Some(earlier) if earlier.stands(now) => earlier.value,
            _ => before,
        };
        let earlier = Earlier { value: shown, reads_left: lag.reads, until: now + lag.time };
        self.earlier = earlier.stands(now).then_some(earlier);
    }

    /// What one read shows.
    pub(crate) fn read(&mut self, now: Instant) -> Option<&T> {
        let lags = self.earlier.as_ref().is_some_and(|earlier| earlier.stands(now));
        if !lags {
            self.earlier = None;
        }
        match &mut self.earlier {
            Some(earlier) => {
                earlier.reads_left = earlier.reads_left.saturating_sub(1);
                earlier.value.as_ref()
            }
            None => self.current.as_ref(),
        }
    }
}

impl<T> Earlier<T> {
    fn stands(&self, now: Instant) -> bool {
        self.reads_left > 0 || now < self.until
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn reads(slot: &mut Slot<&'static str>, now: Instant) -> [Option<&'static str>; 3] {
        [(); 3].map(|()| slot.read(now).copied())
    }

    #[test]
    fn slot_shows_what_was_before_for_so_many_reads() {
        let now = Instant::now();
        let lag = Lag { reads: 2, ..Lag::default() };
        let mut slot = Slot::default();
        slot.write(Some("a"), lag, now);
        assert_eq!(reads(&mut slot, now), [None, None, Some("a")]);
        slot.write(Some("b"), lag, now);
        assert_eq!(slot.current(), Some(&"b"));
        assert_eq!(slot.read(now), Some(&"a"));
        slot.write(None, lag, now);
        assert_eq!(reads(&mut slot, now), [Some("a"), Some("a"), None]);
    }

    #[test]
    fn slot_shows_what_was_before_for_a_time() {
        let now = Instant::now();
        let lag = Lag { time: Duration::from_secs(1), ..Lag::default() };
        let mut slot = Slot::of("a");
        slot.write(Some("b"), lag, now);
        assert_eq!(slot.read(now + Duration::from_millis(999)), Some(&"a"));
        assert_eq!(slot.read(now + Duration::from_secs(1)), Some(&"b"));
    }

    #[test]
    fn slot_without_lag_shows_what_is_there() {
        let now = Instant::now();
        let mut slot = Slot::default();
        slot.write(Some("a"), Lag::default(), now);
        assert_eq!(slot.read(now), Some(&"a"));
    }
}
