//! Injected faults: the requests that they affect, and their effects.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::pattern::contains_or_matches;

/// A fault and the requests that it affects. [`Fault::new`] affects every request; the other
/// methods narrow it down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The method; all methods if absent.
    #[serde(default)]
    pub method: Option<String>,
    /// A part of the path or, if it contains `*`, a pattern of the whole path in which `*` stands
    /// for any text. If it contains `?`, path and query are compared. All paths if absent.
    #[serde(default)]
    pub path: Option<String>,
    /// The number of matching requests that pass first.
    #[serde(default)]
    pub skip: u64,
    /// The number of requests that it affects; unlimited if absent.
    #[serde(default)]
    pub count: Option<u64>,
    /// The number of milliseconds after which the fault ends. The time begins with the first
    /// affected request.
    #[serde(default)]
    pub for_ms: Option<u64>,
    /// The effect.
    pub action: Action,
}

/// The effect of a fault on a request.
///
/// "Not processed" means that the service does nothing. "Processed" means that the service
/// processes the request as usual, and only the response is affected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// A fixed response.
    Respond {
        /// The status.
        status: u16,
        /// Headers in addition to `content-type: application/json`, which they may replace.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// The body.
        #[serde(default)]
        body: String,
        /// Whether the request is processed before this response replaces the real one.
        #[serde(default)]
        processed: bool,
    },
    /// The response is held until all faults are removed.
    Hold {
        /// Whether the request is processed at once. Otherwise it is processed when the faults are
        /// removed.
        #[serde(default)]
        processed: bool,
    },
    /// The connection is reset; not processed.
    Reset,
    /// The connection is reset; processed.
    ResetAfterProcessing,
    /// There is no response; not processed.
    Hang,
    /// There is no response; processed.
    HangAfterProcessing,
    /// Processed; the connection ends in the middle of the body, whose full length was announced.
    CutBody {
        /// The number of bytes of the body that arrive.
        bytes: usize,
    },
    /// Processed; the status is 200, and the body is neither JSON nor text.
    Garbage,
}

impl Fault {
    /// Returns a fault that affects every request.
    pub fn new(action: Action) -> Self {
        Self { method: None, path: None, skip: 0, count: None, for_ms: None, action }
    }

    /// Returns a fault that responds to every request with a JSON body and does not process it.
    pub fn respond(status: u16, body: impl Into<String>) -> Self {
        let headers = BTreeMap::new();
        Self::new(Action::Respond { status, headers, body: body.into(), processed: false })
    }

    /// Adds a header to the response of [`Fault::respond`].
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Action::Respond { headers, .. } = &mut self.action {
            headers.insert(name.to_owned(), value.to_owned());
        }
        self
    }

    /// Limits the fault to requests with a method.
    #[must_use]
    pub fn on(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Limits the fault to requests with a path, see [`Fault::path`].
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Lets a number of matching requests pass first.
    #[must_use]
    pub fn skipping(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    /// Limits the number of affected requests.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// Limits the fault to a time that begins with the first affected request.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Self {
        self.for_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Returns whether a fault is about requests like this. A pattern with a question mark is
    /// compared with the query as well.
    fn is_for(&self, method: &str, path: &str, query: &str) -> bool {
        let path_fits = self.path.as_deref().is_none_or(|pattern| match pattern.contains('?') {
            true => contains_or_matches(pattern, &format!("{path}?{query}")),
            false => contains_or_matches(pattern, path),
        });
        path_fits && self.method.as_deref().is_none_or(|wanted| wanted == method)
    }
}

/// The faults and their counters.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    rules: Vec<Rule>,
    /// Replaced when the faults are removed, which closes its receivers.
    until_removal: watch::Sender<()>,
}

/// A fault, and how often it has matched and applied.
#[derive(Debug)]
struct Rule {
    fault: Fault,
    matched: u64,
    applied: u64,
    /// The end of the fault; none before its time begins.
    ends: Option<Instant>,
}

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault) {
        self.rules.push(Rule { matched: 0, applied: 0, ends: None, fault });
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns a receiver that is closed when the faults are removed.
    pub(crate) fn until_removal(&self) -> watch::Receiver<()> {
        self.until_removal.subscribe()
    }

    pub(crate) fn list(&self) -> Vec<Fault> {
        self.rules.iter().map(|rule| rule.fault.clone()).collect()
    }

    /// Selects the effect on one request: the first fault applies.
    pub(crate) fn decide(
        &mut self,
        method: &str,
        path: &str,
        query: &str,
        now: Instant,
    ) -> Option<Action> {
        let mut matching =
            self.rules.iter_mut().filter(|rule| rule.fault.is_for(method, path, query));
        let rule = matching.find_map(|rule| rule.applies(now).then_some(rule))?;
        Some(rule.fault.action.clone())
    }
}

impl Rule {
    /// Returns whether the fault affects a matching request, and counts it.
    fn applies(&mut self, now: Instant) -> bool {
        self.matched += 1;
        if self.matched <= self.fault.skip {
            return false;
        }
        if let (None, Some(time)) = (self.ends, self.fault.for_ms) {
            // If the clock cannot represent the end, the fault does not end.
            self.ends = now.checked_add(Duration::from_millis(time));
        }
        if self.ends.is_some_and(|ends| ends <= now)
            || self.fault.count.is_some_and(|count| self.applied >= count)
        {
            return false;
        }
        self.applied += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fault_lasts_from_its_first_request() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let fault = Fault::new(Action::Reset).lasting(Duration::from_secs(10));
        let affects = |fault: Fault| {
            let mut faults = Faults::default();
            faults.add(fault);
            [5, 8, 14, 15, 99].map(|seconds| faults.decide("GET", "/", "", at(seconds)).is_some())
        };
        assert_eq!(affects(fault.clone()), [true, true, true, false, false]);
        assert_eq!(affects(fault.skipping(2)), [false, false, true, true, false]);
    }
}
