//! The same lives on a real terraform: the simulated host must end in the same states, with the same
//! requests, in one of the orders that the graph allows. Where they differ, the real host is right.

use std::collections::BTreeMap;
use std::sync::Arc;

use access_fake::{Fake, Running, Service};
use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::life::{Command, Deed, Flag, Life, Mode, Step};
use crate::oracle::texts;
use crate::play::{Player, play};
use crate::provider::Schemas;
use crate::support::{Outcome, Workspace};
use crate::world::{Oddity, Services, World, key};

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
        let mut first = None;
        let found = (0..ORDERS).any(|order| {
            // The remainders of a salt by 2 and 3 mean something else.
            life.steps[at] = Step::Run(number, Command { salt: 6 * order + 1, ..command.clone() });
            let (player, verdict) = play(schemas, &so_far(&life, at + 1), seed);
            let result = simulated(&player, number);
            let is_same = verdict.is_ok() && result.as_ref() == Some(&expected);
            let notes = player.last.map(|run| texts(&run.found.notes));
            first.get_or_insert((verdict.err(), result, notes));
            is_same
        });
        compared += 1;
        assert!(
            found,
            "seed {seed}, step {at}:\n{life}\nreal: {expected:#?}\n{}\nsimulated, in {ORDERS} orders, the first:\n{first:#?}",
            outcomes.iter().map(Outcome::output).collect::<String>(),
        );
    }
    compared
}

