//! Random plans with two services, which are applied: the report says no less than the services
//! gain and lose.
//!
//! Each plan has several provider configurations, of which two may be of one service, and resources
//! in modules and with keys. Objects are drawn from few names, so addresses collide: one provider
//! configuration takes what another deletes, and two addresses write one role. The services are
//! changed by hand before the plan.
//!
//! `REPORT_PLANS` is the number of plans, and `REPORT_SEED` the seed of the first.
//! `cargo xtask reports` sets both.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::support::{Service, VERSIONS, Workspace, host_version, number};

/// The seed of the first plan unless `REPORT_SEED` is set: a run of the normal suite can be
/// repeated.
const SEED: u64 = 1000;

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn report_says_no_less_than_applies_change() {
    let plans = number("REPORT_PLANS").unwrap_or(10);
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
    abandons: bool,
    is_in_module: bool,
    /// The instance key, which is the name of the object.
    has_key: bool,
    creates_first: bool,
    /// Whether its lifecycle has `destroy = false`.
    stays: bool,
}

const PARENTS: [&str; 2] = ["github", "okta"];
const ROLES: [&str; 4] = ["r1", "r2", "r3", "r4"];
const PRINCIPALS: [&str; 4] = ["users/a", "users/b", "teams/c", "users/founder"];
const GRANTS: [&str; 4] = ["db/admin", "db/read", "repo/a", "repo/b"];

fn pick<'a>(random: &mut Rng, all: &[&'a str]) -> &'a str {
    all[random.usize(..all.len())]
}

fn some(random: &mut Rng, all: &[&str]) -> BTreeSet<String> {
    all.iter().filter(|_| random.bool()).map(|it| (*it).to_owned()).collect()
}

/// Returns whether the host has `destroy` in `lifecycle` blocks of resources.
fn knows_destroy() -> bool {
    let host = host_version();
    host.version >= if host.is_tofu { (1, 12) } else { (1, 16) }
}

fn list(set: &BTreeSet<String>) -> String {
    format!("{:?}", set.iter().collect::<Vec<_>>())
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
            abandons: random.u8(..8) == 0,
            is_in_module: random.u8(..4) == 0,
            has_key: kind != Kind::Owners && random.u8(..4) == 0,
            creates_first: random.u8(..8) == 0,
            stays: random.u8(..8) == 0 && knows_destroy(),
        };
        resource.draw_set(random);
        resource.adopts = match random.u8(..6) {
            0 | 1 => Some("true"),
            2 => Some("terraform_data.late.output == \"\""),
            _ => None,
        };
        if kind == Kind::Owners {
            resource.adopts = Some("true");
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
        let mut text = format!(
            "resource \"{}\" \"{}{}\" {{\n",
            self.type_name(),
            self.label,
            ALIASES[self.alias]
        );
        let mut line = |name: &str, value: &str| _ = writeln!(text, "  {name} = {value}");
        let id = if self.has_key { "each.key".to_owned() } else { format!("{:?}", self.id) };
        if self.has_key {
            line("for_each", &format!("toset([{:?}])", self.id));
        }
        if !self.is_in_module && self.alias > 0 {
            line("provider", &format!("access.{}", ALIASES[self.alias]));
        }
        match self.kind {
            Kind::Role => {
                line("listing", &format!("{:?}", self.parent));
                line("role", &id);
                line("display_name", &format!("\"Role {}\"", self.text));
                line("priority", "1");
                self.set.iter().for_each(|set| line("resources", &list(set)));
            }
            Kind::Owner => {
                line("integration", &format!("{:?}", self.parent));
                line("owner", &id);
            }
            Kind::Owners => {
                line("integration", &format!("{:?}", self.parent));
                self.set.iter().for_each(|set| line("owners", &list(set)));
            }
        }
        if let Some(adopts) = self.adopts {
            // A module does not have the late value.
            line("adopt_existing", if self.is_in_module { "true" } else { adopts });
        }
        if self.abandons {
            line("deletion_policy", "\"abandon\"");
        }
        if self.creates_first || self.stays {
            text += "  lifecycle {\n";
            text += if self.creates_first { "    create_before_destroy = true\n" } else { "" };
            text += if self.stays { "    destroy = false\n" } else { "" };
            text += "  }\n";
        }
        text + "}\n"
    }
}

