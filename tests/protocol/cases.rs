//! The objects and responses of the tables of reads, creates and deletes.
//!
//! Every row is tried with a plugin of its own, because a run keeps what it has learned. The
//! expected values come from the contract: where a table and the code differ, one is wrong. Private
//! state is real: an earlier plugin has read the object, at an address that each case replaces by its
//! own.

use std::sync::Arc;
use std::time::Duration;

use access_fake::{Action, Fault};
use plugin_server::testkit::proto::tfplugin6::{Diagnostic, DynamicValue, diagnostic::Severity};
use plugin_server::testkit::{decode, encode};
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::{ApplyResponse, Host, OWNER, PlanResponse, ROLE, ReadResponse, SCHEMAS, with};
use crate::support::Service;

/// The effect of a call on the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Conclusion {
    /// The state has the values of the response.
    Refreshed,
    /// The object is removed from the state, with a warning if the call is a refresh.
    Dropped,
    /// The state is kept without a diagnostic.
    Kept,
    /// The state is kept with a warning.
    Warned,
    /// The state is kept with an error.
    Failed,
}

/// A response: its status and body. `$OBJECT` stands for the object as the service has it, which
/// differs from the state, `$DELETED` for one with a `deleteTime`, `$SAME` for one that equals the
/// state, `$RECREATED` for one with another `createTime`, `$UNTIMED` for one without `updateTime`,
/// `$ENDED` for one with a `deleteTime` that equals the state otherwise, `$OTHER` for one with
/// another name, `$CUT` for one whose times have whole seconds, `$ODD` for one that equals the state except
/// for a directory that is no text.
pub(super) type Response = (u16, &'static str);

pub(super) const OBJECT: Response = (200, "$OBJECT");
pub(super) const JSON_404: Response = (404, r#"{"code":5,"message":"not found"}"#);
pub(super) const TEXT_404: Response = (404, "404 page not found");
pub(super) const FORBIDDEN: Response = (403, r#"{"message":"not for this key"}"#);
pub(super) const FAILURE: Response = (500, r#"{"message":"oh"}"#);
pub(super) const EMPTY: Response = (200, r#"{"$ENTRIES":[]}"#);

const CREATED: &str = "2020-01-01T00:00:00.123Z";
/// The same time from a service that cuts the fraction of a second in reads.
const CUT: &str = "2020-01-01T00:00:00Z";
const CHANGED: &str = "2020-01-02T00:00:00Z";

/// A role or an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Role,
    Owner,
}
pub(super) use Entity::{Owner, Role};

impl Entity {
    /// Returns the first value for a role, and the second for an owner.
    fn select(self, of_role: &'static str, of_owner: &'static str) -> &'static str {
        match self {
            Role => of_role,
            Owner => of_owner,
        }
    }

    pub(super) fn type_name(self) -> &'static str {
        self.select(ROLE, OWNER)
    }

    pub(super) fn name(self) -> &'static str {
        self.select("listings/github/roles/viewer", "integrations/github/owners/own-1")
    }

    /// Returns the path of one object, as a pattern of the local service.
    pub(super) fn object_path(self) -> &'static str {
        self.select("*/roles/*", "*/owners/*")
    }

    pub(super) fn list_path(self) -> &'static str {
        self.select("*/roles", "*/owners")
    }

    /// Returns the field of a list's response that contains the entries.
    pub(super) fn entries(self) -> &'static str {
        self.select("listingRoles", "integrationOwners")
    }

    /// Returns the object as the service has it.
    pub(super) fn object(self, update_time: &str) -> Value {
        let mut object = json!({
            "name": self.name(), "createTime": CREATED, "updateTime": update_time,
        });
        match self {
            Role => {
                object["displayName"] = json!("Viewer");
                object["priority"] = json!("3");
                object["manager"] = json!("TERRAFORM");
                object["repoUri"] = json!("https://example.com/team/access");
            }
            Owner => object["owner"] = json!("users/ada"),
        }
        object
    }

    /// Returns the object as the state has it.
    pub(super) fn state(self) -> Value {
        let state = match self {
            Role => {
                let repository = json!({"repo_uri": "https://example.com/team/access"});
                with(super::state(), &repository)
            }
            Owner => with(creating(Owner), &json!({"integration_owner_id": "own-1"})),
        };
        let name = self.name();
        let times = json!({"create_time": CREATED, "update_time": CREATED});
        with(with(state, &times), &json!({"id": name, "name": name}))
    }

    pub(super) fn body(self, body: &str) -> String {
        let with_field = |mut object: Value, field: &str, value: &str| {
            object[field] = json!(value);
            object.to_string()
        };
        let changed = |field: &str, value: &str| with_field(self.object(CHANGED), field, value);
        let mut untimed = self.object(CREATED);
        untimed.as_object_mut().expect("an object").remove("updateTime");
        let cut = with(self.object(CUT), &json!({ "createTime": CUT }));
        let odd = with(self.object(CREATED), &json!({ "repoDir": 7 }));
        body.replace("$CUT", &cut.to_string())
            .replace("$ODD", &odd.to_string())
            .replace("$UNTIMED", &untimed.to_string())
            .replace("$OBJECT", &self.object(CHANGED).to_string())
            .replace("$SAME", &self.object(CREATED).to_string())
            .replace("$ENDED", &with_field(self.object(CREATED), "deleteTime", CHANGED))
            .replace("$DELETED", &changed("deleteTime", CHANGED))
            .replace("$RECREATED", &changed("createTime", CHANGED))
            .replace("$OTHER", &changed("name", &format!("{}-2", self.name())))
            .replace("$ENTRIES", self.entries())
    }
}

