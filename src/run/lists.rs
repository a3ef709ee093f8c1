//! The lists of a run: one for each listing and integration, which all reads share.
//!
//! A list is a witness of what exists. It counts for an object only if it was requested after this
//! run's last write of the object, so one list serves all creates under a parent. A list that fails is
//! not requested again, except that one which had a single attempt gets all retries where it decides.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use access_client::{Client, Error, ErrorKind, Identifier, Object, ObjectName as _, Retries};
use tokio::time::Instant;

/// Reads by GET under a parent before its list is requested. With fewer, small configurations list
/// more than they need. With more, large configurations wait for more round trips.
const READS_BEFORE_LIST: usize = 3;

/// The time for which reads may lag behind a create. What a list lacks counts as gone by a list that was
/// requested so much later than this run has first missed something.
const LAG: Duration = Duration::from_secs(2);

/// The whole list of a parent.
pub(crate) struct List<T> {
    /// The objects, by their own IDs.
    pub(crate) entries: BTreeMap<Identifier, T>,
    /// The IDs by what their spellings have in common.
    folded: HashMap<String, Vec<Identifier>>,
    /// The reasons why other entries could not be read, in a form that can be printed.
    pub(crate) skipped: Vec<String>,
    /// The same as an error; `None` if all entries could be read.
    pub(crate) defect: Option<Error>,
    /// The number of writes of this run when the list was requested, and the time.
    writes: u64,
    requested: Instant,
}

/// A list that failed.
#[derive(Clone)]
pub(crate) struct Incomplete<T: Clone> {
    pub(crate) error: Error,
    /// The pages before. What they show is there; they do not show what is not.
    pub(crate) seen: Arc<List<T>>,
}

impl<T> List<T> {
    fn new(writes: u64) -> Self {
        Self {
            entries: BTreeMap::new(),
            folded: HashMap::new(),
            skipped: Vec::new(),
            defect: None,
            writes,
            requested: Instant::now(),
        }
    }
}

impl<T: Object> List<T> {
    /// Requests the whole list of a parent. `writes` is the number of writes so far.
    ///
    /// # Errors
    ///
    /// Returns the failure of a page, with the pages before it.
    async fn request(
        client: &Client,
        parent: &Identifier,
        retries: Retries,
        writes: u64,
    ) -> Result<Self, Incomplete<T>> {
        let client = client.with_retries(retries);
        let mut pages = T::pages(&client, parent);
        let mut list = Self::new(writes);
        loop {
            match pages.next(usize::MAX).await {
                Ok(Some(page)) => {
                    list.skipped.extend(page.skipped);
                    for item in page.items {
                        let id = item.name().id().clone();
                        list.folded.entry(id.folded()).or_default().push(id.clone());
                        list.entries.insert(id, item);
                    }
                }
                Ok(None) => {
                    let count = list.skipped.len();
                    list.defect = list.skipped.first().map(|first| {
                        let reason =
                            format!("entries of the list could not be read ({count}): {first}");
                        T::unusable_list(&client, parent, reason)
                    });
                    return Ok(list);
                }
                Err(error) => return Err(Incomplete { error, seen: Arc::new(list) }),
            }
        }
    }

    /// Returns the entry of an ID, and another entry that a service may take for the same one.
    pub(crate) fn find(&self, id: &Identifier) -> (Option<&T>, Option<&T>) {
        let entry = |id: &Identifier| self.entries.get(id).filter(|it| it.delete_time().is_none());
        let spellings = || self.folded.get(&id.folded()).into_iter().flatten();
        let same = || spellings().find(|other| other.is_same(id)).and_then(entry);
        let found = entry(id).or_else(same);
        (found, spellings().filter(|other| !other.is_same(id)).find_map(entry))
    }

