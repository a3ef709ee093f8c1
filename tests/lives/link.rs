//! The network between one process of the provider and a region: it delays, breaks and records requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use access_client::simulation::{Broken, Exchange, Network, Reply};
use bytes::Bytes;
use fastrand::Rng;
use http::{Request, Response};
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
    pub(crate) region: u8,
    pub(crate) name: String,
    pub(crate) created: String,
}

impl Identity {
    /// Returns the identity of an object of a response or a state.
    pub(crate) fn of(region: u8, object: &Value) -> Option<Self> {
        let created = object.get("createTime").or_else(|| object.get("create_time"));
        let name = object["name"].as_str()?.to_owned();
        Some(Self { region, name, created: created?.as_str()?.to_owned() })
    }
}

/// A warning or an error.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) is_error: bool,
    pub(crate) text: String,
}

/// What was seen in one walk: on its links, and in the responses to its calls.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) notes: Vec<Note>,
    /// Rules that a response has broken, and how.
    pub(crate) problems: Vec<(&'static str, String)>,
    /// Region, method and path.
    pub(crate) requests: Vec<(u8, String, String)>,
    pub(crate) effects: Vec<Effect>,
    /// Objects that exist and that a response to this process said not to exist.
    pub(crate) lies: BTreeSet<String>,
    /// When the response to the request that created an object arrived.
    created: BTreeMap<(u8, String), Instant>,
    /// Whether a request met a fault.
    pub(crate) was_disturbed: bool,
}

impl Seen {
    pub(crate) fn add(&mut self, more: Self) {
        self.notes.extend(more.notes);
        self.problems.extend(more.problems);
        self.requests.extend(more.requests);
        self.effects.extend(more.effects);
        self.lies.extend(more.lies);
        self.was_disturbed |= more.was_disturbed;
    }
}

/// The link of one process to one region.
#[derive(Clone)]
pub(crate) struct Link {
    pub(crate) services: Arc<Services>,
    pub(crate) region: u8,
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

    /// Returns how long ago the object was created, if this process has created it. Another create of the
    /// same object adopts it.
    pub(crate) fn since_creation(&self, region: u8, name: &str) -> Option<Duration> {
        let created = self.lock().seen.created.remove(&(region, name.to_owned()));
        created.map(|created| created.elapsed())
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.lock().is_dead
    }

    fn kill(&self) {
        self.lock().is_dead = true;
        self.event.notify_waiters();
    }
}

impl LinkState {
    /// Decides whether the next request fails, and how.
    fn next_failure(&mut self, method: &str) -> Option<Failure> {
        let count = u8::try_from(self.seen.requests.len()).unwrap_or(u8::MAX);
        let failure = match &self.fate {
            Some(Fate::Noise(share)) if self.random.u8(..100) < *share => {
                Some(Failure::draw(&mut self.random))
            }
            Some(Fate::Outage { from, seconds, failure }) if count >= *from => {
                let began = *self.outage_began.get_or_insert_with(Instant::now);
                let lasts = began.elapsed() < Duration::from_secs((*seconds).into());
                lasts.then_some(*failure)
            }
            Some(Fate::Writes(failure)) if method != "GET" => Some(*failure),
            Some(Fate::ProviderDies { at, processed } | Fate::HostDies { at, processed })
                if *at == count =>
            {
                Some(Failure { processed: *processed, end: End::Death })
            }
            Some(Fate::Unauthorized) => Some(Failure { processed: false, end: End::Status(401) }),
            _ => None,
        };
        self.seen.was_disturbed |= failure.is_some();
        failure
    }
}

impl Link {
    async fn exchange(&self, request: Request<Bytes>) -> Result<Reply, Broken> {
        let (failure, there, back) = self.begin(&request);
        sleep(there).await;
        self.wait_if_dead().await;
        let reply = match failure {
            None => Ok(self.process(request, Some(back)).await),
            Some(failure) => self.fail(request, failure).await,
        };
        sleep(back).await;
        self.wait_if_dead().await;
        reply
    }

    /// Records a request, and lets happen what happens at it. Returns its failure, and the times that it and
    /// its response take.
    fn begin(&self, request: &Request<Bytes>) -> (Option<Failure>, Duration, Duration) {
        let mut state = self.shared.lock();
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        state.seen.requests.push((self.region, method, path));
        let count = state.seen.requests.len();
        match &state.fate {
            Some(Fate::Interrupt { at }) if usize::from(*at) == count => {
                self.shared.event.notify_waiters();
            }
            Some(Fate::Meanwhile { at, outside }) if usize::from(*at) == count => {
                self.services.happen(outside);
            }
            _ => {}
        }
        let [there, back] = [(); 2].map(|()| Duration::from_millis(state.random.u64(1..40)));
        (state.next_failure(request.method().as_str()), there, back)
    }

    /// A dead process receives nothing.
    async fn wait_if_dead(&self) {
        if self.shared.is_dead() {
            std::future::pending().await
        }
    }

