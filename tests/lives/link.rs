//! The network between one process of the provider and a region: it delays, breaks and records requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use access_client::simulation::{Broken, Exchange, Network, Reply};
use bytes::Bytes;
use fastrand::Rng;
use http::{Request, Response};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::fate::{End, Failure, Fate};
use crate::world::{Oddity, Services};

/// An effect of a request on one object.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) method: String,
    pub(crate) identity: Identity,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    /// For a new owner: the names of owners that were the same principal.
    pub(crate) twins: Vec<String>,
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

/// What was seen on the links of one walk.
#[derive(Default)]
pub(crate) struct Seen {
    /// Region, method and path.
    pub(crate) requests: Vec<(u8, String, String)>,
    pub(crate) effects: Vec<Effect>,
    /// Objects that exist and that a response to this process said not to exist.
    pub(crate) lies: BTreeSet<String>,
    /// When the response to the request that created an object arrived.
    created: BTreeMap<(u8, String), Instant>,
    /// Whether a request met a fault.
    pub(crate) was_disturbed: bool,
    /// Whether a process ended before the walk.
    pub(crate) was_ended: bool,
}

/// The link of one process to one region.
#[derive(Clone)]
pub(crate) struct Link {
    services: Arc<Services>,
    region: u8,
    shared: Arc<Shared>,
}

/// What the links of one walk share.
pub(crate) struct Shared {
    state: Mutex<LinkState>,
    /// Notified when the process dies, or the user interrupts.
    pub(crate) event: Notify,
}

struct LinkState {
    random: Rng,
    fate: Option<Fate>,
    is_dead: bool,
    outage_began: Option<Instant>,
    /// Names that a rival has taken.
    taken: BTreeSet<String>,
    seen: Seen,
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

    fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the longest time of one call.
    pub(crate) fn call_limit(&self) -> Duration {
        Fate::call_limit(self.lock().fate.as_ref())
    }

    /// Returns what was seen, and ends the process: it sends nothing any more.
    pub(crate) fn end(&self) -> Seen {
        let mut state = self.lock();
        let dies = matches!(state.fate, Some(Fate::HostDies { .. } | Fate::ProviderDies { .. }));
        let was_ended = dies && state.is_dead;
        state.is_dead = true;
        Seen { was_ended, ..std::mem::take(&mut state.seen) }
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

/// What the link does with one request.
enum Course {
    Pass,
    Fail(Failure),
    Die { processed: bool },
}

impl LinkState {
    /// Decides about the next request.
    fn course(&mut self, method: &str) -> Course {
        let count = u8::try_from(self.seen.requests.len()).unwrap_or(u8::MAX);
        let course = match &self.fate {
            Some(Fate::Noise(share)) if self.random.u8(..100) < *share => {
                Course::Fail(Failure::draw(&mut self.random))
            }
            Some(Fate::Outage { from, seconds, failure }) if count >= *from => {
                let began = *self.outage_began.get_or_insert_with(Instant::now);
                match began.elapsed() < Duration::from_secs((*seconds).into()) {
                    true => Course::Fail(*failure),
                    false => Course::Pass,
                }
            }
            Some(Fate::Writes(failure)) if method != "GET" => Course::Fail(*failure),
            Some(Fate::ProviderDies { at, processed } | Fate::HostDies { at, processed })
                if *at == count =>
            {
                Course::Die { processed: *processed }
            }
            Some(Fate::Unauthorized) => {
                Course::Fail(Failure { processed: false, end: End::Status(401) })
            }
            _ => Course::Pass,
        };
        self.seen.was_disturbed |= !matches!(course, Course::Pass);
        course
    }
}

impl Link {
    pub(crate) fn new(services: &Arc<Services>, region: u8, shared: &Arc<Shared>) -> Arc<Self> {
        Arc::new(Self { services: Arc::clone(services), region, shared: Arc::clone(shared) })
    }

    async fn exchange(&self, request: Request<Bytes>) -> Result<Reply, Broken> {
        let (course, latency, arrival) = self.begin(&request);
        sleep(latency).await;
        self.wait_if_dead().await;
        let reply = match course {
            Course::Pass => Ok(self.process(request, Some(arrival)).await),
            Course::Die { processed } => {
                if processed {
                    self.process(request, None).await;
                }
                self.shared.kill();
                std::future::pending().await
            }
            Course::Fail(failure) => self.fail(request, failure).await,
        };
        sleep(arrival).await;
        self.wait_if_dead().await;
        reply
    }

    /// Records a request, and lets happen what happens at it. Returns its course, and the time that it and
    /// its response take.
    fn begin(&self, request: &Request<Bytes>) -> (Course, Duration, Duration) {
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
        (state.course(request.method().as_str()), there, back)
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
            End::Page => respond(404, "text/html", "<html>Not here</html>".to_owned()),
            End::NotFound => {
                if method == "GET" {
                    let names = self.snapshot(&path).into_keys();
                    self.shared.lock().seen.lies.extend(names);
                }
                json(404, "out of order")
            }
            End::Echo => {
                let key = key.as_ref().and_then(|key| key.to_str().ok()).unwrap_or_default();
                json(400, &format!("not accepted: {key}"))
            }
            End::NotConnected => return Err(Broken::NotConnected),
            End::Reset => return Err(Broken::Reset),
            End::Hang => std::future::pending().await,
            End::CutOff => {
                let Reply { response, .. } = processed.unwrap_or_else(|| json(200, ""));
                let response = response.map(|body| body.slice(..body.len() / 2));
                Reply { response, is_cut_off: true }
            }
            End::Garbage => respond(200, "application/json", "\u{1}{\"name\": <<<".to_owned()),
        })
    }