    /// Returns an object; `None` if the list is whole and lacks it.
    ///
    /// # Errors
    ///
    /// Returns why the list does not show whether the object exists.
    #[expect(clippy::result_large_err, reason = "the error of the call itself")]
    pub(crate) fn look_up(&self, client: &Client, name: &T::Name) -> Result<Option<T>, Error> {
        match (self.find(name.id()), &self.defect) {
            ((Some(entry), _), _) => Ok(Some(entry.clone())),
            ((None, Some(other)), _) => {
                let other = client.presentable(&other.name().to_string());
                let reason = format!("the list has it in another spelling, {other}");
                Err(T::unusable_list(client, name.parent(), reason))
            }
            ((None, None), Some(defect)) if !self.entries.contains_key(name.id()) => {
                Err(defect.clone())
            }
            ((None, None), _) => Ok(None),
        }
    }

    /// Returns the objects that are not deleted.
    pub(crate) fn existing(&self) -> impl Iterator<Item = &T> {
        self.entries.values().filter(|entry| entry.delete_time().is_none())
    }
}

/// The request for the list of a parent: not made yet, or its last outcome.
enum Listed<T: Clone> {
    No,
    Yes(Arc<List<T>>),
    /// The failure, and how the list was requested.
    Failed(Incomplete<T>, Retries),
}

/// The reads of one parent.
struct Parent<T: Clone> {
    gets: AtomicUsize,
    /// The number of writes of this run at the last write under this parent.
    last_write: AtomicU64,
    listed: tokio::sync::Mutex<Listed<T>>,
}

impl<T: Clone> Default for Parent<T> {
    fn default() -> Self {
        Self {
            gets: AtomicUsize::new(0),
            last_write: AtomicU64::new(0),
            listed: tokio::sync::Mutex::new(Listed::No),
        }
    }
}

/// A request for a list.
#[derive(Clone, Copy)]
pub(crate) struct ListRequest<'w> {
    pub(crate) client: &'w Client,
    pub(crate) retries: Retries,
    /// The list has to be requested after so many writes of this run.
    pub(crate) since: u64,
    /// The number of writes of this run so far.
    pub(crate) writes: u64,
    /// The list has to be requested at this time or later.
    pub(crate) not_before: Option<Instant>,
}

/// The lists of a run.
#[derive(Default)]
pub(crate) struct Lists {
    /// By the type of their objects, and by parent.
    parents: Mutex<HashMap<(TypeId, Identifier), Arc<dyn Any + Send + Sync>>>,
    /// When this run has first missed an object of a state.
    first_missed: OnceLock<Instant>,
}

impl Lists {
    fn of<T: Object>(&self, parent: &Identifier) -> Arc<Parent<T>> {
        let mut parents = self.parents.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (TypeId::of::<T>(), parent.clone());
        let new = || -> Arc<dyn Any + Send + Sync> { Arc::<Parent<T>>::default() };
        // The key has the type, so the downcast succeeds.
        Arc::clone(parents.entry(key).or_insert_with(new)).downcast().unwrap_or_default()
    }

    /// Records that an object of a state was missed. Returns when a list shows that it is gone.
    pub(crate) fn record_missed(&self) -> Instant {
        *self.first_missed.get_or_init(Instant::now) + LAG
    }

    /// Takes one of the first reads under a parent, which are made by GET without requesting the list.
    /// Returns whether there was one left.
    pub(crate) fn take_get<T: Object>(&self, parent: &Identifier) -> bool {
        self.of::<T>(parent).gets.fetch_add(1, Ordering::Relaxed) < READS_BEFORE_LIST
    }

    /// Records that the list of a parent is older than a write under it. `writes` is the number of writes
    /// of this run with that one.
    pub(crate) fn outdate<T: Object>(&self, parent: &Identifier, writes: u64) {
        self.of::<T>(parent).last_write.fetch_max(writes, Ordering::Relaxed);
    }

    /// Returns the number of writes of this run at the last write under a parent.
    pub(crate) fn last_write<T: Object>(&self, parent: &Identifier) -> u64 {
        self.of::<T>(parent).last_write.load(Ordering::Relaxed)
    }

