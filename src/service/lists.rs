//! The findings of a run about the objects of each listing or integration: its list, and whether
//! reads work there. A run is the life of a [`Parents`].
//!
//! A list is requested once per parent and run. All reads share it, or its failure. A write under
//! the parent discards it for those who need to know what exists now.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use access_client::time::OffsetDateTime;
use access_client::{Client, Error, ErrorKind, Identifier, Object, ObjectName as _, Retries};
use tokio::sync::OnceCell;

/// Reads by GET under a parent before its list is requested. With fewer, small configurations list
/// more than they need. With more, large configurations wait for more round trips.
const READS_BEFORE_LIST: usize = 3;

/// The purpose of a list, or of the GET that looks for an object before its create. It determines
/// how long the read is tried, and whether a list may be older than the writes of this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Purpose {
    /// Confirms what is known. Without the list, each object is read by GET. A failed list is not
    /// requested again. The writes of this run do not matter: they change nothing about the objects
    /// of others.
    Confirm,
    /// Shows what exists, before a user decides about a write. The caller goes on without the list.
    Check,
    /// Explains a 404. The writes of this run do not matter.
    Explain,
    /// Decides about a write, or about the result of an operation that cannot do without the list.
    Decide,
}

impl Purpose {
    /// Returns the failures after which the list is requested again.
    pub(crate) fn retries(self) -> Retries {
        match self {
            Self::Confirm => Retries::Throttled,
            Self::Check => Retries::Brief,
            Self::Explain | Self::Decide => Retries::All,
        }
    }

    /// Returns the purpose of a list that explains the 404 to a GET of this purpose.
    pub(crate) fn of_explanation(self) -> Self {
        match self {
            Self::Decide => Self::Explain,
            Self::Confirm | Self::Check | Self::Explain => self,
        }
    }

    /// Returns whether a list serves that was requested before the last write under the parent.
    fn accepts_older_list(self) -> bool {
        matches!(self, Self::Confirm | Self::Explain)
    }
}

/// The whole list of a parent.
pub(crate) struct List<T> {
    /// The objects, by their own IDs.
    pub(crate) entries: BTreeMap<Identifier, T>,
    /// The reasons why other entries could not be read, in a form that can be printed.
    pub(crate) skipped: Vec<String>,
    /// The `Date` of the last page.
    pub(crate) date: Option<OffsetDateTime>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), skipped: Vec::new(), date: None }
    }
}

impl<T: Object> List<T> {
    /// Requests the whole list of a parent, whatever this run has found before.
    ///
    /// # Errors
    ///
    /// Returns the failure of a page, with the pages before it.
    pub(crate) async fn request(
        client: &Client,
        parent: &Identifier,
        retries: Retries,
    ) -> Result<Self, Incomplete<T>> {
        let client = client.with_retries(retries);
        let mut pages = T::pages(&client, parent);
        let mut list = Self::default();
        loop {
            match pages.next(usize::MAX).await {
                Ok(Some(page)) => {
                    list.date = page.date;
                    list.skipped.extend(page.skipped);
                    let items = page.items.into_iter();
                    list.entries.extend(items.map(|item| (item.name().id().clone(), item)));
                }
                Ok(None) => return Ok(list),
                Err(error) => return Err(Incomplete { error, seen: Arc::new(list) }),
            }
        }
    }
}

/// What the list of a parent shows about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InList {
    /// An entry shows the object.
    Contains,
    /// No entry shows it.
    Lacks,
    /// The entries that can be read lack the object. Others cannot be read.
    ReadableLack,
    /// The list returned 404.
    NotFound,
    /// The service has no list, or its body cannot be parsed.
    NotOffered,
    /// Not allowed, or failed.
    Failed,
}

impl InList {
    /// Returns what a failed list shows about every object of its parent.
    fn of_failure(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::NotFound { .. } => Self::NotFound,
            ErrorKind::NotImplemented | ErrorKind::Unreadable => Self::NotOffered,
            _ => Self::Failed,
        }
    }
}

/// A list that failed, with the entries of the pages before.
#[derive(Clone)]
pub(crate) struct Incomplete<T: Clone> {
    /// The failure.
    pub(crate) error: Error,
    /// What these pages show is there. They do not show what is not.
    pub(crate) seen: Arc<List<T>>,
}

/// The findings about the objects of a parent.
pub(crate) struct Parent<T: Clone> {
    gets: AtomicUsize,
    reads_work: AtomicBool,
    /// The number of writes. A list that began before the last one is discarded.
    writes: AtomicU64,
    list: tokio::sync::Mutex<Listed<T>>,
    /// The objects that any list of this run has shown.
    shown: Mutex<Arc<Shown>>,
    read_back: OnceCell<bool>,
}

/// The objects that lists have shown, with their times of creation.
pub(crate) type Shown = BTreeMap<Identifier, Option<String>>;

/// The request for the list of a parent: not made yet, or its last outcome.
enum Listed<T: Clone> {
    No,
    /// The list, and the number of writes before it.
    Yes(Arc<List<T>>, u64),
    /// The failure, and the purpose for which the list was requested.
    Failed(Incomplete<T>, Purpose),
}

