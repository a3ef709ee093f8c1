//! One random sequence, and what has to hold after each of its applies.

use std::collections::{BTreeMap, BTreeSet};

use access_fake::{Fake, Fault, Running, World};
use fastrand::Rng;
use serde_json::{Value, json};

use super::configuration::{Address, Configuration, Kind, Object, shown};
use crate::support::{Outcome, Workspace};

const STEPS: usize = 7;

/// How many applies of a sequence succeeded and failed.
#[derive(Default)]
pub(super) struct Applies {
    pub(super) succeeded: u64,
    pub(super) failed: u64,
}

/// Circumstances of an apply, in addition to the edits of the configuration.
#[derive(Clone, Debug, PartialEq)]
enum Variant {
    Plain,
    SavedPlan,
    /// A saved plan that is applied after an apply of the other workspace.
    SavedPlanLater,
    Target(Address),
    Replace(Address),
    Taint(Address),
    Abandon,
    DeleteFails,
    WriteFails,
}

struct Side {
    workspace: Workspace,
    configuration: Configuration,
}

impl Side {
    /// Returns the objects of the state by address, without deposed ones.
    fn state(&self) -> BTreeMap<Address, Object> {
        let mut objects = BTreeMap::new();
        for (kind, name, instance) in instances(&self.workspace) {
            if instance["deposed"].is_null() {
                let attribute = if kind == Kind::Role { "role" } else { "owner" };
                let id = instance["attributes"][attribute].as_str().expect("an ID").to_owned();
                objects.insert((kind, name), (kind, id));
            }
        }
        objects
    }

    /// Returns whether some object of the state is to be replaced, or has two addresses.
    fn has(&self, test: fn(&Value) -> bool) -> bool {
        instances(&self.workspace).iter().any(|(_, _, instance)| test(instance))
    }

    fn has_duplicates(&self) -> bool {
        let state = self.state();
        state.values().collect::<BTreeSet<_>>().len() < state.len()
    }

    /// Returns the objects of the state that the configuration wants, under the same address or another. A
    /// target hides the other addresses from the provider.
    fn wanted(&self, variant: &Variant) -> BTreeSet<Object> {
        let resources = &self.configuration.resources;
        let is_same = |address: &Address, object: &Object| {
            resources.get(address).is_some_and(|resource| resource.object == *object)
        };
        let state = self.state().into_iter();
        let is_targeted = matches!(variant, Variant::Target(_));
        let managed: BTreeSet<Object> = state
            .filter(|(address, object)| !is_targeted || is_same(address, object))
            .map(|(_, object)| object)
            .collect();
        let configured = resources.values();
        let configured: BTreeSet<Object> =
            configured.map(|resource| resource.object.clone()).collect();
        managed.intersection(&configured).cloned().collect()
    }

    /// Takes back the marks of tainted objects, as errors advise.
    fn untaint(&self) {
        for (kind, name, instance) in instances(&self.workspace) {
            if instance["status"] == "tainted" && instance["deposed"].is_null() {
                self.workspace.run(&["untaint", "-lock=false", &shown(&(kind, name))]);
            }
        }
    }

    /// Adds a second address for one object to configuration and state, as earlier versions of the
    /// provider allowed.
    fn inject_duplicate(&mut self, random: &mut Rng) {
        let before = self.configuration.clone();
        let Some((from, to)) = self.configuration.duplicate(random) else { return };
        let mut state = self.workspace.state();
        let same = |resource: &&Value, address: &Address| {
            resource["type"] == address.0.resource_type() && resource["name"] == *address.1
        };
        let resources = state["resources"].as_array().cloned().unwrap_or_default();
        let original = resources.iter().find(|resource| same(resource, &from));
        let is_free = !resources.iter().any(|resource| same(&resource, &to));
        match original {
            Some(original) if is_free => {
                let mut copy = original.clone();
                copy["name"] = json!(to.1);
                state["resources"].as_array_mut().expect("resources").push(copy);
                let path = self.workspace.path().join("terraform.tfstate");
                std::fs::write(path, state.to_string()).expect("the state file");
            }
            _ => self.configuration = before,
        }
    }
}

/// Returns all instances of a state with their kinds and names.
fn instances(workspace: &Workspace) -> Vec<(Kind, String, Value)> {
    let state = workspace.state();
    let resources = state["resources"].as_array().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for resource in resources {
        let kind = Kind::ALL.into_iter().find(|kind| resource["type"] == kind.resource_type());
        let Some(kind) = kind else { continue };
        let name = resource["name"].as_str().expect("a name");
        for instance in resource["instances"].as_array().expect("instances") {
            all.push((kind, name.to_owned(), instance.clone()));
        }
    }
    all
}

/// Returns the objects that exist at the service.
fn existing(service: &Running) -> BTreeSet<Object> {
    let roles = service.service().roles("github");
    let roles = roles.iter().map(|role| {
        let name = role["name"].as_str().expect("a name");
        (Kind::Role, name.rsplit('/').next().expect("an ID").to_owned())
    });
    let owners = service.service().owners("github");
    let owners =
        owners.iter().map(|owner| (Kind::Owner, owner["owner"].as_str().expect("it").to_owned()));
    roles.chain(owners).collect()
}

