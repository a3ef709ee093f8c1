//! The plans of a run, by object.
//!
//! Terraform calls the provider for each resource separately and does not pass addresses. Two resources
//! for the same object, or an object that one address destroys and another creates, look like two unrelated
//! calls. The plans are compared by the object, within one configured provider, until the first apply
//! call.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Key;

/// The object that a resource has before its create, as far as Terraform passes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// None. Two such resources cannot be distinguished.
    New,
    /// The object with this name: Terraform passed its private state.
    Replaces(String),
    /// A state of this run names the object, and Terraform passed no private state: a tainted resource, or
    /// another resource than the one that has the object.
    MaybeTainted(String),
    /// None, and a plan has registered this create already: this is its plan inside the apply.
    Planned,
}

impl Origin {
    /// Returns whether two creates of the same object with these origins are certainly two resources. One
    /// resource may be planned twice.
    fn contradicts(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::MaybeTainted(_) | Self::Planned, _) | (_, Self::MaybeTainted(_)) => false,
            (Self::New, Self::New) => true,
            _ => self != other,
        }
    }

    fn object(&self) -> Option<&str> {
        match self {
            Self::Replaces(name) | Self::MaybeTainted(name) => Some(name),
            Self::New | Self::Planned => None,
        }
    }

    fn replaces(&self, name: &str) -> bool {
        matches!(self, Self::Replaces(own) if own == name)
    }
}

/// Two resources whose plans contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contradiction {
    /// Both create the same object.
    CreatedTwice,
    /// A resource creates an object that the other manages.
    CreatedAndKept,
    /// A resource creates an object that the other destroys.
    CreatedAndDestroyed,
    /// A resource keeps an object that the other destroys.
    KeptAndDestroyed,
    /// A resource creates an object that the other leaves at the service.
    CreatedAndAbandoned,
    /// A resource manages all owners of an integration, and resources of their own manage these.
    AllOwnersAndOwners(Vec<String>),
}

/// What a resource does with the object that it has, or creates.
#[derive(Clone)]
pub(crate) enum Claim<'c> {
    /// It creates the object. `adopts` is whether it may adopt an object that exists.
    Create { origin: Origin, adopts: bool },
    /// It keeps the object `name`. `write_id` is that of the last write, in the private state.
    Keep { name: &'c str, write_id: Option<&'c str> },
    /// It, or a deposed object, destroys the object of this name.
    Destroy(&'c str),
    /// It, or a deposed object, leaves the object at the service.
    Abandon,
    /// It has all owners of an integration, and keeps or adds this owner.
    AllOwners,
}

/// What the resources of a plan do with an object. Resources are identified by the object that they have.
#[derive(Default)]
struct Claims {
    /// The origins of the creates, with all keys of the new objects.
    creates: BTreeSet<(Origin, Vec<Key>)>,
    /// Whether one of the creates may not adopt an object that exists.
    is_created_anew: bool,
    /// The objects that are kept, with the identifier of the last write in the private state.
    keeps: BTreeMap<String, Option<String>>,
    destroys: BTreeSet<String>,
    /// Whether the resource for all owners of an integration keeps or adds this owner. Only destroys read
    /// it: `plan_owner` reports creates and keeps.
    is_in_all_owners: bool,
}

impl Claims {
    /// Checks that no other resource does what contradicts a claim to an object with these keys. One of them
    /// is `key`, under which the claims are recorded.
    fn check(&self, key: &Key, keys: &[Key], claim: &Claim<'_>) -> Result<(), Contradiction> {
        use Contradiction::{
            CreatedAndAbandoned, CreatedAndDestroyed, CreatedAndKept, CreatedTwice,
            KeptAndDestroyed,
        };
        // A principal may be an owner under another name, so only the name decides.
        let is_name = matches!(key, Key::Name(_));
        // Owners that share the ID and not the principal are two, and the reverse.
        let is_created_twice = |origin: &Origin| {
            self.creates
                .iter()
                .any(|(other, other_keys)| other_keys != keys || origin.contradicts(other))
        };
        let is_created_elsewhere =
            |name: &str| self.creates.iter().any(|(origin, _)| !origin.replaces(name));
        let is_kept_elsewhere = |origin: &Origin| self.keeps.keys().any(|it| !origin.replaces(it));
        let is_destroyed_elsewhere =
            |origin: &Origin| self.destroys.iter().any(|it| !origin.replaces(it));
        Err(match *claim {
            Claim::Create { ref origin, .. } if is_created_twice(origin) => CreatedTwice,
            Claim::Create { ref origin, .. } if is_kept_elsewhere(origin) => CreatedAndKept,
            Claim::Create { ref origin, .. } if is_destroyed_elsewhere(origin) => {
                CreatedAndDestroyed
            }
            Claim::Keep { name, .. } if is_created_elsewhere(name) => CreatedAndKept,
            Claim::Keep { name, .. } if is_name && self.destroys.contains(name) => KeptAndDestroyed,
            Claim::Destroy(name) if is_created_elsewhere(name) => CreatedAndDestroyed,
            Claim::Destroy(name) if is_name && self.keeps.contains_key(name) => KeptAndDestroyed,
            Claim::Destroy(_) if self.is_in_all_owners => KeptAndDestroyed,
            // The create would be refused.
            Claim::Abandon if self.is_created_anew => CreatedAndAbandoned,
            Claim::AllOwners if !self.destroys.is_empty() => KeptAndDestroyed,
            _ => return Ok(()),
        })
    }