    /// Returns the list of a parent, from the service if this run does not have one that serves.
    ///
    /// # Errors
    ///
    /// Returns the failure that ended the list, also if an earlier call met it.
    pub(crate) async fn list<T: Object>(
        &self,
        parent: &Identifier,
        request: ListRequest<'_>,
    ) -> Result<Arc<List<T>>, Incomplete<T>> {
        let send = |retries, writes| List::request(request.client, parent, retries, writes);
        self.of::<T>(parent).list(&request, send).await
    }

    /// Returns an object from the list of its parent; `None` if the list is whole and lacks it.
    ///
    /// # Errors
    ///
    /// Returns why the list does not show whether the object exists.
    pub(crate) async fn find<T: Object>(
        &self,
        name: &T::Name,
        request: ListRequest<'_>,
    ) -> Result<Option<T>, Error> {
        let list = self.list::<T>(name.parent(), request).await.map_err(|failed| failed.error)?;
        list.look_up(request.client, name)
    }

    /// Returns the entry that may confirm what is known about an object. `None` for the first objects
    /// under a parent, which are read by GET instead.
    pub(crate) async fn confirming_entry<T: Object>(
        &self,
        client: &Client,
        name: &T::Name,
    ) -> Option<T> {
        if self.take_get::<T>(name.parent()) {
            return None;
        }
        let retries = Retries::Throttled;
        let request = ListRequest { client, retries, since: 0, writes: 0, not_before: None };
        self.find::<T>(name, request).await.ok().flatten()
    }
}