/// The findings about the objects of a type, by parent.
pub(crate) struct Parents<T: Clone>(Mutex<HashMap<Identifier, Arc<Parent<T>>>>);

impl<T: Clone> Default for Parents<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone> Parents<T> {
    /// Returns the findings about the objects of one parent.
    pub(crate) fn of(&self, parent: &Identifier) -> Arc<Parent<T>> {
        let mut parents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(parents.entry(parent.clone()).or_default())
    }
}

impl<T: Object> Parents<T> {
    /// Returns the list of a parent, which a run requests once.
    ///
    /// # Errors
    ///
    /// Returns the failure that ended the list, also if an earlier call met it.
    pub(crate) async fn list(
        &self,
        client: &Client,
        parent: &Identifier,
        purpose: Purpose,
    ) -> Result<Arc<List<T>>, Incomplete<T>> {
        let of_parent = self.of(parent);
        let request = async |retries| {
            let requested = List::request(client, parent, retries).await;
            match &requested {
                Ok(list) => of_parent.record_whole(list),
                Err(Incomplete { seen, .. }) => of_parent.record_shown(seen),
            }
            requested
        };
        of_parent.list(purpose, request).await
    }

    /// Returns the whole list, for operations that fail without it: an apply, an import, a data
    /// source.
    ///
    /// # Errors
    ///
    /// Returns the failure of the list.
    pub(crate) async fn whole(
        &self,
        client: &Client,
        parent: &Identifier,
    ) -> Result<Arc<List<T>>, Error> {
        self.list(client, parent, Purpose::Decide).await.map_err(|failed| failed.error)
    }

    /// Looks an object up in the list of its parent. Returns its entry, or the failure of the list,
    /// as well.
    pub(crate) async fn look_up(
        &self,
        client: &Client,
        name: &T::Name,
        purpose: Purpose,
    ) -> (InList, Result<Option<T>, Error>) {
        match self.list(client, name.parent(), purpose).await {
            Ok(list) => match list.entries.get(name.id()) {
                Some(entry) if entry.delete_time().is_none() => {
                    (InList::Contains, Ok(Some(entry.clone())))
                }
                None if !list.skipped.is_empty() => (InList::ReadableLack, Ok(None)),
                Some(_) | None => (InList::Lacks, Ok(None)),
            },
            Err(Incomplete { error, .. }) => (InList::of_failure(error.kind()), Err(error)),
        }
    }

    /// Returns the entry of an object in the list that this run has. Requests nothing.
    pub(crate) fn known_entry(&self, name: &T::Name) -> Option<T> {
        let list = self.of(name.parent()).known_list()?;
        list.entries.get(name.id()).filter(|entry| entry.delete_time().is_none()).cloned()
    }

    /// Returns the entry that may confirm what is known about an object. `None` for the first
    /// objects under a parent, which are read by GET instead.
    pub(crate) async fn confirming_entry(&self, client: &Client, name: &T::Name) -> Option<T> {
        if self.of(name.parent()).take_get() {
            return None;
        }
        let (_, found) = self.look_up(client, name, Purpose::Confirm).await;
        found.ok().flatten()
    }
}

impl<T: Clone> Default for Parent<T> {
    fn default() -> Self {
        Self {
            gets: AtomicUsize::new(0),
            reads_work: AtomicBool::new(false),
            shown: Mutex::default(),
            writes: AtomicU64::new(0),
            list: tokio::sync::Mutex::new(Listed::No),
            read_back: OnceCell::new(),
        }
    }
}

impl<T: Object> Parent<T> {
    /// Records what a whole list has shown. An object that it lacks is forgotten, unless its time
    /// of creation is known, which tells it from a later one of that name.
    fn record_whole(&self, list: &List<T>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = |id: &_, time: &mut Option<_>| time.is_some() || list.entries.contains_key(id);
        Arc::make_mut(&mut shown).retain(kept);
        drop(shown);
        self.record_shown(list);
    }

    /// Records what the pages of a list have shown. A later list that lacks an object does not undo
    /// it.
    fn record_shown(&self, list: &List<T>) {
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = Arc::make_mut(&mut shown);
        for (id, entry) in &list.entries {
            shown.insert(id.clone(), entry.create_time().map(str::to_owned));
        }
    }

