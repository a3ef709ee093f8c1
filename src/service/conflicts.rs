//! Conflicts between the changes that Terraform's graph makes to one object, found before they are
//! made (DESIGN.md, "Conflicts").
//!
//! Terraform plans and applies each resource by itself and does not pass addresses to the provider.
//! Two resources for one object, or an object that one address destroys and another one creates,
//! look like two unrelated calls. This registry compares them by the object's name, within one
//! provider process: one plan or one apply.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::OwnedMutexGuard;
use tokio::time::Instant;

use super::loaded_states::LoadedStates;
use super::mutex::lock;
use crate::config::DeletionPolicy;

/// The names under which an object is registered: for owners the principal in its integration comes
/// first, then full names as far as they are known.
///
/// A principal may be an owner under several IDs, so it identifies an owner only if no full name
/// follows. An owner that is created may become any of them.
pub(crate) type Keys = Vec<String>;

/// Two calls of one plan that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// Two resources create one object.
    CreatedTwice,
    /// One resource creates what another one manages already.
    CreatedAndManaged,
    /// One resource destroys what another one creates.
    DestroyedAndCreated,
    /// One resource, or a deposed object, destroys what another one keeps.
    DestroyedAndKept,
}

/// The plans for one object: how many resources create, keep, destroy and abandon it.
#[derive(Clone, Copy, Debug, Default)]
struct Claims {
    creates: u32,
    keeps: u32,
    destroys: u32,
    abandons: u32,
    /// Those of `keeps` that mean the one object of the key.
    exact_keeps: u32,
    /// Those of `destroys` that mean the one object of the key.
    exact_destroys: u32,
    /// Whether a create will write to the object without being asked to adopt it.
    replaces_tainted: bool,
}

impl Claims {
    /// Removes the one claim that a resource registered before its replacement was planned. Claims
    /// of other resources stay.
    fn withdraw(&mut self, was_kept: bool) {
        let own = if was_kept { &mut self.keeps } else { &mut self.destroys };
        *own = own.saturating_sub(1);
    }
}

/// The registry of one resource type.
#[derive(Default)]
pub(crate) struct Conflicts {
    planned: Mutex<HashMap<String, Claims>>,
    /// Objects that resources of their own create or keep, by the name of their parent.
    members: Mutex<HashMap<String, BTreeSet<String>>>,
    /// Owners that a destroy has left in place for the create that follows it: by parent, the ID and
    /// the principal of each.
    kept_for_create: Mutex<HashMap<String, BTreeMap<String, String>>>,
    /// Objects that the states of this run name, with their private states.
    in_state: Mutex<HashMap<String, Arc<dyn Any + Send + Sync>>>,
    /// The states that the host has loaded.
    pub(crate) loaded_states: LoadedStates,
    /// The identifier of the last write of this process, by object.
    written: Mutex<HashMap<String, String>>,
    /// Objects that this process deleted, with the `create_time` that they had.
    deleted: Mutex<HashMap<String, Option<String>>>,
    /// The time of the last write or delete of this process, by object.
    changed: Mutex<HashMap<String, Instant>>,
    locks: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    writes: AtomicU64,
}

impl Conflicts {
    /// Records that a state names this object. A tainted object is planned as a create without
    /// private state; this is then the only trace that the resource itself has had the object.
    pub(crate) fn record_in_state(&self, keys: &Keys, private: impl Any + Send + Sync) {
        let private: Arc<dyn Any + Send + Sync> = Arc::new(private);
        lock(&self.in_state).extend(keys.iter().map(|key| (key.clone(), Arc::clone(&private))));
    }

    /// Returns the private state of a tainted object that a planned create replaces. `None` if no
    /// read of this plan returned such an object.
    pub(crate) fn tainted_private_state<P: Any + Clone>(&self, keys: &Keys) -> Option<P> {
        if !self.is_tainted_object(keys) {
            return None;
        }
        let in_state = lock(&self.in_state);
        keys.iter().find_map(|key| in_state.get(key)?.downcast_ref::<P>().cloned())
    }

    /// Returns whether a state of this run names the object and no resource keeps, destroys or
    /// abandons it. An object that another address destroys or abandons is not a tainted one.
    pub(crate) fn is_tainted_object(&self, keys: &Keys) -> bool {
        let planned = lock(&self.planned);
        let in_state = lock(&self.in_state);
        keys.iter().any(|key| {
            let is_claimed =
                |claims: &Claims| claims.keeps > 0 || claims.destroys > 0 || claims.abandons > 0;
            in_state.contains_key(key) && !planned.get(key).is_some_and(is_claimed)
        })
    }