impl<T: Clone> Parent<T> {
    /// Returns the list, by `send` if there is none that serves.
    async fn list<F>(
        &self,
        request: &ListRequest<'_>,
        send: impl FnOnce(Retries, u64) -> F,
    ) -> Result<Arc<List<T>>, Incomplete<T>>
    where
        F: Future<Output = Result<List<T>, Incomplete<T>>>,
    {
        let &ListRequest { retries, since, writes, not_before, .. } = request;
        let mut listed = self.listed.lock().await;
        match &*listed {
            Listed::Yes(list) if list.writes >= since && Some(list.requested) >= not_before => {
                return Ok(Arc::clone(list));
            }
            Listed::Failed(failed, tried) if *tried >= retries => return Err(failed.clone()),
            Listed::Yes(_) | Listed::No | Listed::Failed(..) => {}
        }
        if let Some(time) = not_before {
            // After an interrupt, the client sends nothing more.
            tokio::select! {
                () = tokio::time::sleep_until(time) => {}
                () = plugin_server::stop_token().cancelled_owned() => {}
            }
        }
        match send(retries, writes).await {
            Ok(list) => {
                let list = Arc::new(list);
                *listed = Listed::Yes(Arc::clone(&list));
                Ok(list)
            }
            Err(failed) => {
                // Calls that begin after an interrupt run.
                if failed.error.kind() != ErrorKind::Interrupted {
                    *listed = Listed::Failed(failed.clone(), retries);
                }
                Err(failed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use access_client::{ApiKey, BaseUrl, IntegrationOwner, ListingRole, Settings, StopSignal};

    use super::*;

    /// Returns a client of a service that cannot be reached.
    fn client() -> Client {
        client_with(StopSignal::default())
    }

    fn client_with(stop: StopSignal) -> Client {
        let base_url = BaseUrl::parse("http://127.0.0.1:1").unwrap();
        let key = ApiKey::parse("key").unwrap();
        let settings = Settings::new(base_url, key);
        Client::new(Settings { max_retries: 0, stop, ..settings }).unwrap()
    }

    async fn failure(client: &Client) -> Error {
        let github = Identifier::parse("github").unwrap();
        IntegrationOwner::pages(client, &github).next(1).await.unwrap_err()
    }

    #[tokio::test]
    async fn list_serves_objects_that_were_not_written_after_its_request() {
        let (parent, requests) = (Parent::<u8>::default(), Mutex::new(Vec::new()));
        let request = async |retries, writes| {
            requests.lock().unwrap().push(retries);
            tokio::task::yield_now().await;
            Ok::<_, Incomplete<u8>>(List::new(writes))
        };
        let client = client();
        let list = async |retries, since, writes| {
            let wanted = ListRequest { client: &client, retries, since, writes, not_before: None };
            parent.list(&wanted, &request).await
        };
        let (one, other) = tokio::join!(list(Retries::All, 0, 2), list(Retries::All, 0, 2));
        assert!(one.is_ok() && other.is_ok());
        assert_eq!(requests.lock().unwrap().len(), 1, "two calls share it");
        // The retries, the last write of the object, and the requests so far.
        for (retries, since, expected) in [
            (Retries::Throttled, 0, 1),
            (Retries::All, 2, 1),
            (Retries::All, 3, 2),
            (Retries::Throttled, 3, 2),
            (Retries::All, 4, 3),
        ] {
            assert!(list(retries, since, since).await.is_ok());
            assert_eq!(requests.lock().unwrap().len(), expected, "{retries:?} since {since}");
        }
    }

    #[tokio::test]
    async fn failed_list_is_requested_again_only_by_those_who_decide_by_it() {
        let error = failure(&client()).await;
        let (parent, requests) = (Parent::default(), Mutex::new(Vec::new()));
        let request = async |retries, writes| {
            requests.lock().unwrap().push(retries);
            Err(Incomplete { error: error.clone(), seen: Arc::new(List::<u8>::new(writes)) })
        };
        let client = &client();
        let retries = Retries::All;
        let wanted = ListRequest { client, retries, since: 1, writes: 1, not_before: None };
        for retries in [Retries::Throttled, Retries::All] {
            for again in [retries, retries, Retries::Throttled] {
                let wanted = ListRequest { retries: again, ..wanted };
                assert!(parent.list(&wanted, &request).await.is_err(), "{retries:?}");
            }
        }
        assert_eq!(*requests.lock().unwrap(), [Retries::Throttled, Retries::All]);
    }

    #[tokio::test]
    async fn interrupted_list_is_requested_again() {
        let stopped = plugin_server::stop_token();
        stopped.cancel();
        let client = client_with(StopSignal::new(move || stopped.clone()));
        let error = failure(&client).await;
        let parent = Parent::<u8>::default();
        let (retries, writes) = (Retries::All, 0);
        let wanted = ListRequest { client: &client, retries, since: 0, writes, not_before: None };
        let seen = Arc::new(List::new(writes));
        assert!(parent.list(&wanted, async |_, _| Err(Incomplete { error, seen })).await.is_err());
        assert!(parent.list(&wanted, async |_, writes| Ok(List::new(writes))).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_missed_is_gone_by_a_list_two_seconds_later() {
        let (lists, parent) = (Lists::default(), Parent::<u8>::default());
        let (client, start, requests) = (&client(), Instant::now(), AtomicUsize::new(0));
        let send = async |_, writes| {
            requests.fetch_add(1, Ordering::Relaxed);
            Ok::<_, Incomplete<u8>>(List::new(writes))
        };
        let retries = Retries::All;
        let list = async |not_before| {
            let wanted = ListRequest { client, retries, since: 0, writes: 0, not_before };
            let list = parent.list(&wanted, &send).await;
            (list.ok().unwrap().requested - start, requests.load(Ordering::Relaxed))
        };
        assert_eq!(list(None).await, (Duration::ZERO, 1));
        let (one, other) = (lists.record_missed(), lists.record_missed());
        let (one, other) = tokio::join!(list(Some(one)), list(Some(other)));
        assert_eq!([one, other], [(LAG, 2); 2], "two calls share it");
        tokio::time::sleep(LAG).await;
        assert_eq!(list(Some(lists.record_missed())).await, (LAG, 2), "once a run");
        assert_eq!(list(None).await, (LAG, 2));
    }

    #[test]
    fn first_reads_are_made_by_get() {
        let lists = Lists::default();
        let github = Identifier::parse("github").unwrap();
        let reads: Vec<bool> =
            (0..5).map(|_| lists.take_get::<IntegrationOwner>(&github)).collect();
        assert_eq!(reads, [true, true, true, false, false]);
        assert!(lists.take_get::<ListingRole>(&github), "another parent of this ID");
    }
}
