//! The state behind the service's lock: settings, stored objects, keys, faults and the log.

use std::collections::BTreeMap;
use std::time::SystemTime;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::clock::{Clock, service_time};
use crate::fault::Faults;
use crate::kind::Kind;
use crate::limiter::Limiter;
use crate::names::Target;
use crate::object::Object;
use crate::request_log::Log;
use crate::response::ApiError;
use crate::slot::Slot;
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

/// The roles of a listing or the owners of an integration.
#[derive(Default)]
pub(crate) struct Collection {
    /// The `management` field of the roles; `None` for a manually managed listing.
    pub(crate) management: Option<Value>,
    /// Whether only the infrastructure-as-code provider can write the roles.
    pub(crate) provider_only: bool,
    pub(crate) slots: BTreeMap<String, Slot<Object>>,
    /// The number of generated IDs.
    generated: u64,
}

impl Collection {
    /// Returns the current objects, regardless of lag.
    pub(crate) fn existing(&self) -> impl Iterator<Item = (&String, &Object)> {
        self.slots.iter().filter_map(|(id, slot)| Some((id, slot.current()?)))
    }

    /// Returns an object, regardless of lag.
    pub(crate) fn current(&self, target: &Target) -> Option<&Object> {
        self.slots.get(target.id.as_ref()?)?.current()
    }

    /// Returns the versions of an object, none if it never existed.
    pub(crate) fn slot(&mut self, target: &Target) -> &mut Slot<Object> {
        self.slots.entry(target.id.clone().unwrap_or_default()).or_default()
    }

    /// Returns an ID of the service's own that no object has.
    pub(crate) fn new_id(&mut self) -> String {
        loop {
            self.generated += 1;
            let id = format!("own-{}", self.generated);
            if self.slots.get(&id).is_none_or(|slot| slot.current().is_none()) {
                return id;
            }
        }
    }
}

/// Everything that the service stores.
pub(crate) struct State {
    pub(crate) world: World,
    /// By the kind of the objects and the parent's ID.
    pub(crate) collections: BTreeMap<(Kind, String), Collection>,
    pub(crate) keys: Vec<Key>,
    pub(crate) faults: Faults,
    pub(crate) limiter: Limiter,
    pub(crate) log: Log,
    pub(crate) started: Instant,
    /// The time of the system when the service started. Later times are counted from it by the
    /// clock of tokio, which tests pause.
    began: SystemTime,
    /// The number of served pages. It varies the random selection in lists.
    pub(crate) pages: u64,
    clock: Clock,
}

impl State {
    /// Creates the state at a time, with the default keys and parents.
    pub(crate) fn seeded(world: World, began: SystemTime) -> Self {
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
        let mut state = Self {
            world,
            collections: BTreeMap::new(),
            keys: keys.into(),
            faults: Faults::default(),
            limiter: Limiter::default(),
            log: Log::default(),
            started: Instant::now(),
            began,
            pages: 0,
            clock: Clock::default(),
        };
        for kind in Kind::ALL {
            for parent in kind.parents() {
                state.add(kind, parent);
            }
        }
        let iac = state.add(Kind::Role, "iac");
        (iac.management, iac.provider_only) = (Some(json!("TERRAFORM")), true);
        state
    }

    /// Returns a collection, which is added with its first object unless it exists.
    pub(crate) fn add(&mut self, kind: Kind, parent: &str) -> &mut Collection {
        let key = (kind, parent.to_owned());
        let first = kind.first_id().filter(|_| !self.collections.contains_key(&key));
        let first = first.map(|id| (id.to_owned(), Slot::of(kind.made_up(id, &self.stamp()))));
        let collection = self.collections.entry(key).or_default();
        collection.slots.extend(first);
        collection
    }

    /// Returns the collection of an object.
    pub(crate) fn collection(&self, target: &Target) -> Option<&Collection> {
        self.collections.get(&(target.kind, target.parent.clone()))
    }

    /// Returns the settings, and the collection of an object.
    ///
    /// # Errors
    ///
    /// The parent does not exist.
    pub(crate) fn world_and_collection(
        &mut self,
        target: &Target,
    ) -> Result<(&World, &mut Collection), ApiError> {
        let key = (target.kind, target.parent.clone());
        let collection = self.collections.get_mut(&key).ok_or_else(|| {
            let (parents, _) = target.kind.collections();
            ApiError::not_found(&format!("{parents}/{}", target.parent))
        })?;
        Ok((&self.world, collection))
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

    /// Returns the time without the configured offset.
    fn system_time(&self) -> SystemTime {
        self.began.checked_add(self.started.elapsed()).unwrap_or(self.began)
    }

    /// Returns the key with a secret.
    pub(crate) fn key(&self, secret: Option<&str>) -> Option<&Key> {
        self.keys.iter().find(|key| Some(key.secret.as_str()) == secret)
    }
}
