//! The service and the network of a life: two regions in memory, and a link for each process of the
//! provider, which delays, breaks and records its requests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use access_client::simulation::{Broken, Exchange, Network, Reply};
use access_fake::{Absence, LagRule, OddList, Operations, Presence, Rank, Service};
use bytes::Bytes;
use fastrand::Rng;
use plugin_server::testkit::Client;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};

use crate::configuration::{Kind, Object};
use crate::life::Outside;

/// The beginning of every life: October 2001.
const BEGINNING: Duration = Duration::from_secs(1_003_000_000);

/// What is different about the service during a whole life.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct World {
    pub(crate) has_faults: bool,
    /// The number of reads that lag behind a write.
    pub(crate) lag: u8,
    pub(crate) absent: Option<u16>,
    pub(crate) lists_absent: bool,
    pub(crate) returns_deleted: bool,
    pub(crate) duplicate_owners: bool,
    pub(crate) canonical_owners: bool,
    pub(crate) omit_defaults: bool,
    pub(crate) ignores_caller: bool,
    pub(crate) small_pages: bool,
    pub(crate) clock_offset: i8,
    /// The pages of lists lack these entries at random.
    pub(crate) patchy_lists: bool,
}

impl World {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let mut rare = |chance| random.u8(..chance) == 0;
        let world = Self {
            has_faults: rare(2),
            returns_deleted: rare(5),
            duplicate_owners: rare(3),
            canonical_owners: rare(8),
            omit_defaults: rare(4),
            ignores_caller: rare(10),
            small_pages: rare(8),
            lists_absent: rare(12),
            patchy_lists: rare(12),
            ..Self::default()
        };
        let [lags, lacks, is_off] = [rare(8), rare(12), rare(6)];
        Self {
            lag: if lags { random.u8(1..4) } else { 0 },
            absent: if lacks { random.choice([404, 405, 501]) } else { None },
            // What a page lacks and what a list lacks cannot be told apart, so a list that lacks entries has
            // one page.
            small_pages: world.small_pages && !lags && !world.patchy_lists,
            clock_offset: if is_off { random.i8(-100..100) } else { 0 },
            ..world
        }
    }

    /// Returns whether reads show what is there.
    pub(crate) fn is_truthful(&self) -> bool {
        self.lag == 0 && self.absent.is_none() && !self.lists_absent && !self.patchy_lists
    }

    pub(crate) fn settings(&self) -> access_fake::World {
        let mut world = access_fake::World {
            omit_defaults: self.omit_defaults,
            ignores_caller: self.ignores_caller,
            returns_deleted_roles: self.returns_deleted,
            duplicate_owners: self.duplicate_owners,
            clock_offset_ms: i64::from(self.clock_offset) * 10_000,
            ..access_fake::World::default()
        };
        if self.canonical_owners {
            let pair = |id| (format!("users/user-{id}"), format!("users/id-{id}"));
            world.canonical_owners = (0..8).map(pair).collect();
        }
        if self.lag > 0 {
            world.lags.push(LagRule { reads: self.lag.into(), ..LagRule::default() });
        }
        if self.small_pages || self.patchy_lists {
            world.lists.push(OddList {
                largest_page_size: self.small_pages.then_some(2),
                drop_probability: if self.patchy_lists { 0.3 } else { 0.0 },
                ..OddList::default()
            });
        }
        if let Some(absence) = self.absent.and_then(Absence::of_status) {
            world.set_undocumented(Presence::Absent(absence));
        }
        if self.lists_absent {
            let list = Presence::Absent(Absence::MethodNotAllowed);
            world.roles = Operations { list, ..world.roles };
            world.owners = Operations { list, ..world.owners };
        }
        world
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{self:?}");
        let usual = format!("{:?}", Self::default());
        let parts = |text: &str| -> Vec<String> {
            let inner = text.trim_start_matches("World {").trim_end_matches('}');
            inner.split(", ").map(|part| part.trim().to_owned()).collect()
        };
        let usual = parts(&usual);
        let odd: Vec<_> = parts(&text).into_iter().filter(|part| !usual.contains(part)).collect();
        f.write_str(&if odd.is_empty() {
            "as documented, with reads".to_owned()
        } else {
            odd.join(", ")
        })
    }
}

