//! The same lives on a real terraform: the simulated host must end in the same states, with the same
//! requests, in one of the orders that the graph allows. Where they differ, the real host is right.

use std::collections::BTreeMap;
use std::sync::Arc;

use access_fake::{Fake, Running, Service};
use serde_json::{Value, json};

use crate::configuration::{Address, Configuration, Kind};
use crate::host::State;
use crate::life::{Command, Life, Mode, Step};
use crate::oracle::texts;
use crate::play::{Player, play};
use crate::provider::Schemas;
use crate::support::{Outcome, Workspace};
use crate::world::{Services, World, key};

/// The orders of nodes that are tried for each run.
const ORDERS: u64 = 200;

/// A life on a real host.
struct Real {
    workspaces: [Workspace; 2],
    services: Services,
    _running: [Running; 2],
}

/// What a run has left behind: whether it succeeded, its requests, the state and the service.
#[derive(Debug, PartialEq)]
struct Result {
    succeeded: bool,
    requests: BTreeMap<String, usize>,
    state: Vec<String>,
    objects: Vec<String>,
}

/// Plays a life on both. Panics with the life and both results where they differ. Returns the number of
/// runs that were compared.
pub(crate) fn compare(schemas: &Arc<Schemas>, seed: u64) -> usize {
    let mut life = playable(Life::draw(seed));
    let mut real = Real::start(&life.world);
    let mut compared = 0;
    for at in 0..life.steps.len() {
        let so_far =
            |life: &Life, steps| Life { steps: life.steps[..steps].to_vec(), ..life.clone() };
        let (before, _) = play(schemas, &so_far(&life, at), seed);
        let Step::Run(number, command) = life.steps[at].clone() else {
            real.step(&life.steps[at], &before);
            continue;
        };
        let outcomes = real.run(number, &command, &before.workspaces[number].configuration);
        let expected = real.result(number, &outcomes);
        let mut results = Vec::new();
        let found = (0..ORDERS).any(|order| {
            // The remainders of a salt by 2 and 3 mean something else.
            life.steps[at] = Step::Run(number, Command { salt: 6 * order + 1, ..command.clone() });
            let (player, verdict) = play(schemas, &so_far(&life, at + 1), seed);
            let notes = player.last_notes.clone();
            let result = simulated(&player, number);
            let is_same = verdict.is_ok() && result == expected;
            results.push((verdict.err(), result, texts(&notes)));
            is_same
        });
        compared += 1;
        assert!(
            found,
            "seed {seed}, step {at}:\n{life}\nreal: {expected:#?}\n{}\nsimulated, in {ORDERS} orders, the first:\n{:#?}",
            outcomes.iter().map(Outcome::output).collect::<String>(),
            results[0]
        );
    }
    compared
}

/// Returns a life without what a released host cannot be made to do at a certain request.
fn playable(mut life: Life) -> Life {
    life.settles = false;
    life.world.has_faults = false;
    // A random list differs with every request.
    life.world.patchy_lists = false;
    for step in &mut life.steps {
        match step {
            Step::Run(_, command) => {
                command.fates = [None, None];
                command.between = None;
                command.minimal_refresh = false;
                command.parallelism = 1;
            }
            // Its command reads a configuration that is not applied yet, and has no plan.
            Step::Import(_, _, is_block) => *is_block = true,
            _ => {}
        }
    }
    life
}

impl Real {
    fn start(world: &World) -> Self {
        let running =
            [(); 2].map(|()| Fake::start_blocking(world.settings()).expect("a local service"));
        let regions = [0, 1].map(|at: usize| running[at].service().clone());
        regions.iter().for_each(crate::world::prepare);
        let workspaces = [0, 1].map(|number| Workspace::new(&running[0].base_url(), &key(number)));
        for (number, workspace) in workspaces.iter().enumerate() {
            let block = |more: &str| {
                format!(
                    "provider \"access\" {{\n{more}  repo_uri = \"https://git.example/workspace-{number}\"\n  repo_dir = \"live\"\n}}\n"
                )
            };
            let second =
                format!("  alias = \"second\"\n  base_url = \"{}\"\n", running[1].base_url());
            workspace.write("providers.tf", &(block("") + &block(&second)));
        }
        Self {
            workspaces,
            services: Services { regions, world: world.clone(), clients: Default::default() },
            _running: running,
        }
    }

    fn step(&self, step: &Step, before: &Player) {
        let run = |number: usize, arguments: &[&str]| {
            self.workspaces[number].run(&[arguments[0], arguments[1], "-lock=false", arguments[2]]);
        };
        match step {
            Step::Outside(what, region, object) => self.services.happen(*what, *region, *object),
            Step::Forget(of, at) if before.workspaces[*of].state.contains_key(at) => {
                run(*of, &["state", "rm", &at.to_string()]);
            }
            Step::MoveState(of, from, to) => {
                let state = &before.workspaces[*of].state;
                if state.contains_key(from) && !state.contains_key(to) {
                    let addresses = [from.to_string(), to.to_string()];
                    self.workspaces[*of].run(&[
                        "state",
                        "mv",
                        "-lock=false",
                        &addresses[0],
                        &addresses[1],
                    ]);
                }
            }
            Step::Taint(of, at) => {
                drop(self.workspaces[*of].run(&["taint", "-lock=false", &at.to_string()]))
            }
            Step::Untaint(of, at) => {
                drop(self.workspaces[*of].run(&["untaint", "-lock=false", &at.to_string()]))
            }
            _ => {}
        }
    }

