//! The network between one process of the provider and the service: it delays, breaks and records
//! requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use access_client::simulation::{Broken, Exchange, Network, Reply};
use bytes::Bytes;
use fastrand::Rng;
use http::{Method, Request, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::fate::{End, Failure, Fate};
use crate::world::{Oddity, Services, text};

#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) identity: Identity,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    /// For a new owner: the names of owners that were the same principal.
    pub(crate) twins: Vec<String>,
}

impl Effect {
    /// Returns the object, as it was before if it existed.
    pub(crate) fn object(&self) -> &Value {
        self.before.as_ref().or(self.after.as_ref()).unwrap_or(&Value::Null)
    }
}

/// An object and not only its name: another one of the same name was created at another time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) created: String,
}

impl Identity {
    /// Returns the identity of an object of a response or a state.
    pub(crate) fn of(object: &Value) -> Option<Self> {
        let created = object.get("createTime").or_else(|| object.get("create_time"));
        let name = object["name"].as_str()?.to_owned();
        Some(Self { name, created: created?.as_str()?.to_owned() })
    }
}

/// A warning or an error.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) is_error: bool,
    /// Whether the host shows it at an argument.
    pub(crate) is_of_argument: bool,
    pub(crate) text: String,
}

/// What was seen in one walk: on its links, and in the responses to its calls.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) notes: Vec<Note>,
    /// Rules that a response has broken, and how.
    pub(crate) problems: Vec<(&'static str, String)>,
    /// Method and path.
    pub(crate) requests: Vec<(String, String)>,
    pub(crate) effects: Vec<Effect>,
    /// What may follow from the responses, by object or collection.
    may: BTreeSet<(May, String)>,
    /// The objects that a GET has not found, and that did not exist.
    absent: BTreeSet<String>,
    /// The objects that exist, and that a GET (0) or a whole list (1) has not shown.
    hidden: [BTreeSet<String>; 2],
    /// The methods whose last request for a path failed, by path, and whether the network is to
    /// blame.
    failures: BTreeMap<String, BTreeMap<Method, bool>>,
    /// When the response to the request that created an object arrived.
    created: BTreeMap<String, Instant>,
    /// Whether a process died, or the user interrupted it: nothing new begins.
    pub(crate) has_ended_early: bool,
}

/// What may follow from a response. It is noted when the response is sent, so the oracle excuses
/// nothing that the provider could have known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum May {
    /// The state of the object may go: neither a GET nor a list has shown it, although it exists.
    Forget,
    /// The object may be written or deleted like an unknown one, or added twice: a response has
    /// hidden it, or did not tell whether it exists.
    Overwrite,
    /// A call may act on what is over: a response has shown an object that is gone, or its old
    /// values.
    Mistake,
    /// Anything may happen to the object: somebody else changes it while the process runs.
    Race,
    /// The object may be in no state: the response to the write that created it was lost, or the
    /// process died before the call ended.
    Lose,
}

impl Seen {
    pub(crate) fn add(&mut self, more: Self) {
        self.notes.extend(more.notes);
        self.problems.extend(more.problems);
        self.requests.extend(more.requests);
        self.effects.extend(more.effects);
        self.may.extend(more.may);
        self.failures.extend(more.failures);
        self.has_ended_early |= more.has_ended_early;
    }

    /// Returns whether something may follow for an object, or for all objects of its collection.
    pub(crate) fn may(&self, may: May, name: &str) -> bool {
        let is_noted = |name: &str| self.may.contains(&(may, name.to_owned()));
        is_noted(name) || is_noted(collection(name))
    }

    /// Returns whether something may follow for any object.
    pub(crate) fn may_any(&self, may: May) -> bool {
        self.may.iter().any(|(noted, ..)| *noted == may)
    }

    /// Returns whether a call for an object, or for another one of its collection, may have failed.
    pub(crate) fn may_fail(&self, name: &str) -> bool {
        let failed = |path: &String| collection(path) == collection(name);
        self.has_ended_early || self.failures.keys().any(failed)
    }

