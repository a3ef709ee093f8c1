//! A stored object, whose reads can lag behind the last write.

use std::time::Instant;

use crate::rules::Read;
use crate::world_rules::{Lag, LagSpan};

/// The current value, and the values that lagging reads still return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot<T> {
    current: Option<T>,
    /// The number of lagging reads that are left, of both kinds together.
    reads_left: u32,
    get: Option<Earlier<T>>,
    list: Option<Earlier<T>>,
}

/// The value before the writes that reads of one kind do not return yet.
#[derive(Clone, Debug, PartialEq)]
struct Earlier<T> {
    value: Option<T>,
    reads_left: u32,
    until: Instant,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { current: None, reads_left: 0, get: None, list: None }
    }
}

impl<T: Clone> Slot<T> {
    /// Returns a slot whose reads do not lag.
    pub(crate) fn of(value: T) -> Self {
        Self { current: Some(value), ..Self::default() }
    }

    /// Returns the current value.
    pub(crate) fn current(&self) -> Option<&T> {
        self.current.as_ref()
    }

    /// Writes a value. Lagging reads continue to return the earlier value.
    pub(crate) fn write(&mut self, value: Option<T>, lag: Lag, now: Instant) {
        let before = std::mem::replace(&mut self.current, value);
        let lagging = self.reads_left;
        self.reads_left = lag.any.reads;
        let until = now + lag.any.time;
        let after = |earlier: &mut Option<Earlier<T>>, span: LagSpan| {
            let value = match earlier.take() {
                Some(earlier) if lagging > 0 || earlier.applies(now) => earlier.value,
                _ => before.clone(),
            };
            let until = until.max(now + span.time);
            let new = Earlier { value, reads_left: span.reads, until };
            (lag.any.reads > 0 || new.applies(now)).then_some(new)
        };
        self.get = after(&mut self.get, lag.get);
        self.list = after(&mut self.list, lag.list);
    }

    /// Ends the lag: every read returns the current value.
    pub(crate) fn end_lag(&mut self) {
        *self = Self { current: self.current.take(), ..Self::default() };
    }

    /// Reads the value once, which counts as one lagging read.
    pub(crate) fn read(&mut self, kind: Read, now: Instant) -> Option<&T> {
        let earlier = match kind {
            Read::Get => &mut self.get,
            Read::List => &mut self.list,
        };
        if self.reads_left == 0 && !earlier.as_ref().is_some_and(|earlier| earlier.applies(now)) {
            *earlier = None;
        }
        match earlier {
            Some(earlier) => {
                self.reads_left = self.reads_left.saturating_sub(1);
                earlier.reads_left = earlier.reads_left.saturating_sub(1);
                earlier.value.as_ref()
            }
            None => self.current.as_ref(),
        }
    }
}

impl<T> Earlier<T> {
    fn applies(&self, now: Instant) -> bool {
        self.reads_left > 0 || now < self.until
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn reads(slot: &mut Slot<&'static str>, now: Instant) -> [Option<&'static str>; 3] {
        [(); 3].map(|()| slot.read(Read::Get, now).copied())
    }

    #[test]
    fn slot_shows_what_was_before_for_so_many_reads() {
        let now = Instant::now();
        let lag = Lag { any: LagSpan { reads: 2, ..LagSpan::default() }, ..Lag::default() };
        let mut slot = Slot::default();
        slot.write(Some("a"), lag, now);
        assert_eq!(reads(&mut slot, now), [None, None, Some("a")]);
        slot.write(Some("b"), lag, now);
        assert_eq!(slot.current(), Some(&"b"));
        assert_eq!(slot.read(Read::Get, now), Some(&"a"));
        slot.write(None, lag, now);
        assert_eq!(reads(&mut slot, now), [Some("a"), Some("a"), None]);
    }

    #[test]
    fn slot_shows_what_was_before_for_a_time() {
        let now = Instant::now();
        let span = LagSpan { time: Duration::from_secs(1), ..LagSpan::default() };
        let lag = Lag { any: span, ..Lag::default() };
        let mut slot = Slot::of("a");
        slot.write(Some("b"), lag, now);
        assert_eq!(slot.read(Read::Get, now + Duration::from_millis(999)), Some(&"a"));
        assert_eq!(slot.read(Read::Get, now + Duration::from_secs(1)), Some(&"b"));
    }

    #[test]
    fn slot_shows_the_current_value_once_its_lag_is_ended() {
        let now = Instant::now();
        let mut slot = Slot::of("a");
        let lag = Lag { any: LagSpan { reads: 9, ..LagSpan::default() }, ..Lag::default() };
        slot.write(Some("b"), lag, now);
        assert_eq!(slot.read(Read::Get, now), Some(&"a"));
        slot.end_lag();
        assert_eq!(slot.read(Read::Get, now), Some(&"b"));
        assert_eq!(slot.read(Read::List, now), Some(&"b"));
    }

    #[test]
    fn slot_without_lag_shows_what_is_there() {
        let now = Instant::now();
        let mut slot = Slot::default();
        slot.write(Some("a"), Lag::default(), now);
        assert_eq!(slot.read(Read::Get, now), Some(&"a"));
    }

    #[test]
    fn slot_lags_for_each_kind_of_read_by_itself() {
        let now = Instant::now();
        let span = |reads| LagSpan { reads, ..LagSpan::default() };
        let mut slot = Slot::of("a");
        slot.write(Some("b"), Lag { list: span(2), ..Lag::default() }, now);
        assert_eq!(slot.read(Read::Get, now), Some(&"b"));
        assert_eq!(slot.read(Read::List, now), Some(&"a"));
        slot.write(Some("c"), Lag { get: span(1), ..Lag::default() }, now);
        assert_eq!(slot.read(Read::List, now), Some(&"c"));
        assert_eq!(slot.read(Read::Get, now), Some(&"b"));
        assert_eq!(slot.read(Read::Get, now), Some(&"c"));
    }
}