    /// Returns the objects that the lists of this run have shown so far.
    pub(crate) fn shown(&self) -> Arc<Shown> {
        Arc::clone(&self.shown.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Clone> Parent<T> {
    /// Takes one of the first reads, which are made by GET without requesting the list. Returns
    /// whether there was one left.
    pub(crate) fn take_get(&self) -> bool {
        self.gets.fetch_add(1, Ordering::Relaxed) < READS_BEFORE_LIST
    }

    /// Records that a read under this parent has succeeded.
    pub(crate) fn record_read(&self) {
        self.reads_work.store(true, Ordering::Relaxed);
    }

    /// Returns whether a read under this parent has succeeded in this run.
    pub(crate) fn reads_work(&self) -> bool {
        self.reads_work.load(Ordering::Relaxed)
    }

    /// Records a write under this parent. The list no longer shows what exists.
    pub(crate) fn record_write(&self) {
        self.writes.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns whether the one read-back of this run under this parent has succeeded. Makes it by
    /// `read`, if none was made yet.
    pub(crate) async fn read_back(&self, read: impl Future<Output = bool> + Send) -> bool {
        *self.read_back.get_or_init(|| read).await
    }

    /// Returns the list that this run has, unless it is being requested now.
    pub(crate) fn known_list(&self) -> Option<Arc<List<T>>> {
        match &*self.list.try_lock().ok()? {
            Listed::Yes(list, _) => Some(Arc::clone(list)),
            Listed::No | Listed::Failed(..) => None,
        }
    }

    /// Returns the list, from `request` if this run does not have it.
    ///
    /// # Errors
    ///
    /// Returns the failure that ended the list, also if an earlier call met it.
    pub(crate) async fn list<F>(
        &self,
        purpose: Purpose,
        request: impl FnOnce(Retries) -> F,
    ) -> Result<Arc<List<T>>, Incomplete<T>>
    where
        F: Future<Output = Result<List<T>, Incomplete<T>>>,
    {
        let mut listed = self.list.lock().await;
        let writes = self.writes.load(Ordering::Relaxed);
        match &*listed {
            Listed::Yes(list, before) if *before == writes || purpose.accepts_older_list() => {
                return Ok(Arc::clone(list));
            }
            Listed::Failed(failed, tried) if *tried >= purpose || !is_transient(&failed.error) => {
                return Err(failed.clone());
            }
            Listed::Yes(..) | Listed::No | Listed::Failed(..) => {}
        }
        match request(purpose.retries()).await {
            Ok(list) => {
                // With entries that cannot be read, a list does not show which names are free.
                if list.skipped.is_empty() {
                    self.record_read();
                }
                let list = Arc::new(list);
                *listed = Listed::Yes(Arc::clone(&list), writes);
                Ok(list)
            }
            Err(failed) => {
                *listed = Listed::Failed(failed.clone(), purpose);
                Err(failed)
            }
        }
    }
}

/// Returns whether a list that failed with fewer retries may succeed with more.
fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Server | ErrorKind::Unreachable)
}

#[cfg(test)]
mod tests {
    use access_client::api::IntegrationOwner;
    use access_client::{ApiKey, BaseUrl, Settings};

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
    async fn list_is_requested_once_until_a_write() {
        let (parents, requests) = (Parents::default(), Mutex::new(Vec::new()));
        let id = |text| Identifier::parse(text).unwrap();
        let parent = parents.of(&id("github"));
        assert!(!parent.reads_work());
        let request = async |retries| {
            requests.lock().unwrap().push(retries);
            tokio::task::yield_now().await;
            Ok::<List<u8>, Incomplete<u8>>(List::default())
        };
        let (one, other) = tokio::join!(
            parent.list(Purpose::Decide, &request),
            parent.list(Purpose::Decide, &request)
        );
        assert!(one.is_ok() && other.is_ok() && parent.reads_work());
        assert!(parent.list(Purpose::Confirm, &request).await.is_ok());
        assert_eq!(requests.lock().unwrap().len(), 1);
        parent.record_write();
        assert!(parent.list(Purpose::Confirm, &request).await.is_ok());
        assert_eq!(requests.lock().unwrap().len(), 1, "a write changes no other object");
        assert!(parent.list(Purpose::Check, &request).await.is_ok());
        assert_eq!(*requests.lock().unwrap(), [Retries::All, Retries::Brief]);
    }

    #[tokio::test]
    async fn list_does_not_show_a_write_that_was_made_while_it_was_requested() {
        let (parent, requests) = (Parent::<u8>::default(), AtomicUsize::new(0));
        let request = async |_| {
            requests.fetch_add(1, Ordering::Relaxed);
            parent.record_write();
            Ok(List::default())
        };
        assert!(parent.list(Purpose::Check, &request).await.is_ok());
        assert!(parent.list(Purpose::Check, &request).await.is_ok());
        assert_eq!(requests.into_inner(), 2);
    }

    #[tokio::test]
    async fn failed_list_is_requested_again_only_by_those_who_need_it_more() {
        let error = unreachable().await;
        let (parent, requests) = (Parent::default(), Mutex::new(Vec::new()));
        let request = async |retries| {
            requests.lock().unwrap().push(retries);
            Err::<List<u8>, _>(Incomplete { error: error.clone(), seen: Arc::default() })
        };
        for purpose in [Purpose::Confirm, Purpose::Check, Purpose::Decide] {
            for again in [purpose, purpose, Purpose::Confirm] {
                assert!(parent.list(again, &request).await.is_err(), "{purpose:?}");
            }
        }
        let expected = [Retries::Throttled, Retries::Brief, Retries::All];
        assert_eq!(*requests.lock().unwrap(), expected);
        assert!(!parent.reads_work());
    }

    #[test]
    fn first_reads_are_made_by_get() {
        let parent = Parent::<u8>::default();
        let reads: Vec<bool> = (0..5).map(|_| parent.take_get()).collect();
        assert_eq!(reads, [true, true, true, false, false]);
    }
}