/// What happens to requests of one process.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    /// Single requests fail, each with a probability in percent.
    Noise(u8),
    /// From a request on, every request fails for a number of seconds.
    Outage { from: u8, seconds: u8, failure: Failure },
    /// Every write fails.
    Writes(Failure),
    /// The provider's process dies at a request.
    ProviderDies { at: u8, processed: bool },
    /// The host's process dies at a request.
    HostDies { at: u8, processed: bool },
    /// The user interrupts the run at a request.
    Interrupt { at: u8 },
    /// The key is not accepted.
    Unauthorized,
    /// Whenever a role is deleted, somebody else creates another one of its name at once.
    Rival,
}

/// How a request fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    Status(u16),
    /// The request is processed, and a gateway returns this status.
    StatusAfter(u16),
    NotConnected,
    ResetBefore,
    ResetAfter,
    HangBefore,
    HangAfter,
    CutOff,
    Garbage,
    /// A gateway's page.
    Page,
    /// A gateway's 404, which looks like the service's.
    NotFound,
    /// An error whose message contains the key.
    Echo,
}

impl Failure {
    const ALL: [Self; 21] = [
        Self::Status(429),
        Self::Status(429),
        Self::Status(500),
        Self::Status(502),
        Self::Status(503),
        Self::Status(504),
        Self::Status(403),
        Self::Status(423),
        Self::StatusAfter(500),
        Self::StatusAfter(504),
        Self::NotConnected,
        Self::ResetBefore,
        Self::ResetAfter,
        Self::HangBefore,
        Self::HangAfter,
        Self::CutOff,
        Self::Garbage,
        Self::Page,
        Self::Page,
        Self::NotFound,
        Self::Echo,
    ];

    fn draw(random: &mut Rng) -> Self {
        random.choice(Self::ALL).unwrap_or(Self::Page)
    }
}

impl Fate {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let at = random.u8(1..14);
        match random.u8(..13) {
            12 => Self::Rival,
            0..=3 => Self::Noise(random.u8(3..30)),
            4 | 5 => Self::Outage {
                from: at,
                seconds: random.u8(1..200),
                failure: Failure::draw(random),
            },
            6 | 7 => Self::Writes(Failure::draw(random)),
            8 => Self::ProviderDies { at, processed: random.bool() },
            9 => Self::HostDies { at, processed: random.bool() },
            10 => Self::Interrupt { at },
            _ => Self::Unauthorized,
        }
    }
}

impl Fate {
    /// Returns whether no call may fail: an outage of less than a minute, of a service that has responded.
    pub(crate) fn is_short_outage(&self) -> bool {
        use Failure::{CutOff, NotConnected, ResetAfter, ResetBefore, Status, StatusAfter};
        let passes = |failure: Failure| {
            matches!(failure, Status(500 | 502 | 504) | StatusAfter(_) | CutOff)
                || matches!(failure, NotConnected | ResetBefore | ResetAfter)
        };
        matches!(self, Self::Outage { from: 2.., seconds: ..=55, failure } if passes(*failure))
    }

