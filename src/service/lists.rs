//! The findings of one run about the objects of each listing or integration: its list, and whether
//! reads work there.
//!
//! A list is requested once per parent and run. All reads share it, or its failure. A write under the
//! parent discards it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use access_client::{Error, ErrorKind, Identifier, Retries};
use time::OffsetDateTime;
use tokio::sync::OnceCell;

/// Reads by GET under one parent before its list is requested. With fewer, small configurations list
/// more than they need. With more, large configurations wait for more round trips.
const READS_BEFORE_LIST: usize = 3;

/// The whole list of a parent.
pub(crate) struct List<T> {
    /// The objects, by ID.
    pub(crate) entries: BTreeMap<Identifier, T>,
    /// The reasons why other entries could not be read, in a form that can be printed.
    pub(crate) skipped: Vec<String>,
    /// The `Date` of the last page.
    pub(crate) date: Option<OffsetDateTime>,
}

/// The findings about the objects of one parent.
pub(crate) struct Parent<T> {
    gets: AtomicUsize,
    reads_work: AtomicBool,
    /// The number of writes. A list that began before the last one is discarded.
    writes: AtomicU64,
    list: tokio::sync::Mutex<Listed<T>>,
    read_back: OnceCell<bool>,
}

enum Listed<T> {
    No,
    /// The list, and the number of writes before it.
    Yes(Arc<List<T>>, u64),
    /// The failure. `is_final` if the list was requested with all retries.
    Failed {
        error: Error,
        is_final: bool,
    },
}

/// The findings about the objects of one type, by parent.
pub(crate) struct Parents<T>(Mutex<HashMap<Identifier, Arc<Parent<T>>>>);

impl<T> Default for Parents<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Parents<T> {
    /// Returns the findings about a parent.
    pub(crate) fn of(&self, parent: &Identifier) -> Arc<Parent<T>> {
        let mut parents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(parents.entry(parent.clone()).or_default())
    }

    /// Returns whether a read under any parent has succeeded in this run.
    pub(crate) fn reads_work(&self) -> bool {
        let parents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        parents.values().any(|parent| parent.reads_work())
    }
}

impl<T> Default for Parent<T> {
    fn default() -> Self {
        Self {
            gets: AtomicUsize::new(0),
            reads_work: AtomicBool::new(false),
            writes: AtomicU64::new(0),
            list: tokio::sync::Mutex::new(Listed::No),
            read_back: OnceCell::new(),
        }
    }
}

impl<T> Parent<T> {
    /// Counts a read, and returns whether it is made by GET, without looking at the list first.
    pub(crate) fn starts_with_get(&self) -> bool {
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

    /// Returns the list for a read that can do without it: one request, repeated only after a 429.
    /// `None` if the list has failed in this run.
    pub(crate) async fn optional_list<F>(
        &self,
        request: impl FnOnce(Retries) -> F,
    ) -> Option<Arc<List<T>>>
    where
        F: Future<Output = Result<List<T>, Error>>,
    {
        let mut listed = self.list.lock().await;
        match &*listed {
            Listed::Failed { .. } => return None,
            Listed::Yes(list, before) if *before == self.writes.load(Ordering::Relaxed) => {
                return Some(Arc::clone(list));
            }
            Listed::Yes(..) | Listed::No => {}
        }
        let before = self.writes.load(Ordering::Relaxed);
        match request(Retries::Throttled).await {
            Ok(list) => Some(self.store(&mut listed, list, before)),
            Err(error) => {
                *listed = Listed::Failed { error, is_final: false };
                None
            }
        }
    }

    /// Returns the list.
    ///
    /// # Errors
    ///
    /// The error that ended the list, also if an earlier call met it.
    pub(crate) async fn list<F>(
        &self,
        request: impl FnOnce(Retries) -> F,
    ) -> Result<Arc<List<T>>, Error>
    where
        F: Future<Output = Result<List<T>, Error>>,
    {
        let mut listed = self.list.lock().await;
        match &*listed {
            Listed::Yes(list, before) if *before == self.writes.load(Ordering::Relaxed) => {
                return Ok(Arc::clone(list));
            }
            Listed::Failed { error, is_final } if *is_final || !is_transient(error) => {
                return Err(error.clone());
            }
            Listed::Yes(..) | Listed::No | Listed::Failed { .. } => {}
        }
        let before = self.writes.load(Ordering::Relaxed);
        match request(Retries::All).await {
            Ok(list) => Ok(self.store(&mut listed, list, before)),
            Err(error) => {
                *listed = Listed::Failed { error: error.clone(), is_final: true };
                Err(error)
            }
        }
    }

    fn store(&self, listed: &mut Listed<T>, list: List<T>, before: u64) -> Arc<List<T>> {
        self.record_read();
        let list = Arc::new(list);
        *listed = Listed::Yes(Arc::clone(&list), before);
        list
    }
}

/// Returns whether a list that failed without retries may succeed with them.
fn is_transient(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Server | ErrorKind::Unreachable)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    type Listing = std::pin::Pin<Box<dyn Future<Output = Result<List<u8>, Error>>>>;

