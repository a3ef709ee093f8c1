//! Conclusions from each response of each call (the table of DESIGN.md).
//!
//! Every row is tried with a plugin of its own, because a run keeps what it has learned. The
//! expected values come from the contract: where this table and the code differ, one is wrong.

mod delete;
mod list;
mod read;

use std::sync::Arc;

use plugin_server::testkit::decode;
use plugin_server::testkit::proto::tfplugin6::{Diagnostic, diagnostic::Severity};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::{Host, OWNER, ROLE, private_state, schema};
use crate::support::Service;

/// The effect of a call on the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conclusion {
    /// The state has the values of the response.
    Refreshed,
    /// The object is removed from the state.
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
/// state, `$RECREATED` for one with another `createTime`, `$UNTIMED` for one
/// without `updateTime`, `$OTHER` for one with another name.
type Response = (u16, &'static str);

const OBJECT: Response = (200, "$OBJECT");
const JSON_404: Response = (404, r#"{"code":5,"message":"not found"}"#);
const TEXT_404: Response = (404, "404 page not found");
const HTML_404: Response = (404, "<html><body><h1>404 Not Found</h1></body></html>");
const EMPTY_404: Response = (404, "");
const FORBIDDEN: Response = (403, r#"{"message":"not for this key"}"#);
const FAILURE: Response = (500, r#"{"message":"oh"}"#);

const CREATED: &str = "2020-01-01T00:00:00Z";
const CHANGED: &str = "2020-01-02T00:00:00Z";

/// A role or an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entity {
    Role,
    Owner,
}
use Entity::{Owner, Role};

impl Entity {
    fn type_name(self) -> &'static str {
        match self {
            Role => ROLE,
            Owner => OWNER,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Role => "listings/github/roles/viewer",
            Owner => "integrations/github/owners/own-1",
        }
    }

    /// Returns the path of one object, as a pattern of the local service.
    fn object_path(self) -> &'static str {
        match self {
            Role => "*/roles/*",
            Owner => "*/owners/*",
        }
    }

    fn list_path(self) -> &'static str {
        match self {
            Role => "*/roles",
            Owner => "*/owners",
        }
    }

    /// Returns the field of a list's response that contains the entries.
    fn entries(self) -> &'static str {
        match self {
            Role => "listingRoles",
            Owner => "integrationOwners",
        }
    }

    /// Returns the object as the service has it.
    fn object(self, update_time: &str) -> Value {
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
    fn state(self) -> Value {
        let mut state = match self {
            Role => super::state(),
            Owner => schema::empty_resource(OWNER),
        };
        state["id"] = json!(self.name());
        state["name"] = json!(self.name());
        state["create_time"] = json!(CREATED);
        state["update_time"] = json!(CREATED);
        match self {
            Role => state["repo_uri"] = json!("https://example.com/team/access"),
            Owner => {
                state["integration"] = json!("github");
                state["owner"] = json!("users/ada");
                state["integration_owner_id"] = json!("own-1");
            }
        }
        state
    }

    /// Returns the body of a response.
    fn body(self, body: &str) -> String {
        let with = |field: &str, value: &str| {
            let mut object = self.object(CHANGED);
            object[field] = json!(value);
            object.to_string()
        };
        let mut recreated_and_deleted = self.object(CHANGED);
        recreated_and_deleted["createTime"] = json!(CHANGED);
        recreated_and_deleted["deleteTime"] = json!(CHANGED);
        let mut untimed = self.object(CREATED);
        untimed.as_object_mut().expect("an object").remove("updateTime");
        body.replace("$UNTIMED", &untimed.to_string())
            .replace("$RECREATED_AND_DELETED", &recreated_and_deleted.to_string())
            .replace("$OBJECT", &self.object(CHANGED).to_string())
            .replace("$SAME", &self.object(CREATED).to_string())
            .replace("$DELETED", &with("deleteTime", CHANGED))
            .replace("$RECREATED", &with("createTime", CHANGED))
            .replace("$OTHER", &with("name", &format!("{}-2", self.name())))
            .replace("$ENTRIES", self.entries())
    }
}

/// Private state of the object before the call.
#[derive(Clone, Copy, Debug)]
struct Knowledge {
    /// An earlier read of this object has succeeded.
    evidence: bool,
    /// The object was last seen at the configured base address.
    same_address: bool,
    /// The last write is less than five minutes old.
    recent: bool,
}

