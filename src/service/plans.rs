//! The plans of a run, by object.
//!
//! Terraform calls the provider for each resource separately and does not pass addresses. Two resources
//! for the same object, or an object that one address destroys and another creates, look like two unrelated
//! calls. The plans are compared by the object, within one configured provider, until the first apply
//! call.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name under which an object is registered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// A planned create, with all keys of the new object.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Create {
    origin: Origin,
    keys: Vec<Key>,
}

impl Create {
    /// Returns whether this create and one that shares a key with it are certainly two resources. Owners
    /// that share the ID and not the principal are two, and the reverse.
    fn contradicts(&self, other: &Self) -> bool {
        self.keys != other.keys || self.origin.contradicts(&other.origin)
    }
}

/// What the resources of a plan do with an object. Resources are identified by the object that they have.
#[derive(Default)]
struct Claims {
    creates: BTreeSet<Create>,
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
    /// Returns whether a resource creates this object that does not have the object `name`.
    fn is_created_elsewhere(&self, name: &str) -> bool {
        self.creates.iter().any(|create| !create.origin.replaces(name))
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

    /// Registers a planned create. `adopts` is whether it may adopt an object that exists.
    pub(crate) fn plan_create(
        &self,
        keys: &[Key],
        origin: &Origin,
        adopts: bool,
    ) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        let create = Create { origin: origin.clone(), keys: keys.to_vec() };
        for key in keys {
            let Some(claims) = inner.claims.get(key) else { continue };
            let is_other = |name: &String| !origin.replaces(name);
            if claims.creates.iter().any(|other| create.contradicts(other)) {
                return Err(Contradiction::CreatedTwice);
            }
            if claims.keeps.keys().any(is_other) {
                return Err(Contradiction::CreatedAndKept);
            }
            if claims.destroys.iter().any(is_other) {
                return Err(Contradiction::CreatedAndDestroyed);
            }
        }
        for key in keys {
            let claims = inner.claim(key);
            claims.creates.insert(create.clone());
            claims.is_created_anew |= !adopts;
        }
        Ok(())
    }

    /// Returns whether another resource keeps or destroys one of these objects.
    pub(crate) fn are_claimed(&self, keys: &[Key]) -> bool {
        let inner = self.lock();
        let mut claims = keys.iter().filter_map(|key| inner.claims.get(key));
        claims.any(|claims| !claims.keeps.is_empty() || !claims.destroys.is_empty())
    }

    /// Registers a resource that keeps the object that it has, `name`. Returns whether another resource
    /// keeps it as well: the private states contain different writes.
    pub(crate) fn plan_keep(
        &self,
        keys: &[Key],
        name: &str,
        write_id: Option<&str>,
    ) -> Result<bool, Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(false) };
        let mut is_kept_twice = false;
        for key in keys {
            let claims = inner.claim(key);
            if claims.is_created_elsewhere(name) {
                return Err(Contradiction::CreatedAndKept);
            }
            // A principal may be an owner under another name, so only the name decides.
            if matches!(key, Key::Name(_)) && claims.destroys.contains(name) {
                return Err(Contradiction::KeptAndDestroyed);
            }
            let write_id = write_id.map(str::to_owned);
            let known = claims.keeps.entry(name.to_owned()).or_insert_with(|| write_id.clone());
            is_kept_twice |= *known != write_id;
        }
        Ok(is_kept_twice)
    }

    /// Registers a resource, or a deposed object, that destroys the object that it has, `name`.
    pub(crate) fn plan_destroy(&self, keys: &[Key], name: &str) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        for key in keys {
            let claims = inner.claim(key);
            if claims.is_created_elsewhere(name) {
                return Err(Contradiction::CreatedAndDestroyed);
            }
            let is_kept = matches!(key, Key::Name(_)) && claims.keeps.contains_key(name);
            if is_kept || claims.is_in_all_owners {
                return Err(Contradiction::KeptAndDestroyed);
            }
            claims.destroys.insert(name.to_owned());
        }
        Ok(())
    }

    /// Registers a resource, or a deposed object, that leaves the object that it has at the service. It
    /// contradicts only a create that may not adopt the object, which would be refused.
    pub(crate) fn plan_abandon(&self, keys: &[Key]) -> Result<(), Contradiction> {
        let Some(inner) = self.plans() else { return Ok(()) };
        let is_created_anew =
            |key| inner.claims.get(key).is_some_and(|claims| claims.is_created_anew);
        if keys.iter().any(is_created_anew) {
            return Err(Contradiction::CreatedAndAbandoned);
        }
        Ok(())
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
            claims.is_in_all_owners = true;
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
        let replaced: HashSet<&str> = creates.filter_map(|create| create.origin.object()).collect();
        names.all(|name| {
            let claims = inner.claims.get(&Key::Name(name.clone()));
            replaced.contains(name.as_str())
                || claims.is_some_and(|claims| claims.destroys.contains(&name))
        })
    }
}

impl Inner {
    fn claim(&mut self, key: &Key) -> &mut Claims {
        self.claims.entry(key.clone()).or_default()
    }
}

#[cfg(test)]
mod tests;
