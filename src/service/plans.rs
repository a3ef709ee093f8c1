//! The plans of a run, by object.
//!
//! Terraform calls the provider for each resource separately and does not pass addresses. Two
//! resources for the same object, or an object that one address destroys and another creates, look
//! like two unrelated calls. The plans are compared by the object, within one configured provider,
//! until the first apply call. [`compare`] decides, and [`crate::object::conflicts`] has the
//! errors.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Key;

/// What a resource does with the object that it has, or creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    Create(Creation),
    /// It keeps the object of this name.
    Keep {
        name: String,
    },
    /// It, or a deposed object, destroys the object of this name.
    Destroy {
        name: String,
        /// Whether the object is one of all owners of an integration, which are one resource.
        is_in_list: bool,
    },
    /// It, or a deposed object, leaves the object of this name at the service.
    Abandon {
        name: String,
    },
    /// It has all owners of an integration, and keeps or adds this owner.
    InList,
}

/// The resource of a create, as far as Terraform shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Creation {
    /// The object that the resource replaces: Terraform passed its private state.
    pub(crate) replaces: Option<String>,
    /// The object of this create, if a state of the run names it: Terraform plans the create of a
    /// tainted resource without its state.
    pub(crate) in_state: Option<String>,
    /// Terraform has passed the private state of an earlier plan: this is the plan inside the
    /// apply.
    pub(crate) was_planned: bool,
}

impl Creation {
    /// Returns whether two creates of one object are certainly those of two resources. One resource
    /// may be planned twice.
    fn is_another_than(&self, other: &Self) -> bool {
        // Terraform may plan a tainted resource twice, and a resource again inside the apply.
        let may_repeat = |create: &Self| create.in_state.is_some() || create.was_planned;
        if may_repeat(self) || may_repeat(other) {
            return false;
        }
        self.replaces.is_none() || self.replaces != other.replaces
    }

    /// Returns whether the create replaces the object of this name.
    fn replaces(&self, name: &str) -> bool {
        self.replaces.as_deref() == Some(name)
    }
}

/// Two resources whose plans contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Contradiction {
    /// Both create the same object.
    CreatedTwice,
    /// A resource creates an object that another has in the state and keeps.
    CreatedAndKept,
    /// A resource creates an object that another, or a deposed object, destroys.
    CreatedAndDestroyed,
    /// A resource creates an object that another, or a deposed object, leaves at the service.
    CreatedAndAbandoned,
    /// A resource keeps an object that another, or a deposed object, destroys.
    KeptAndDestroyed,
    /// Two resources manage all owners of an integration, and not the same ones.
    TwoLists,
    /// A resource manages all owners of an integration, and resources of their own manage these.
    ListAndOwners(Vec<String>),
    /// A list of owners is destroyed, and single resources create or keep its owners.
    ListToOwners,
    /// Single owners are destroyed, and a list of owners contains them.
    OwnersToList,
}

/// A claim, with all keys of its object.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Registered {
    keys: Vec<Key>,
    claim: Claim,
}

/// Decides whether two claims to the same `key` contradict each other. The order does not matter.
fn compare(key: &Key, one: &Registered, other: &Registered) -> Option<Contradiction> {
    use Claim::{Abandon, Create, Destroy, InList, Keep};
    use Contradiction::{
        CreatedAndAbandoned, CreatedAndDestroyed, CreatedAndKept, CreatedTwice, KeptAndDestroyed,
        ListToOwners, OwnersToList,
    };
    let is_name = matches!(key, Key::Name(_));
    match (&one.claim, &other.claim) {
        // Other keys: the same ID with another principal, or the same principal with another ID.
        (Create(create), Create(created)) => {
            let are_two = one.keys != other.keys || create.is_another_than(created);
            are_two.then_some(CreatedTwice)
        }
        // Here and below: what the resource of the create has had itself is no contradiction.
        (Create(create), Keep { name }) | (Keep { name }, Create(create)) => {
            (!create.replaces(name)).then_some(CreatedAndKept)
        }
        (Create(create), Destroy { name, is_in_list })
        | (Destroy { name, is_in_list }, Create(create)) => {
            let found = if *is_in_list { ListToOwners } else { CreatedAndDestroyed };
            (!create.replaces(name)).then_some(found)
        }
        (Create(create), Abandon { name }) | (Abandon { name }, Create(create)) => {
            (!create.replaces(name)).then_some(CreatedAndAbandoned)
        }
        // A list is destroyed by principal, whatever the IDs are.
        (Keep { .. }, Destroy { is_in_list: true, .. })
        | (Destroy { is_in_list: true, .. }, Keep { .. }) => Some(ListToOwners),
        (Keep { name }, Destroy { name: destroyed, .. })
        | (Destroy { name: destroyed, .. }, Keep { name }) => {
            // Two owners may share a principal.
            (is_name && name == destroyed).then_some(KeptAndDestroyed)
        }
        (InList, Destroy { is_in_list: false, .. })
        | (Destroy { is_in_list: false, .. }, InList) => Some(OwnersToList),
        // Both keep or destroy the object, or one leaves at the service what the other keeps.
        // `plan_list` compares lists with each other, and with single owners that stay.
        _ => None,
    }
}

