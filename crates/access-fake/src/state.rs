//! The state behind the service's lock: settings, stored objects, keys, faults and the log.

use std::time::SystemTime;

use tokio::time::Instant;

use crate::clock::{Clock, service_time};
use crate::fault::Faults;
use crate::limiter::Limiter;
use crate::request_log::Log;
use crate::store::Store;
use crate::world::World;

/// The permissions of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// All operations.
    Admin,
    /// Read and write. Updates of roles require a mask and cannot set `resources`.
    Member,
    /// Read only.
    Reader,
}

/// A key. It does not implement `Debug`, so that the secret is not printed by accident.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) secret: String,
    pub(crate) rank: Rank,
}

/// The identified caller of a request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    /// The name of the key.
    pub(crate) key: String,
    pub(crate) rank: Rank,
    /// Whether the caller is the infrastructure-as-code provider.
    pub(crate) is_provider: bool,
}

pub(crate) struct State {
    pub(crate) world: World,
    pub(crate) store: Store,
    pub(crate) keys: Vec<Key>,
    pub(crate) faults: Faults,
    pub(crate) limiter: Limiter,
    pub(crate) log: Log,
    pub(crate) started: Instant,
    /// The time of the system when the service started. Later times are counted from it by the clock of
    /// tokio, which tests pause.
    began: SystemTime,
    /// The number of served pages. It varies the random selection in lists.
    pub(crate) pages: u64,
    /// The number of connections so far.
    pub(crate) connections: u64,
    clock: Clock,
}

impl State {
    /// Creates the state with the default keys, listings and integrations.
    pub(crate) fn seeded(world: World) -> Self {
        Self::seeded_at(world, SystemTime::now())
    }

    /// Creates the state at a time.
    pub(crate) fn seeded_at(world: World, began: SystemTime) -> Self {
        let keys = [
            ("admin", "admin-key", Rank::Admin),
            ("member", "member-key", Rank::Member),
            ("reader", "reader-key", Rank::Reader),
        ];
        let keys = keys.map(|(name, secret, rank)| Key {
            name: name.to_owned(),
            secret: secret.to_owned(),
            rank,
        });
        let mut clock = Clock::default();
        let now = clock.stamp(began, world.clock_offset_ms);
        Self {
            world,
            store: Store::seeded(&now),
            keys: keys.into(),
            faults: Faults::default(),
            limiter: Limiter::default(),
            log: Log::default(),
            started: Instant::now(),
            began,
            pages: 0,
            connections: 0,
            clock,
        }
    }

    /// Returns the time of the service's clock.
    pub(crate) fn now(&self) -> SystemTime {
        service_time(self.system_time(), self.world.clock_offset_ms)
    }

    /// Returns a new time stamp.
    pub(crate) fn stamp(&mut self) -> String {
        let now = self.system_time();
        self.clock.stamp(now, self.world.clock_offset_ms)
    }

    fn system_time(&self) -> SystemTime {
        self.began.checked_add(self.started.elapsed()).unwrap_or(self.began)
    }

    /// Returns the key with a secret.
    pub(crate) fn key(&self, secret: Option<&str>) -> Option<&Key> {
        self.keys.iter().find(|key| Some(key.secret.as_str()) == secret)
    }
}