    /// Plans, and applies the saved plan.
    fn run(
        &mut self,
        number: usize,
        command: &Command,
        configuration: &Configuration,
    ) -> Vec<Outcome> {
        self.services.regions.iter().for_each(Service::clear_requests);
        let workspace = &mut self.workspaces[number];
        workspace.configure(&configuration.text() as &str);
        workspace.set("ACCESS_DRIFT_DETECTION", if command.off { "off" } else { "" });
        let mut arguments =
            vec!["plan".to_owned(), "-lock=false".to_owned(), "-no-color".to_owned()];
        arguments.extend(["-out=saved.tfplan".to_owned(), "-parallelism=1".to_owned()]);
        let mode = match command.mode {
            Mode::RefreshOnly => Some("-refresh-only"),
            Mode::Destroy => Some("-destroy"),
            _ => None,
        };
        arguments.extend(mode.map(str::to_owned));
        arguments.extend(command.target.map(|at| format!("-target={at}")));
        arguments
            .extend(command.replace.filter(|_| mode.is_none()).map(|at| format!("-replace={at}")));
        arguments.extend((!command.refresh).then(|| "-refresh=false".to_owned()));
        let set = |workspace: &mut Workspace, abandon: bool| {
            workspace.set("ACCESS_DELETION_POLICY", if abandon { "abandon" } else { "" });
        };
        set(workspace, command.abandon[0]);
        let plan = workspace.run(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let mut outcomes = vec![plan];
        if outcomes[0].code == 0 && command.mode != Mode::Plan {
            set(workspace, command.abandon[1]);
            outcomes.push(workspace.run(&[
                "apply",
                "-lock=false",
                "-no-color",
                "-parallelism=1",
                "saved.tfplan",
            ]));
        }
        outcomes
    }

    fn result(&self, number: usize, outcomes: &[Outcome]) -> Result {
        let mut requests = BTreeMap::new();
        for (region, service) in self.services.regions.iter().enumerate() {
            for request in service.requests() {
                *requests.entry(general(region, &request.method, &request.path)).or_default() += 1;
            }
        }
        let resources =
            self.workspaces[number].state()["resources"].as_array().cloned().unwrap_or_default();
        let mut state = Vec::new();
        for resource in resources.iter().filter(|resource| resource["type"] != "terraform_data") {
            for instance in resource["instances"].as_array().into_iter().flatten() {
                let address = format!("{}.{}", text(&resource["type"]), text(&resource["name"]));
                let status = [instance["deposed"].is_string(), instance["status"] == "tainted"];
                state.push(line(&address, &instance["attributes"], status));
            }
        }
        state.sort();
        let succeeded = outcomes.iter().all(|outcome| outcome.code == 0);
        Result { succeeded, requests, state, objects: objects(&self.services) }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a request without what depends on the order of the nodes: which object a read is for.
fn general(region: usize, method: &str, path: &str) -> String {
    let is_read = method == "GET" && !path.ends_with("/roles") && !path.ends_with("/owners");
    let path =
        if is_read { path.rsplit_once('/').map_or(path, |(parent, _)| parent) } else { path };
    format!("region {region}: {method} {path}{}", if is_read { "/*" } else { "" })
}

/// Returns a line about an object of a state, without times and generated IDs.
fn line(address: &str, attributes: &Value, status: [bool; 2]) -> String {
    let kept = [
        "listing",
        "role",
        "integration",
        "owner",
        "owners",
        "display_name",
        "description",
        "resources",
        "manager",
    ];
    let members = attributes.as_object().into_iter().flatten();
    let sorted = |value: &Value| match value {
        Value::Array(items) => {
            let mut items = items.clone();
            items.sort_by_key(ToString::to_string);
            json!(items)
        }
        value => value.clone(),
    };
    let members: BTreeMap<_, _> = members
        .filter(|(name, _)| kept.contains(&name.as_str()))
        .map(|(name, value)| (name, sorted(value)))
        .collect();
    format!("{address} deposed, tainted: {status:?} {}", json!(members))
}

fn objects(services: &Services) -> Vec<String> {
    let mut all: Vec<String> = crate::oracle::present(services)
        .iter()
        .map(|(region, object)| {
            let name = text(&object["name"]);
            let parent = name.rsplit_once('/').map_or(name, |(parent, _)| parent);
            let is_owner = object["owner"].is_string();
            format!(
                "{region} {} {} {}",
                if is_owner { parent } else { name },
                object["owner"],
                object["displayName"]
            )
        })
        .collect();
    all.sort();
    all
}

fn simulated(player: &Player, number: usize) -> Result {
    let mut requests = BTreeMap::new();
    for (region, method, path) in &player.last_requests {
        *requests.entry(general(usize::from(*region), method, path)).or_default() += 1;
    }
    let lines = |state: &State| -> Vec<String> {
        let name = |address: &Address| address.to_string();
        let mut all = Vec::new();
        for (address, slot) in state {
            let current = slot.current.iter().map(|instance| (instance, false));
            for (instance, deposed) in
                current.chain(slot.deposed.values().map(|instance| (instance, true)))
            {
                all.push(line(&name(address), &instance.value, [deposed, instance.is_tainted]));
            }
        }
        all.sort();
        all
    };
    Result {
        succeeded: player.last_succeeded,
        requests,
        state: lines(&player.workspaces[number].state),
        objects: objects(&player.services),
    }
}

impl Configuration {
    /// Returns the `import` blocks of configured addresses.
    pub(crate) fn import_blocks(&self) -> String {
        let configured =
            self.imports.iter().filter_map(|address| Some((address, self.blocks.get(address)?)));
        let ids = configured.map(|(address, block)| {
            let id = match address.kind {
                Kind::Owners => block.object.parent_name(),
                _ => format!("{}/{}", block.object.parent_name(), block.object.own_name()),
            };
            format!("import {{\n  to = {address}\n  id = {id:?}\n}}\n")
        });
        ids.collect()
    }
}
