//! How often each excuse of the oracle was needed in the lives of this process. What is never needed
//! is deleted.

use std::collections::BTreeMap;
use std::sync::Mutex;

static USES: Mutex<BTreeMap<&str, u64>> = Mutex::new(BTreeMap::new());

/// Counts one more use of an excuse.
pub(crate) fn count(reason: &'static str) {
    *USES.lock().expect("no panic under the lock").entry(reason).or_default() += 1;
}

/// Returns the excuses that were needed, and how often.
pub(crate) fn excuses() -> BTreeMap<&'static str, u64> {
    USES.lock().expect("no panic under the lock").clone()
}