    /// Returns whether any call may have failed.
    pub(crate) fn may_fail_anywhere(&self) -> bool {
        self.has_ended_early || !self.failures.is_empty()
    }

    /// Returns the requests that the network has failed in the end.
    pub(crate) fn requests_without_answer(&self) -> impl Iterator<Item = (&Method, &str)> {
        self.failures.iter().flat_map(|(path, methods)| {
            let failed = methods.iter().filter(|(_, is_networks)| **is_networks);
            failed.map(move |(method, _)| (method, path.as_str()))
        })
    }
}

/// Returns the collection of an object; a collection as it is.
pub(crate) fn collection(name: &str) -> &str {
    let end = name.match_indices('/').nth(2).map_or(name.len(), |(at, _)| at);
    &name[..end]
}

/// The link of one process to the service.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) services: Arc<Services>,
    pub(crate) shared: Arc<Shared>,
}

/// What the links of one walk share.
pub(crate) struct Shared {
    state: Mutex<LinkState>,
    /// Notified when the process dies, or the user interrupts.
    pub(crate) event: Notify,
}

pub(crate) struct LinkState {
    random: Rng,
    pub(crate) fate: Option<Fate>,
    is_dead: bool,
    outage_began: Option<Instant>,
    taken: BTreeSet<String>,
    pub(crate) seen: Seen,
}

impl Shared {
    pub(crate) fn new(fate: Option<Fate>, salt: u64) -> Arc<Self> {
        let state = LinkState {
            random: Rng::with_seed(salt),
            fate,
            is_dead: false,
            outage_began: None,
            taken: BTreeSet::new(),
            seen: Seen::default(),
        };
        Arc::new(Self { state: Mutex::new(state), event: Notify::new() })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().expect("no panic under the lock")
    }

    /// Returns what was seen, and ends the process: it sends nothing any more.
    pub(crate) fn end(&self) -> Seen {
        let mut state = self.lock();
        state.is_dead = true;
        std::mem::take(&mut state.seen)
    }

    /// Records that a response has broken a rule.
    pub(crate) fn blame(&self, rule: &'static str, text: String) {
        self.lock().seen.problems.push((rule, text));
    }

    /// Returns how long ago the object was created, if this process has created it. Another create
    /// of the same object adopts it.
    pub(crate) fn since_creation(&self, name: &str) -> Option<Duration> {
        let created = self.lock().seen.created.remove(name);
        created.map(|created| created.elapsed())
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.lock().is_dead
    }

    /// Ends the process. What it has created is in no state, unless its call has ended.
    fn kill(&self) {
        let mut state = self.lock();
        state.is_dead = true;
        let Seen { has_ended_early, created, may, .. } = &mut state.seen;
        *has_ended_early = true;
        may.extend(created.keys().map(|name| (May::Lose, name.clone())));
        self.event.notify_waiters();
    }
}

impl LinkState {
    /// Decides whether the next request fails, and how.
    fn next_failure(&mut self, method: &str) -> Option<Failure> {
        let count = u8::try_from(self.seen.requests.len()).unwrap_or(u8::MAX);
        match &self.fate {
            Some(Fate::Noise(share)) if self.random.u8(..100) < *share => {
                Some(Failure::draw(&mut self.random))
            }
            Some(Fate::Outage { from, seconds, failure }) if count >= *from => {
                let began = *self.outage_began.get_or_insert_with(Instant::now);
                let lasts = began.elapsed() < Duration::from_secs((*seconds).into());
                lasts.then_some(*failure)
            }
            Some(Fate::Once { at, failure }) if *at == count => Some(*failure),
            Some(Fate::Writes(failure)) if method != "GET" => Some(*failure),
            Some(Fate::ProviderDies { at, processed } | Fate::HostDies { at, processed })
                if *at == count =>
            {
                Some(Failure { processed: *processed, end: End::Death })
            }
            Some(Fate::Unauthorized) => Some(Failure { processed: false, end: End::Status(401) }),
            _ => None,
        }
    }
}

