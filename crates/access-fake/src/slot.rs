//! A stored object, whose reads can lag behind the last write.

use crate::rules::Read;
use crate::world_rules::Lag;

/// The current value, and the values that lagging reads still return.
#[derive(Clone, Debug)]
pub(crate) struct Slot<T> {
    current: Option<T>,
    get: Option<Earlier<T>>,
    list: Option<Earlier<T>>,
}

/// The value before the writes that reads of one kind do not return yet.
#[derive(Clone, Debug)]
struct Earlier<T> {
    value: Option<T>,
    /// The number of further reads that return it.
    reads_left: u32,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { current: None, get: None, list: None }
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
    pub(crate) fn write(&mut self, value: Option<T>, lag: Lag) {
        let before = std::mem::replace(&mut self.current, value);
        for (earlier, reads_left) in [(&mut self.get, lag.get), (&mut self.list, lag.list)] {
            let lagging = earlier.take().filter(|earlier| earlier.reads_left > 0);
            *earlier = (reads_left > 0).then(|| {
                let value = lagging.map_or_else(|| before.clone(), |lagging| lagging.value);
                Earlier { value, reads_left }
            });
        }
    }

    /// Ends the lag: every read returns the current value.
    pub(crate) fn end_lag(&mut self) {
        (self.get, self.list) = (None, None);
    }

    /// Reads the value once.
    pub(crate) fn read(&mut self, kind: Read) -> Option<&T> {
        let earlier = match kind {
            Read::Get => &mut self.get,
            Read::List => &mut self.list,
        };
        match earlier.as_mut().filter(|earlier| earlier.reads_left > 0) {
            Some(earlier) => {
                earlier.reads_left -= 1;
                earlier.value.as_ref()
            }
            None => self.current.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads<const N: usize>(
        slot: &mut Slot<&'static str>,
        kind: Read,
    ) -> [Option<&'static str>; N] {
        [(); N].map(|()| slot.read(kind).copied())
    }

    #[test]
    fn each_kind_of_read_returns_the_earlier_value_for_its_number_of_reads() {
        let mut slot = Slot::default();
        slot.write(Some("a"), Lag { get: 2, list: 1 });
        assert_eq!(reads(&mut slot, Read::Get), [None, None, Some("a")]);
        assert_eq!(reads(&mut slot, Read::List), [None, Some("a")]);
        slot.write(Some("b"), Lag { get: 1, list: 0 });
        // The value before the first write whose lag is not over.
        slot.write(None, Lag { get: 1, list: 0 });
        assert_eq!(reads(&mut slot, Read::List), [None]);
        assert_eq!(reads(&mut slot, Read::Get), [Some("a"), None]);
        slot.write(Some("c"), Lag { get: 9, list: 9 });
        slot.end_lag();
        assert_eq!(reads(&mut slot, Read::Get), [Some("c")]);
    }
}