/// Runs one sequence. Panics with its seed if an object was lost.
pub(super) fn run(seed: u64) -> Applies {
    let mut random = Rng::with_seed(seed);
    let service = Fake::start_blocking(World::default()).expect("the local service listens");
    let mut sides = [0, 1].map(|number| Side {
        workspace: Workspace::new(&service.base_url(), "admin-key"),
        configuration: Configuration::new(number),
    });
    let mut applies = Applies::default();
    for step in 0..STEPS {
        let active = usize::from(random.u8(..4) == 0);
        let case = format!("seed {seed}, step {step}, workspace {active}");
        if step_succeeds(&service, &mut sides, active, &mut random, &case) {
            applies.succeeded += 1;
        } else {
            applies.failed += 1;
        }
    }
    applies
}

fn step_succeeds(
    service: &Running,
    sides: &mut [Side; 2],
    active: usize,
    random: &mut Rng,
    case: &str,
) -> bool {
    let before = sides[active].configuration.clone();
    if random.u8(..12) == 0 {
        sides[active].inject_duplicate(random);
    }
    for _ in 0..random.usize(1..4) {
        sides[active].configuration.edit(random);
    }
    let variant = draw(&sides[active], random);
    let case = format!("{case}, {variant:?}");
    let there = existing(service);
    let wanted = [sides[0].wanted(&variant), sides[1].wanted(&variant)];
    let outcome = apply(service, sides, active, &variant);

    let now = existing(service);
    // The service itself may refuse the create that follows the destroy.
    let is_refused = variant == Variant::WriteFails;
    for object in there.difference(&now).filter(|_| !is_refused) {
        for (number, wanted) in wanted.iter().enumerate() {
            assert!(
                !wanted.contains(object),
                "{case}: {object:?} was deleted, and workspace {number} wants it:\n{}\n{}",
                sides[number].configuration.text(),
                outcome.output()
            );
        }
    }
    if outcome.code != 0 {
        sides[active].untaint();
        // Users correct what is refused, sometimes.
        if random.u8(..3) > 0 {
            sides[active].configuration = before;
        }
        return false;
    }
    let side = &sides[active];
    let state = side.state();
    for (address, object) in &state {
        let there = now.contains(object);
        assert!(there, "{case}: {} names {object:?}:\n{}", shown(address), outcome.output());
    }
    if !matches!(variant, Variant::Target(_)) {
        let configured: BTreeMap<Address, Object> = side
            .configuration
            .resources
            .iter()
            .map(|(address, resource)| (address.clone(), resource.object.clone()))
            .collect();
        assert_eq!(state, configured, "{case}:\n{}", outcome.output());
        assert!(!side.has(|instance| instance["deposed"].is_string()), "{case}: deposed objects");
        // Two addresses of one object may overwrite each other's attributes.
        if variant == Variant::SavedPlan && !side.has_duplicates() {
            let plan = side.workspace.plan();
            assert_eq!(plan.code, 0, "{case}: {}", plan.output());
        }
    }
    true
}

fn draw(side: &Side, random: &mut Rng) -> Variant {
    let address = random.choice(side.state().keys().cloned());
    let Some(address) = address else { return Variant::Plain };
    let is_configured = side.configuration.resources.contains_key(&address);
    match random.u8(..13) {
        0 => Variant::SavedPlan,
        12 => Variant::SavedPlanLater,
        // A target hides one of two resources for an object from the provider.
        1 if !side.has_duplicates() => Variant::Target(address),
        2 | 3 if is_configured => Variant::Replace(address),
        // Terraform passes no state of a tainted resource, so a second address for its object is hidden.
        4 if !side.has_duplicates() => Variant::Taint(address),
        5 => Variant::Abandon,
        6 | 7 => Variant::DeleteFails,
        // The second half of a replacement that destroys first could rightly fail.
        8 if !side.has(|instance| instance["status"] == "tainted") => Variant::WriteFails,
        _ => Variant::Plain,
    }
}

fn apply(service: &Running, sides: &mut [Side; 2], active: usize, variant: &Variant) -> Outcome {
    let [one, two] = sides;
    let (side, other) = if active == 0 { (one, two) } else { (two, one) };
    side.workspace.configure(&side.configuration.text());
    let fault = |method| Fault::respond(500, "{\"message\":\"no\"}").on(method).sometimes(0.7, 1);
    let workspace = &mut side.workspace;
    let outcome = match variant {
        Variant::Plain => workspace.apply(),
        Variant::SavedPlan | Variant::SavedPlanLater => {
            let plan = workspace.plan_with(&["-out=saved.tfplan"]);
            if plan.code == 1 {
                return plan;
            }
            if *variant == Variant::SavedPlanLater {
                other.workspace.configure(&other.configuration.text());
                other.workspace.apply();
            }
            workspace.apply_saved()
        }
        Variant::Target(address) => workspace.apply_with(&[&format!("-target={}", shown(address))]),
        Variant::Replace(address) => {
            workspace.apply_with(&[&format!("-replace={}", shown(address))])
        }
        Variant::Taint(address) => {
            workspace.taint(&[&shown(address)]);
            workspace.apply()
        }
        Variant::Abandon => {
            workspace.set("ACCESS_DELETION_POLICY", "abandon");
            let outcome = workspace.apply();
            workspace.set("ACCESS_DELETION_POLICY", "");
            outcome
        }
        Variant::DeleteFails => {
            service.service().add_fault(fault("DELETE"));
            workspace.apply()
        }
        Variant::WriteFails => {
            service.service().add_fault(fault("PATCH"));
            service.service().add_fault(fault("POST"));
            workspace.apply()
        }
    };
    service.service().clear_faults();
    outcome
}
