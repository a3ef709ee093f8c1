//! The lists of this run: one paged list request per listing or integration, shared by all reads.
//!
//! Lists confirm, only GET contradicts: an entry shows that an object exists, and a missing entry
//! shows nothing. Reads that wait for an object go on as soon as the page that has it arrives.
//!
//! Reads can do without a list: they request it as optional, and once a list of a parent has failed,
//! they do not request it again in this run. Data sources and decisions about deletions need it, so
//! they request it again if a retry may help.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use access_client::{Error, ErrorKind, Identifier};
use plugin_server::CallContext;
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio::time::Instant;

use super::mutex::lock;

/// The time for which a list is used. A Terraform run rarely takes longer. If a host keeps the
/// provider running for hours, states must not be compared with old entries.
const LIST_LIFETIME: Duration = Duration::from_secs(60);

/// The lists of one resource type in this run, by parent.
pub(crate) struct ListCache<T> {
    parents: Mutex<HashMap<Identifier, Parent<T>>>,
}

/// The cached state of one parent.
struct Parent<T> {
    /// Reads by GET so far.
    reads: usize,
    /// Whether a list before the current one has failed.
    failed: bool,
    list: Option<Arc<List<T>>>,
}

/// Whether the caller goes on if a list fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// It goes on without the list, which is not retried.
    Optional,
    /// It fails.
    Required,
}

/// A list request and the entries received so far.
struct List<T> {
    need: Need,
    started: Instant,
    content: Mutex<Content<T>>,
    /// Changes with every page and at the end.
    progress: watch::Sender<u64>,
}

struct Content<T> {
    entries: HashMap<Identifier, T>,
    /// Objects written since the list began: what a page contains of them may be older.
    written: HashSet<Identifier>,
    /// The reasons why entries were skipped, cleaned for messages.
    skipped: Vec<String>,
    /// The `Date` of the last page.
    date: Option<OffsetDateTime>,
    outcome: Option<Result<(), Error>>,
    ended: Option<Instant>,
}

/// Receives the pages of a list while it is read.
pub(crate) struct PageSink<T>(Arc<List<T>>);

/// The purpose of a whole list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To find objects that this run has not written. The list may lack those that it has written.
    Others,
    /// To find all objects: after a write, the list is requested again.
    All,
}

/// A list that came to its end.
pub(crate) struct WholeList<T> {
    /// The children, by ID.
    pub(crate) entries: HashMap<Identifier, T>,
    /// Whether every entry could be read and belongs to the parent. Only then a missing entry may
    /// count for anything.
    pub(crate) exhaustive: bool,
    /// The reasons why entries were skipped, cleaned for messages.
    pub(crate) skipped: Vec<String>,
    /// The `Date` of the last page, by the service's clock.
    pub(crate) date: Option<OffsetDateTime>,
}

impl<T> Default for ListCache<T> {
    fn default() -> Self {
        Self { parents: Mutex::default() }
    }
}

