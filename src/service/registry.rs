//! The plans and the writes of one run, by object.
//!
//! Terraform calls the provider for each resource separately and does not pass addresses. Two resources
//! for one object, or an object that one address destroys and another creates, look like two unrelated
//! calls. The registry compares them by the object, within one configured provider: one plan or one
//! apply. A plan is compared with the other plans until the first apply call, and from then on writes
//! are compared with writes.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::OwnedMutexGuard;

use crate::object::time::is_same;

/// The name under which an object is registered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The full name of an object, or of an integration whose owners are one resource.
    Name(String),
    /// A user, group or team in an integration. It may be an owner under several names.
    Principal { integration: String, owner: String },
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Principal { integration, owner } => {
                write!(f, "{owner} of integrations/{integration}")
            }
        }
    }
}

/// The object that a resource has before its create, as far as Terraform passes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// None. Two such resources cannot be distinguished.
    New,
    /// The object with this name: Terraform passed its private state.
    Replaces(String),
    /// A state that this run has read names the object, and Terraform passed no private state: a tainted
    /// resource, or another resource than the one that has the object.
    InState(String),
    /// All owners of an integration are one resource, and this is one of them.
    AllOwners,
}

impl Origin {
    /// Returns whether a resource with this origin is surely another one than a resource that creates
    /// the same object with the other origin. A resource may be planned twice.
    fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::InState(_), _) | (_, Self::InState(_)) => false,
            (Self::New, Self::New) => true,
            _ => self != other,
        }
    }

    /// Returns the object that the resource has.
    fn object(&self) -> Option<&str> {
        match self {
            Self::Replaces(name) | Self::InState(name) => Some(name),
            Self::New | Self::AllOwners => None,
        }
    }

    fn replaces(&self, name: &str) -> bool {
        matches!(self, Self::Replaces(own) if own == name)
    }
}

/// Two resources whose plans contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contradiction {
    /// Both create one object.
    CreatedTwice,
    /// One creates an object that the other manages.
    CreatedAndKept,
    /// One creates an object that the other destroys.
    CreatedAndDestroyed,
    /// One keeps an object that the other destroys.
    KeptAndDestroyed,
    /// One manages all owners of an integration, and resources of their own manage these.
    AllOwnersAndOwners(Vec<String>),
}

/// What the resources of a plan do with one object. Resources are identified by the object that they have.
#[derive(Default)]
struct Claims {
    creates: BTreeSet<Origin>,
    keeps: BTreeSet<String>,
    destroys: BTreeSet<String>,
}

/// The plans and the writes of one run.
pub(crate) struct Registry {
    /// Distinguishes the writes of this process from those of others.
    process: String,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Whether an apply call has begun. Plans are then no longer compared.
    is_applying: bool,
    claims: HashMap<Key, Claims>,
    /// Owners with resources of their own that are created or kept, by integration.
    owners: HashMap<String, BTreeSet<String>>,
    /// Integrations whose owners are one resource that is created or kept.
    all_owners: HashSet<String>,
    /// Objects that a resource, or a deposed object, leaves at the service.
    abandoned: HashSet<String>,
    /// Integrations whose owners are one resource in a state of this run.
    in_state: HashSet<Key>,
    /// The identifier of the last write of this process.
    written: HashMap<Key, String>,
    /// `create_time` of the objects that this process has deleted.
    deleted: HashMap<Key, Option<String>>,
    /// Objects whose create this process has refused.
    refused: HashSet<Key>,
    locks: HashMap<Key, Arc<tokio::sync::Mutex<()>>>,
    writes: u64,
}