/// Where private state says that the object was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum History {
    /// There is no private state.
    NeverRead,
    /// At this address.
    Read,
    /// At another address.
    ReadElsewhere,
}
pub(super) use History::{NeverRead, Read, ReadElsewhere};

/// One case: the responses of the service, and what the provider knows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Case {
    pub(super) entity: Entity,
    pub(super) history: History,
    pub(super) drift_detection: &'static str,
    /// Responses to GET and DELETE of the object, and to GET of its parent's list. Without one, the
    /// service responds for itself.
    pub(super) get: Option<Response>,
    pub(super) delete: Option<Response>,
    pub(super) list: Option<Response>,
}

impl Case {
    pub(super) fn new(entity: Entity, history: History) -> Self {
        Self { entity, history, drift_detection: "auto", get: None, delete: None, list: None }
    }

    /// Returns the private state of the earlier run.
    async fn private(&self, service: &Service) -> Vec<u8> {
        static READ: [OnceCell<Value>; 2] = [const { OnceCell::const_new() }; 2];
        let address = match self.history {
            NeverRead => return Vec::new(),
            Read => service.base_url(),
            ReadElsewhere => "http://127.0.0.1:1".to_owned(),
        };
        let private = READ[self.entity as usize].get_or_init(|| read(self.entity)).await.clone();
        assert!(private["base_url"].is_string(), "{private}");
        encode(&with(private, &json!({ "base_url": address }))).msgpack.to_vec()
    }

    /// Returns a service with the responses, a host that is configured for it, and private state.
    pub(super) async fn begin(&self) -> (Service, Host, Vec<u8>) {
        let service = Service::full();
        let private = self.private(&service).await;
        let (object, list) = (self.entity.object_path(), self.entity.list_path());
        let responses =
            [("GET", object, self.get), ("DELETE", object, self.delete), ("GET", list, self.list)];
        for (method, path, response) in responses {
            if let Some((status, body)) = response {
                let fault = Fault::respond(status, self.entity.body(body));
                service.add_fault(fault.on(method).at(path));
            }
        }
        let settings = json!({ "max_retries": 0, "drift_detection": self.drift_detection });
        let host = Host::start_with(&service, &settings).await;
        (service, host, private)
    }