impl<T: Clone + Send + 'static> ListCache<T> {
    /// Returns the entry of a child once the parent has had more than `after_reads` reads, and
    /// `None` if the child is to be read by GET instead: before that, if the list lacks it, and if
    /// a list of the parent failed in this run. `list` reads the list into the sink, as optional, if
    /// none was requested yet.
    pub(crate) async fn entry<F>(
        &self,
        parent: &Identifier,
        child: &Identifier,
        after_reads: usize,
        list: impl FnOnce(PageSink<T>) -> F,
    ) -> Option<T>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let list = {
            let mut parents = lock(&self.parents);
            let parent = parents.entry(parent.clone()).or_default();
            if parent.reads < after_reads {
                parent.reads += 1;
                return None;
            }
            if parent.has_failed() {
                return None;
            }
            parent.current(LIST_LIFETIME, Need::Optional, list)
        };
        let mut progress = list.progress.subscribe();
        loop {
            {
                let content = lock(&list.content);
                if content.outcome.as_ref().is_some_and(Result::is_err)
                    || content.written.contains(child)
                {
                    return None;
                }
                if let Some(entry) = content.entries.get(child) {
                    return Some(entry.clone());
                }
                if content.outcome.is_some() {
                    return None;
                }
            }
            progress.changed().await.ok()?;
        }
    }

    /// Returns the whole list of a parent, from this run if it is not older than `max_age` and
    /// serves the purpose. `list` reads the list into the sink.
    ///
    /// # Errors
    ///
    /// The error that ended the list, also if an earlier call met it. If an optional list failed in a
    /// way that a retry may change, the list is requested again.
    pub(crate) async fn whole<F>(
        &self,
        parent: &Identifier,
        max_age: Duration,
        purpose: Purpose,
        list: impl Fn(PageSink<T>) -> F,
    ) -> Result<WholeList<T>, Error>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        loop {
            let current = {
                let mut parents = lock(&self.parents);
                let parent = parents.entry(parent.clone()).or_default();
                if parent.has_failed() && parent.list.as_ref().is_some_and(|list| list.may_retry())
                    || purpose == Purpose::All && parent.has_writes()
                {
                    parent.list = None;
                }
                parent.current(max_age, Need::Required, &list)
            };
            let whole = current.whole().await;
            if whole.is_ok() || !current.may_retry() {
                return whole;
            }
        }
    }

    /// Returns the entry of a child if this run has listed it already. Requests nothing.
    pub(crate) fn listed(&self, parent: &Identifier, child: &Identifier) -> Option<T> {
        let list = lock(&self.parents).get(parent)?.list.clone()?;
        if list.started.elapsed() > LIST_LIFETIME {
            return None;
        }
        lock(&list.content).entries.get(child).cloned()
    }

    /// Discards the entry of a child that this run writes. The other entries stay.
    pub(crate) fn invalidate(&self, parent: &Identifier, child: &Identifier) {
        let list = lock(&self.parents).get(parent).and_then(|parent| parent.list.clone());
        if let Some(list) = list {
            let mut content = lock(&list.content);
            content.entries.remove(child);
            content.written.insert(child.clone());
        }
    }
}

impl<T> Default for Parent<T> {
    fn default() -> Self {
        Self { reads: 0, failed: false, list: None }
    }
}

impl<T: Clone + Send + 'static> Parent<T> {
    /// Returns whether this run has written children since the list began.
    fn has_writes(&self) -> bool {
        self.list.as_ref().is_some_and(|list| !lock(&list.content).written.is_empty())
    }

    /// Returns whether a list of this run has failed.
    fn has_failed(&self) -> bool {
        self.failed || self.list.as_ref().is_some_and(|list| list.error().is_some())
    }

    /// Returns the list if it is young enough, and otherwise starts one in a task of its own, so
    /// that it goes on if the call that started it ends early.
    fn current<F>(
        &mut self,
        max_age: Duration,
        need: Need,
        list: impl FnOnce(PageSink<T>) -> F,
    ) -> Arc<List<T>>
    where
        F: Future<Output = Result<(), Error>> + Send + 'static,
    {
        if let Some(list) = &self.list
            && list.is_current(max_age)
        {
            return Arc::clone(list);
        }
        // The new list replaces the one that may have failed.
        self.failed = self.has_failed();
        let new = Arc::new(List {
            need,
            started: Instant::now(),
            content: Mutex::new(Content {
                entries: HashMap::new(),
                written: HashSet::new(),
                skipped: Vec::new(),
                date: None,
                outcome: None,
                ended: None,
            }),
            progress: watch::Sender::new(0),
        });
        self.list = Some(Arc::clone(&new));
        let reading = list(PageSink(Arc::clone(&new)));
        let finishing = Arc::clone(&new);
        let task = async move {
            let outcome = reading.await;
            finishing.change(|content| {
                content.outcome = Some(outcome);
                content.ended = Some(Instant::now());
            });
        };
        // An interrupt of the call ends the waits of the list's requests as well.
        match CallContext::current() {
            Some(call) => tokio::spawn(call.scope(task)),
            None => tokio::spawn(task),
        };
        new
    }
}

