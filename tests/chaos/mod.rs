//! Random edits of a configuration and kills, with real processes. Afterwards the imports that the
//! provider's errors ask for and two applies bring configuration, state and service to agreement.
//! Nothing is lost, and nothing exists twice.
//!
//! The simulated lives (`tests/lives`) play what needs no real process: faults, oddities of the
//! service, hosts.
//!
//! `CHAOS_RUNS` is the number of runs, and `CHAOS_SEED` the seed of the first. Each further run has
//! the next number. `cargo xtask chaos` sets both.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::{Child, Stdio};
use std::time::Duration;

use fastrand::Rng;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::support::fixtures::{self, Text};
use crate::support::{Service, Workspace, number};

/// The seed of the first run unless `CHAOS_SEED` is set: a run of the normal suite can be repeated.
/// The schedule draws other seeds (.github/workflows/long.yml).
const SEED: u64 = 1000;

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn chaos_ends_in_agreement_after_imports_and_two_applies() {
    let runs = number("CHAOS_RUNS").unwrap_or(1);
    let first = number("CHAOS_SEED").unwrap_or(SEED);
    println!("{runs} runs from seed {first} on");
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let seeds = |worker| (first..first + runs).skip(worker).step_by(workers);
    std::thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || seeds(worker).for_each(chaos));
        }
    });
}

/// Runs once. A failure names the seed; `cargo xtask chaos --runs 1 --seed <seed>` repeats the run.
/// Kills depend on the machine's speed as well, so that it may take a few attempts.
fn chaos(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let service = Service::full();
    let workspace = service.workspace().encrypted();
    let mut stack = Stack::default();
    for phase in 0..2 {
        for _ in 0..random.usize(1..4) {
            if phase == 0 {
                stack.grow_and_change(&mut random);
            } else {
                stack.roles.retain(|_, _| random.bool());
                stack.owners.retain(|_| random.bool());
            }
            workspace.configure(stack.hcl());
            // So that kills meet requests on their way.
            service.change_world(|world| world.latency_ms = random.u64(..40));
            apply_and_maybe_kill(&workspace, &mut random);
        }
        service.change_world(|world| world.latency_ms = 0);
        stack.import_orphans(&service, &workspace, seed);
        // The first may still report what it finds. The second may not.
        workspace.apply();
        let second = workspace.apply();
        assert_eq!(second.code, 0, "seed {seed}: {}", second.output());
        let plan = workspace.plan();
        assert_eq!(plan.code, 0, "seed {seed}: {}", plan.output());
        stack.assert_agreement(&service, &workspace, seed);
    }
}

/// Applies to the end, or until the plugin or terraform is killed.
fn apply_and_maybe_kill(workspace: &Workspace, random: &mut Rng) {
    if random.bool() {
        workspace.apply();
        return;
    }
    let mut terraform = workspace
        .command(&["apply", "-auto-approve", "-lock=false", "-no-color"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("terraform starts");
    std::thread::sleep(Duration::from_millis(random.u64(100..1_200)));
    let plugins = if random.u8(..3) == 0 {
        kill_host(&mut terraform, workspace)
    } else {
        children_of(terraform.id())
    };
    // A plugin may have ended already.
    plugins.into_iter().for_each(|plugin| _ = signal(plugin, Signal::SIGKILL));
    terraform.wait_with_output().expect("terraform ends");
}

fn signal(process: u32, signal: Signal) -> nix::Result<()> {
    kill(Pid::from_raw(i32::try_from(process).expect("a process id")), signal)
}

/// Returns the processes that this one started.
fn children_of(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("/proc").flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |process: &u32| {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name in parentheses may hold anything; state and parent follow it.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        fields.split_whitespace().nth(1) == Some(&parent.to_string())
    };
    ids.filter(is_child).collect()
}

/// Kills a host, but not while it writes its state: hosts overwrite the file in place, so that a
/// kill in the middle leaves a part of it, whatever the provider does. Returns its plugins.
fn kill_host(host: &mut Child, workspace: &Workspace) -> Vec<u32> {
    let state = workspace.path().join("terraform.tfstate");
    loop {
        _ = signal(host.id(), Signal::SIGSTOP);
        let is_complete =
            fs::read(&state).map_or(true, |bytes| serde_json::from_slice::<Value>(&bytes).is_ok());
        let has_ended = matches!(host.try_wait(), Ok(Some(_)) | Err(_));
        if is_complete || has_ended {
            let plugins = children_of(host.id());
            host.kill().expect("the host is killed, or has ended");
            return plugins;
        }
        _ = signal(host.id(), Signal::SIGCONT);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The configured roles, with their display names, and the configured owners.
#[derive(Default)]
struct Stack {
    roles: BTreeMap<String, String>,
    owners: BTreeSet<String>,
}

impl Stack {
    /// Adds some objects and changes others.
    fn grow_and_change(&mut self, random: &mut Rng) {
        for display_name in self.roles.values_mut() {
            if random.bool() {
                *display_name = format!("Name {}", random.u16(..));
            }
        }
        for _ in 0..random.usize(1..4) {
            let id = format!("role-{}", random.usize(..8));
            self.roles.entry(id).or_insert_with(|| "New".to_owned());
            self.owners.insert(format!("user-{}", random.usize(..4)));
        }
    }

    fn hcl(&self) -> String {
        let roles = self.roles.iter();
        let roles = roles.map(|(id, name)| fixtures::role(id).text("display_name", name));
        let owners = self.owners.iter().map(|user| fixtures::owner(user).adopting());
        roles.chain(owners).fold(Text::default(), |text, block| text + block).to_string()
    }

    /// Imports the configured roles that exist at the service and are not in the state: a create
    /// that was killed leaves them. Owners are adopted.
    fn import_orphans(&self, service: &Service, workspace: &Workspace, seed: u64) {
        let known = in_state(workspace);
        let ids =
            service.objects("listings/github").into_iter().map(|role| last_part(&role["name"]));
        for id in ids.filter(|id| self.roles.contains_key(id) && !known.contains(id)) {
            let outcome =
                workspace.import(&format!("access_listing_role.{id}"), &format!("github/{id}"));
            assert_eq!(outcome.code, 0, "seed {seed}: {}", outcome.output());
        }
    }

    /// Fails the test unless service and state contain all of the configuration and nothing else.
    fn assert_agreement(&self, service: &Service, workspace: &Workspace, seed: u64) {
        let stored = service.objects("listings/github").into_iter().map(|role| {
            assert_eq!(role["manager"], "TERRAFORM", "seed {seed}");
            (last_part(&role["name"]), last_part(&role["displayName"]))
        });
        assert_eq!(stored.collect::<BTreeMap<_, _>>(), self.roles, "seed {seed}");
        let mut owners: Vec<_> = self.owners.iter().map(|user| format!("users/{user}")).collect();
        owners.insert(0, "users/founder".to_owned());
        assert_eq!(service.principals("github"), owners, "seed {seed}");
        let wanted: BTreeSet<_> = self.roles.keys().chain(&self.owners).cloned().collect();
        assert_eq!(in_state(workspace), wanted, "state, seed {seed}");
    }
}

fn last_part(name: &Value) -> String {
    name.as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned()
}

/// Returns the roles and users in the state.
fn in_state(workspace: &Workspace) -> BTreeSet<String> {
    let name = |instance: &Value| {
        assert!(instance["status"].is_null(), "tainted: {instance}");
        let attributes = &instance["attributes"];
        attributes["role"].as_str().map_or_else(|| last_part(&attributes["owner"]), str::to_owned)
    };
    workspace.instances().iter().map(name).collect()
}