    /// Registers a planned create. `withdrawn` are the keys under which the same resource has
    /// registered the object that it has now: a same-name replacement is not a conflict.
    ///
    /// # Errors
    ///
    /// The conflict with what another resource plans.
    pub(crate) fn plan_create(&self, keys: &Keys, withdrawn: &[String]) -> Result<(), Conflict> {
        let mut planned = lock(&self.planned);
        // Another resource may have an owner of the same principal, but not the full name.
        let is_kept = |key| planned.get(key).is_some_and(|claims: &Claims| claims.keeps > 0);
        let was_kept = withdrawn.iter().all(is_kept);
        for key in keys {
            let claims = planned.entry(key.clone()).or_default();
            if withdrawn.contains(key) {
                claims.withdraw(was_kept);
            }
            if claims.creates > 0 {
                return Err(Conflict::CreatedTwice);
            }
            if claims.keeps > 0 {
                return Err(Conflict::CreatedAndManaged);
            }
            if claims.destroys > 0 {
                return Err(Conflict::DestroyedAndCreated);
            }
        }
        for key in keys {
            planned.entry(key.clone()).or_default().creates += 1;
        }
        Ok(())
    }

    /// Registers that a planned create writes to the object without being asked to adopt it,
    /// because it is the tainted object that the create replaces.
    ///
    /// # Errors
    ///
    /// The conflict with what another resource plans: the object is then that resource's.
    pub(crate) fn plan_tainted(&self, keys: &Keys) -> Result<(), Conflict> {
        self.register(keys, |claims, _| {
            claims.replaces_tainted = true;
            match *claims {
                Claims { keeps: 1.., .. } => Err(Conflict::CreatedAndManaged),
                Claims { destroys: 1.., .. } | Claims { abandons: 1.., .. } => {
                    Err(Conflict::DestroyedAndCreated)
                }
                _ => Ok(()),
            }
        })
    }

    /// Registers an object that stays in place, changed or not.
    ///
    /// # Errors
    ///
    /// The conflict with what another resource plans.
    pub(crate) fn plan_keep(&self, keys: &Keys) -> Result<(), Conflict> {
        self.register(keys, |claims, is_exact| {
            claims.keeps += 1;
            claims.exact_keeps += u32::from(is_exact);
            match *claims {
                Claims { creates: 1.., .. } => Err(Conflict::CreatedAndManaged),
                Claims { exact_destroys: 1.., .. } => Err(Conflict::DestroyedAndKept),
                Claims { destroys: 1.., .. } if is_exact => Err(Conflict::DestroyedAndKept),
                _ => Ok(()),
            }
        })
    }

    /// Registers an object that a resource of its own creates or keeps. Returns whether another
    /// resource manages all objects of the parent.
    pub(crate) fn plan_member(&self, parent: &str, member: &str) -> bool {
        let mut members = lock(&self.members);
        members.entry(parent.to_owned()).or_default().insert(member.to_owned());
        drop(members);
        let planned = lock(&self.planned);
        planned.get(parent).is_some_and(|claims| claims.creates > 0 || claims.keeps > 0)
    }

    /// Returns the objects of a parent that resources of their own create or keep.
    pub(crate) fn members(&self, parent: &str) -> Vec<String> {
        lock(&self.members).get(parent).into_iter().flatten().cloned().collect()
    }

    /// Registers the owners, by ID, that a destroy leaves in place, because the same apply creates the
    /// resource again.
    pub(crate) fn keep_for_create(&self, parent: &str, owners: BTreeMap<String, String>) {
        lock(&self.kept_for_create).insert(parent.to_owned(), owners);
    }

    /// Returns whether a destroy of this process has left the owners in place for a create.
    pub(crate) fn is_kept_for_create(&self, parent: &str) -> bool {
        lock(&self.kept_for_create).contains_key(parent)
    }

    /// Takes the owners that a destroy of this process has left in place. A later create is another one.
    pub(crate) fn take_kept(&self, parent: &str) -> Option<BTreeMap<String, String>> {
        lock(&self.kept_for_create).remove(parent)
    }

    /// Registers an object that is destroyed, or replaced by one of another name. Under the policy
    /// `abandon` the object stays, and other resources may keep or adopt it.
    ///
    /// # Errors
    ///
    /// The conflict with what another resource plans. An object that this process has written
    /// already, as an apply does before it destroys the deposed object, is not a conflict.
    pub(crate) fn plan_destroy(&self, keys: &Keys, policy: DeletionPolicy) -> Result<(), Conflict> {
        if keys.iter().any(|key| lock(&self.written).contains_key(key)) {
            return Ok(());
        }
        self.register(keys, |claims, is_exact| {
            if policy == DeletionPolicy::Abandon {
                claims.abandons += 1;
                // The create was planned first, and took the object for its own.
                let adopted = claims.replaces_tainted;
                return if adopted { Err(Conflict::DestroyedAndCreated) } else { Ok(()) };
            }
            claims.destroys += 1;
            claims.exact_destroys += u32::from(is_exact);
            match *claims {
                Claims { creates: 1.., .. } => Err(Conflict::DestroyedAndCreated),
                Claims { exact_keeps: 1.., .. } => Err(Conflict::DestroyedAndKept),
                Claims { keeps: 1.., .. } if is_exact => Err(Conflict::DestroyedAndKept),
                _ => Ok(()),
            }
        })
    }