impl<T: Clone> List<T> {
    /// Waits for the end of the list and returns it whole.
    async fn whole(&self) -> Result<WholeList<T>, Error> {
        let mut progress = self.progress.subscribe();
        loop {
            {
                let content = lock(&self.content);
                match &content.outcome {
                    Some(Ok(())) => {
                        return Ok(WholeList {
                            entries: content.entries.clone(),
                            exhaustive: content.skipped.is_empty(),
                            skipped: content.skipped.clone(),
                            date: content.date,
                        });
                    }
                    Some(Err(error)) => return Err(error.clone()),
                    None => {}
                }
            }
            // The sender lives in `self`, so there is always a next change.
            _ = progress.changed().await;
        }
    }
}

impl<T> List<T> {
    /// Returns the error with which the list has ended.
    fn error(&self) -> Option<Error> {
        lock(&self.content).outcome.as_ref().and_then(|outcome| outcome.as_ref().err().cloned())
    }

    /// Returns whether the list failed without retries, in a way that they may change.
    fn may_retry(&self) -> bool {
        let transient = |error: Error| {
            matches!(
                error.kind(),
                ErrorKind::Server | ErrorKind::Unreachable | ErrorKind::Proxy { .. }
            )
        };
        self.need == Need::Optional && self.error().is_some_and(transient)
    }

    /// Returns whether the list is young enough to be used. Entries age from the start of the list.
    /// A failure ages from its end, because the retries before it may take minutes.
    fn is_current(&self, max_age: Duration) -> bool {
        let ended = lock(&self.content).ended;
        match ended {
            Some(ended) if self.error().is_some() => ended.elapsed() <= max_age.min(LIST_LIFETIME),
            Some(_) => self.started.elapsed() <= max_age.min(LIST_LIFETIME),
            None => self.started.elapsed() <= max_age,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Content<T>)) {
        change(&mut lock(&self.content));
        self.progress.send_modify(|version| *version += 1);
    }
}