    /// Reads the object after so many other reads under its parent. Returns the conclusion and the
    /// requests.
    pub(super) async fn read_after(self, others: usize) -> (Conclusion, Vec<String>) {
        let (service, host, private) = self.begin().await;
        let state = self.entity.state();
        for _ in 0..others {
            host.read(self.entity.type_name(), &state, &private).await;
        }
        service.clear_requests();
        let read = host.read(self.entity.type_name(), &state, &private).await;
        let new_state = decode(&read.new_state.expect("a state"));
        // `terraform destroy` refreshes first. Without that, only this error does not meet it.
        let mut errors = read.diagnostics.iter().filter(|it| it.severity() == Severity::Error);
        let is_forbidden = |it: &Diagnostic| it.summary.contains("403 Forbidden");
        let is_told = |it: &Diagnostic| it.detail.contains("-refresh=false") == is_forbidden(it);
        assert!(errors.all(is_told), "{:?}", read.diagnostics);
        (conclusion(&state, &new_state, &read.diagnostics), requests(&service))
    }

    /// Destroys the object, and returns the conclusion and the requests.
    pub(super) async fn destroy(self) -> (Conclusion, Vec<String>) {
        let (service, host, private) = self.begin().await;
        let state = self.entity.state();
        let applied = host.destroy(self.entity.type_name(), &state, &private).await;
        let new_state = decode(&applied.new_state.expect("a state"));
        // With an error, Terraform keeps its state and ignores the returned one.
        let failed = applied.diagnostics.iter().any(|found| found.severity() == Severity::Error);
        assert!(failed || new_state.is_null(), "a destroy returns no state: {new_state}");
        let conclusion = if failed { Conclusion::Failed } else { Conclusion::Dropped };
        (conclusion, requests(&service))
    }
}

/// Reads an object in a run of its own, and returns the private state, which is MessagePack.
async fn read(entity: Entity) -> Value {
    let service = Service::full();
    service.respond_to_all("GET", 200, &entity.body("$SAME"));
    let host = Host::start(&service).await;
    let read = host.read(entity.type_name(), &entity.state(), b"").await;
    assert_eq!(super::errors(&read.diagnostics), [""; 0]);
    decode(&DynamicValue { msgpack: read.private, ..Default::default() })
}

fn conclusion(prior: &Value, new_state: &Value, diagnostics: &[Diagnostic]) -> Conclusion {
    let has = |severity| diagnostics.iter().any(|found| found.severity() == severity);
    let (failed, warned) = (has(Severity::Error), has(Severity::Warning));
    if new_state.is_null() {
        assert!(!failed, "an error that drops the state as well: {diagnostics:?}");
        assert!(warned, "a deletion without a word");
        return Conclusion::Dropped;
    }
    if new_state != prior {
        assert!(!failed, "an error that changes the state as well: {diagnostics:?}");
        assert_eq!(new_state["update_time"], CHANGED);
        return Conclusion::Refreshed;
    }
    match (failed, warned) {
        (true, _) => Conclusion::Failed,
        (false, true) => Conclusion::Warned,
        (false, false) => Conclusion::Kept,
    }
}

pub(super) fn requests(service: &Service) -> Vec<String> {
    let line = |request: &access_fake::Request| format!("{} {}", request.method, request.path);
    service.requests().iter().map(line).collect()
}

/// Runs the cases, a few at a time. Fails the test with those whose conclusion is not the expected
/// one.
pub(super) async fn compare<F>(cases: Vec<(Case, Conclusion)>, run: impl Fn(Case) -> F)
where
    F: Future<Output = (Conclusion, Vec<String>)> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(16));
    let mut running = JoinSet::new();
    for (case, expected) in cases {
        let (places, running_case) = (Arc::clone(&places), run(case));
        running.spawn(async move {
            let _place = places.acquire_owned().await;
            let (seen, requests) = running_case.await;
            (seen != expected)
                .then(|| format!("{case:?}\n  expected {expected:?}, was {seen:?} by {requests:?}"))
        });
    }
    let differences: Vec<_> = running.join_all().await.into_iter().flatten().collect();
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

