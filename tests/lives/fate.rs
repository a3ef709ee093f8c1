//! What the network does to the requests of one process.

use std::time::Duration;

use fastrand::Rng;
use serde::{Deserialize, Serialize};

use crate::life::Outside;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Fate {
    /// Single requests fail, each with a probability in percent.
    Noise(u8),
    /// From a request on, every request fails for a number of seconds.
    Outage { from: u8, seconds: u8, failure: Failure },
    /// One request fails.
    Once { at: u8, failure: Failure },
    /// Every write fails.
    Writes(Failure),
    /// The provider's process dies at a request.
    ProviderDies { at: u8, processed: bool },
    /// The host's process dies at a request.
    HostDies { at: u8, processed: bool },
    /// The user interrupts the run at a request.
    Interrupt { at: u8 },
    /// The key is not accepted.
    Unauthorized,
    /// Whenever a role is deleted, somebody else creates another one of its name at once.
    Rival,
    /// Somebody else changes something right before a request is processed.
    Meanwhile { at: u8, outside: Outside },
}

/// How a request fails, and whether the service has processed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) processed: bool,
    pub(crate) end: End,
}

/// What the provider receives instead of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum End {
    Status(u16),
    /// 429 with `Retry-After`, in seconds.
    Wait(u8),
    /// A gateway's page.
    Page,
    /// A gateway's page with the status 200, as of a captive portal.
    Portal,
    /// A gateway's 404, which looks like the service's.
    NotFound,
    /// An error whose message contains the key.
    Echo,
    NotConnected,
    GoAway,
    Reset,
    Hang,
    CutOff,
    Garbage,
    /// A success that shows what there is: the change of an object was not made.
    Unchanged,
    Death,
}

impl Failure {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let (processed, end) = match random.usize(..26) {
            at @ 0..7 => (false, End::Status([429, 500, 502, 503, 504, 403, 423][at])),
            at @ 7..9 => (false, End::Wait([3, 100][at - 7])),
            at @ 9..11 => (true, End::Status([500, 504][at - 9])),
            11 => (false, End::NotConnected),
            12 => (false, End::GoAway),
            13 | 14 => (random.bool(), End::Reset),
            15 | 16 => (random.bool(), End::Hang),
            17 => (true, End::CutOff),
            18 => (true, End::Garbage),
            19 | 20 => (false, End::Page),
            21 => (false, End::NotFound),
            22 => (false, End::Portal),
            23 => (false, End::Unchanged),
            24 => (false, End::Status(302)),
            _ => (false, End::Echo),
        };
        Self { processed, end }
    }
}

impl Fate {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let at = random.u8(1..14);
        match random.u8(..14) {
            0..=3 => Self::Noise(random.u8(3..30)),
            4 | 5 => {
                let seconds = random.u8(1..200);
                Self::Outage { from: at, seconds, failure: Failure::draw(random) }
            }
            6 => Self::Writes(Failure::draw(random)),
            7 => Self::Writes(Failure { processed: false, end: End::NotFound }),
            8 => Self::ProviderDies { at, processed: random.bool() },
            9 => Self::HostDies { at, processed: random.bool() },
            10 => Self::Interrupt { at },
            11 => Self::Rival,
            12 => Self::Meanwhile { at, outside: Outside::draw(random) },
            _ => Self::Unauthorized,
        }
    }

    /// Returns whether no call may fail: an outage of less than a minute, of a service that has
    /// responded.
    pub(crate) fn is_short_outage(&self) -> bool {
        let Self::Outage { from: 2.., seconds: ..=55, failure } = self else { return false };
        let is_status = matches!(failure.end, End::Status(500 | 502 | 504));
        is_status
            || matches!(failure.end, End::CutOff | End::NotConnected | End::GoAway | End::Reset)
    }

    /// Returns the longest time of one call.
    pub(crate) fn call_limit(fate: Option<&Self>) -> Duration {
        let minutes = match fate {
            // A service without any connection is given up after 15 s.
            Some(Self::Outage {
                from: 1,
                seconds: 60..,
                failure: Failure { end: End::NotConnected, .. },
            }) => 1,
            // A few requests with all their attempts, and waits for other calls.
            Some(Self::Noise(_) | Self::Outage { .. } | Self::Once { .. } | Self::Writes(_)) => 40,
            _ => 1,
        };
        Duration::from_secs(60 * minutes)
    }
}