impl Registry {
    /// Returns the registry of a run that begins now.
    pub(crate) fn new() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        Self { process: format!("{}-{now:x}", std::process::id()), inner: Mutex::default() }
    }

    /// Locks the registry, also after a call has panicked: each change is complete by itself.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the plans, unless an apply call has begun.
    fn plans(&self) -> Option<MutexGuard<'_, Inner>> {
        Some(self.lock()).filter(|inner| !inner.is_applying)
    }

    /// Returns whether an apply call has begun.
    pub(crate) fn is_applying(&self) -> bool {
        self.lock().is_applying
    }

    /// Registers a planned create.
    pub(crate) fn plan_create(&self, keys: &[Key], origin: &Origin) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        for key in keys {
            let Some(claims) = inner.claims.get(key) else { continue };
            let is_other = |name: &String| !origin.replaces(name);
            if claims.creates.iter().any(|other| origin.contradicts(other)) {
                return Err(Contradiction::CreatedTwice);
            }
            if claims.keeps.iter().any(is_other) {
                return Err(Contradiction::CreatedAndKept);
            }
            if claims.destroys.iter().any(is_other) {
                return Err(Contradiction::CreatedAndDestroyed);
            }
        }
        for key in keys {
            inner.claim(key).creates.insert(origin.clone());
        }
        Ok(())
    }

    /// Registers a resource that keeps the object that it has, `name`.
    pub(crate) fn plan_keep(&self, keys: &[Key], name: &str) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        for key in keys {
            let claims = inner.claim(key);
            if claims.creates.iter().any(|origin| !origin.replaces(name)) {
                return Err(Contradiction::CreatedAndKept);
            }
            // A principal may be an owner under another name, so only the name decides.
            if matches!(key, Key::Name(_)) && claims.destroys.contains(name) {
                return Err(Contradiction::KeptAndDestroyed);
            }
            claims.keeps.insert(name.to_owned());
        }
        Ok(())
    }

    /// Registers a resource, or a deposed object, that destroys the object that it has, `name`.
    pub(crate) fn plan_destroy(&self, keys: &[Key], name: &str) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        for key in keys {
            let claims = inner.claim(key);
            match claims.creates.iter().find(|origin| !origin.replaces(name)) {
                Some(Origin::AllOwners) => return Err(Contradiction::KeptAndDestroyed),
                Some(_) => return Err(Contradiction::CreatedAndDestroyed),
                None => {}
            }
            if matches!(key, Key::Name(_)) && claims.keeps.contains(name) {
                return Err(Contradiction::KeptAndDestroyed);
            }
            claims.destroys.insert(name.to_owned());
        }
        Ok(())
    }

    /// Registers a resource that will leave the object that it has at the service. It contradicts nothing.
    pub(crate) fn plan_abandon(&self, name: &str) {
        self.lock().abandoned.insert(name.to_owned());
    }

    /// Returns whether a resource will leave this object at the service.
    pub(crate) fn is_abandoned(&self, name: &str) -> bool {
        self.lock().abandoned.contains(name)
    }

    /// Registers an owner with a resource of its own that is created or kept.
    pub(crate) fn plan_owner(&self, integration: &str, owner: &str) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        inner.owners.entry(integration.to_owned()).or_default().insert(owner.to_owned());
        if inner.all_owners.contains(integration) {
            return Err(Contradiction::AllOwnersAndOwners(vec![owner.to_owned()]));
        }
        Ok(())
    }

    /// Registers all owners that an integration has after the apply, as one resource.
    pub(crate) fn plan_all_owners<'o>(
        &self,
        integration: &str,
        owners: impl IntoIterator<Item = &'o String>,
    ) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        inner.all_owners.insert(integration.to_owned());
        if let Some(others) = inner.owners.get(integration) {
            let others = others.iter().cloned().collect();
            return Err(Contradiction::AllOwnersAndOwners(others));
        }
        for owner in owners {
            let (integration, owner) = (integration.to_owned(), owner.clone());
            let claims = inner.claim(&Key::Principal { integration, owner });
            if !claims.destroys.is_empty() {
                return Err(Contradiction::KeptAndDestroyed);
            }
            claims.creates.insert(Origin::AllOwners);
        }
        Ok(())
    }

    /// Records that a state names all owners of an integration as one resource.
    pub(crate) fn record_in_state(&self, key: Key) {
        self.lock().in_state.insert(key);
    }

    /// Returns whether a state of this run names all owners of an integration as one resource.
    pub(crate) fn is_in_state(&self, key: &Key) -> bool {
        self.lock().in_state.contains(key)
    }

    /// Withdraws the plans of the resource that has this object: a read has found it deleted.
    pub(crate) fn withdraw(&self, name: &str) {
        let Some(mut inner) = self.plans() else { return };
        for claims in inner.claims.values_mut() {
            claims.keeps.remove(name);
            claims.destroys.remove(name);
        }
    }

    /// Returns whether this plan destroys all these objects. A replacement destroys the object that it
    /// replaces.
    pub(crate) fn destroys_all(&self, mut names: impl Iterator<Item = String>) -> bool {
        let inner = self.lock();
        let replaced = inner.claims.values().flat_map(|claims| &claims.creates);
        let replaced: HashSet<&str> = replaced.filter_map(Origin::object).collect();
        names.all(|name| {
            let claims = inner.claims.get(&Key::Name(name.clone()));
            replaced.contains(name.as_str())
                || claims.is_some_and(|claims| claims.destroys.contains(&name))
        })
    }

    /// Begins a create, an update or a delete: waits until no other call writes the object, and holds
    /// off others until the guard is dropped.
    pub(crate) async fn begin_write(&self, key: &Key) -> OwnedMutexGuard<()> {
        let mutex = {
            let mut inner = self.lock();
            inner.is_applying = true;
            Arc::clone(inner.locks.entry(key.clone()).or_default())
        };
        mutex.lock_owned().await
    }

    /// Records a write that reached the service. Returns its identifier, for private state.
    pub(crate) fn record_write(&self, keys: &[Key]) -> String {
        let mut inner = self.lock();
        inner.writes += 1;
        let write_id = format!("{}-{}", self.process, inner.writes);
        for key in keys {
            inner.written.insert(key.clone(), write_id.clone());
            inner.deleted.remove(key);
        }
        write_id
    }

    /// Returns whether this process has written the object.
    pub(crate) fn is_written(&self, key: &Key) -> bool {
        self.lock().written.contains_key(key)
    }

    /// Returns whether this process has written the object after the write with this identifier.
    pub(crate) fn is_written_since(&self, key: &Key, write_id: Option<&str>) -> bool {
        self.lock().written.get(key).is_some_and(|last| Some(last.as_str()) != write_id)
    }

    /// Records a delete.
    pub(crate) fn record_delete(&self, keys: &[Key], create_time: Option<&str>) {
        let mut inner = self.lock();
        for key in keys {
            inner.written.remove(key);
            inner.deleted.insert(key.clone(), create_time.map(str::to_owned));
        }
    }

    /// Returns whether this process has deleted an object, and has not written it again.
    pub(crate) fn has_deleted(&self, keys: &[Key]) -> bool {
        let inner = self.lock();
        keys.iter().any(|key| inner.deleted.contains_key(key))
    }

    /// Returns whether this process has deleted the object with this `create_time`. A read that returns
    /// it lags.
    pub(crate) fn is_deleted(&self, key: &Key, create_time: Option<&str>) -> bool {
        self.lock().deleted.get(key).is_some_and(|deleted| match (deleted, create_time) {
            (Some(deleted), Some(found)) => is_same(deleted, found),
            (None, _) => true,
            (Some(_), None) => false,
        })
    }

    /// Records that a create was refused because the object exists.
    pub(crate) fn record_refusal(&self, keys: impl IntoIterator<Item = Key>) {
        self.lock().refused.extend(keys);
    }

    /// Returns whether a create of one of these was refused: a configuration wants it.
    pub(crate) fn is_refused(&self, keys: &[Key]) -> bool {
        let inner = self.lock();
        keys.iter().any(|key| inner.refused.contains(key))
    }
}

impl Inner {
    fn claim(&mut self, key: &Key) -> &mut Claims {
        self.claims.entry(key.clone()).or_default()
    }
}

#[cfg(test)]
mod tests;