    /// Records a claim. Returns whether another resource keeps the same object: the private states contain
    /// different writes.
    fn record(&mut self, keys: &[Key], claim: &Claim<'_>) -> bool {
        match *claim {
            Claim::Create { ref origin, adopts } => {
                self.creates.insert((origin.clone(), keys.to_vec()));
                self.is_created_anew |= !adopts;
            }
            Claim::Keep { name, write_id } => {
                let write_id = write_id.map(str::to_owned);
                let known = self.keeps.entry(name.to_owned()).or_insert_with(|| write_id.clone());
                return *known != write_id;
            }
            Claim::Destroy(name) => _ = self.destroys.insert(name.to_owned()),
            Claim::Abandon => {}
            Claim::AllOwners => self.is_in_all_owners = true,
        }
        false
    }
}

/// The plans of a run.
#[derive(Default)]
pub(crate) struct Plans(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// Whether an apply call has begun.
    has_ended: bool,
    claims: HashMap<Key, Claims>,
    /// Owners with resources of their own that are created or kept, by integration.
    owners: HashMap<String, BTreeSet<String>>,
    /// Integrations whose owners are one resource that is created or kept.
    all_owners: HashSet<String>,
    /// Objects that this run has imported.
    imported: HashSet<String>,
}

impl Plans {
    /// Locks the plans, also after a call has panicked: each change is complete by itself.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the plans, unless an apply call has begun.
    fn plans(&self) -> Option<MutexGuard<'_, Inner>> {
        Some(self.lock()).filter(|inner| !inner.has_ended)
    }

    /// Records the first apply call: plans are no longer compared.
    pub(super) fn end(&self) {
        self.lock().has_ended = true;
    }

    pub(crate) fn have_ended(&self) -> bool {
        self.lock().has_ended
    }

    /// Records an import. Returns whether the object was imported already in this run.
    pub(crate) fn record_import(&self, name: &str) -> bool {
        !self.lock().imported.insert(name.to_owned())
    }

    pub(crate) fn is_imported(&self, name: &str) -> bool {
        self.lock().imported.contains(name)
    }

    /// Registers what a resource does with the object that has these keys. Returns whether another resource
    /// keeps the same object.
    pub(crate) fn register(&self, keys: &[Key], claim: &Claim<'_>) -> Result<bool, Contradiction> {
        self.plans().map_or(Ok(false), |mut inner| inner.register(keys, claim))
    }

    /// Returns whether another resource keeps or destroys one of these objects.
    pub(crate) fn are_claimed(&self, keys: &[Key]) -> bool {
        let inner = self.lock();
        let mut claims = keys.iter().filter_map(|key| inner.claims.get(key));
        claims.any(|claims| !claims.keeps.is_empty() || !claims.destroys.is_empty())
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
            inner.register(&[Key::Principal { integration, owner }], &Claim::AllOwners)?;
        }
        Ok(())
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
        let creates = inner.claims.values().flat_map(|claims| &claims.creates);
        let replaced: HashSet<&str> = creates.filter_map(|(origin, _)| origin.object()).collect();
        names.all(|name| {
            let claims = inner.claims.get(&Key::Name(name.clone()));
            replaced.contains(name.as_str())
                || claims.is_some_and(|claims| claims.destroys.contains(&name))
        })
    }
}

impl Inner {
    fn register(&mut self, keys: &[Key], claim: &Claim<'_>) -> Result<bool, Contradiction> {
        let known = |key| Some((key, self.claims.get(key)?));
        keys.iter().filter_map(known).try_for_each(|(key, it)| it.check(key, keys, claim))?;
        let mut is_kept_twice = false;
        for key in keys {
            is_kept_twice |= self.claims.entry(key.clone()).or_default().record(keys, claim);
        }
        Ok(is_kept_twice)
    }
}

#[cfg(test)]
mod tests;