    async fn fail(&self, request: Request<Bytes>, failure: Failure) -> Result<Reply, Broken> {
        let (method, key) =
            (request.method().clone(), request.headers().get("authorization").cloned());
        let path = api_path(&request);
        let processed = match failure.processed {
            true => Some(self.process(request, None).await),
            false => None,
        };
        let json = |status, message: &str| {
            respond(status, "application/json", json!({ "message": message }).to_string())
        };
        Ok(match failure.end {
            End::Status(status) => json(status, "out of order"),
            End::Wait(seconds) => {
                let Reply { mut response, .. } = json(429, "out of order");
                response.headers_mut().insert("retry-after", u16::from(seconds).into());
                Reply { response, is_cut_off: false }
            }
            End::Page => respond(404, "text/html", "<html>Not here</html>".to_owned()),
            End::NotFound => {
                let names = self.snapshot(&path).into_keys();
                match method.as_str() {
                    "GET" => self.shared.lock().seen.lies.extend(names),
                    "PATCH" => self.services.denied().extend(names.map(|name| (self.region, name))),
                    _ => {}
                }
                json(404, "out of order")
            }
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
            End::Death => {
                self.shared.kill();
                std::future::pending().await
            }
        })
    }

    /// Lets the service process a request, and records its effects. `back` is the time that the response
    /// takes, unless it is lost.
    async fn process(&self, request: Request<Bytes>, back: Option<Duration>) -> Reply {
        let (is_read, path) = (request.method() == "GET", api_path(&request));
        let before = self.snapshot(&path);
        // Nothing here waits, so no other request is processed in between.
        let response = self.services.region(self.region).handle(request).await;
        if back.is_some() && response.status() == 200 {
            self.services.denied().remove(&(self.region, path.clone()));
        }
        let mut state = self.shared.lock();
        if is_read {
            let hidden = self.hidden(&before, &response);
            state.seen.lies.extend(hidden);
            return Reply { response, is_cut_off: false };
        }
        let after = self.snapshot(&path);
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            let (old, new) = (before.get(name), after.get(name));
            let identity = old.or(new).and_then(|it| Identity::of(self.region, it));
            let Some(identity) = identity.filter(|_| old != new) else { continue };
            if old.is_none() {
                let place = (self.region, name.clone());
                state.seen.created.extend(back.map(|back| (place, Instant::now() + back)));
            }
            let has_rival = new.is_none() && state.fate == Some(Fate::Rival);
            if has_rival && state.taken.insert(name.clone()) {
                self.take(name);
            }
            let twins = before.values().filter(|twin| {
                let principal = new.map(|new| &new["owner"]);
                old.is_none() && twin["owner"].is_string() && Some(&twin["owner"]) == principal
            });
            let twins = twins.map(|twin| text(&twin["name"]).to_owned()).collect();
            let (before, after) = (old.cloned(), new.cloned());
            state.seen.effects.push(Effect { identity, before, after, twins });
        }
        Reply { response, is_cut_off: false }
    }

    /// Creates another role of the name of one that was deleted.
    fn take(&self, name: &str) {
        if let ["listings", listing, "roles", role] = name.split('/').collect::<Vec<_>>()[..] {
            let fields = json!({"displayName": "A rival's", "priority": "9"});
            drop(self.services.region(self.region).put_role(listing, role, &fields));
        }
    }

    /// Returns the objects that a response to a read does not contain, and could.
    fn hidden(&self, present: &BTreeMap<String, Value>, response: &Response<Bytes>) -> Vec<String> {
        let body = String::from_utf8_lossy(response.body());
        // A page that is not the last one hides as little as one that is not read.
        let is_part =
            body.contains("\"nextPageToken\":\"") && !body.contains("\"nextPageToken\":\"\"");
        // An operation that is not offered or not allowed hides nothing either.
        let says_nothing = matches!(response.status().as_u16(), 403 | 405 | 501);
        if is_part || says_nothing || self.services.world.has(Oddity::SmallPages) {
            return Vec::new();
        }
        // A read that lags returns the deleted object that was there before.
        let value: Value = serde_json::from_str(&body).unwrap_or_default();
        let lists = value.as_object().into_iter().flat_map(|object| object.values());
        let objects = lists.filter_map(Value::as_array).flatten().chain([&value]);
        let is_deleted = |name: &str| {
            objects.clone().any(|it| it["name"] == name && it.get("deleteTime").is_some())
        };
        let is_hidden = |name: &&String| {
            response.status() == 404 || !body.contains(name.as_str()) || is_deleted(name)
        };
        present.keys().filter(is_hidden).cloned().collect()
    }

    /// Returns the objects that a path is about: one, or all of a parent.
    fn snapshot(&self, path: &str) -> BTreeMap<String, Value> {
        let service = self.services.region(self.region);
        let all = match path.split('/').collect::<Vec<_>>()[..] {
            ["listings", listing, "roles", ..] => service.roles(listing),
            ["integrations", integration, "owners", ..] => service.owners(integration),
            _ => Vec::new(),
        };
        let named = all.into_iter().map(|object| (text(&object["name"]).to_owned(), object));
        let is_in = |name: &str| name.rsplit_once('/').is_some_and(|(parent, _)| parent == path);
        named.filter(|(name, _)| name == path || is_in(name)).collect()
    }
}

fn api_path(request: &Request<Bytes>) -> String {
    request.uri().path().trim_start_matches("/api/v1/").to_owned()
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