    /// Returns a request for an empty list, or a failing one, that records its retries.
    fn counted(
        requests: &Mutex<Vec<Retries>>,
        error: Option<Error>,
    ) -> impl FnOnce(Retries) -> Listing {
        |retries| {
            requests.lock().unwrap().push(retries);
            Box::pin(async {
                tokio::task::yield_now().await;
                match error {
                    Some(error) => Err(error),
                    None => Ok(List { entries: BTreeMap::new(), skipped: Vec::new(), date: None }),
                }
            })
        }
    }

    /// Returns the error of a service that cannot be reached.
    async fn unreachable() -> Error {
        let settings = access_client::Settings {
            base_url: access_client::BaseUrl::parse("http://127.0.0.1:1").unwrap(),
            api_key: access_client::ApiKey::parse("key").unwrap(),
            user_agent: "test/1".to_owned(),
            request_timeout: Duration::from_secs(30),
            max_retries: 0,
            max_retry_wait: Duration::ZERO,
            max_requests_per_second: None,
            extra_roots: None,
            headers: Vec::new(),
            proxy: access_client::ProxySettings::default(),
            stop: access_client::StopSignal::default(),
        };
        let client = access_client::Client::new(settings).unwrap();
        let github = Identifier::parse("github").unwrap();
        client.integration_owner_pages(&github).next(1).await.unwrap_err()
    }

    #[tokio::test]
    async fn list_is_requested_once_until_a_write() {
        let (parent, requests) = (Parent::default(), Mutex::default());
        assert!(!parent.reads_work());
        let (one, other) = tokio::join!(
            parent.list(counted(&requests, None)),
            parent.list(counted(&requests, None))
        );
        assert!(one.is_ok() && other.is_ok() && parent.reads_work());
        assert!(parent.optional_list(counted(&requests, None)).await.is_some());
        assert_eq!(requests.lock().unwrap().len(), 1);
        parent.record_write();
        assert!(parent.optional_list(counted(&requests, None)).await.is_some());
        assert_eq!(*requests.lock().unwrap(), [Retries::All, Retries::Throttled]);
    }

    #[tokio::test]
    async fn failed_list_is_requested_again_only_by_those_who_need_it() {
        let error = unreachable().await;
        let (parent, requests) = (Parent::default(), Mutex::default());
        let failing = || counted(&requests, Some(error.clone()));
        for _ in 0..2 {
            assert!(parent.optional_list(failing()).await.is_none());
        }
        assert_eq!(*requests.lock().unwrap(), [Retries::Throttled]);
        for _ in 0..2 {
            assert!(parent.list(failing()).await.is_err());
            assert!(parent.optional_list(failing()).await.is_none());
        }
        assert_eq!(*requests.lock().unwrap(), [Retries::Throttled, Retries::All]);
        assert!(!parent.reads_work());
    }

    #[test]
    fn first_reads_are_made_by_get() {
        let parent = Parent::<u8>::default();
        let reads: Vec<bool> = (0..5).map(|_| parent.starts_with_get()).collect();
        assert_eq!(reads, [true, true, true, false, false]);
    }
}
