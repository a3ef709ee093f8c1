//! Reproducible random numbers.

/// The SplitMix64 generator. The same seed produces the same numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next number from 0 to 1.
    pub(crate) fn draw(&mut self) -> f64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // The upper 32 bits are exactly representable.
        f64::from(u32::try_from((mixed ^ (mixed >> 31)) >> 32).unwrap_or_default())
            / f64::from(u32::MAX)
    }
}