impl Knowledge {
    fn private(self, service: &Service) -> Vec<u8> {
        let elsewhere = "https://eu.access.example/".to_owned();
        let base_url = if self.same_address { service.base_url() } else { elsewhere };
        let now = std::time::UNIX_EPOCH.elapsed().expect("a time").as_secs();
        let written_at = if self.recent { json!(now) } else { Value::Null };
        private_state(&json!({ "object": {
            "reads": self.evidence, "seen": true, "base_url": base_url, "written_at": written_at,
        }}))
    }
}

/// One case: the responses of the service, and the prior state of the provider.
#[derive(Clone, Debug)]
struct Case {
    entity: Entity,
    drift_detection: &'static str,
    known: Knowledge,
    /// Responses by method and path.
    responses: Vec<(&'static str, &'static str, Response)>,
}

impl Case {
    fn service(&self) -> Service {
        let service = Service::full();
        for (method, path, (status, body)) in &self.responses {
            let body = self.entity.body(body);
            service.fault(access_fake::Fault::respond(*status, body).on(method).at(path));
        }
        service
    }

    fn settings(&self) -> Value {
        json!({ "max_retries": 0, "drift_detection": self.drift_detection })
    }

    /// Reads the object, and returns the conclusion and the requests.
    async fn read(&self) -> (Conclusion, Vec<String>) {
        let service = self.service();
        let host = Host::start_with(&service, &self.settings()).await;
        let state = self.entity.state();
        let private = self.known.private(&service);
        let read = host.read_as(self.entity.type_name(), &state, &private).await;
        let new_state = decode(&read.new_state.expect("a state"));
        host.end().await;
        (conclusion(&state, &new_state, &read.diagnostics), requests(&service))
    }

    /// Destroys the object, and returns the conclusion and the requests.
    async fn destroy(&self) -> (Conclusion, Vec<String>) {
        let service = self.service();
        let host = Host::start_with(&service, &self.settings()).await;
        let state = self.entity.state();
        let private = self.known.private(&service);
        let applied = host.destroy(self.entity.type_name(), &state, &private).await;
        let new_state = decode(&applied.new_state.expect("a state"));
        host.end().await;
        // With an error, Terraform keeps its state and ignores the returned one.
        let failed = applied.diagnostics.iter().any(|found| found.severity() == Severity::Error);
        assert!(new_state.is_null(), "a destroy returns no state: {new_state}");
        (if failed { Conclusion::Failed } else { Conclusion::Dropped }, requests(&service))
    }
}

fn conclusion(prior: &Value, new_state: &Value, diagnostics: &[Diagnostic]) -> Conclusion {
    let has = |severity| diagnostics.iter().any(|found| found.severity() == severity);
    let failed = has(Severity::Error);
    if new_state.is_null() {
        assert!(!failed, "an error that drops the state as well: {diagnostics:?}");
        return Conclusion::Dropped;
    }
    if new_state != prior {
        assert!(!failed, "an error that changes the state as well: {diagnostics:?}");
        assert_eq!(new_state["update_time"], CHANGED);
        return Conclusion::Refreshed;
    }
    match (failed, has(Severity::Warning)) {
        (true, _) => Conclusion::Failed,
        (false, true) => Conclusion::Warned,
        (false, false) => Conclusion::Kept,
    }
}

fn requests(service: &Service) -> Vec<String> {
    let line = |request: &access_fake::Request| format!("{} {}", request.method, request.path);
    service.requests().iter().map(line).collect()
}

impl Host {
    /// Applies the destroy of an object.
    async fn destroy(
        &self,
        type_name: &str,
        state: &Value,
        private: &[u8],
    ) -> super::pb::apply_resource_change::Response {
        let request = super::pb::apply_resource_change::Request {
            type_name: type_name.to_owned(),
            prior_state: Some(super::encode(state)),
            planned_state: Some(super::null()),
            config: Some(super::null()),
            planned_private: private.to_vec().into(),
            ..Default::default()
        };
        self.client.apply_resource_change(request).await.unwrap()
    }
}

/// Runs the cases, a few at a time, and returns those whose conclusion is not the expected one.
async fn differences<F>(cases: Vec<(Case, Conclusion)>, run: impl Fn(Case) -> F) -> Vec<String>
where
    F: Future<Output = (Conclusion, Vec<String>)> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(4));
    let mut running = JoinSet::new();
    for (case, expected) in cases {
        let (places, running_case) = (Arc::clone(&places), run(case.clone()));
        running.spawn(async move {
            let _place = places.acquire_owned().await;
            let (seen, requests) = running_case.await;
            (seen != expected)
                .then(|| format!("{case:?}\n  expected {expected:?}, was {seen:?} by {requests:?}"))
        });
    }
    running.join_all().await.into_iter().flatten().collect()
}

#[track_caller]
fn assert_none(differences: &[String]) {
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}