impl Link {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Reply, Broken> {
        let (failure, there, back) = self.begin(&request);
        sleep(there).await;
        self.wait_if_dead().await;
        let (method, path) = (request.method().clone(), api_path(&request));
        let call = call_path(&request);
        let before = self.snapshot(&path);
        // Only a PATCH of what exists can change nothing.
        let is_possible = |failure: &Failure| {
            failure.end != End::Unchanged || (method == Method::PATCH && before.contains_key(&path))
        };
        let keeps_roles = self.services.world.has(Oddity::KeepsRoles);
        let unchanged = Failure { processed: false, end: End::Unchanged };
        let failure = failure.or(keeps_roles.then_some(unchanged));
        let reply = match failure.filter(is_possible) {
            None => Ok(self.process(request, Some(back)).await),
            Some(failure) => self.fail(request, failure, before.get(&path)).await,
        };
        self.note(&method, [&path, &call], &before, reply.as_ref().ok());
        sleep(back).await;
        self.wait_if_dead().await;
        reply
    }

    /// Records a request, and lets happen what happens at it. Returns its failure, and the times
    /// that it and its response take.
    fn begin(&self, request: &Request<Bytes>) -> (Option<Failure>, Duration, Duration) {
        let mut state = self.shared.lock();
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        state.seen.requests.push((method.to_string(), path));
        let count = state.seen.requests.len();
        match state.fate.clone() {
            Some(Fate::Interrupt { at }) if usize::from(at) == count => {
                state.seen.has_ended_early = true;
                self.shared.event.notify_waiters();
            }
            Some(Fate::Meanwhile { at, outside }) if usize::from(at) == count => {
                let changed = self.services.happen(&outside).into_iter();
                state.seen.may.extend(changed.map(|name| (May::Race, name)));
            }
            _ => {}
        }
        let [there, back] = [(); 2].map(|()| Duration::from_millis(state.random.u64(1..40)));
        let failure = state.next_failure(method.as_str());
        // Until there is a response, a call for it may fail.
        let failures = state.seen.failures.entry(call_path(request)).or_default();
        failures.insert(method, failure.is_some());
        (failure, there, back)
    }

    /// A dead process receives nothing.
    async fn wait_if_dead(&self) {
        if self.shared.is_dead() {
            std::future::pending().await
        }
    }

    /// Returns what is received instead of the response, for a request about an object that is
    /// `present`.
    async fn fail(
        &self,
        request: Request<Bytes>,
        failure: Failure,
        present: Option<&Value>,
    ) -> Result<Reply, Broken> {
        let key = request.headers().get("authorization").cloned();
        let processed = match failure.processed {
            true => Some(self.process(request, None).await),
            false => None,
        };
        let json = |status, message: &str| {
            respond(status, "application/json", json!({ "message": message }).to_string())
        };
        let page = "<html>Not here</html>";
        Ok(match failure.end {
            End::Status(status) => json(status, "out of order"),
            End::Wait(seconds) => {
                let Reply { mut response, .. } = json(429, "out of order");
                response.headers_mut().insert("retry-after", u16::from(seconds).into());
                Reply { response, is_cut_off: false }
            }
            End::Page => respond(404, "text/html", page.to_owned()),
            End::Portal => respond(200, "text/html", page.to_owned()),
            End::NotFound => json(404, "out of order"),
            End::Echo => {
                let key = key.as_ref().and_then(|key| key.to_str().ok()).unwrap_or_default();
                json(400, &format!("not accepted: {key}"))
            }
            End::NotConnected => return Err(Broken::NotConnected),
            End::GoAway => return Err(Broken::GoAway),
            End::Reset => return Err(Broken::Reset),
            End::Hang => std::future::pending().await,
            End::CutOff => {
                let Reply { response, .. } = processed.unwrap_or_else(|| json(200, ""));
                let response = response.map(|body| body.slice(..body.len() / 2));
                Reply { response, is_cut_off: true }
            }
            End::Garbage => respond(200, "application/json", "\u{1}{\"name\": <<<".to_owned()),
            End::Unchanged => {
                let object = present.cloned().unwrap_or_default();
                respond(200, "application/json", object.to_string())
            }
            End::Death => {
                self.shared.kill();
                std::future::pending().await
            }
        })
    }