    /// Returns whether an object that exists is the tainted one that a planned create replaces: a
    /// loaded state has it, and no other resource does anything with it.
    pub(crate) fn is_loaded_tainted_object(&self, keys: &Keys, name: &str, marks: &[&str]) -> bool {
        self.loaded_states.contain(name, marks) && self.plan_tainted(keys).is_ok()
    }

    /// Makes a claim to an object under each of its keys. `claim` receives whether the key means this
    /// object alone.
    fn register(
        &self,
        keys: &Keys,
        mut claim: impl FnMut(&mut Claims, bool) -> Result<(), Conflict>,
    ) -> Result<(), Conflict> {
        let mut planned = lock(&self.planned);
        keys.iter().enumerate().try_for_each(|(index, key)| {
            let is_exact = index > 0 || keys.len() == 1;
            claim(planned.entry(key.clone()).or_default(), is_exact)
        })
    }

    /// Returns whether all these objects are destroyed by this plan, and none of them is created
    /// again.
    pub(crate) fn destroys_all<'k>(&self, mut keys: impl Iterator<Item = &'k Keys>) -> bool {
        let planned = lock(&self.planned);
        keys.all(|keys| {
            let any = |test: fn(&Claims) -> bool| {
                keys.iter().any(|key| planned.get(key).is_some_and(test))
            };
            any(|claims| claims.exact_destroys > 0)
                && !any(|claims| claims.creates > 0 || claims.keeps > 0)
        })
    }

    /// Waits until no other call of this process creates, updates or deletes the object, and holds
    /// off others until the guard is dropped.
    pub(crate) async fn lock_object(&self, key: &str) -> OwnedMutexGuard<()> {
        self.loaded_states.ignore();
        let mutex = Arc::clone(lock(&self.locks).entry(key.to_owned()).or_default());
        mutex.lock_owned().await
    }

    /// Records a create, adoption or update that reached the service. Returns an identifier of
    /// the write for the private state of the object.
    pub(crate) fn record_write(&self, keys: &Keys) -> String {
        self.record_change(keys);
        let number = self.writes.fetch_add(1, Ordering::Relaxed);
        let write_id = format!("{}-{:x}-{number}", std::process::id(), process_start());
        let mut written = lock(&self.written);
        let mut planned = lock(&self.planned);
        let mut deleted = lock(&self.deleted);
        for key in keys {
            written.insert(key.clone(), write_id.clone());
            planned.remove(key);
            deleted.remove(key);
        }
        write_id
    }

    fn record_change(&self, keys: &Keys) {
        let now = Instant::now();
        lock(&self.changed).extend(keys.iter().map(|key| (key.clone(), now)));
    }

    /// Returns whether this process has written or deleted an object since a check that began at
    /// this time.
    pub(crate) fn has_changed_since(&self, keys: &Keys, started: Instant) -> bool {
        let changed = lock(&self.changed);
        keys.iter().any(|key| changed.get(key).is_some_and(|at| *at >= started))
    }

    /// Returns whether this process has written the object since the state with this identifier was
    /// stored. Deleting that older state's object would delete the newer one.
    pub(crate) fn is_superseded(&self, name: &str, write_id: Option<&str>) -> bool {
        lock(&self.written).get(name).is_some_and(|last| Some(last.as_str()) != write_id)
    }

    /// Checks that a create which may not adopt is the first of the object in this process. Plans do not
    /// show the second one if names are known only after apply.
    ///
    /// # Errors
    ///
    /// Fails if this process has created, adopted or updated the object.
    pub(crate) fn check_unwritten(&self, key: &str) -> Result<(), Conflict> {
        if lock(&self.written).contains_key(key) { Err(Conflict::CreatedTwice) } else { Ok(()) }
    }

    /// Records a delete.
    pub(crate) fn record_delete(&self, keys: &Keys, create_time: Option<String>) {
        self.record_change(keys);
        let mut written = lock(&self.written);
        let mut planned = lock(&self.planned);
        let mut deleted = lock(&self.deleted);
        for key in keys {
            planned.remove(key);
            written.remove(key);
            deleted.insert(key.clone(), create_time.clone());
        }
    }

    /// Returns whether this process deleted the object and has not created it again.
    pub(crate) fn was_deleted(&self, name: &str) -> bool {
        lock(&self.deleted).contains_key(name)
    }

    /// Returns whether this process deleted the object that a read still returns.
    pub(crate) fn is_deleted(&self, name: &str, create_time: Option<&str>) -> bool {
        lock(&self.deleted).get(name).is_some_and(|deleted| deleted.as_deref() == create_time)
    }
}

/// Returns the time of the first call in nanoseconds since the epoch, which distinguishes processes
/// that have the same ID at different times.
fn process_start() -> u128 {
    static START: std::sync::OnceLock<u128> = std::sync::OnceLock::new();
    *START.get_or_init(|| {
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos())
    })
}

#[cfg(test)]
mod tests;