/// A configuration: resources, and blocks about the change to it.
#[derive(Clone, Default)]
struct Stack {
    resources: Vec<Resource>,
    blocks: String,
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

    /// Returns another configuration: what people do to one.
    fn edited(&self, random: &mut Rng, next: &mut usize) -> Self {
        let mut edited = Self::default();
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
                    if random.bool() {
                        new.adopts = Some("true");
                    } else {
                        _ = writeln!(
                            edited.blocks,
                            "import {{\n  to = {}\n  id = {:?}\n}}",
                            new.address(),
                            new.import_id()
                        );
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
            edited.add(Resource::draw(random, *next));
        }
        edited
    }

    fn write(&self, workspace: &Workspace, providers: &str) {
        let mut root = format!("{providers}{}", self.blocks);
        root += "resource \"terraform_data\" \"late\" {\n  input = \"late\"\n}\n";
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
        let policy = if random.u8(..8) == 0 { "  deletion_policy = \"abandon\"\n" } else { "" };
        // A default configuration from the environment needs no block.
        if place > 0 || source != Source::Environment || !policy.is_empty() {
            _ = writeln!(text, "provider \"access\" {{\n{alias}{base_url}{policy}}}");
        }
    }
    text + "variable \"scheme\" {\n  default = \"http\"\n}\n"
}

/// What two services hold.
struct Snapshot {
    /// By service, integration and principal.
    owners: BTreeSet<(usize, String, String)>,
    /// By service and name.
    roles: BTreeMap<(usize, String), Value>,
}

impl Snapshot {
    fn of(services: &[Service; 2]) -> Self {
        let mut snapshot = Self { owners: BTreeSet::new(), roles: BTreeMap::new() };
        for (place, service) in services.iter().enumerate() {
            for parent in PARENTS {
                for owner in service.principals(parent) {
                    snapshot.owners.insert((place, parent.to_owned(), owner));
                }
                for role in service.roles(parent) {
                    let name = role["name"].as_str().expect("a name").to_owned();
                    snapshot.roles.insert((place, name), role);
                }
            }
        }
        snapshot
    }

    fn resources(&self, role: &(usize, String)) -> BTreeSet<String> {
        let resources = self.roles.get(role).and_then(|role| role["resources"].as_array());
        resources.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

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

/// What a report says about one service.
struct Said<'a> {
    report: &'a Value,
    services: &'a Services,
    service: usize,
}

impl Said<'_> {
    /// Returns the entries of a list that name an address of this service.
    fn entries(&self, list: &str) -> impl Iterator<Item = &Value> {
        let entries = self.report[list].as_array().expect(list).iter();
        entries.filter(|entry| {
            let addresses = entry["addresses"].as_array().expect("addresses").iter();
            let mut addresses = addresses.filter_map(Value::as_str);
            addresses.any(|address| self.services[alias_of(address)] == self.service)
        })
    }

    fn says(&self, list: &str, is_said: impl Fn(&Value) -> bool) -> bool {
        self.entries(list).any(is_said)
    }
}

/// Returns the place of the provider configuration of an address, which ends in its name.
fn alias_of(address: &str) -> usize {
    let resource = address.rsplit("access_").next().unwrap_or_default();
    let label = resource.split(['.', '[']).nth(1).unwrap_or_default();
    ALIASES.iter().rposition(|alias| label.ends_with(alias)).unwrap_or_default()
}