    /// Lets the service process a request, and records its effects. `back` is the time that the
    /// response takes, unless it is lost.
    async fn process(&self, request: Request<Bytes>, back: Option<Duration>) -> Reply {
        let is_read = request.method() == Method::GET;
        let path = api_path(&request);
        let before = self.snapshot(&path);
        // Nothing here waits, so no other request is processed in between.
        let response = self.services.service.handle(request).await;
        let reply = Reply { response, is_cut_off: false };
        if is_read {
            return reply;
        }
        let after = self.snapshot(&path);
        let mut state = self.shared.lock();
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            let (old, new) = (before.get(name), after.get(name));
            let identity = old.or(new).and_then(|it| Identity::of(it));
            let Some(identity) = identity.filter(|_| old != new) else { continue };
            match back {
                Some(back) if old.is_none() => {
                    state.seen.created.insert(name.clone(), Instant::now() + back);
                }
                None if old.is_none() => {
                    state.seen.may.insert((May::Lose, name.clone()));
                }
                _ => {}
            }
            let has_rival = new.is_none() && state.fate == Some(Fate::Rival);
            if has_rival && state.taken.insert(name.clone()) {
                self.take(name);
                state.seen.may.insert((May::Race, name.clone()));
            }
            let twins = before.values().filter(|twin| {
                let principal = new.map(|new| &new["owner"]);
                old.is_none() && twin["owner"].is_string() && Some(&twin["owner"]) == principal
            });
            let twins = twins.map(|twin| text(&twin["name"]).to_owned()).collect();
            let (before, after) = (old.cloned(), new.cloned());
            state.seen.effects.push(Effect { identity, before, after, twins });
        }
        reply
    }

    /// Notes what may follow from a response, or from none: `present` are the objects that the
    /// request is about.
    fn note(
        &self,
        method: &Method,
        [path, call]: [&str; 2],
        present: &BTreeMap<String, Value>,
        reply: Option<&Reply>,
    ) {
        let whole = reply.filter(|reply| !reply.is_cut_off).map(|reply| &reply.response);
        let status = whole.map_or(0, |response| response.status().as_u16());
        let body = whole.and_then(|response| serde_json::from_slice(response.body()).ok());
        // A page is a gateway's.
        let is_page = matches!(status, 404 | 410) && !body.as_ref().is_some_and(Value::is_object);
        let has_answer = matches!(status, 403 | 404 | 405 | 410 | 501) && method == Method::GET;
        let has_answer = (has_answer && !is_page) || (status == 200 && body.is_some());
        let mut state = self.shared.lock();
        let key = call.to_owned();
        let failures = state.seen.failures.entry(key.clone()).or_default();
        if has_answer {
            failures.remove(method);
        } else if is_page {
            failures.insert(method.clone(), false);
        }
        if failures.is_empty() {
            state.seen.failures.remove(&key);
        }
        if method != Method::GET {
            return;
        }
        let key = path.to_owned();
        if matches!(status, 404 | 410) && !present.contains_key(path) {
            state.seen.absent.insert(key.clone());
        }
        // What was free and is there now is what the lost write has created.
        if status == 200 && body.is_some() && state.seen.absent.contains(&key) {
            state.seen.may.remove(&(May::Lose, key));
        }
        let Seen { may, hidden, .. } = &mut state.seen;
        let mut note = |what, name: &str| {
            may.insert((what, name.to_owned()));
        };
        let mut hide = |by: usize, name: &str| {
            let object = name.to_owned();
            hidden[by].insert(object.clone());
            hidden[1 - by].contains(&object)
        };
        let is_list = collection(path) == path;
        match (status, body) {
            // A part of a list hides nothing: the provider requests the rest.
            (200, Some(body)) if is_list => {
                let entries = body.as_object().into_iter().flat_map(|body| body.values());
                let entries = entries.filter_map(Value::as_array).flatten();
                let (named, odd): (Vec<_>, Vec<_>) =
                    entries.partition(|entry| entry["name"].is_string());
                let is_part = body["nextPageToken"].as_str().is_some_and(|token| !token.is_empty());
                let is_part = is_part || self.services.world.has(Oddity::SmallPages);
                let shown: BTreeMap<_, _> =
                    named.iter().map(|entry| (text(&entry["name"]), *entry)).collect();
                for name in present.keys().filter(|name| !shown.contains_key(name.as_str())) {
                    if !is_part {
                        note(May::Overwrite, name);
                        if hide(1, name) {
                            note(May::Forget, name);
                        }
                    }
                }
                for (name, entry) in shown {
                    if present.get(name).is_none_or(|now| is_old(entry, now)) {
                        note(May::Mistake, name);
                    }
                }
                if !odd.is_empty() {
                    note(May::Overwrite, path);
                }
            }
            (200, Some(body)) => match present.get(path) {
                now if now.is_none_or(|now| is_old(&body, now)) => note(May::Mistake, path),
                _ => {}
            },
            (404 | 410, _) if present.contains_key(path) => {
                if hide(0, path) {
                    note(May::Forget, path);
                }
                note(May::Overwrite, path);
            }
            (403 | 404 | 405 | 410 | 501, _) => note(May::Overwrite, path),
            // A list of owners that cannot be read does not tell.
            (200 | 400, _) if is_list => note(May::Overwrite, path),
            _ => {}
        }
    }

    /// Creates another role of the name of one that was deleted.
    fn take(&self, name: &str) {
        if name.starts_with("listings/") {
            let fields = json!({"displayName": "A rival's", "priority": "9"});
            drop(self.services.service.put(name, &fields));
        }
    }

    /// Returns the objects that a path is about: one, or all of a parent.
    fn snapshot(&self, path: &str) -> BTreeMap<String, Value> {
        let service = &self.services.service;
        let mut slashes = path.match_indices('/').map(|(at, _)| at);
        let all = slashes.nth(1).map(|end| service.objects(&path[..end])).unwrap_or_default();
        let named = all.into_iter().map(|object| (text(&object["name"]).to_owned(), object));
        let is_in = |name: &str| name.rsplit_once('/').is_some_and(|(parent, _)| parent == path);
        named.filter(|(name, _)| name == path || is_in(name)).collect()
    }
}

/// Returns whether an object of a response is an older one than that of the service, by what both
/// show.
fn is_old(shown: &Value, now: &Value) -> bool {
    let fields = ["createTime", "updateTime", "displayName"].iter();
    let mut texts = fields.filter(|field| shown[**field].is_string());
    texts.any(|field| shown[*field] != now[*field])
}

fn api_path(request: &Request<Bytes>) -> String {
    let path = request.uri().path().trim_start_matches("/api/v1/");
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

/// Returns the path of what a request is about: of a POST, below the collection, what it adds.
fn call_path(request: &Request<Bytes>) -> String {
    match *request.method() {
        Method::POST => {
            format!("{}/{}", api_path(request), String::from_utf8_lossy(request.body()))
        }
        _ => api_path(request),
    }
}

fn respond(status: u16, kind: &str, body: String) -> Reply {
    let response = Response::builder().status(status).header("content-type", kind);
    Reply { response: response.body(body.into()).expect("a response"), is_cut_off: false }
}

impl Network for Link {
    fn send(&self, request: Request<Bytes>) -> Exchange {
        let link = self.clone();
        Box::pin(async move { link.exchange(request).await })
    }
}
