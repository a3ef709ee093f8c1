//! The lists of a run: one for each listing and integration, which all reads share.
//!
//! A list is a witness of what exists. It counts for an object only if it was requested after this
//! run's last write of the object, so one list serves all creates under a parent. A list that fails is
//! not requested again, except that one which had a single attempt gets all retries where it decides.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use access_client::time::OffsetDateTime;
use access_client::{Client, Error, Identifier, Object, ObjectName as _, Retries};

/// Reads by GET under a parent before its list is requested. With fewer, small configurations list
/// more than they need. With more, large configurations wait for more round trips.
const READS_BEFORE_LIST: usize = 3;

/// What a read is for. It determines how long the read is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// The caller goes on without it: one attempt, except after 429.
    Confirm,
    /// The caller decides by it.
    Decide,
}

impl Purpose {
    pub(crate) fn retries(self) -> Retries {
        match self {
            Self::Confirm => Retries::Throttled,
            Self::Decide => Retries::All,
        }
    }
}

/// The whole list of a parent.
pub(crate) struct List<T> {
    /// The objects, by their own IDs.
    pub(crate) entries: BTreeMap<Identifier, T>,
    /// The IDs by what their spellings have in common.
    folded: HashMap<String, Vec<Identifier>>,
    /// The reasons why other entries could not be read, in a form that can be printed.
    pub(crate) skipped: Vec<String>,
    /// The `Date` of the last page.
    pub(crate) date: Option<OffsetDateTime>,
    /// The number of writes of this run when the list was requested.
    requested_at: u64,
}

/// A list that failed.
#[derive(Clone)]
pub(crate) struct Incomplete<T: Clone> {
    pub(crate) error: Error,
    /// The pages before. What they show is there; they do not show what is not.
    pub(crate) seen: Arc<List<T>>,
}

/// What the list of a parent shows about an object.
pub(crate) enum InList<T> {
    Contains(T),
    /// The list is complete and readable, and lacks the object. The time is its `Date`.
    Lacks(Option<OffsetDateTime>),
    Unclear(Unclear),
}

/// Why a list does not show whether an object exists.
pub(crate) enum Unclear {
    Failed(Error),
    /// Entries that could not be read, and the reasons.
    Skipped(Vec<String>),
    /// The name of an entry in another spelling.
    OtherSpelling(String),
}

impl std::fmt::Display for Unclear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(error) => write!(f, "{error}"),
            Self::OtherSpelling(name) => write!(f, "the list has it in another spelling, {name}"),
            Self::Skipped(reasons) => {
                let first = reasons.first().map_or("", String::as_str);
                write!(f, "entries of the list could not be read ({}): {first}", reasons.len())
            }
        }
    }
}

impl<T> List<T> {
    fn new(requested_at: u64) -> Self {
        let (entries, folded) = (BTreeMap::new(), HashMap::new());
        Self { entries, folded, skipped: Vec::new(), date: None, requested_at }
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
                    list.date = page.date;
                    list.skipped.extend(page.skipped);
                    for item in page.items {
                        let id = item.name().id().clone();
                        list.folded.entry(id.folded()).or_default().push(id.clone());
                        list.entries.insert(id, item);
                    }
                }
                Ok(None) => return Ok(list),
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

    /// Returns the objects that are not deleted.
    pub(crate) fn existing(&self) -> impl Iterator<Item = &T> {
        self.entries.values().filter(|entry| entry.delete_time().is_none())
    }
}

/// The request for the list of a parent: not made yet, or its last outcome.
enum Listed<T: Clone> {
    No,
    Yes(Arc<List<T>>),
    /// The failure, and what the list was requested for.
    Failed(Incomplete<T>, Purpose),
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
    pub(crate) purpose: Purpose,
    /// The list has to be requested after so many writes of this run.
    pub(crate) since: u64,
    /// The number of writes of this run so far.
    pub(crate) writes: u64,
}

/// The lists of a run, by the type of their objects and by parent.
#[derive(Default)]
pub(crate) struct Lists(Mutex<HashMap<(TypeId, Identifier), Arc<dyn Any + Send + Sync>>>);

impl Lists {
    fn of<T: Object>(&self, parent: &Identifier) -> Arc<Parent<T>> {
        let mut parents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (TypeId::of::<T>(), parent.clone());
        let new = || -> Arc<dyn Any + Send + Sync> { Arc::<Parent<T>>::default() };
        // The key has the type, so the downcast succeeds.
        Arc::clone(parents.entry(key).or_insert_with(new)).downcast().unwrap_or_default()
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
        let ListRequest { client, purpose, since, writes } = request;
        let request = |retries, writes| List::request(client, parent, retries, writes);
        self.of::<T>(parent).list(purpose, since, writes, request).await
    }