/// Returns what an apply changed of access, each with whether the report says it.
fn changes(
    before: &Snapshot,
    after: &Snapshot,
    report: &Value,
    services: &Services,
) -> Vec<(String, bool)> {
    let mut changes = Vec::new();
    let said = |service| Said { report, services, service };
    let is_action =
        |entry: &Value, actions: &[&str]| actions.iter().any(|action| entry["action"] == *action);
    for (service, integration, principal) in after.owners.difference(&before.owners) {
        let is_said = said(*service).says("owners", |entry| {
            entry["integration"] == **integration
                && entry["principal"] == **principal
                && is_action(entry, &["gains", "gains_unless_owner"])
        });
        changes.push((format!("{service}: {principal} has gained {integration}"), is_said));
    }
    for (service, integration, principal) in before.owners.difference(&after.owners) {
        let is_said = said(*service).says("owners", |entry| {
            entry["integration"] == **integration
                && (entry["principal"] == **principal && is_action(entry, &["loses"])
                    || is_action(entry, &["unlisted_lose"]))
        });
        changes.push((format!("{service}: {principal} has lost {integration}"), is_said));
    }
    for role in before.roles.keys().chain(after.roles.keys()).collect::<BTreeSet<_>>() {
        let (service, name) = role;
        let said = said(*service);
        let fields = ["displayName", "description", "priority", "resources", "createTime"];
        let of = |snapshot: &Snapshot| {
            let role = snapshot.roles.get(role);
            fields.map(|field| role.map(|role| role[field].clone()))
        };
        let is_it = |entry: &Value| entry["role"] == **name || entry["successor"]["role"] == **name;
        if of(before) != of(after) {
            changes.push((format!("{service}: {name} has changed"), said.says("roles", is_it)));
        }
        let overwritten = ["created_or_overwritten", "overwritten"];
        let may_be_overwritten = said.says("roles", |entry| {
            is_it(entry)
                && (is_action(entry, &overwritten) || is_action(&entry["successor"], &overwritten))
        });
        let held = before.resources(role);
        let holds = after.resources(role);
        for resource in holds.difference(&held) {
            let is_said = said.says("roles", |entry| {
                let added = entry["added"].as_array().expect("added");
                is_it(entry) && added.iter().any(|it| it == resource)
            });
            changes.push((format!("{service}: {name} has got {resource}"), is_said));
        }
        for resource in held.difference(&holds) {
            let is_said = said
                .says("revoke", |entry| entry["role"] == **name && entry["resource"] == **resource);
            let is_said = is_said || may_be_overwritten;
            changes.push((format!("{service}: {name} has lost {resource}"), is_said));
        }
    }
    changes
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
        stack.add(Resource::draw(&mut random, next));
    }
    stack.write(&workspace, &providers);
    workspace.run(&["get"]).succeeds();
    // What it does not make is made by the plan.
    workspace.apply();
    drift(&mut random, &both);
    for _ in 0..5 {
        let edited = stack.edited(&mut random, &mut next);
        edited.write(&workspace, &providers);
        let replaced = edited.resources.first().filter(|_| random.u8(..4) == 0);
        let replace = replaced.map(|it| format!("-replace={}", it.address()));
        let mut arguments = vec!["-out=saved.tfplan"];
        arguments.extend(replace.as_deref());
        if workspace.plan_with(&arguments).code != 2 {
            continue;
        }
        workspace.write("plan.json", &workspace.saved_plan());
        let markdown = workspace.run_provider(&["report", "plan.json"]).succeeds().stdout;
        let outcome = workspace.run_provider(&[
            "report",
            "--format=json",
            "--detailed-exitcode",
            "plan.json",
        ]);
        let report: Value = serde_json::from_str(&outcome.stdout).expect("a report");
        let before = Snapshot::of(&both);
        let applied = workspace.apply_saved();
        let after = Snapshot::of(&both);
        let changes = changes(&before, &after, &report, &services);
        let unsaid: Vec<_> = changes.iter().filter(|(_, is_said)| !is_said).collect();
        let claims_nothing = outcome.code != 2 || markdown.starts_with("No change of access.");
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
