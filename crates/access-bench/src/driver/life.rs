//! Creates, reads, edits and destroys many roles with the calls that Terraform makes.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use access_fake::Service;
use anyhow::{Context as _, Result, anyhow, ensure};
use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, decode, encode, null};
use serde_json::{Value, json};

use super::host::{Host, refuse_errors};

/// A listing that the local service has from the start.
const LISTING: &str = "github";
/// The resource type that is measured.
const TYPE: &str = "access_listing_role";

/// The measurement of one kind of call, for every role.
#[derive(Clone, Debug)]
pub(crate) struct Phase {
    pub(crate) name: &'static str,
    /// Time from the first call to the last response.
    pub(crate) wall: Duration,
    /// Time of each call, measured by its caller.
    pub(crate) calls: Vec<Duration>,
    /// Processor time of the plugin.
    pub(crate) cpu: Duration,
    /// Requests that the service received.
    pub(crate) requests: usize,
}

/// A role between two calls.
#[derive(Clone)]
struct Role {
    config: pb::DynamicValue,
    edited: pb::DynamicValue,
    /// Null before the create and after the destroy.
    state: pb::DynamicValue,
    private: Vec<u8>,
    planned: pb::DynamicValue,
    planned_private: Vec<u8>,
}

/// Creates, reads, edits and destroys `count` roles, and returns the costs of each kind of call.
///
/// # Errors
///
/// Fails if a call fails and if the service does not have the expected roles.
pub(crate) async fn live(
    host: &Host,
    service: &Service,
    count: usize,
    parallelism: usize,
) -> Result<Vec<Phase>> {
    let mut roles: Vec<Role> = (0..count).map(|index| role(&host.blank, index)).collect();
    let mut phases = Vec::new();
    let mut run = Run { host, service, parallelism, phases: &mut phases };
    run.phase("validate", &mut roles, validate).await?;
    run.phase("plan a create", &mut roles, |client, role| {
        let proposed = role.config.clone();
        plan(client, role, proposed)
    })
    .await?;
    run.phase("create", &mut roles, apply).await?;
    ensure!(service.roles(LISTING).len() == count, "not all roles were created");
    run.phase("upgrade", &mut roles, upgrade).await?;
    run.phase("read", &mut roles, read).await?;
    run.phase("plan no change", &mut roles, |client, role| {
        let proposed = role.state.clone();
        plan(client, role, proposed)
    })
    .await?;
    ensure!(
        roles.iter().all(|role| decode(&role.planned) == decode(&role.state)),
        "a plan without changes has changes"
    );
    for role in &mut roles {
        role.config = role.edited.clone();
    }
    run.phase("plan an edit", &mut roles, |client, role| {
        let proposed = edited(&role);
        plan(client, role, proposed)
    })
    .await?;
    run.phase("edit", &mut roles, apply).await?;
    run.phase("plan a destroy", &mut roles, |client, role| plan(client, role, null())).await?;
    run.phase("destroy", &mut roles, apply).await?;
    ensure!(service.roles(LISTING).is_empty(), "not all roles were destroyed");
    Ok(phases)
}

fn role(blank: &Value, index: usize) -> Role {
    let mut config = blank.clone();
    config["listing"] = json!(LISTING);
    config["role"] = json!(format!("role-{index}"));
    config["display_name"] = json!(format!("Role {index}"));
    config["description"] = json!(format!("Edition 1 of role {index}."));
    config["priority"] = json!(index);
    config["resources"] = json!(["repositories/handbook", "repositories/website"]);
    let first = encode(&config);
    config["description"] = json!(format!("Edition 2 of role {index}."));
    Role {
        config: first,
        edited: encode(&config),
        state: null(),
        private: Vec::new(),
        planned: null(),
        planned_private: Vec::new(),
    }
}

/// Returns the new state that Terraform proposes for an edit: the prior state with the values that are
/// set in the configuration.
fn edited(role: &Role) -> pb::DynamicValue {
    let mut proposed = decode(&role.state);
    let config = decode(&role.config);
    if let (Some(proposed), Some(config)) = (proposed.as_object_mut(), config.as_object()) {
        for (name, value) in config.iter().filter(|(_, value)| !value.is_null()) {
            proposed.insert(name.clone(), value.clone());
        }
    }
    encode(&proposed)
}

async fn validate(client: Client, role: Role) -> Result<Role> {
    let request = pb::validate_resource_config::Request {
        type_name: TYPE.to_owned(),
        config: Some(role.config.clone()),
        ..Default::default()
    };
    let response = client.validate_resource_config(request).await;
    refuse_errors(&response.map_err(|status| anyhow!("{status}"))?.diagnostics)?;
    Ok(role)
}

