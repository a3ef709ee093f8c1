//! Random plans, which are applied: the report says no less than the service gains and loses.
//!
//! Objects are drawn from few names, so addresses collide: a resource takes what another one
//! deletes. Values are known only after apply, the service is changed by hand before the plan, and
//! some requests of the apply fail.
//!
//! `REPORT_PLANS` is the number of plans, and `REPORT_SEED` the seed of the first.
//! `cargo xtask reports` sets both.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use access_fake::Fault;
use fastrand::Rng;
use serde_json::json;

use crate::support::fixtures::{
    Block, OWNER, OWNERS, ROLE, Text, import, later, moved, removed, resource, settings,
};
use crate::support::{Service, Workspace, number};

/// The seed of the first plan unless `REPORT_SEED` is set: a run of the normal suite can be
/// repeated.
const SEED: u64 = 1001;

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn report_says_no_less_than_applies_change() {
    let plans = number("REPORT_PLANS").unwrap_or(1);
    let first = number("REPORT_SEED").unwrap_or(SEED);
    println!("{plans} plans from seed {first} on");
    let workers = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    let seeds = |worker| (first..first + plans).skip(worker).step_by(workers);
    let changed: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || seeds(worker).filter(|seed| compare(*seed)).count()))
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("no report says less")).sum()
    });
    // The others change nothing at a service, or the provider refuses whatever is tried.
    println!("{changed} of {plans} plans changed a service");
    assert!(changed as u64 * 2 >= plans, "{changed} of {plans}");
}

const PARENTS: [&str; 2] = ["github", "okta"];
const ROLES: [&str; 4] = ["r1", "r2", "r3", "r4"];
const PRINCIPALS: [&str; 4] = ["users/a", "users/b", "teams/c", "users/founder"];
const GRANTS: [&str; 4] = ["db/admin", "db/read", "repo/a", "repo/b"];

/// What is known only after apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    Parent,
    Id,
    Element,
    Set,
}

/// A resource block.
#[derive(Clone, Debug)]
struct Resource {
    /// Its type.
    kind: &'static str,
    /// Its name in the configuration.
    label: String,
    /// Listing or integration.
    parent: &'static str,
    /// The role, or the principal.
    id: &'static str,
    text: u8,
    /// The resources of a role, or the principals of a list; `None`: not managed.
    set: Option<BTreeSet<&'static str>>,
    adopts: Option<&'static str>,
    late: Option<Late>,
    creates_first: bool,
}