impl<T> PageSink<T> {
    /// Adds a page. `skipped` contains the reasons why entries were skipped.
    pub(crate) fn push(
        &self,
        entries: impl IntoIterator<Item = (Identifier, T)>,
        date: Option<OffsetDateTime>,
        skipped: Vec<String>,
    ) {
        self.0.change(|content| {
            content.date = date.or(content.date);
            content.skipped.extend(skipped);
            for (id, entry) in entries {
                if !content.written.contains(&id) {
                    content.entries.insert(id, entry);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    fn id(text: &str) -> Identifier {
        Identifier::parse(text).unwrap()
    }

    /// Returns a list of `a` and `b` that counts how often it is requested.
    fn two(
        counter: &Arc<AtomicUsize>,
    ) -> impl Fn(PageSink<u8>) -> std::future::Ready<Result<(), Error>> + use<> {
        let counter = Arc::clone(counter);
        move |sink| {
            counter.fetch_add(1, Ordering::SeqCst);
            sink.push([(id("a"), 1), (id("b"), 2)], None, Vec::new());
            std::future::ready(Ok(()))
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
        client.integration_owner_pages(&id("github")).next(1).await.unwrap_err()
    }

    #[tokio::test]
    async fn failed_list_is_not_requested_again_by_reads_and_once_by_those_who_need_it() {
        let error = unreachable().await;
        tokio::time::pause();
        let cache = ListCache::<u8>::default();
        let lists = AtomicUsize::new(0);
        // As long as retries may take.
        let list = |_: PageSink<u8>| {
            lists.fetch_add(1, Ordering::SeqCst);
            let error = error.clone();
            async move {
                tokio::time::sleep(LIST_LIFETIME * 2).await;
                Err(error)
            }
        };
        let (github, a) = (id("github"), id("a"));
        for _ in 0..3 {
            assert_eq!(cache.entry(&github, &a, 0, list).await, None);
            tokio::time::advance(LIST_LIFETIME * 2).await;
        }
        assert_eq!(lists.load(Ordering::SeqCst), 1);
        for _ in 0..3 {
            assert!(cache.whole(&github, Duration::MAX, Purpose::All, list).await.is_err());
            assert_eq!(cache.entry(&github, &a, 0, list).await, None);
        }
        assert_eq!(lists.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn list_is_requested_once_and_only_after_a_few_reads() {
        let cache = ListCache::default();
        let lists = Arc::new(AtomicUsize::new(0));
        let (github, a, b) = (id("github"), id("a"), id("b"));
        for _ in 0..3 {
            assert_eq!(cache.entry(&github, &a, 3, two(&lists)).await, None);
        }
        assert_eq!(lists.load(Ordering::SeqCst), 0);
        assert_eq!(cache.entry(&github, &a, 3, two(&lists)).await, Some(1));
        assert_eq!(cache.entry(&github, &b, 3, two(&lists)).await, Some(2));
        assert_eq!(cache.entry(&github, &id("c"), 3, two(&lists)).await, None);
        assert_eq!(lists.load(Ordering::SeqCst), 1);
        assert_eq!(cache.entry(&id("okta"), &a, 0, two(&lists)).await, Some(1));
        assert_eq!(lists.load(Ordering::SeqCst), 2);
    }

    #[tokio::test]
    async fn read_goes_on_with_the_page_that_has_its_object() {
        let cache = ListCache::default();
        let (end, ended) = oneshot::channel::<()>();
        let list = |sink: PageSink<u8>| async move {
            sink.push([(id("a"), 1)], None, Vec::new());
            _ = ended.await;
            Ok(())
        };
        assert_eq!(cache.entry(&id("github"), &id("a"), 0, list).await, Some(1));
        end.send(()).unwrap();
    }

    #[tokio::test]
    async fn write_invalidates_its_own_entry_only() {
        let cache = ListCache::default();
        let lists = Arc::new(AtomicUsize::new(0));
        let (github, a, b) = (id("github"), id("a"), id("b"));
        assert_eq!(cache.entry(&github, &a, 0, two(&lists)).await, Some(1));
        cache.invalidate(&github, &a);
        assert_eq!(cache.entry(&github, &a, 0, two(&lists)).await, None);
        assert_eq!(cache.entry(&github, &b, 0, two(&lists)).await, Some(2));
        assert_eq!(cache.listed(&github, &b), Some(2));
        assert_eq!(lists.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn whole_list_is_requested_again_after_a_write_if_all_objects_are_wanted() {
        let cache = ListCache::default();
        let lists = Arc::new(AtomicUsize::new(0));
        let (github, a) = (id("github"), id("a"));
        cache.whole(&github, Duration::MAX, Purpose::All, two(&lists)).await.unwrap();
        cache.invalidate(&github, &a);
        let others =
            cache.whole(&github, Duration::MAX, Purpose::Others, two(&lists)).await.unwrap();
        assert_eq!((others.entries.len(), lists.load(Ordering::SeqCst)), (1, 1));
        let all = cache.whole(&github, Duration::MAX, Purpose::All, two(&lists)).await.unwrap();
        assert_eq!((all.entries.len(), lists.load(Ordering::SeqCst)), (2, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn list_is_requested_again_after_its_lifetime() {
        let cache = ListCache::default();
        let lists = Arc::new(AtomicUsize::new(0));
        let (github, a) = (id("github"), id("a"));
        cache.entry(&github, &a, 0, two(&lists)).await;
        tokio::time::advance(LIST_LIFETIME + Duration::from_secs(1)).await;
        assert_eq!(cache.listed(&github, &a), None);
        assert_eq!(cache.entry(&github, &a, 0, two(&lists)).await, Some(1));
        assert_eq!(lists.load(Ordering::SeqCst), 2);
        let whole =
            cache.whole(&github, Duration::from_secs(10), Purpose::All, two(&lists)).await.unwrap();
        assert!(whole.exhaustive && whole.entries.len() == 2);
        assert_eq!(lists.load(Ordering::SeqCst), 2);
    }
}