async fn plan(client: Client, mut role: Role, proposed: pb::DynamicValue) -> Result<Role> {
    let is_destroy = proposed == null();
    let request = pb::plan_resource_change::Request {
        type_name: TYPE.to_owned(),
        prior_state: Some(role.state.clone()),
        proposed_new_state: Some(proposed),
        config: Some(if is_destroy { null() } else { role.config.clone() }),
        prior_private: role.private.clone().into(),
        ..Default::default()
    };
    let response = client.plan_resource_change(request).await;
    let response = response.map_err(|status| anyhow!("{status}"))?;
    refuse_errors(&response.diagnostics)?;
    role.planned = response.planned_state.context("a planned state")?;
    role.planned_private = response.planned_private.to_vec();
    Ok(role)
}

async fn apply(client: Client, mut role: Role) -> Result<Role> {
    let is_destroy = role.planned == null();
    let request = pb::apply_resource_change::Request {
        type_name: TYPE.to_owned(),
        prior_state: Some(role.state.clone()),
        planned_state: Some(role.planned.clone()),
        config: Some(if is_destroy { null() } else { role.config.clone() }),
        planned_private: role.planned_private.clone().into(),
        ..Default::default()
    };
    let response = client.apply_resource_change(request).await;
    let response = response.map_err(|status| anyhow!("{status}"))?;
    refuse_errors(&response.diagnostics)?;
    role.state = response.new_state.context("a new state")?;
    role.private = response.private.to_vec();
    Ok(role)
}

async fn upgrade(client: Client, mut role: Role) -> Result<Role> {
    let json = decode(&role.state).to_string().into();
    let request = pb::upgrade_resource_state::Request {
        type_name: TYPE.to_owned(),
        version: 0,
        raw_state: Some(pb::RawState { json, ..Default::default() }),
    };
    let response = client.upgrade_resource_state(request).await;
    let response = response.map_err(|status| anyhow!("{status}"))?;
    refuse_errors(&response.diagnostics)?;
    role.state = response.upgraded_state.context("an upgraded state")?;
    Ok(role)
}

async fn read(client: Client, mut role: Role) -> Result<Role> {
    let request = pb::read_resource::Request {
        type_name: TYPE.to_owned(),
        current_state: Some(role.state.clone()),
        private: role.private.clone().into(),
        ..Default::default()
    };
    let response = client.read_resource(request).await;
    let response = response.map_err(|status| anyhow!("{status}"))?;
    refuse_errors(&response.diagnostics)?;
    role.state = response.new_state.context("the state that was read")?;
    role.private = response.private.to_vec();
    Ok(role)
}

struct Run<'r> {
    host: &'r Host,
    service: &'r Service,
    parallelism: usize,
    phases: &'r mut Vec<Phase>,
}

impl Run<'_> {
    /// Makes one call for each role, `parallelism` at once, and replaces the roles by their new states.
    async fn phase<F, A>(
        &mut self,
        name: &'static str,
        roles: &mut Vec<Role>,
        call: F,
    ) -> Result<()>
    where
        F: Fn(Client, Role) -> A + Clone + Send + 'static,
        A: Future<Output = Result<Role>> + Send,
    {
        self.service.clear_requests();
        let count = roles.len();
        let queue = Arc::new(Mutex::new(std::mem::take(roles).into_iter()));
        let cpu = self.host.cpu()?;
        let start = Instant::now();
        let workers: Vec<_> = (0..self.parallelism)
            .map(|_| {
                let (queue, call) = (Arc::clone(&queue), call.clone());
                let client = self.host.client.clone();
                tokio::spawn(async move {
                    let mut done = Vec::new();
                    loop {
                        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                        let Some(role) = next else { return Ok::<_, anyhow::Error>(done) };
                        let start = Instant::now();
                        let role = call(client.clone(), role).await?;
                        done.push((role, start.elapsed()));
                    }
                })
            })
            .collect();
        let mut calls = Vec::with_capacity(count);
        for worker in workers {
            for (role, time) in worker.await?.with_context(|| name.to_owned())? {
                roles.push(role);
                calls.push(time);
            }
        }
        let wall = start.elapsed();
        let cpu = self.host.cpu()?.saturating_sub(cpu);
        ensure!(calls.len() == count, "{} calls for {count} roles", calls.len());
        let requests = self.service.requests().len();
        self.phases.push(Phase { name, wall, calls, cpu, requests });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_is_proposed_on_top_of_the_state() {
        let blank = json!({"description": null, "id": null, "listing": null, "role": null,
            "display_name": null, "priority": null, "resources": null});
        let mut role = role(&blank, 7);
        let mut state = decode(&role.config);
        state["id"] = json!("listings/github/roles/role-7");
        role.state = encode(&state);
        role.config = role.edited.clone();
        let proposed = decode(&edited(&role));
        assert_eq!(proposed["description"], "Edition 2 of role 7.");
        assert_eq!(proposed["id"], state["id"]);
        assert_eq!(proposed["priority"], 7);
    }
}
