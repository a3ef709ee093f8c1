//! Reads answered from lists (`drift_detection = "list"`).
//!
//! One paged list of a listing or integration answers the reads of all its objects: calls that
//! come while it is under way wait for it instead of making it again. A write drops what was
//! listed. A list says what exists; what it lacks is asked for by GET, for a list may be filtered,
//! lag, or leave deleted objects out.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use access_client::{Error, Identifier};
use tokio::sync::OnceCell;

/// What was listed of one parent, by the ID of the child, or why that failed.
type Children<T, E> = Arc<OnceCell<Result<BTreeMap<Identifier, T>, E>>>;

/// The lists of one resource type in this run.
pub(crate) struct Listed<T, E = Error>(Mutex<HashMap<Identifier, Children<T, E>>>);

impl<T, E> Default for Listed<T, E> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: Clone, E: Clone> Listed<T, E> {
    /// A child of a parent, from the list that `list` makes if there is none yet. `None` where the
    /// list lacks it, or could not be had; that is remembered too, or every read would try.
    pub(crate) async fn find<F>(
        &self,
        parent: &Identifier,
        child: &Identifier,
        list: impl FnOnce() -> F,
    ) -> Option<T>
    where
        F: Future<Output = Result<BTreeMap<Identifier, T>, E>>,
    {
        let children = self.children(parent);
        children.get_or_init(list).await.as_ref().ok()?.get(child).cloned()
    }

    /// All children of a parent, by their IDs, from the same list.
    ///
    /// # Errors
    ///
    /// Why the list could not be had, remembered as well.
    pub(crate) async fn all<F>(
        &self,
        parent: &Identifier,
        list: impl FnOnce() -> F,
    ) -> Result<BTreeMap<Identifier, T>, E>
    where
        F: Future<Output = Result<BTreeMap<Identifier, T>, E>>,
    {
        self.children(parent).get_or_init(list).await.clone()
    }

    /// Forgets what was listed of a parent: something in it was written.
    pub(crate) fn forget(&self, parent: &Identifier) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(parent);
    }

    fn children(&self, parent: &Identifier) -> Children<T, E> {
        let mut parents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(parents.entry(parent.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn id(text: &str) -> Identifier {
        Identifier::parse(text).unwrap()
    }

    #[tokio::test]
    async fn list_is_made_once_for_all_that_wait_and_again_after_a_write() {
        let listed = Listed::<_, &str>::default();
        let lists = AtomicUsize::new(0);
        let list = || async {
            lists.fetch_add(1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            Ok(BTreeMap::from([(id("b"), 2), (id("a"), 1)]))
        };
        let github = id("github");
        let (a, b) = (id("a"), id("b"));
        let both = tokio::join!(listed.find(&github, &a, list), listed.find(&github, &b, list));
        assert_eq!(both, (Some(1), Some(2)));
        assert_eq!(listed.find(&github, &id("c"), list).await, None);
        let all = listed.all(&github, list).await.unwrap();
        assert_eq!(all, BTreeMap::from([(a.clone(), 1), (b.clone(), 2)]));
        assert_eq!(lists.load(Ordering::SeqCst), 1);
        assert_eq!(listed.find(&id("okta"), &a, list).await, Some(1));
        listed.forget(&github);
        listed.find(&github, &a, list).await;
        assert_eq!(lists.load(Ordering::SeqCst), 3);
    }

    #[tokio::test]
    async fn list_that_failed_is_not_tried_for_every_read() {
        let listed = Listed::<u8, &str>::default();
        let lists = AtomicUsize::new(0);
        for _ in 0..3 {
            let list = || async {
                lists.fetch_add(1, Ordering::SeqCst);
                Err("not for this key")
            };
            assert_eq!(listed.find(&id("github"), &id("a"), list).await, None);
            assert_eq!(listed.all(&id("github"), list).await, Err("not for this key"));
        }
        assert_eq!(lists.load(Ordering::SeqCst), 1);
    }
}
