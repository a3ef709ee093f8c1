//! Random plans with two services, which are applied: the report says no less than the services
//! gain and lose.
//!
//! Each plan has several provider configurations, of which two may be of one service, and resources
//! in modules, with keys, and with values that are known only after apply. Objects are drawn from
//! few names, so addresses collide: one provider configuration takes what another deletes, and two
//! addresses write one role. The services are changed by hand before the plan, and some requests of
//! the apply fail.
//!
//! `REPORT_PLANS` is the number of plans, and `REPORT_SEED` the seed of the first.
//! `cargo xtask reports` sets both.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use access_fake::Fault;
use fastrand::Rng;
use serde_json::{Value, json};

use super::compare::{self, Said, Snapshot};
use crate::support::{Feature, Service, VERSIONS, Workspace, host_version, number};

/// The seed of the first plan unless `REPORT_SEED` is set: a run of the normal suite can be
/// repeated.
const SEED: u64 = 1000;

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn report_says_no_less_than_applies_change() {
    let plans = number("REPORT_PLANS").unwrap_or(2);
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

/// The provider configurations: the default one and two aliases.
const ALIASES: [&str; 3] = ["", "b", "c"];

/// The name of the service of each provider configuration: two of them may be one.
type Services = [usize; 3];

/// How a provider configuration gets its base address.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Source {
    Constant,
    Expression,
    /// Only the default one, and aliases of the first service.
    Environment,
}

/// What is known only after apply. Modules and keys have nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    Parent,
    Id,
    Element,
    Set,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Role,
    Owner,
    Owners,
}

/// A resource block.
#[derive(Clone, Debug)]
struct Resource {
    /// The place of its provider configuration in [`ALIASES`].
    alias: usize,
    kind: Kind,
    /// Its name in the configuration.
    label: String,
    /// Listing or integration.
    parent: &'static str,
    /// The role, or the principal.
    id: String,
    text: u8,
    /// The resources of a role, or the principals of all owners; `None`: not managed.
    set: Option<BTreeSet<String>>,
    adopts: Option<&'static str>,
    late: Option<Late>,
    is_in_module: bool,
    /// The instance key, which is the name of the object.
    has_key: bool,
    creates_first: bool,
    /// Whether its lifecycle has `destroy = false`.
    stays: bool,
}

const ROLES: [&str; 4] = ["r1", "r2", "r3", "r4"];
const PRINCIPALS: [&str; 4] = ["users/a", "users/b", "teams/c", "users/founder"];
const GRANTS: [&str; 4] = ["db/admin", "db/read", "repo/a", "repo/b"];

fn pick<'a>(random: &mut Rng, all: &[&'a str]) -> &'a str {
    all[random.usize(..all.len())]
}

fn some(random: &mut Rng, all: &[&str]) -> BTreeSet<String> {
    all.iter().filter(|_| random.bool()).map(|it| (*it).to_owned()).collect()
}