    /// Lets the service process a request, and records its effects. `arrival` is the time after which the
    /// process receives the response.
    async fn process(&self, request: Request<Bytes>, arrival: Option<Duration>) -> Reply {
        let (method, path) = (request.method().to_string(), api_path(&request));
        let before = self.snapshot(&path);
        // Nothing here waits, so no other request is processed in between.
        let response = self.services.region(self.region).handle(request).await;
        let mut state = self.shared.lock();
        if method == "GET" {
            let hidden = self.hidden(&before, &response);
            state.seen.lies.extend(hidden);
            return Reply { response, is_cut_off: false };
        }
        let after = self.snapshot(&path);
        for name in before.keys().chain(after.keys()).collect::<BTreeSet<_>>() {
            let (old, new) = (before.get(name), after.get(name));
            let Some(identity) = old.or(new).and_then(|it| Identity::of(self.region, it)) else {
                continue;
            };
            if old == new {
                continue;
            }
            if old.is_none() {
                let place = (self.region, name.clone());
                state.seen.created.extend(arrival.map(|arrival| (place, Instant::now() + arrival)));
            } else if new.is_none()
                && state.fate == Some(Fate::Rival)
                && state.taken.insert(name.clone())
            {
                self.take(name);
            }
            let is_twin = |twin: &&Value| {
                old.is_none()
                    && twin["owner"].is_string()
                    && Some(&twin["owner"]) == new.map(|new| &new["owner"])
            };
            let twins = before.values().filter(is_twin).map(|twin| text(&twin["name"])).collect();
            let (before, after) = (old.cloned(), new.cloned());
            state.seen.effects.push(Effect {
                method: method.clone(),
                identity,
                before,
                after,
                twins,
            });
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
        if is_part || self.services.world.has(Oddity::SmallPages) {
            return Vec::new();
        }
        let is_hidden = |name: &&String| response.status() == 404 || !body.contains(name.as_str());
        present.keys().filter(is_hidden).cloned().collect()
    }

    /// Returns the objects that a path is about.
    fn snapshot(&self, path: &str) -> BTreeMap<String, Value> {
        let service = self.services.region(self.region);
        let all = match path.split('/').collect::<Vec<_>>()[..] {
            ["listings", listing, "roles"] => service.roles(listing),
            ["listings", listing, "roles", role] => Vec::from_iter(service.role(listing, role)),
            ["integrations", integration, "owners"] => service.owners(integration),
            ["integrations", integration, "owners", owner] => {
                Vec::from_iter(service.owner(integration, owner))
            }
            _ => Vec::new(),
        };
        all.into_iter().map(|object| (text(&object["name"]), object)).collect()
    }
}

fn api_path(request: &Request<Bytes>) -> String {
    request.uri().path().trim_start_matches("/api/v1/").to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
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
