//! What is unusual about a service, a block or a run: drawn, shown and shortened in one way.

use std::collections::BTreeSet;
use std::fmt;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

/// Something that is usually not the case.
pub(crate) trait Odd: Copy + Ord + 'static {
    /// All of them, each with its chance (one in so many), and its text in a report.
    const ALL: &'static [(Self, u8, &'static str)];
}

/// Defines something odd: each case with its chance, and its text.
macro_rules! odd {
    ($(#[$about:meta])* pub(crate) enum $name:ident {
        $($(#[$about_case:meta])* $case:ident: $chance:literal, $text:literal;)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        pub(crate) enum $name {
            $($(#[$about_case])* $case,)*
        }

        impl $crate::odds::Odd for $name {
            const ALL: &'static [(Self, u8, &'static str)] =
                &[$((Self::$case, $chance, $text),)*];
        }
    };
}
pub(crate) use odd;

/// What is the case of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent, bound(deserialize = "T: Ord + Deserialize<'de>"))]
pub(crate) struct Odds<T>(BTreeSet<T>);

impl<T> Default for Odds<T> {
    fn default() -> Self {
        Self(BTreeSet::new())
    }
}

impl<T: Odd> Odds<T> {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let drawn = T::ALL.iter().filter(|(_, chance, _)| random.u8(..*chance) == 0);
        Self(drawn.map(|(odd, ..)| *odd).collect())
    }

    pub(crate) fn has(&self, odd: T) -> bool {
        self.0.contains(&odd)
    }

    pub(crate) fn has_any(&self, odds: &[T]) -> bool {
        odds.iter().any(|odd| self.has(*odd))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = T> {
        self.0.iter().copied()
    }

    pub(crate) fn toggle(&mut self, odd: T) {
        if !self.0.remove(&odd) {
            self.0.insert(odd);
        }
    }

    pub(crate) fn remove(&mut self, odd: T) {
        self.0.remove(&odd);
    }

    /// Returns the same without one, for each.
    pub(crate) fn simpler(&self) -> Vec<Self> {
        self.iter().map(|odd| with(self, |it| it.remove(odd))).collect()
    }
}

impl<T: Odd> fmt::Display for Odds<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut present = T::ALL.iter().filter(|(odd, ..)| self.has(*odd));
        present.try_for_each(|(_, _, text)| write!(f, ", {text}"))
    }
}

/// Returns a copy with a change.
pub(crate) fn with<T: Clone>(original: &T, change: impl FnOnce(&mut T)) -> T {
    let mut copy = original.clone();
    change(&mut copy);
    copy
}