/// The plans of a run.
#[derive(Default)]
pub(crate) struct Plans(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    /// Whether an apply call has begun.
    has_ended: bool,
    claims: HashMap<Key, Vec<Registered>>,
    /// Owners with resources of their own that are created or kept, by integration.
    owners: HashMap<String, BTreeSet<String>>,
    /// Integrations whose owners are one resource that is created or kept, with these owners if
    /// all of them are known.
    lists: HashMap<String, Option<BTreeSet<String>>>,
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

    /// Ends the comparison of plans. It is called at each write, and the first ends it.
    pub(super) fn end(&self) {
        self.lock().has_ended = true;
    }

    /// Returns whether an apply call has begun.
    pub(crate) fn have_ended(&self) -> bool {
        self.lock().has_ended
    }

    /// Records that the run has imported an object. An import and a replacement in one plan are an
    /// error.
    pub(crate) fn record_import(&self, name: &str) {
        self.lock().imported.insert(name.to_owned());
    }

    pub(crate) fn is_imported(&self, name: &str) -> bool {
        self.lock().imported.contains(name)
    }

    /// Registers what a resource does with the object that has these keys.
    ///
    /// # Errors
    ///
    /// Returns how it contradicts what another resource does. The claim is not registered then.
    pub(crate) fn register(&self, keys: &[Key], claim: Claim) -> Result<(), Contradiction> {
        self.plans().map_or(Ok(()), |mut inner| inner.register(keys, claim))
    }

    /// Returns whether any resource keeps, destroys or leaves one of these objects.
    pub(crate) fn are_kept_or_destroyed(&self, keys: &[Key]) -> bool {
        let inner = self.lock();
        let mut claims = keys.iter().filter_map(|key| inner.claims.get(key)).flatten();
        claims.any(|registered| !matches!(registered.claim, Claim::Create(_) | Claim::InList))
    }

    /// Registers an owner with a resource of its own that is created or kept.
    pub(crate) fn plan_owner(&self, integration: &str, owner: &str) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        inner.owners.entry(integration.to_owned()).or_default().insert(owner.to_owned());
        if inner.lists.contains_key(integration) {
            return Err(Contradiction::ListAndOwners(vec![owner.to_owned()]));
        }
        Ok(())
    }

    /// Registers the known owners that an integration has after the apply, as one resource. `all`
    /// is whether all are known. A second list with the same ones may be the same resource.
    pub(crate) fn plan_list(
        &self,
        integration: &str,
        owners: &BTreeSet<String>,
        all: bool,
    ) -> Result<(), Contradiction> {
        let Some(mut inner) = self.plans() else { return Ok(()) };
        let list = inner.lists.entry(integration.to_owned()).or_default();
        if all && list.replace(owners.clone()).is_some_and(|other| other != *owners) {
            return Err(Contradiction::TwoLists);
        }
        if let Some(others) = inner.owners.get(integration) {
            return Err(Contradiction::ListAndOwners(others.iter().cloned().collect()));
        }
        for owner in owners {
            let integration = integration.to_owned();
            let key = Key::Principal { integration, owner: owner.clone() };
            inner.register(&[key], Claim::InList)?;
        }
        Ok(())
    }

    /// Withdraws the plans of the resource that has this object: a read has found it deleted.
    pub(crate) fn withdraw(&self, name: &str) {
        let Some(mut inner) = self.plans() else { return };
        let is_of = |claim: &Claim| match claim {
            Claim::Keep { name: own, .. }
            | Claim::Destroy { name: own, .. }
            | Claim::Abandon { name: own } => own == name,
            Claim::Create(create) => create.replaces(name),
            Claim::InList => false,
        };
        for claims in inner.claims.values_mut() {
            claims.retain(|registered| !is_of(&registered.claim));
        }
    }

    /// Returns whether this plan destroys all these objects. A replacement destroys the object that
    /// the resource has.
    pub(crate) fn destroys_all(&self, mut names: impl Iterator<Item = String>) -> bool {
        let inner = self.lock();
        let claims = inner.claims.values().flatten().map(|registered| &registered.claim);
        let destroyed: HashSet<&str> = claims
            .filter_map(|claim| match claim {
                Claim::Destroy { name, .. } => Some(name.as_str()),
                Claim::Create(create) => create.replaces.as_deref().or(create.in_state.as_deref()),
                Claim::Keep { .. } | Claim::Abandon { .. } | Claim::InList => None,
            })
            .collect();
        names.all(|name| destroyed.contains(name.as_str()))
    }
}

impl Inner {
    /// Compares a claim with all claims to the same keys, and stores it if none contradicts it.
    fn register(&mut self, keys: &[Key], claim: Claim) -> Result<(), Contradiction> {
        let new = Registered { keys: keys.to_vec(), claim };
        for key in keys {
            let others = self.claims.get(key).into_iter().flatten();
            if let Some(found) = others.filter_map(|other| compare(key, &new, other)).next() {
                return Err(found);
            }
        }
        for key in keys {
            let claims = self.claims.entry(key.clone()).or_default();
            if !claims.contains(&new) {
                claims.push(new.clone());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