/// Returns a life without what a released host cannot be made to do at a certain request.
fn playable(mut life: Life) -> Life {
    life.settles = false;
    life.world.remove(Oddity::Faults);
    // A random list differs with every request.
    life.world.remove(Oddity::PatchyLists);
    for step in &mut life.steps {
        match step {
            Step::Run(_, command) => {
                command.fates = [None, None];
                command.between = None;
                for flag in [Flag::MinimalRefresh, Flag::TwoAtOnce, Flag::PassesPrivate] {
                    command.flags.remove(flag);
                }
                if !command.has(Flag::OneByOne) {
                    command.flags.toggle(Flag::OneByOne);
                }
            }
            // The command reads a configuration that is not applied yet, and has no plan.
            Step::Of(of, Deed::Import(at)) => *step = Step::Of(*of, Deed::ImportBlock(*at)),
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
        let workspaces = [0, 1].map(|number| Workspace::new(&running[0].base_url(), &key(number)));
        for (number, workspace) in workspaces.iter().enumerate() {
            let own = format!(
                "  repo_uri = \"https://git.example/workspace-{number}\"\n  repo_dir = \"live\"\n}}\n"
            );
            let second = running[1].base_url();
            let text = format!(
                "provider \"access\" {{\n{own}provider \"access\" {{\n  alias = \"second\"\n  base_url = \"{second}\"\n{own}"
            );
            workspace.write("providers.tf", &text);
        }
        Self { workspaces, services: Services::of(regions, world), _running: running }
    }

    /// Does what changes more than a configuration. The command is the text of the deed.
    fn step(&self, step: &Step, before: &Player) {
        match step {
            Step::Outside(outside) => self.services.happen(outside),
            Step::Of(of, deed) => {
                let state = &before.workspaces[*of].state;
                let is_possible = match deed {
                    Deed::Forget(at) => state.contains_key(at),
                    Deed::MoveState(from, to) => {
                        state.contains_key(from) && !state.contains_key(to)
                    }
                    Deed::Taint(_) | Deed::Untaint(_) => true,
                    _ => false,
                };
                if is_possible {
                    let text = deed.to_string();
                    let mut words: Vec<&str> = text.split(' ').skip(1).collect();
                    let addresses = words.iter().position(|word| word.contains('.'));
                    words.insert(addresses.unwrap_or_default(), "-lock=false");
                    self.workspaces[*of].run(&words);
                }
            }
            Step::Run(..) => {}
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
        let mut configuration = configuration.clone();
        if command.mode == Mode::Destroy {
            configuration.removed.clear();
        }
        let workspace = &mut self.workspaces[number];
        workspace.configure(&configuration.text() as &str);
        workspace.set("ACCESS_DRIFT_DETECTION", if command.has(Flag::Off) { "off" } else { "" });
        let common = ["-lock=false", "-no-color", "-parallelism=1"];
        let mode = match command.mode {
            Mode::RefreshOnly => Some("-refresh-only"),
            Mode::Destroy => Some("-destroy"),
            _ => None,
        };
        let target = command.target.map(|at| format!("-target={at}"));
        let replace = command.replace.map(|at| format!("-replace={at}"));
        let mut arguments = vec!["plan", "-out=saved.tfplan"];
        arguments.extend(common);
        arguments.extend(mode);
        arguments.extend(target.as_deref());
        arguments.extend(replace.as_deref());
        arguments.extend(command.has(Flag::NoRefresh).then_some("-refresh=false"));
        let policy = |phase| if command.abandons(phase) { "abandon" } else { "" };
        workspace.set("ACCESS_DELETION_POLICY", policy(0));
        let mut outcomes = vec![workspace.run(&arguments)];
        if outcomes[0].code == 0 && command.mode != Mode::Plan {
            workspace.set("ACCESS_DELETION_POLICY", policy(1));
            outcomes.push(workspace.run(&[&["apply"], &common[..], &["saved.tfplan"]].concat()));
        }
        outcomes
    }

    fn result(&self, number: usize, outcomes: &[Outcome]) -> Result {
        let requests = self.services.regions.iter().enumerate().flat_map(|(region, service)| {
            let general = move |it: access_fake::Request| general(region, &it.method, &it.path);
            service.requests().into_iter().map(general)
        });
        let (requests, written) = (counted(requests), self.workspaces[number].state());
        let resources = written["resources"].as_array().into_iter().flatten();
        let mut state = Vec::new();
        for resource in resources.filter(|resource| resource["type"] != "terraform_data") {
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

fn simulated(player: &Player, number: usize) -> Option<Result> {
    let run = player.last.as_ref()?;
    let requests = run.seen.iter().flat_map(|seen| &seen.requests);
    let requests = requests.map(|(region, method, path)| general((*region).into(), method, path));
    let mut state = Vec::new();
    for (address, slot) in &player.workspaces[number].state {
        let deposed = slot.deposed.values().map(|instance| (instance, true));
        for (instance, deposed) in slot.current.iter().map(|it| (it, false)).chain(deposed) {
            state.push(line(&address.to_string(), &instance.value, [deposed, instance.is_tainted]));
        }
    }
    state.sort();
    Some(Result {
        succeeded: !run.has_failed,
        requests: counted(requests),
        state,
        objects: objects(&player.services),
    })
}

fn counted(requests: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    requests.for_each(|request| *counts.entry(request).or_default() += 1);
    counts
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns a request without what depends on the order of the nodes: which object a read is for.
fn general(region: usize, method: &str, path: &str) -> String {
    let is_read = method == "GET" && !path.ends_with("/roles") && !path.ends_with("/owners");
    let parent = path.rsplit_once('/').filter(|_| is_read).map(|(parent, _)| format!("{parent}/*"));
    format!("region {region}: {method} {}", parent.as_deref().unwrap_or(path))
}

/// Returns a line about an object of a state, without times and generated IDs.
fn line(address: &str, attributes: &Value, status: [bool; 2]) -> String {
    const KEPT: [&str; 9] = [
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
    let sorted = |value: &Value| {
        let mut value = value.clone();
        if let Value::Array(items) = &mut value {
            items.sort_by_key(ToString::to_string);
        }
        value
    };
    let members = attributes.as_object().into_iter().flatten();
    let kept = members.filter(|(name, _)| KEPT.contains(&name.as_str()));
    let kept: BTreeMap<_, _> = kept.map(|(name, value)| (name, sorted(value))).collect();
    format!("{address} deposed, tainted: {status:?} {}", json!(kept))
}

fn objects(services: &Services) -> Vec<String> {
    let describe = |(region, object): &(u8, Value)| {
        let name = text(&object["name"]);
        let parent = name.rsplit_once('/').map_or(name, |(parent, _)| parent);
        let shown = if object["owner"].is_string() { parent } else { name };
        format!("{region} {shown} {} {}", object["owner"], object["displayName"])
    };
    let mut all: Vec<String> = services.objects().iter().map(describe).collect();
    all.sort();
    all
}