    /// Looks an object up in the list of its parent.
    pub(crate) async fn find<T: Object>(
        &self,
        name: &T::Name,
        request: ListRequest<'_>,
    ) -> InList<T> {
        match self.list::<T>(name.parent(), request).await {
            Ok(list) => match list.find(name.id()) {
                (Some(entry), _) => InList::Contains(entry.clone()),
                (None, Some(other)) => {
                    let other = request.client.presentable(&other.name().to_string());
                    InList::Unclear(Unclear::OtherSpelling(other))
                }
                (None, None)
                    if !list.skipped.is_empty() && !list.entries.contains_key(name.id()) =>
                {
                    InList::Unclear(Unclear::Skipped(list.skipped.clone()))
                }
                (None, None) => InList::Lacks(list.date),
            },
            Err(Incomplete { error, .. }) => InList::Unclear(Unclear::Failed(error)),
        }
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
        let request = ListRequest { client, purpose: Purpose::Confirm, since: 0, writes: 0 };
        match self.find::<T>(name, request).await {
            InList::Contains(entry) => Some(entry),
            InList::Lacks(_) | InList::Unclear(_) => None,
        }
    }
}

impl<T: Clone> Parent<T> {
    async fn list<F>(
        &self,
        purpose: Purpose,
        since: u64,
        writes: u64,
        request: impl FnOnce(Retries, u64) -> F,
    ) -> Result<Arc<List<T>>, Incomplete<T>>
    where
        F: Future<Output = Result<List<T>, Incomplete<T>>>,
    {
        let mut listed = self.listed.lock().await;
        match &*listed {
            Listed::Yes(list) if list.requested_at >= since => return Ok(Arc::clone(list)),
            Listed::Failed(failed, tried) if *tried >= purpose => return Err(failed.clone()),
            Listed::Yes(_) | Listed::No | Listed::Failed(..) => {}
        }
        match request(purpose.retries(), writes).await {
            Ok(list) => {
                let list = Arc::new(list);
                *listed = Listed::Yes(Arc::clone(&list));
                Ok(list)
            }
            Err(failed) => {
                *listed = Listed::Failed(failed.clone(), purpose);
                Err(failed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use access_client::{ApiKey, BaseUrl, IntegrationOwner, ListingRole, Settings};

    use super::*;

    /// Returns the error of a service that cannot be reached.
    async fn unreachable() -> Error {
        let base_url = BaseUrl::parse("http://127.0.0.1:1").unwrap();
        let key = ApiKey::parse("key").unwrap();
        let settings = Settings::new(base_url, key);
        let settings = Settings { max_retries: 0, ..settings };
        let client = Client::new(settings).unwrap();
        let github = Identifier::parse("github").unwrap();
        IntegrationOwner::pages(&client, &github).next(1).await.unwrap_err()
    }

    #[tokio::test]
    async fn list_serves_objects_that_were_not_written_after_its_request() {
        let (parent, requests) = (Parent::<u8>::default(), Mutex::new(Vec::new()));
        let request = async |retries, writes| {
            requests.lock().unwrap().push(retries);
            tokio::task::yield_now().await;
            Ok::<_, Incomplete<u8>>(List::new(writes))
        };
        let list = |purpose, since, writes| parent.list(purpose, since, writes, &request);
        let (one, other) = tokio::join!(list(Purpose::Decide, 0, 2), list(Purpose::Decide, 0, 2));
        assert!(one.is_ok() && other.is_ok());
        assert_eq!(requests.lock().unwrap().len(), 1, "two calls share it");
        // The purpose, the last write of the object, and the requests so far.
        for (purpose, since, expected) in [
            (Purpose::Confirm, 0, 1),
            (Purpose::Decide, 2, 1),
            (Purpose::Decide, 3, 2),
            (Purpose::Confirm, 3, 2),
            (Purpose::Decide, 4, 3),
        ] {
            assert!(list(purpose, since, since).await.is_ok());
            assert_eq!(requests.lock().unwrap().len(), expected, "{purpose:?} since {since}");
        }
    }

    #[tokio::test]
    async fn failed_list_is_requested_again_only_by_those_who_decide_by_it() {
        let error = unreachable().await;
        let (parent, requests) = (Parent::default(), Mutex::new(Vec::new()));
        let request = async |retries, writes| {
            requests.lock().unwrap().push(retries);
            Err(Incomplete { error: error.clone(), seen: Arc::new(List::<u8>::new(writes)) })
        };
        for purpose in [Purpose::Confirm, Purpose::Decide] {
            for again in [purpose, purpose, Purpose::Confirm] {
                assert!(parent.list(again, 1, 1, &request).await.is_err(), "{purpose:?}");
            }
        }
        assert_eq!(*requests.lock().unwrap(), [Retries::Throttled, Retries::All]);
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