/// Returns a list of texts, whose first element may be late.
fn list(set: &BTreeSet<String>, has_late: bool) -> String {
    let texts = set.iter().enumerate();
    let texts = texts.map(|(place, text)| self::text(text, has_late && place == 0));
    format!("[{}]", texts.collect::<Vec<_>>().join(", "))
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
        let kind = match random.u8(..10) {
            0..=5 => Kind::Role,
            6..=8 => Kind::Owner,
            _ => Kind::Owners,
        };
        let alias = random.usize(..ALIASES.len());
        let mut resource = Self {
            alias,
            kind,
            label: format!("x{number}"),
            parent: pick(random, &PARENTS),
            id: pick(random, if kind == Kind::Role { &ROLES } else { &PRINCIPALS }).to_owned(),
            text: random.u8(..3),
            set: None,
            adopts: None,
            late: match random.u8(..24) {
                0 => Some(Late::Parent),
                1 => Some(Late::Id),
                2 => Some(Late::Element),
                3 => Some(Late::Set),
                _ => None,
            },
            is_in_module: random.u8(..4) == 0,
            has_key: kind != Kind::Owners && random.u8(..4) == 0,
            creates_first: random.u8(..8) == 0,
            stays: random.u8(..8) == 0 && host_version().has(Feature::DestroyFalse),
        };
        resource.draw_set(random);
        resource.adopts = match random.u8(..6) {
            _ if kind == Kind::Owners => None,
            0 | 1 => Some("true"),
            2 => Some("terraform_data.late.output != \"\""),
            _ => None,
        };
        if resource.is_in_module || resource.has_key {
            resource.late = None;
        }
        resource
    }

    fn draw_set(&mut self, random: &mut Rng) {
        self.set = match self.kind {
            Kind::Role => (random.u8(..4) > 0).then(|| some(random, &GRANTS)),
            Kind::Owner => None,
            Kind::Owners => {
                let mut owners = some(random, &PRINCIPALS);
                owners.insert("users/founder".to_owned());
                Some(owners)
            }
        };
    }

    /// Returns what it manages. One provider configuration refuses two resources for one object.
    fn object(&self) -> (usize, Kind, &str, &str) {
        let id = if self.kind == Kind::Owners { "" } else { &self.id };
        (self.alias, self.kind, self.parent, id)
    }

    fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Role => "access_listing_role",
            Kind::Owner => "access_integration_owner",
            Kind::Owners => "access_integration_owners",
        }
    }

    fn module(&self) -> String {
        match self.is_in_module {
            true => format!("module.m{}", ALIASES[self.alias]),
            false => String::new(),
        }
    }

    /// Returns the address of the block, without the module.
    fn block_address(&self) -> String {
        let alias = ALIASES[self.alias];
        format!("{}.{}{alias}", self.type_name(), self.label)
    }

    /// Returns the address of its instance.
    fn address(&self) -> String {
        let module = match self.is_in_module {
            true => format!("{}[\"].module.y\"].", self.module()),
            false => String::new(),
        };
        let key = if self.has_key { format!("[\"{}\"]", self.id) } else { String::new() };
        format!("{module}{}{key}", self.block_address())
    }

    fn import_id(&self) -> String {
        match self.kind {
            Kind::Owners => self.parent.to_owned(),
            _ => format!("{}/{}", self.parent, self.id),
        }
    }

    fn block(&self) -> String {
        let mut block = format!(
            "resource \"{}\" \"{}{}\" {{\n",
            self.type_name(),
            self.label,
            ALIASES[self.alias]
        );
        let mut line = |name: &str, value: &str| _ = writeln!(block, "  {name} = {value}");
        let is_late = |late| self.late == Some(late);
        let parent = text(self.parent, is_late(Late::Parent));
        let id = match self.has_key {
            true => "each.key".to_owned(),
            false => text(&self.id, is_late(Late::Id)),
        };
        let list = |set| match (list(set, is_late(Late::Element)), is_late(Late::Set)) {
            (list, false) => list,
            (list, true) => format!("toset(terraform_data.late.output == \"\" ? [] : {list})"),
        };
        if self.has_key {
            line("for_each", &format!("toset([{:?}])", self.id));
        }
        if !self.is_in_module && self.alias > 0 {
            line("provider", &format!("access.{}", ALIASES[self.alias]));
        }
        match self.kind {
            Kind::Role => {
                line("listing", &parent);
                line("role", &id);
                line("display_name", &format!("\"Role {}\"", self.text));
                line("priority", "1");
                self.set.iter().for_each(|set| line("resources", &list(set)));
            }
            Kind::Owner => {
                line("integration", &parent);
                line("owner", &id);
            }
            Kind::Owners => {
                line("integration", &parent);
                self.set.iter().for_each(|set| line("owners", &list(set)));
            }
        }
        if let Some(adopts) = self.adopts {
            // A module does not have the late value.
            line("adopt_existing", if self.is_in_module { "true" } else { adopts });
        }
        if self.creates_first || self.stays {
            block += "  lifecycle {\n";
            block += if self.creates_first { "    create_before_destroy = true\n" } else { "" };
            block += if self.stays { "    destroy = false\n" } else { "" };
            block += "  }\n";
        }
        block + "}\n"
    }

    /// Returns the block that imports the object.
    fn import(&self) -> String {
        format!("import {{\n  to = {}\n  id = {:?}\n}}\n", self.address(), self.import_id())
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
    /// Adds a resource, unless the provider refuses its object beside another one.
    fn add(&mut self, resource: Resource) {
        let is_free = |other: &Resource| {
            other.object() != resource.object()
                && (other.alias != resource.alias
                    || other.parent != resource.parent
                    || other.kind == Kind::Role
                    || resource.kind == Kind::Role
                    || (other.kind != Kind::Owners && resource.kind != Kind::Owners))
        };
        if self.resources.iter().all(is_free) {
            self.resources.push(resource);
        }
    }

    /// Adds a new resource. Most lists of owners are imported, because a list exists.
    fn draw(&mut self, random: &mut Rng, number: usize) {
        let resource = Resource::draw(random, number);
        let import = resource.import();
        let is_imported = resource.kind == Kind::Owners && random.u8(..4) > 0;
        let before = self.resources.len();
        self.add(resource);
        if is_imported && self.resources.len() > before {
            self.blocks += &import;
        }
    }

    /// Returns another configuration: what people do to one.
    fn edited(&self, random: &mut Rng, next: &mut usize) -> Self {
        let mut edited = Self { edit: self.edit + 1, ..Self::default() };
        for old in &self.resources {
            let mut new = old.clone();
            match random.u8(..14) {
                0 | 1 => new.text = random.u8(..3),
                2..=4 => new.draw_set(random),
                5 => {
                    new.id = pick(random, if new.kind == Kind::Role { &ROLES } else { &PRINCIPALS })
                        .to_owned()
                }
                6 | 7 => continue,
                8 => {
                    let module = Some(old.module()).filter(|it| !it.is_empty());
                    let from = module
                        .into_iter()
                        .chain([old.block_address()])
                        .collect::<Vec<_>>()
                        .join(".");
                    _ = writeln!(
                        edited.blocks,
                        "removed {{\n  from = {from}\n  lifecycle {{\n    destroy = false\n  }}\n}}"
                    );
                    continue;
                }
                9 => {
                    // A second alias, perhaps of the same service, takes the object.
                    new.alias = random.usize(..ALIASES.len());
                    *next += 1;
                    new.label = format!("x{next}");
                    if new.kind != Kind::Owners && random.bool() {
                        new.adopts = Some("true");
                    } else {
                        edited.blocks += &new.import();
                    }
                    // It also stays, or goes.
                    if random.bool() {
                        edited.add(old.clone());
                    }
                }
                10 if !old.is_in_module && !old.has_key => {
                    *next += 1;
                    new.label = format!("x{next}");
                    _ = writeln!(
                        edited.blocks,
                        "moved {{\n  from = {}\n  to = {}\n}}",
                        old.address(),
                        new.address()
                    );
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

    fn write(&self, workspace: &Workspace, providers: &str) {
        let mut root = format!("{providers}{}", self.blocks);
        _ = writeln!(
            root,
            "resource \"terraform_data\" \"late\" {{\n  input = \"late {}\"\n}}",
            self.edit
        );
        let mut modules = BTreeMap::<usize, String>::new();
        for resource in &self.resources {
            match resource.is_in_module {
                true => *modules.entry(resource.alias).or_default() += &resource.block(),
                false => root += &resource.block(),
            }
        }
        for (place, alias) in ALIASES.iter().enumerate() {
            let text = modules.remove(&place).unwrap_or_default();
            workspace.write(&format!("m{alias}/main.tf"), &format!("{VERSIONS}{text}"));
            let provider = if place > 0 { format!("access.{alias}") } else { "access".to_owned() };
            _ = writeln!(
                root,
                "module \"m{alias}\" {{\n  source = \"./m{alias}\"\n  for_each = toset([\"].module.y\"])\n  providers = {{\n    access = {provider}\n  }}\n}}"
            );
        }
        workspace.configure(root);
    }
}

/// Returns the `provider` blocks.
fn providers(random: &mut Rng, services: &Services, urls: &[String; 2]) -> String {
    let mut text = String::new();
    for (place, alias) in ALIASES.iter().enumerate() {
        let url = &urls[services[place]];
        let source = match random.u8(..4) {
            0 => Source::Expression,
            1 if services[place] == 0 => Source::Environment,
            _ => Source::Constant,
        };
        let base_url = match source {
            Source::Constant => format!("  base_url = {url:?}\n"),
            Source::Expression => {
                format!("  base_url = \"${{var.scheme}}{}\"\n", &url["http".len()..])
            }
            Source::Environment => String::new(),
        };
        let alias = if place > 0 { format!("  alias = \"{alias}\"\n") } else { String::new() };
        let policy = match random.u8(..12) {
            0 => "  deletion_policy = \"abandon\"\n",
            1 => "  deletion_policy = var.policy\n",
            _ => "",
        };
        // A default configuration from the environment needs no block.
        if place > 0 || source != Source::Environment || !policy.is_empty() {
            _ = writeln!(text, "provider \"access\" {{\n{alias}{base_url}{policy}}}");
        }
    }
    text + "variable \"scheme\" {\n  default = \"http\"\n}\nvariable \"policy\" {\n  default = null\n}\n"
}

/// The listings and integrations of these plans.
const PARENTS: [&str; 2] = ["github", "okta"];

/// Changes the services by hand.
fn drift(random: &mut Rng, services: &[Service; 2]) {
    for (place, service) in services.iter().enumerate() {
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
                service.put_owner(parent, &format!("eve-{place}"), "users/eve");
            }
            let owners = service.principals(parent);
            if owners.len() > 1 && random.u8(..4) == 0 {
                let ids = service.owner_ids(parent, &owners[0]);
                ids.iter().for_each(|id| service.remove_owner(parent, id));
            }
        }
    }
}

/// Returns the place of the provider configuration of an address, which ends in its name.
fn alias_of(address: &str) -> usize {
    let resource = address.rsplit("access_").next().unwrap_or_default();
    let label = resource.split(['.', '[']).nth(1).unwrap_or_default();
    ALIASES.iter().rposition(|alias| label.ends_with(alias)).unwrap_or_default()
}

/// Applies a random plan, and returns whether it changed a service.
///
/// A plan that the provider refuses is drawn again: there is nothing to apply.
fn compare(seed: u64) -> bool {
    let mut random = Rng::with_seed(seed);
    let both = [Service::full(), Service::full()];
    let urls = [both[0].base_url(), both[1].base_url()];
    let workspace = both[0].workspace();
    let services = [0, random.usize(..2), random.usize(..2)];
    let providers = providers(&mut random, &services, &urls);
    let mut next = 0;
    let mut stack = Stack::default();
    for _ in 0..random.usize(3..8) {
        next += 1;
        stack.draw(&mut random, next);
    }
    stack.write(&workspace, &providers);
    workspace.run(&["get"]).succeeds();
    // What it does not make is made by the plan.
    workspace.apply();
    drift(&mut random, &both);
    for _ in 0..5 {
        let edited = stack.edited(&mut random, &mut next);
        edited.write(&workspace, &providers);
        let mut arguments = vec!["-out=saved.tfplan".to_owned()];
        for resource in &edited.resources {
            match random.u8(..24) {
                0 | 1 => arguments.push(format!("-replace={}", resource.address())),
                2 => arguments.push(format!("-target={}", resource.address())),
                _ => {}
            }
        }
        let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
        if workspace.plan_with(&arguments).code != 2 {
            continue;
        }
        workspace.write("plan.json", &workspace.saved_plan());
        let markdown = workspace.run_provider(&["report", "plan.json"]).succeeds().stdout;
        let arguments = ["report", "--format=json", "--detailed-exitcode", "plan.json"];
        let outcome = workspace.run_provider(&arguments);
        let report: Value = serde_json::from_str(&outcome.stdout).expect("a report");
        if random.u8(..6) == 0 {
            let method = random.choice(["POST", "PATCH", "DELETE"]).expect("a method");
            both.iter().for_each(|service| service.add_fault(Fault::respond(400, "{}").on(method)));
        }
        let before = Snapshot::of(&[&both[0], &both[1]]);
        let applied = workspace.apply_saved();
        let changes = compare::changes(&before, &Snapshot::of(&[&both[0], &both[1]]));
        let service_of = |address: &str| services[alias_of(address)];
        let said = Said { report: &report, service_of: &service_of };
        let unsaid: Vec<_> = changes.iter().filter(|change| !said.says(change)).collect();
        let claims_nothing = outcome.code != 2 || markdown.starts_with("No change of access by");
        assert!(
            unsaid.is_empty() && (changes.is_empty() || !claims_nothing),
            "seed {seed}, services {services:?}: the report does not say {unsaid:#?}\n{markdown}\n{}\n{}",
            workspace.read("main.tf"),
            applied.output()
        );
        return !changes.is_empty();
    }
    false
}
