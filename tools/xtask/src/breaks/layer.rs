//! The layers of tests that a break meets.

use std::fmt;
use std::time::Duration;

/// The tests that a break meets, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Layer {
    /// The unit tests of `src`.
    Units,
    /// The tests of the crate that has the break.
    Crates,
    Protocol,
    /// Simulated lives: [`LIVES_COUNT`] of them.
    Lives,
    /// With a real terraform.
    Acceptance,
}

pub(super) const LAYERS: [Layer; 5] =
    [Layer::Units, Layer::Crates, Layer::Protocol, Layer::Lives, Layer::Acceptance];

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Units => "units",
            Self::Crates => "crates",
            Self::Protocol => "protocol",
            Self::Lives => "lives",
            Self::Acceptance => "acceptance",
        })
    }
}

impl Layer {
    /// The time after which a break counts as noticed, by a hang only.
    pub(super) fn limit(self) -> Duration {
        Duration::from_secs(match self {
            Self::Units => 180,
            Self::Crates => 600,
            Self::Protocol => 600,
            Self::Lives => 900,
            Self::Acceptance => 2400,
        })
    }

    /// The beginning of the names of its tests.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Units | Self::Crates => "",
            Self::Protocol => "protocol::",
            Self::Lives => LIVES,
            Self::Acceptance => "acceptance::",
        }
    }
}

/// How many lives are played for a break.
pub(super) const LIVES_COUNT: &str = "1000";
/// The only test of [`Layer::Lives`].
pub(super) const LIVES: &str = "lives_keep_every_rule";
