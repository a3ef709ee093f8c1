//! Faults on purpose: which requests meet one, and what happens to them.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::echo::Encoding;
use crate::pattern::contains_or_matches;
use crate::random::Random;
use crate::world::RetryAfter;

/// A rule: the requests that it is for, and what happens to them. Made by [`Fault::new`], which
/// is for every request, and the methods that narrow it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The method; every one where there is none.
    #[serde(default)]
    pub method: Option<String>,
    /// A part of the path; with `*` in it, a pattern of the whole path in which `*` is any text.
    /// With `?` in it, path and query are compared. Every path where there is none.
    #[serde(default)]
    pub path: Option<String>,
    /// So many of the requests that it is for pass first.
    #[serde(default)]
    pub skip: u64,
    /// It happens so many times, then never again; forever where there is none.
    #[serde(default)]
    pub count: Option<u64>,
    /// It happens to this part of the requests (0 to 1), drawn with the seed; to all where there
    /// is none.
    #[serde(default)]
    pub probability: Option<f64>,
    /// Where the draws start: the same seed draws the same requests.
    #[serde(default)]
    pub seed: u64,
    /// It happens only for this number of milliseconds, from the first request that meets it or,
    /// with `from_now`, from the moment when it is added.
    #[serde(default)]
    pub for_ms: Option<u64>,
    /// See `for_ms`.
    #[serde(default)]
    pub from_now: bool,
    /// What happens.
    pub action: Action,
}

/// What happens to a request that meets a fault.
///
/// "Not processed" means that the service does nothing; "processed" that it does what it always
/// does and that the answer alone suffers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// A given response.
    Respond {
        /// The status.
        status: u16,
        /// Headers beside `content-type: application/json`, which one of them may replace.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// The body as it goes out.
        #[serde(default)]
        body: String,
        /// Whether the request is processed, and this answer given instead of the real one.
        #[serde(default)]
        processed: bool,
    },
    /// A redirect; not processed.
    Redirect {
        /// The status, 3xx.
        status: u16,
        /// Where to.
        location: String,
    },
    /// A wait, then all goes on as usual, other faults included.
    Delay {
        /// How long.
        milliseconds: u64,
    },
    /// Processed at once, answered after a wait.
    DelayResponse {
        /// How long.
        milliseconds: u64,
    },
    /// The connection is reset; not processed.
    Reset,
    /// The connection is reset; processed.
    ResetAfterProcessing,
    /// No answer ever; not processed.
    Hang,
    /// No answer ever; processed.
    HangAfterProcessing,
    /// Processed; the connection ends after so many bytes of the body, whose announced length is
    /// the whole one.
    CutBody {
        /// How many bytes of the body arrive.
        bytes: usize,
    },
    /// Processed; the body comes in small pieces with pauses between them.
    Trickle {
        /// The size of a piece.
        bytes: usize,
        /// The pause before each piece.
        milliseconds: u64,
    },
    /// Processed; a good status, and a body that is neither JSON nor text.
    Garbage,
    /// Processed; the answer is padded to at least so many bytes and right otherwise.
    Huge {
        /// How many.
        bytes: usize,
    },
    /// Processed; the object in the answer carries another object's `name`.
    WrongName,
    /// 503; not processed.
    Unavailable {
        /// How the response tells the time to wait.
        #[serde(default = "no_retry_after")]
        retry_after: RetryAfter,
        /// The number of seconds to wait; the rest of the fault's time if absent.
        #[serde(default)]
        seconds: Option<u64>,
    },
    /// The service does not listen for some time: open connections are closed, new ones are
    /// refused. With `from_now` in the fault, this happens at once and without a request.
    Refuse {
        /// How long.
        milliseconds: u64,
    },
    /// An error whose message contains a header of the request; not processed.
    Echo {
        /// The status; 400 if absent.
        #[serde(default = "bad_request")]
        status: u16,
        /// The name of the header; `authorization` if absent.
        #[serde(default = "authorization")]
        header: String,
        /// Whether only the part after the first blank is echoed: the key without `Bearer`.
        #[serde(default)]
        key_only: bool,
        /// The encoding of the value.
        #[serde(default)]
        encoding: Encoding,
        /// Whether letters and digits are escaped as well.
        #[serde(default)]
        every_character: bool,
        /// The number of bytes before the value in Base64: 0, 1 and 2 are its three alignments.
        #[serde(default)]
        offset: usize,
    },
}

