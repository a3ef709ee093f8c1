//! Random plans and applies of a host that plans each resource of its state twice, at protocol level.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use serde_json::{Value, json};

use crate::protocol::{Host, errors, role_config};
use crate::support::{Service, number};

const ROLE: &str = "access_listing_role";
const STEPS: usize = 6;

/// What a host does with one resource.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Create,
    Keep,
    Change,
    Replace,
    Tainted,
    Destroy,
}

/// A planned resource: its configuration, and the prior state of an update.
struct Planned {
    action: Action,
    id: String,
    config: Value,
}

/// State and private state by role.
type State = BTreeMap<String, (Value, Vec<u8>)>;

fn config(id: &str, random: &mut Rng) -> Value {
    let mut config = role_config();
    config["role"] = json!(id);
    config["display_name"] = json!(format!("Name {}", random.u8(..3)));
    config
}

/// Draws an action for each resource. No two of them are about one object.
fn draw(state: &State, random: &mut Rng) -> Vec<Planned> {
    let mut all: Vec<Planned> = (0..6)
        .filter_map(|number| {
            let id = format!("role-{number}");
            let action = match state.get(&id) {
                None => (random.bool()).then_some(Action::Create)?,
                Some(_) => match random.u8(..6) {
                    0 => Action::Destroy,
                    1 => Action::Replace,
                    2 => Action::Tainted,
                    3 => Action::Change,
                    _ => Action::Keep,
                },
            };
            let mut config = config(&id, random);
            if let (Action::Keep, Some((state, _))) = (action, state.get(&id)) {
                config["display_name"] = state["display_name"].clone();
            }
            Some(Planned { action, id, config })
        })
        .collect();
    random.shuffle(&mut all);
    all
}

/// Plans one resource as a host does, and fails the test if the provider finds a contradiction.
async fn plan(
    host: &Host,
    planned: &Planned,
    state: &State,
    case: &str,
) -> crate::protocol::PlanResponse {
    let prior = state.get(&planned.id);
    let response = match (planned.action, prior) {
        (Action::Create, _) | (_, None) => host.plan_as(ROLE, None, &planned.config, b"").await,
        (Action::Destroy, Some((prior, private))) => host.plan_destroy(ROLE, prior, private).await,
        (Action::Tainted, Some(_)) => host.plan_as(ROLE, None, &planned.config, b"").await,
        (Action::Replace, Some((prior, private))) => {
            let first = host.plan_as(ROLE, Some(prior), &planned.config, private).await;
            host.plan_as(ROLE, None, &planned.config, &first.planned_private).await
        }
        (Action::Keep | Action::Change, Some((prior, private))) => {
            host.plan_as(ROLE, Some(prior), &planned.config, private).await
        }
    };
    assert_eq!(errors(&response.diagnostics), [""; 0], "{case}: {:?}", planned.action);
    response
}

/// Plans, and applies in another process. A replacement destroys first.
async fn step(service: &Service, state: &mut State, random: &mut Rng, case: &str) {
    let resources = draw(state, random);
    let plans = Host::start(service).await;
    for pass in 0..2 {
        for planned in &resources {
            // A new resource has no prior object that could be planned before its refresh.
            if planned.action == Action::Create && pass == 0 {
                continue;
            }
            if let Some((prior, private)) =
                state.get(&planned.id).filter(|_| random.bool() || pass == 1)
            {
                let read = plans.read_as(ROLE, prior, private).await;
                assert_eq!(errors(&read.diagnostics), [""; 0], "{case}");
            }
            if planned.action == Action::Tainted && pass == 0 {
                continue;
            }
            plan(&plans, planned, state, case).await;
        }
    }
    plans.end().await;

    let host = Host::start(service).await;
    let mut kept = BTreeSet::new();
    for planned in &resources {
        let prior = state.get(&planned.id).cloned();
        let destroys =
            matches!(planned.action, Action::Destroy | Action::Replace | Action::Tainted);
        if let (true, Some((old, private))) = (destroys, &prior) {
            let destroyed = host.destroy(ROLE, old, private).await;
            assert_eq!(errors(&destroyed.diagnostics), [""; 0], "{case}: {:?}", planned.action);
            state.remove(&planned.id);
        }
        if planned.action == Action::Destroy {
            continue;
        }
        kept.insert(planned.id.clone());
        if planned.action == Action::Keep {
            continue;
        }
        let prior = prior.filter(|_| !destroys);
        let private = prior.as_ref().map_or(&[][..], |(_, private)| private);
        let prior = prior.as_ref().map(|(state, _)| state);
        let response = host.plan_as(ROLE, prior, &planned.config, private).await;
        let applied = host.apply(ROLE, prior, &planned.config, &response).await;
        assert_eq!(errors(&applied.diagnostics), [""; 0], "{case}: {:?}", planned.action);
        let new = plugin_server::testkit::decode(&applied.new_state.expect("a state"));
        state.insert(planned.id.clone(), (new, applied.private.to_vec()));
    }
    host.end().await;
    let exist: BTreeSet<String> = service
        .roles("github")
        .iter()
        .filter_map(|role| role["name"].as_str()?.rsplit('/').next().map(str::to_owned))
        .collect();
    assert_eq!(exist, kept, "{case}");
    assert_eq!(state.keys().cloned().collect::<BTreeSet<_>>(), kept, "{case}");
}

#[tokio::test(flavor = "multi_thread")]
async fn host_that_plans_twice_finds_no_contradiction_and_loses_no_object() {
    let first = number("GRAPH_SEED").unwrap_or(super::SEED);
    for seed in first..first + super::RUNS {
        let mut random = Rng::with_seed(seed);
        let service = Service::full();
        let mut state = State::new();
        for number in 0..STEPS {
            step(&service, &mut state, &mut random, &format!("seed {seed}, step {number}")).await;
        }
    }
}
