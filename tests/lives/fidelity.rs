//! The same lives on a real terraform: the simulated host must end in the same states, with the
//! same requests, in one of the orders that the graph allows. Where they differ, the real host is
//! right.

use std::collections::BTreeMap;
use std::sync::Arc;

use access_fake::{Fake, Running};
use serde_json::{Value, json};

use crate::configuration::{Address, Quality};
use crate::host::{Instance, has_object};
use crate::life::{Command, Deed, Edit, Flag, Host, Life, Mode, Step};
use crate::play::{self, Player, play};
use crate::provider::Schemas;
use crate::support::fixtures::settings;
use crate::support::{Outcome, Workspace, host_version};
use crate::world::{Oddity, Services, World, key, text};

/// The orders of nodes that are tried for each run.
const ORDERS: u64 = 200;

struct Real {
    workspaces: [Workspace; 2],
    services: Services,
    _running: Running,
}

/// What a run has left behind: whether it succeeded, its requests, the state and the service.
#[derive(Debug, PartialEq)]
struct Result {
    succeeded: bool,
    requests: BTreeMap<String, usize>,
    state: Vec<String>,
    objects: Vec<String>,
}

/// Plays a life on both. Panics with the life and both results where they differ. Returns the
/// number of runs that were compared.
pub(crate) fn compare(schemas: &Arc<Schemas>, life: Life, seed: u64) -> u64 {
    let life = playable(life);
    let mut so_far = Life { steps: Vec::new(), ..life.clone() };
    let mut real = Real::start(&life.world);
    let mut compared = 0;
    for (at, step) in life.steps.iter().enumerate() {
        let (before, _) = play(schemas, &so_far, seed);
        so_far.steps.push(step.clone());
        // A simulated life has as much time between its steps.
        let pause = i64::try_from(play::BETWEEN_STEPS.as_millis()).expect("a pause");
        real.services.service.change_world(|world| world.clock_offset_ms += pause);
        let Step::Run(number, command) = step else {
            real.step(step, &before);
            continue;
        };
        let outcomes = real.run(*number, command, &before.workspaces[*number]);
        let expected = real.result(*number, &outcomes);
        let mut first = None;
        let found = (0..ORDERS).any(|order| {
            // The remainders of a salt by 2 and 3 mean something else.
            so_far.steps[at] =
                Step::Run(*number, Command { salt: 6 * order + 1, ..command.clone() });
            let (player, verdict) = play(schemas, &so_far, seed);
            let result = simulated(&player, *number);
            let is_same = verdict.is_ok() && result.as_ref() == Some(&expected);
            let notes = player.last.map(|run| run.texts());
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
    // A random list differs with every request, a limit depends on the clock, and the network does
    // the last one.
    let random = [Oddity::PatchyLists, Oddity::RateLimit];
    for oddity in random.into_iter().chain([Oddity::KeepsRoles]) {
        life.world.remove(oddity);
    }
    let real = host_version();
    let lacks_destroy = !real.is_tofu && real.version < (1, 16);
    let outlives = Edit::Toggle(Quality::Outlives);
    for step in &mut life.steps {
        match step {
            Step::Run(_, command) => {
                command.fates = [None, None];
                command.between = None;
                command.flags.remove(Flag::TwoAtOnce);
                if !command.has(Flag::OneByOne) {
                    command.flags.toggle(Flag::OneByOne);
                }
                command.host = match real.version {
                    _ if real.is_tofu => Host::OpenTofu,
                    (1, ..12) => Host::Terraform11,
                    (1, ..16) => Host::Terraform12,
                    _ => Host::Terraform16,
                };
                if real.is_tofu || real.version < (1, 17) {
                    command.flags.remove(Flag::MinimalRefresh);
                }
            }
            Step::Of(_, Deed::Put(_, block)) if lacks_destroy => {
                block.qualities.remove(Quality::Outlives);
            }
            Step::Of(_, Deed::Edit(_, edit)) if lacks_destroy && *edit == outlives => {
                *edit = Edit::Text(0);
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
        let running = Fake::start_blocking(world.settings()).expect("a local service");
        let service = running.service().clone();
        let workspaces = [0, 1].map(|number| Workspace::new(&running.base_url(), &key(number)));
        for (number, workspace) in workspaces.iter().enumerate() {
            let repository = format!("https://git.example/workspace-{number}");
            let settings = settings().text("repo_uri", &repository).text("repo_dir", "live");
            workspace.write("providers.tf", &settings.to_string());
        }
        Self { workspaces, services: Services::of(service, world), _running: running }
    }

    fn terraform(&self, number: usize, line: &str) -> Outcome {
        self.workspaces[number].run(&line.split(' ').collect::<Vec<_>>())
    }

    /// Does what changes more than a configuration. The command is the text of the deed.
    fn step(&self, step: &Step, before: &Player) {
        match step {
            Step::Outside(outside) => drop(self.services.happen(outside)),
            Step::Of(of, deed) => {
                let has = |at: &Address| has_object(&before.workspaces[*of].state, *at);
                let is_possible = match deed {
                    Deed::Forget(at) => has(at),
                    Deed::MoveState(from, to) => has(from) && !has(to),
                    Deed::Taint(_) | Deed::Untaint(_) => true,
                    _ => false,
                };
                if is_possible {
                    self.terraform(*of, deed.to_string().trim_start_matches("terraform "));
                }
            }
            Step::Run(..) => {}
        }
    }

    fn run(&mut self, number: usize, command: &Command, before: &play::Workspace) -> Vec<Outcome> {
        self.services.service.clear_requests();
        let mut configuration = before.configuration.clone();
        let mut plan = "plan -out=saved.tfplan -no-color -parallelism=1".to_owned();
        plan += match command.mode {
            Mode::RefreshOnly => " -refresh-only",
            Mode::Destroy => " -destroy",
            _ => "",
        };
        if command.mode == Mode::Destroy {
            configuration.removed.clear();
        }
        for (flag, text) in
            [(Flag::NoRefresh, " -refresh=false"), (Flag::MinimalRefresh, " -minimal-refresh")]
        {
            plan += if command.has(flag) { text } else { "" };
        }
        plan.extend(command.target.map(|at| format!(" -target={at}")));
        plan.extend(command.replace.map(|at| format!(" -replace={at}")));
        let policy = |phase| if command.abandons(phase) { "abandon" } else { "" };
        let workspace = &mut self.workspaces[number];
        workspace.configure(configuration.hcl());
        workspace.set("ACCESS_DRIFT_DETECTION", if command.has(Flag::Off) { "off" } else { "" });
        workspace.set("ACCESS_DELETION_POLICY", policy(0));
        let mut outcomes = vec![self.terraform(number, &plan)];
        if outcomes[0].code == 0 && command.mode != Mode::Plan {
            self.workspaces[number].set("ACCESS_DELETION_POLICY", policy(1));
            let apply = "apply -no-color -parallelism=1 saved.tfplan";
            outcomes.push(self.terraform(number, apply));
        }
        outcomes
    }

    fn result(&self, number: usize, outcomes: &[Outcome]) -> Result {
        let requests = self.services.service.requests().into_iter();
        let requests = requests.map(|request| (request.method, request.path));
        let written = self.workspaces[number].state();
        let mut state = Vec::new();
        for resource in written["resources"].as_array().into_iter().flatten() {
            let address = format!("{}.{}", text(&resource["type"]), text(&resource["name"]));
            for instance in resource["instances"].as_array().into_iter().flatten() {
                let status = [instance["deposed"].is_string(), instance["status"] == "tainted"];
                state.push(line(&address, &instance["attributes"], status));
            }
        }
        let succeeded = outcomes.iter().all(|outcome| outcome.code == 0);
        Result::new(succeeded, requests, state, &self.services)
    }
}

fn simulated(player: &Player, number: usize) -> Option<Result> {
    let run = player.last.as_ref()?;
    let requests = run.seen.iter().flat_map(|seen| seen.requests.clone());
    let mut state = Vec::new();
    for ((address, key), instance) in &player.workspaces[number].state {
        let status = [key.is_some(), instance.is_tainted];
        state.push(line(&address.to_string(), &instance.value, status));
    }
    Some(Result::new(!run.has_failed, requests, state, &player.services))
}

impl Result {
    fn new(
        succeeded: bool,
        all: impl Iterator<Item = (String, String)>,
        mut state: Vec<String>,
        services: &Services,
    ) -> Self {
        let mut requests = BTreeMap::new();
        for (method, path) in all {
            *requests.entry(general(&method, &path)).or_default() += 1;
        }
        state.sort();
        Self { succeeded, requests, state, objects: objects(services) }
    }
}

/// Returns a request without what depends on the order of the nodes: which object a read is for,
/// and the IDs that the service generates.
fn general(method: &str, path: &str) -> String {
    let (parent, last) = path.rsplit_once('/').expect("a path");
    let is_read = method == "GET" && !["roles", "owners"].contains(&last);
    let last = if is_read || last.starts_with("own-") { "*" } else { last };
    format!("{method} {parent}/{last}")
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
    let describe = |Instance { value: object, .. }: &Instance| {
        let name = text(&object["name"]);
        let parent = name.rsplit_once('/').map_or(name, |(parent, _)| parent);
        let shown = if object["owner"].is_string() { parent } else { name };
        format!("{shown} {} {}", object["owner"], object["displayName"])
    };
    let mut all: Vec<String> = services.objects().iter().map(describe).collect();
    all.sort();
    all
}