/// Returns the configuration of a new object, which the objects of the tables equal by their names.
pub(super) fn creating(entity: Entity) -> Value {
    match entity {
        Role => super::config(),
        Owner => {
            let arguments = json!({"integration": "github", "owner": "users/ada"});
            with(SCHEMAS.resources[OWNER].empty.clone(), &arguments)
        }
    }
}

/// An object that an earlier run has created, with the configuration of its resource.
pub(super) struct Object {
    pub(super) type_name: &'static str,
    pub(super) config: Value,
    pub(super) state: Value,
    pub(super) private: Vec<u8>,
}

impl Object {
    /// Returns a service with an object, and a host of the next run.
    pub(super) async fn with_host(entity: Entity) -> (Service, Self, Host) {
        let service = Service::full();
        let object = Self::create(&service, entity).await;
        let host = Host::start(&service).await;
        (service, object, host)
    }

    pub(super) async fn create(service: &Service, entity: Entity) -> Self {
        Self::create_as(service, entity.type_name(), creating(entity)).await
    }

    /// Creates an object with this configuration, and forgets the requests.
    pub(super) async fn create_as(
        service: &Service,
        type_name: &'static str,
        config: Value,
    ) -> Self {
        let host = Host::start(service).await;
        let (state, private) = host.create(type_name, &config).await;
        service.clear_requests();
        Self { type_name, config, state, private }
    }

    pub(super) async fn read(&self, host: &Host) -> ReadResponse {
        host.read(self.type_name, &self.state, &self.private).await
    }

    /// Plans the change to a configuration.
    pub(super) async fn plan(&self, host: &Host, config: &Value) -> PlanResponse {
        host.plan(self.type_name, Some(&self.state), config, &self.private).await
    }

    /// Plans and applies the change to a configuration.
    pub(super) async fn update(&self, host: &Host, config: &Value) -> ApplyResponse {
        let planned = self.plan(host, config).await;
        assert_eq!(super::errors(&planned.diagnostics), [""; 0]);
        host.apply(self.type_name, Some(&self.state), config, &planned).await
    }

    pub(super) async fn plan_destroy(&self, host: &Host) -> PlanResponse {
        host.plan_destroy(self.type_name, &self.state, &self.private).await
    }

    pub(super) async fn destroy(&self, host: &Host) -> ApplyResponse {
        host.destroy(self.type_name, &self.state, &self.private).await
    }

    /// Replaces state and private state with those of a response.
    pub(super) fn follow(&mut self, state: Option<DynamicValue>, private: &[u8]) {
        (self.state, self.private) = (decode(&state.expect("a state")), private.to_vec());
    }

    /// Refreshes and plans in a new run. Fails the test unless the state stays, without a word.
    pub(super) async fn plans_nothing(&self, service: &Service) {
        let host = Host::start(service).await;
        let read = self.read(&host).await;
        assert_eq!(read.diagnostics, []);
        assert_eq!(decode(&read.new_state.expect("a state")), self.state);
        let planned = self.plan(&host, &self.config).await;
        assert_eq!(planned.diagnostics, []);
        assert_eq!(decode(&planned.planned_state.expect("a state")), self.state);
    }
}

/// Runs a call, and another one while the first waits for its response to a request of this method.
/// The service responds when the other has had the time for its requests, which are few.
pub(super) async fn meanwhile<A, B>(
    (service, host, method): (&Service, &Host, &str),
    first: impl Future<Output = A>,
    other: impl Future<Output = B>,
) -> (A, B) {
    service.add_fault(Fault::new(Action::Hold { processed: false }).on(method).times(1));
    let arrival = async {
        while service.requests_of(method) == 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let release = async {
        // The plugin handles calls on one thread, so each of these lasts as long as one request.
        let idle = with(super::state(), &json!({"listing": "idle"}));
        for _ in 0..4 {
            host.read(ROLE, &idle, b"").await;
        }
        service.clear_faults();
    };
    let others = async {
        timeout(Duration::from_secs(60), arrival).await.expect("a request");
        tokio::join!(other, release).0
    };
    tokio::join!(first, others)
}