fn no_retry_after() -> RetryAfter {
    RetryAfter::None
}

fn bad_request() -> u16 {
    400
}

fn authorization() -> String {
    "authorization".to_owned()
}

impl Fault {
    /// A fault that every request meets.
    pub fn new(action: Action) -> Self {
        Self {
            method: None,
            path: None,
            skip: 0,
            count: None,
            probability: None,
            seed: 0,
            for_ms: None,
            from_now: false,
            action,
        }
    }

    /// An answer of JSON that every request gets without being processed.
    pub fn respond(status: u16, body: impl Into<String>) -> Self {
        let headers = BTreeMap::new();
        Self::new(Action::Respond { status, headers, body: body.into(), processed: false })
    }

    /// Only for requests with this method.
    #[must_use]
    pub fn on(mut self, method: &str) -> Self {
        self.method = Some(method.to_owned());
        self
    }

    /// Only for requests with this path, see [`Fault::path`].
    #[must_use]
    pub fn at(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Only after so many requests that it is for.
    #[must_use]
    pub fn skipping(mut self, requests: u64) -> Self {
        self.skip = requests;
        self
    }

    /// So many times.
    #[must_use]
    pub fn times(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// With this probability, drawn with this seed.
    #[must_use]
    pub fn sometimes(mut self, probability: f64, seed: u64) -> Self {
        self.probability = Some(probability);
        self.seed = seed;
        self
    }

    /// Limits the fault to a time that begins with the first request that meets it.
    #[must_use]
    pub fn lasting(mut self, time: Duration) -> Self {
        self.for_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Begins the time of [`lasting`](Self::lasting) at the moment when the fault is added.
    #[must_use]
    pub fn from_now(mut self) -> Self {
        self.from_now = true;
        self
    }

    fn is_for(&self, method: &str, path: &str, query: &str) -> bool {
        let path_fits = self.path.as_deref().is_none_or(|pattern| {
            if pattern.contains('?') {
                contains_or_matches(pattern, &format!("{path}?{query}"))
            } else {
                contains_or_matches(pattern, path)
            }
        });
        path_fits && self.method.as_deref().is_none_or(|wanted| wanted == method)
    }
}

/// What the rules make of one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Decision {
    pub(crate) delay: Duration,
    pub(crate) action: Option<Action>,
    /// How much longer the fault lasts.
    pub(crate) rest: Option<Duration>,
}

/// The rules, and how often each was met.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    fault: Fault,
    met: u64,
    happened: u64,
    random: Random,
    /// The end of its time; none before its time begins.
    ends: Option<Instant>,
}

impl Faults {
    pub(crate) fn add(&mut self, fault: Fault, now: Instant) {
        let random = Random::new(fault.seed);
        let mut rule = Rule { met: 0, happened: 0, random, ends: None, fault };
        if rule.fault.from_now {
            rule.begin(now);
        }
        self.rules.push(rule);
    }

    pub(crate) fn clear(&mut self) {
        self.rules.clear();
    }

    pub(crate) fn list(&self) -> Vec<Fault> {
        self.rules.iter().map(|rule| rule.fault.clone()).collect()
    }