    /// Returns the longest time of one call.
    pub(crate) fn call_limit(fate: Option<&Self>) -> Duration {
        use Failure::{HangBefore, NotConnected, ResetBefore};
        let minutes = match fate {
            None | Some(Self::Unauthorized | Self::Interrupt { .. } | Self::Rival) => 1,
            // A service that has never responded is given up after 15 s.
            Some(Self::Outage {
                from: 1,
                seconds: 60..,
                failure: HangBefore | NotConnected | ResetBefore,
            }) => 1,
            Some(Self::ProviderDies { .. } | Self::HostDies { .. }) => 1,
            // A few requests with all their attempts, and waits for other calls.
            Some(_) => 40,
        };
        Duration::from_secs(60 * minutes)
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// An effect of a request on one object.
#[derive(Clone, Debug)]
pub(crate) struct Effect {
    pub(crate) method: String,
    pub(crate) identity: Identity,
    pub(crate) before: Option<Value>,
    pub(crate) after: Option<Value>,
    /// For a new owner: the names of owners that were the same principal.
    pub(crate) twins: Vec<String>,
    /// Whether a rival has seen it.
    is_noted: bool,
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

/// What was seen on the link of one process.
#[derive(Default)]
pub(crate) struct Seen {
    /// Region, method and path.
    pub(crate) requests: Vec<(u8, String, String)>,
    pub(crate) effects: Vec<Effect>,
    /// Objects that exist and that a response to this process said not to exist.
    pub(crate) lies: BTreeSet<String>,
    /// When the response to the request that created an object arrived.
    pub(crate) created: BTreeMap<(u8, String), Instant>,
    /// Whether a request met a fault.
    pub(crate) was_disturbed: bool,
    /// Whether a process ended before the walk.
    pub(crate) was_ended: bool,
}

/// The services of a life.
pub(crate) struct Services {
    pub(crate) regions: [Service; 2],
    pub(crate) world: World,
    /// The providers of each region. A walk configures them anew, which resets all that a process knows.
    pub(crate) clients: [OnceLock<Client>; 2],
}

impl Services {
    pub(crate) fn new(world: &World) -> Self {
        let regions = [(); 2].map(|()| {
            let service = Service::beginning_at(world.settings(), UNIX_EPOCH + BEGINNING);
            prepare(&service);
            service
        });
        Self { regions, world: world.clone(), clients: Default::default() }
    }

    /// Returns all objects of a region, by name.
    pub(crate) fn objects(&self, region: u8) -> Vec<Value> {
        let service = &self.regions[usize::from(region)];
        let roles = (0..3).flat_map(|at| service.roles(&format!("listing-{at}")));
        let owners = (0..3).flat_map(|at| service.owners(&format!("integration-{at}")));
        roles.chain(owners).collect()
    }

    /// Returns the spelling under which the service stores a principal.
    pub(crate) fn principal(&self, object: Object) -> String {
        match self.world.canonical_owners {
            true => format!("users/id-{}", object.id),
            false => object.own_name(),
        }
    }

    /// Returns the objects of the service that a configuration names as `object`.
    pub(crate) fn find(&self, region: u8, object: Object) -> Vec<Value> {
        let service = &self.regions[usize::from(region)];
        let parent = object.parent_name();
        match object.kind {
            Kind::Role => service.role(&parent, &object.own_name()).into_iter().collect(),
            Kind::Owner => {
                let principal = self.principal(object);
                let is_it = |owner: &Value| owner["owner"] == principal.as_str();
                service.owners(&parent).into_iter().filter(is_it).collect()
            }
            Kind::Owners => service.owners(&parent),
        }
    }

    /// Does what somebody else does.
    pub(crate) fn happen(&self, what: Outside, region: u8, object: Object) {
        let service = &self.regions[usize::from(region)];
        let (parent, id) = (object.parent_name(), object.own_name());
        let exists = !self.find(region, object).is_empty();
        // The service accepts none of these for a parent that does not exist.
        let create = || match object.kind {
            Kind::Role => service.put_role(
                &parent,
                &id,
                &json!({"displayName": "Somebody's", "priority": "7"}),
            ),
            _ => {
                let name = format!("theirs-{}", object.id);
                service.put_owner(&parent, &name, &json!({"owner": self.principal(object)}))
            }
        };
        let remove = || match object.kind {
            Kind::Role if self.world.returns_deleted => service.delete_role(&parent, &id),
            Kind::Role => service.remove_role(&parent, &id),
            _ => self.find(region, object).iter().all(|owner| {
                let name = owner["name"].as_str().unwrap_or_default();
                service.remove_owner(&parent, name.rsplit('/').next().unwrap_or_default())
            }),
        };
        match what {
            Outside::Create if !exists => drop(create()),
            Outside::Change if exists && object.kind == Kind::Role => {
                drop(service.change_role(
                    &parent,
                    &id,
                    &json!({"displayName": "Changed", "manager": null}),
                ));
            }
            Outside::Delete if exists => drop(remove()),
            Outside::Remake if exists => {
                remove();
                drop(create());
            }
            _ => {}
        }
    }
}

/// Adds the parents of objects, and the keys of both workspaces.
pub(crate) fn prepare(service: &Service) {
    for parent in 0..3 {
        service.put_listing(&format!("listing-{parent}"));
        service.put_integration(&format!("integration-{parent}"));
    }
    for workspace in 0..2 {
        service.put_key(&format!("workspace-{workspace}"), &key(workspace), Rank::Admin);
    }
}

/// The API key of a workspace.
pub(crate) fn key(workspace: usize) -> String {
    format!("secret+key/{workspace}-of-lives==")
}

/// The link of one process to one region.
#[derive(Clone)]
pub(crate) struct Link {
    services: Arc<Services>,
    region: u8,
    pub(crate) shared: Arc<Shared>,
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
    began: Option<Instant>,
    seen: Seen,
}

impl Shared {
    pub(crate) fn new(fate: Option<Fate>, salt: u64) -> Arc<Self> {
        let random = Rng::with_seed(salt);
        let state = LinkState { random, fate, is_dead: false, began: None, seen: Seen::default() };
        Arc::new(Self { state: Mutex::new(state), event: Notify::new() })
    }

    /// Returns the longest time of one call.
    pub(crate) fn call_limit(&self) -> Duration {
        Fate::call_limit(self.lock().fate.as_ref())
    }

    fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what was seen so far.
    pub(crate) fn take_seen(&self) -> Seen {
        std::mem::take(&mut self.lock().seen)
    }

    /// Returns how long ago the object was created, if this process has created it.
    pub(crate) fn since_creation(&self, region: u8, name: &str) -> Option<Duration> {
        self.lock().seen.created.get(&(region, name.to_owned())).map(|at| at.elapsed())
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.lock().is_dead
    }

    pub(crate) fn kill(&self) {
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
    fn course(&mut self, method: &str) -> Course {
        let count = u8::try_from(self.seen.requests.len()).unwrap_or(u8::MAX);
        let course = match &self.fate {
            None => Course::Pass,
            Some(Fate::Noise(share)) if self.random.u8(..100) < *share => {
                Course::Fail(Failure::draw(&mut self.random))
            }
            Some(Fate::Outage { from, seconds, failure }) if count >= *from => {
                let began = *self.began.get_or_insert_with(Instant::now);
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
            Some(Fate::Unauthorized) => Course::Fail(Failure::Status(401)),
            Some(_) => Course::Pass,
        };
        self.seen.was_disturbed |= !matches!(course, Course::Pass);
        course
    }
}

impl LinkState {
    /// Records when the response to the request that has just created an object will arrive.
    /// Returns listing and ID of a role that a rival is to create.
    fn note_creations(&mut self, before: usize, latency: Duration) -> Option<(String, String)> {
        let Seen { effects, created, .. } = &mut self.seen;
        // None if the walk has ended meanwhile.
        let effects = effects.get_mut(before..)?;
        if let Some(effect) = effects.last().filter(|effect| effect.before.is_none()) {
            let arrival = Instant::now() + latency;
            let place = (effect.identity.region, effect.identity.name.clone());
            created.entry(place).or_insert(arrival);
        }
        // Only one rival for each name.
        let deleted = effects.last_mut().filter(|_| self.fate == Some(Fate::Rival))?;
        let is_delete = deleted.after.is_none() && deleted.method == "DELETE" && !deleted.is_noted;
        deleted.is_noted = true;
        let mut parts = deleted.identity.name.split('/').filter(|_| is_delete);
        match (parts.next(), parts.next(), parts.nth(1)) {
            (Some("listings"), Some(listing), Some(role)) => {
                Some((listing.to_owned(), role.to_owned()))
            }
            _ => None,
        }
    }
}

impl Link {
    pub(crate) fn new(services: &Arc<Services>, region: u8, shared: &Arc<Shared>) -> Arc<Self> {
        Arc::new(Self { services: Arc::clone(services), region, shared: Arc::clone(shared) })
    }

    async fn exchange(&self, request: http::Request<Bytes>) -> Result<Reply, Broken> {
        let latency = {
            let mut state = self.shared.lock();
            let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
            state.seen.requests.push((self.region, method, path));
            if matches!(state.fate, Some(Fate::Interrupt { at }) if usize::from(at) == state.seen.requests.len())
            {
                self.shared.event.notify_waiters();
            }
            [(); 2].map(|()| Duration::from_millis(state.random.u64(1..40)))
        };
        let course = self.shared.lock().course(request.method().as_str());
        sleep(latency[0]).await;
        if self.shared.is_dead() {
            return std::future::pending().await;
        }
        let reply = match course {
            Course::Pass => {
                let before = self.shared.lock().seen.effects.len();
                let response = self.process(request).await;
                let rival = self.shared.lock().note_creations(before, latency[1]);
                if let Some((listing, role)) = rival {
                    let fields = json!({"displayName": "A rival's", "priority": "9"});
                    let service = &self.services.regions[usize::from(self.region)];
                    drop(service.put_role(&listing, &role, &fields));
                }
                Ok(response)
            }
            Course::Die { processed } => {
                if processed {
                    self.process(request).await;
                }
                self.shared.kill();
                return std::future::pending().await;
            }
            Course::Fail(failure) => self.fail(request, failure).await,
        };
        sleep(latency[1]).await;
        if self.shared.is_dead() {
            return std::future::pending().await;
        }
        reply.map(|response| Reply { response, is_cut_off: false }).or_else(|end| match end {
            End::Broken(broken) => Err(broken),
            End::CutOff(response) => Ok(Reply { response: *response, is_cut_off: true }),
        })
    }

    async fn fail(
        &self,
        request: http::Request<Bytes>,
        failure: Failure,
    ) -> Result<http::Response<Bytes>, End> {
        let respond = |status, kind, body: &'static str| {
            let response = http::Response::builder().status(status).header("content-type", kind);
            Ok(response.body(Bytes::from_static(body.as_bytes())).expect("a response"))
        };
        let plain = |status| respond(status, "application/json", "{\"message\":\"out of order\"}");
        match failure {
            Failure::Status(status) => plain(status),
            Failure::StatusAfter(status) => {
                self.process(request).await;
                plain(status)
            }
            Failure::NotConnected => Err(End::Broken(Broken::NotConnected)),
            Failure::ResetBefore => Err(End::Broken(Broken::Reset)),
            Failure::ResetAfter => {
                self.process(request).await;
                Err(End::Broken(Broken::Reset))
            }
            Failure::HangBefore => std::future::pending().await,
            Failure::HangAfter => {
                self.process(request).await;
                std::future::pending().await
            }
            Failure::CutOff => {
                let whole = self.process(request).await;
                Err(End::CutOff(Box::new(whole.map(|body| body.slice(..body.len() / 2)))))
            }
            Failure::Garbage => {
                self.process(request).await;
                respond(200, "application/json", "\u{1}{\"name\": <<<")
            }
            Failure::Page => respond(404, "text/html", "<html>Not here</html>"),
            Failure::NotFound => {
                if request.method() == "GET" {
                    let path = request.uri().path().trim_start_matches("/api/v1/").to_owned();
                    let names = self
                        .snapshot(&path)
                        .into_iter()
                        .filter_map(|object| object["name"].as_str().map(str::to_owned));
                    self.shared.lock().seen.lies.extend(names);
                }
                plain(404)
            }
            Failure::Echo => {
                let key = request.headers().get("authorization").and_then(|key| key.to_str().ok());
                let message =
                    json!({"message": format!("not accepted: {}", key.unwrap_or_default())});
                let response = http::Response::builder()
                    .status(400)
                    .header("content-type", "application/json");
                Ok(response.body(Bytes::from(message.to_string())).expect("a response"))
            }
        }
    }

    /// Lets the service process a request, and records its effects.
    async fn process(&self, request: http::Request<Bytes>) -> http::Response<Bytes> {
        let method = request.method().to_string();
        let path = request.uri().path().trim_start_matches("/api/v1/").to_owned();
        let all_before = self.snapshot(&path);
        // Nothing here waits, so no other request is processed in between.
        let response = self.services.regions[usize::from(self.region)].handle(request).await;
        let mut state = self.shared.lock();
        if method == "GET" {
            let body = String::from_utf8_lossy(response.body());
            let exists = |object: &&Value| {
                response.status() == 404
                    || !body.contains(object["name"].as_str().unwrap_or_default())
            };
            // A page of a list that is not the last one lies as little as one that is not read.
            let is_part =
                body.contains("\"nextPageToken\":\"") && !body.contains("\"nextPageToken\":\"\"");
            let hidden = all_before
                .iter()
                .filter(exists)
                .filter(|_| !is_part && !self.services.world.small_pages);
            let names = hidden.map(|object| object["name"].as_str().unwrap_or_default().to_owned());
            let lies: Vec<String> = names.collect();
            state.seen.lies.extend(lies);
            return response;
        }
        let all_after = self.snapshot(&path);
        let named = |all: &[Value], name: &Value| {
            all.iter().find(|object| object["name"] == *name).cloned()
        };
        let names: BTreeSet<String> = all_before
            .iter()
            .chain(&all_after)
            .filter_map(|object| object["name"].as_str().map(str::to_owned))
            .collect();
        for name in names {
            let [before, after] = [&all_before, &all_after].map(|all| named(all, &json!(name)));
            if before != after
                && let Some(identity) = before
                    .as_ref()
                    .or(after.as_ref())
                    .and_then(|object| Identity::of(self.region, object))
            {
                let owner = after.as_ref().map_or(Value::Null, |object| object["owner"].clone());
                let is_twin = |object: &&Value| {
                    before.is_none() && object["owner"] == owner && !owner.is_null()
                };
                let twins = all_before.iter().filter(is_twin);
                let twins = twins
                    .map(|twin| twin["name"].as_str().unwrap_or_default().to_owned())
                    .collect();
                state.seen.effects.push(Effect {
                    method: method.clone(),
                    identity,
                    before,
                    after,
                    twins,
                    is_noted: false,
                });
            }
        }
        response
    }

    /// Returns the objects that a path is about.
    fn snapshot(&self, path: &str) -> Vec<Value> {
        let service = &self.services.regions[usize::from(self.region)];
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            ["listings", listing, "roles"] => service.roles(listing),
            ["listings", listing, "roles", role] => {
                service.role(listing, role).into_iter().collect()
            }
            ["integrations", integration, "owners"] => service.owners(integration),
            ["integrations", integration, "owners", owner] => {
                service.owner(integration, owner).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

enum End {
    Broken(Broken),
    CutOff(Box<http::Response<Bytes>>),
}

impl Network for Link {
    fn send(&self, request: http::Request<Bytes>) -> Exchange {
        let link = self.clone();
        Box::pin(async move { link.exchange(request).await })
    }
}