fn pick(random: &mut Rng, all: &[&'static str]) -> &'static str {
    all[random.usize(..all.len())]
}

fn some(random: &mut Rng, all: &[&'static str]) -> BTreeSet<&'static str> {
    all.iter().copied().filter(|_| random.bool()).collect()
}

/// Returns an expression of a text, which may be known only after apply.
fn text(text: &str, is_late: bool) -> String {
    match is_late {
        true => format!("\"${{substr(terraform_data.late.output, 0, 0)}}{text}\""),
        false => format!("{text:?}"),
    }
}

impl Resource {
    fn draw(random: &mut Rng, number: usize) -> Self {
        let kind = [ROLE, ROLE, OWNER, OWNER, OWNERS][random.usize(..5)];
        let mut resource = Self {
            kind,
            label: format!("x{number}"),
            parent: pick(random, &PARENTS),
            id: "",
            text: random.u8(..3),
            set: None,
            adopts: match random.u8(..6) {
                0 | 1 => Some("true"),
                2 => Some("terraform_data.late.output != \"\""),
                _ => None,
            },
            late: match random.u8(..24) {
                0 => Some(Late::Parent),
                1 => Some(Late::Id),
                2 => Some(Late::Element),
                3 => Some(Late::Set),
                _ => None,
            },
            creates_first: random.u8(..8) == 0,
        };
        resource.draw_id(random);
        resource.draw_set(random);
        resource
    }

    fn draw_id(&mut self, random: &mut Rng) {
        self.id = match self.kind {
            ROLE => pick(random, &ROLES),
            OWNER => pick(random, &PRINCIPALS),
            _ => "",
        };
    }

    fn draw_set(&mut self, random: &mut Rng) {
        self.set = match self.kind {
            ROLE => (random.u8(..4) > 0).then(|| some(random, &GRANTS)),
            OWNER => None,
            _ => Some(some(random, &PRINCIPALS).into_iter().chain(["users/founder"]).collect()),
        };
    }

    fn address(&self) -> String {
        format!("{}.{}", self.kind, self.label)
    }

    fn import(&self) -> Text {
        let id = [self.parent, self.id].into_iter().filter(|part| !part.is_empty());
        import(&self.address(), &id.collect::<Vec<_>>().join("/"))
    }

    fn block(&self) -> Block {
        let is_late = |late| self.late == Some(late);
        let (parent, id) = match self.kind {
            ROLE => ("listing", Some("role")),
            OWNER => ("integration", Some("owner")),
            _ => ("integration", None),
        };
        let mut block = resource(self.kind, &self.label);
        block = block.set(parent, text(self.parent, is_late(Late::Parent)));
        if let Some(id) = id {
            block = block.set(id, text(self.id, is_late(Late::Id)));
        }
        if self.kind == ROLE {
            block = block.text("display_name", &format!("Role {}", self.text)).set("priority", 1);
        }
        if let Some(set) = &self.set {
            let texts = set.iter().enumerate();
            let texts = texts.map(|(place, it)| text(it, place == 0 && is_late(Late::Element)));
            let list = format!("[{}]", texts.collect::<Vec<_>>().join(", "));
            block = block.set(
                if self.kind == ROLE { "resources" } else { "owners" },
                match is_late(Late::Set) {
                    true => format!("toset(terraform_data.late.output == \"\" ? [] : {list})"),
                    false => list,
                },
            );
        }
        if let Some(adopts) = self.adopts.filter(|_| self.kind != OWNERS) {
            block = block.set("adopt_existing", adopts);
        }
        if self.creates_first { block.create_before_destroy() } else { block }
    }

    /// Returns whether the provider accepts both in one configuration.
    fn is_beside(&self, other: &Self) -> bool {
        let is_list = self.kind == OWNERS || other.kind == OWNERS;
        self.parent != other.parent
            || (self.kind == ROLE) != (other.kind == ROLE)
            || (!is_list && self.id != other.id)
    }
}

/// A configuration: resources, and blocks about the change to it.
#[derive(Clone, Default)]
struct Stack {
    resources: Vec<Resource>,
    blocks: String,
    /// The number of the edit: what is late is known only after each.
    edit: usize,
}

impl Stack {
    fn add(&mut self, resource: Resource) {
        if self.resources.iter().all(|other| resource.is_beside(other)) {
            self.resources.push(resource);
        }
    }

    /// Adds a new resource. Most lists of owners are imported, because a list exists.
    fn draw(&mut self, random: &mut Rng, number: usize) {
        let resource = Resource::draw(random, number);
        let import = resource.import();
        let is_imported = resource.kind == OWNERS && random.u8(..4) > 0;
        let before = self.resources.len();
        self.add(resource);
        if is_imported && self.resources.len() > before {
            self.blocks += &import.0;
        }
    }

    /// Returns another configuration: what people do to one.
    fn edited(&self, random: &mut Rng, next: &mut usize) -> Self {
        let mut edited = Self { edit: self.edit + 1, ..Self::default() };
        for old in &self.resources {
            let mut new = old.clone();
            match random.u8(..13) {
                0 | 1 => new.text = random.u8(..3),
                2..=4 => new.draw_set(random),
                5 => new.draw_id(random),
                6 => new.parent = pick(random, &PARENTS),
                7 => continue,
                8 => {
                    edited.blocks += &removed(&old.address()).0;
                    continue;
                }
                // Another address takes the object.
                9 => {
                    *next += 1;
                    new.label = format!("x{next}");
                    if new.kind != OWNERS && random.bool() {
                        new.adopts = Some("true");
                    } else {
                        edited.blocks += &new.import().0;
                    }
                }
                10 => {
                    *next += 1;
                    new.label = format!("x{next}");
                    edited.blocks += &moved(&old.address(), &new.address()).0;
                }
                _ => {}
            }
            edited.add(new);
        }
        for _ in 0..random.usize(..3) {
            *next += 1;
            edited.draw(random, *next);
        }
        edited
    }

    fn write(&self, workspace: &Workspace, provider: &str) {
        let mut all = format!("{provider}{}", self.blocks);
        _ = write!(all, "{}", later("late", format!("\"late {}\"", self.edit)));
        self.resources.iter().for_each(|resource| _ = write!(all, "{}", resource.block()));
        workspace.configure(all);
    }
}

/// Changes the service by hand.
fn drift(random: &mut Rng, service: &Service) {
    for parent in PARENTS {
        let roles = service.roles(parent).into_iter();
        let ids: Vec<_> = roles
            .filter_map(|role| role["name"].as_str()?.rsplit('/').next().map(str::to_owned))
            .collect();
        for id in ids {
            match random.u8(..8) {
                0 => service.change_role(parent, &id, json!({"displayName": "By hand"})),
                1 | 2 => {
                    let resources = some(random, &GRANTS);
                    service.change_role(parent, &id, json!({"resources": resources}));
                }
                3 => service.remove_role(parent, &id),
                4 => service.change_role(parent, &id, json!({"repoUri": "https://spoofed"})),
                _ => {}
            }
        }
        if random.u8(..4) == 0 {
            service.put_owner(parent, "eve", "users/eve");
        }
        let owners = service.principals(parent);
        if owners.len() > 1 && random.u8(..4) == 0 {
            let ids = service.owner_ids(parent, &owners[0]);
            ids.iter().for_each(|id| service.remove_owner(parent, id));
        }
    }
}

/// Applies a random plan, and returns whether it changed the service.
///
/// A plan that the provider refuses is drawn again: there is nothing to apply.
fn compare(seed: u64) -> bool {
    let mut random = Rng::with_seed(seed);
    let service = Service::full();
    let workspace = service.workspace();
    let provider = match random.u8(..6) {
        0 => settings().text("deletion_policy", "abandon").to_string(),
        _ => String::new(),
    };
    let mut next = 0;
    let mut stack = Stack::default();
    for _ in 0..random.usize(3..8) {
        next += 1;
        stack.draw(&mut random, next);
    }
    stack.write(&workspace, &provider);
    // What it does not make is made by the plan.
    workspace.apply();
    drift(&mut random, &service);
    for _ in 0..5 {
        let edited = stack.edited(&mut random, &mut next);
        edited.write(&workspace, &provider);
        let mut arguments = Vec::new();
        for resource in &edited.resources {
            match random.u8(..24) {
                0 | 1 => arguments.push(format!("-replace={}", resource.address())),
                2 => arguments.push(format!("-target={}", resource.address())),
                _ => {}
            }
        }
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        let saved = [&["-out=saved.tfplan"], &*arguments].concat();
        if workspace.plan_with(&saved).code != 2 {
            continue;
        }
        let planned = super::reported(&workspace);
        if random.u8(..6) == 0 {
            let method = random.choice(["POST", "PATCH", "DELETE"]).expect("a method");
            service.add_fault(Fault::respond(400, "{}").on(method));
        }
        let case = format!("seed {seed}\n{}", workspace.read("main.tf"));
        let (_, changes) = planned.applies(&workspace, &service, &case);
        return !changes.is_empty();
    }
    false
}