    /// Judges one request: every delay counts, of everything else the first.
    pub(crate) fn decide(
        &mut self,
        method: &str,
        path: &str,
        query: &str,
        now: Instant,
    ) -> Decision {
        let mut decision = Decision::default();
        for rule in &mut self.rules {
            let is_delay = matches!(rule.fault.action, Action::Delay { .. });
            if decision.action.is_some() && !is_delay {
                continue;
            }
            if rule.fault.is_for(method, path, query) && rule.happens(now) {
                match &rule.fault.action {
                    Action::Delay { milliseconds } => {
                        decision.delay += Duration::from_millis(*milliseconds);
                    }
                    action => {
                        decision.action = Some(action.clone());
                        decision.rest = rule.ends.map(|ends| ends.saturating_duration_since(now));
                    }
                }
            }
        }
        decision
    }
}

impl Rule {
    fn happens(&mut self, now: Instant) -> bool {
        self.met += 1;
        if self.met <= self.fault.skip {
            return false;
        }
        self.begin(now);
        if self.ends.is_some_and(|ends| ends <= now)
            || self.fault.count.is_some_and(|count| self.happened >= count)
            || self.fault.probability.is_some_and(|probability| self.random.draw() >= probability)
        {
            return false;
        }
        self.happened += 1;
        true
    }

    /// Begins the fault's time, unless it has started.
    fn begin(&mut self, now: Instant) {
        if let (None, Some(time)) = (self.ends, self.fault.for_ms) {
            // A time beyond every clock is no limit.
            self.ends = now.checked_add(Duration::from_millis(time));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn happenings(fault: Fault, requests: usize) -> Vec<bool> {
        let mut faults = Faults::default();
        faults.add(fault, Instant::now());
        (0..requests)
            .map(|_| faults.decide("GET", "/a/b", "", Instant::now()).action.is_some())
            .collect()
    }

    #[test]
    fn fault_is_for_a_method_and_a_path() {
        let fault = Fault::new(Action::Reset).on("PATCH").at("?allowMissing=true");
        assert!(fault.is_for("PATCH", "/a", "allowMissing=true"));
        assert!(!fault.is_for("PATCH", "/a", ""));
        assert!(!fault.is_for("GET", "/a", "allowMissing=true"));
    }

    #[test]
    fn fault_skips_and_counts() {
        let fault = Fault::new(Action::Reset);
        assert_eq!(happenings(fault.clone(), 2), [true, true]);
        assert_eq!(happenings(fault.skipping(1).times(2), 5), [false, true, true, false, false]);
    }

    #[test]
    fn fault_happens_with_its_probability_and_the_same_seed_repeats() {
        let drawn = |seed| happenings(Fault::new(Action::Reset).sometimes(0.3, seed), 1000);
        let happened = drawn(7).iter().filter(|happened| **happened).count();
        assert!((250..350).contains(&happened), "{happened}");
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
        assert!(!happenings(Fault::new(Action::Reset).sometimes(0.0, 1), 100).contains(&true));
    }

    #[test]
    fn delays_add_up_before_the_first_other_fault() {
        let mut faults = Faults::default();
        let delay = Fault::new(Action::Delay { milliseconds: 5 });
        for fault in [delay.clone(), Fault::new(Action::Hang), Fault::new(Action::Reset), delay] {
            faults.add(fault, Instant::now());
        }
        let expected =
            Decision { delay: Duration::from_millis(10), action: Some(Action::Hang), rest: None };
        assert_eq!(faults.decide("GET", "/", "", Instant::now()), expected);
    }

    #[test]
    fn fault_lasts_from_its_first_request_or_from_now() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let fault = Fault::new(Action::Reset).lasting(Duration::from_secs(10));
        let met = |fault: Fault| {
            let mut faults = Faults::default();
            faults.add(fault, start);
            [5, 8, 14, 15, 99].map(|seconds| {
                let decision = faults.decide("GET", "/", "", at(seconds));
                decision.action.and(decision.rest.map(|rest| rest.as_secs()))
            })
        };
        assert_eq!(met(fault.clone()), [Some(10), Some(7), Some(1), None, None]);
        assert_eq!(met(fault.clone().from_now()), [Some(5), Some(2), None, None, None]);
        assert_eq!(met(fault.skipping(2)), [None, None, Some(10), Some(9), None]);
    }
}
