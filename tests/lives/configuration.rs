//! The configuration of a workspace: blocks at addresses, as JSON for calls and as text for a real
//! host.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use fastrand::Rng;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::odds::{Odds, odd, with};
use crate::support::fixtures;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Kind {
    Role,
    Owner,
    /// All owners of an integration.
    Owners,
}

impl Kind {
    pub(crate) fn resource_type(self) -> &'static str {
        match self {
            Self::Role => fixtures::ROLE,
            Self::Owner => fixtures::OWNER,
            Self::Owners => fixtures::OWNERS,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Address {
    pub(crate) kind: Kind,
    pub(crate) number: u8,
}

impl Address {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let kind = match random.u8(..13) {
            0..=6 => Kind::Role,
            7..=10 => Kind::Owner,
            _ => Kind::Owners,
        };
        Self { kind, number: random.u8(..if kind == Kind::Owners { 2 } else { 6 }) }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.a{}", self.kind.resource_type(), self.number)
    }
}

/// An object as configurations name it: a role by its ID, an owner by its principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Object {
    pub(crate) kind: Kind,
    pub(crate) parent: u8,
    pub(crate) id: u8,
}

impl Object {
    /// Draws an object. Both workspaces configure the first two.
    pub(crate) fn draw(workspace: usize, kind: Kind, random: &mut Rng) -> Self {
        let shared = random.u8(..5) == 0;
        let id = if shared { random.u8(..2) } else { 2 + 3 * workspace as u8 + random.u8(..3) };
        let parent = match kind {
            Kind::Owners => 2,
            Kind::Owner if random.u8(..20) == 0 => 2,
            // A parent that does not exist.
            _ if random.u8(..40) == 0 => 3,
            _ => u8::from(random.u8(..4) == 0),
        };
        Self { kind, parent, id: if kind == Kind::Owners { 0 } else { id } }
    }

    pub(crate) fn parent_name(&self) -> String {
        let kind = if self.kind == Kind::Role { "listing" } else { "integration" };
        format!("{kind}-{}", self.parent)
    }

    /// The ID of a role, or the principal of an owner.
    pub(crate) fn own_name(&self) -> String {
        match self.kind {
            Kind::Role => format!("role-{}", self.id),
            _ => format!("users/user-{}", self.id),
        }
    }

    pub(crate) fn import_id(&self) -> String {
        match self.kind {
            Kind::Owners => self.parent_name(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.parent_name(), self.own_name())
    }
}

odd! {
    /// What is unusual about a resource block.
    pub(crate) enum Quality {
        Adopts: 4, "adopt_existing = true";
        CreateFirst: 3, "create_before_destroy";
        /// Hosts that do not have the argument do not see it.
        Outlives: 16, "destroy = false";
    }
}

/// A value that a user has left empty, as a key of a YAML file without a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Blank {
    pub(crate) argument: String,
    pub(crate) value: Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Nothing {
    Null,
    /// An empty string or set.
    Empty,
    /// A set with a null.
    WithNull,
}

impl Blank {
    pub(crate) fn draw(kind: Kind, random: &mut Rng) -> Self {
        let own: &[&str] = match kind {
            Kind::Role => &[
                "listing",
                "role",
                "display_name",
                "priority",
                "description",
                "resources",
                "adopt_existing",
            ],
            Kind::Owner => &["integration", "owner", "integration_owner_id", "adopt_existing"],
            Kind::Owners => &["integration", "owners"],
        };
        let argument = *random.choice(own).expect("one of all");
        let is_set = ["resources", "owners"].contains(&argument);
        let value = match random.u8(..3) {
            0 if !["priority", "adopt_existing"].contains(&argument) => Nothing::Empty,
            1 if is_set => Nothing::WithNull,
            _ => Nothing::Null,
        };
        Self { argument: argument.to_owned(), value }
    }

    /// Returns whether the provider has to refuse it at plan.
    pub(crate) fn is_refused(&self) -> bool {
        let optional = ["description", "resources", "integration_owner_id", "adopt_existing"];
        match self.value {
            Nothing::Null => !optional.contains(&&*self.argument),
            Nothing::WithNull => true,
            Nothing::Empty => {
                ["listing", "role", "integration", "owner"].contains(&&*self.argument)
            }
        }
    }

    fn is_set(&self) -> bool {
        ["resources", "owners"].contains(&&*self.argument)
    }

    fn value(&self) -> Value {
        match self.value {
            Nothing::Null => Value::Null,
            Nothing::WithNull => json!([null]),
            Nothing::Empty if self.is_set() => json!([]),
            Nothing::Empty => json!(""),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Block {
    pub(crate) object: Object,
    pub(crate) text: u8,
    pub(crate) resources: Option<u8>,
    pub(crate) fixed_id: Option<u8>,
    pub(crate) blank: Option<Blank>,
    pub(crate) qualities: Odds<Quality>,
}

impl Block {
    /// Returns the name that a fixed ID gives an owner.
    pub(crate) fn fixed_name(&self) -> Option<String> {
        let parent = self.object.parent_name();
        Some(format!("integrations/{parent}/owners/fixed-{}", self.fixed_id?))
    }

    pub(crate) fn draw(workspace: usize, kind: Kind, random: &mut Rng) -> Self {
        Self {
            object: Object::draw(workspace, kind, random),
            text: random.u8(..4),
            resources: random.bool().then(|| random.u8(..4)),
            fixed_id: (random.u8(..4) == 0).then(|| random.u8(..3)),
            blank: None,
            qualities: Odds::draw(random),
        }
    }

    pub(crate) fn is(&self, quality: Quality) -> bool {
        self.qualities.has(quality)
    }

    /// Returns whether the user has said that an existing object may be taken.
    pub(crate) fn takes(&self) -> bool {
        self.is(Quality::Adopts) || self.object.kind == Kind::Owners
    }

    pub(crate) fn display_name(&self) -> String {
        // Not ASCII.
        format!("Rôle {}", self.text)
    }

    fn arguments(&self) -> Vec<(&'static str, Value)> {
        let parent = json!(self.object.parent_name());
        let named = |prefix: &str, bits: u8| {
            let set = (0..3).filter(|bit| bits >> bit & 1 == 1);
            set.map(|bit| format!("{prefix}{bit}")).collect::<Vec<_>>()
        };
        let mut all = match self.object.kind {
            Kind::Role => vec![
                ("listing", parent),
                ("role", json!(self.object.own_name())),
                ("display_name", json!(self.display_name())),
                ("priority", json!(self.text)),
                ("description", json!((self.text > 1).then(|| format!("Text {}", self.text)))),
                ("resources", json!(self.resources.map(|bits| named("repo/", bits)))),
            ],
            Kind::Owner => vec![
                ("integration", parent),
                ("owner", json!(self.object.own_name())),
                ("integration_owner_id", json!(self.fixed_id.map(|id| format!("fixed-{id}")))),
            ],
            // Never without owners.
            Kind::Owners => vec![
                ("integration", parent),
                ("owners", json!(named("users/user-", (self.text << 1) | 1))),
            ],
        };
        if self.object.kind != Kind::Owners {
            all.push(("adopt_existing", json!(self.is(Quality::Adopts).then_some(true))));
        }
        all.retain(|(_, value)| !value.is_null());
        all
    }

    /// Returns the block as Terraform passes it to the provider.
    pub(crate) fn value(&self, empty: &Value) -> Value {
        let mut value = empty.clone();
        for (argument, given) in self.arguments() {
            value[argument] = given;
        }
        if let Some(blank) = &self.blank {
            value[&blank.argument] = blank.value();
        }
        value
    }

    /// Returns the block as a real host reads it.
    fn hcl(&self, address: Address) -> fixtures::Block {
        let label = format!("a{}", address.number);
        let mut block = fixtures::resource(address.kind.resource_type(), &label);
        for (argument, value) in self.arguments() {
            block = block.set(argument, value);
        }
        if let Some(blank) = &self.blank {
            block = block.set(&blank.argument, blank.value());
        }
        let lifecycle = [
            (Quality::CreateFirst, "create_before_destroy = true"),
            (Quality::Outlives, "destroy = false"),
        ];
        let lines = lifecycle.iter().filter(|(quality, _)| self.is(*quality));
        let lines: String = lines.map(|(_, line)| format!("    {line}\n")).collect();
        if lines.is_empty() { block } else { block.line(&format!("lifecycle {{\n{lines}  }}")) }
    }

    /// Returns blocks that differ from this one by one thing less.
    pub(crate) fn simpler(&self) -> Vec<Self> {
        let mut all = vec![
            with(self, |it| it.text = 0),
            with(self, |it| it.resources = None),
            with(self, |it| it.fixed_id = None),
            with(self, |it| it.blank = None),
            with(self, |it| it.object.parent = 0),
        ];
        let simpler = self.qualities.simpler().into_iter();
        all.extend(simpler.map(|qualities| Self { qualities, ..self.clone() }));
        all
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.object)?;
        let hidden = ["listing", "integration", "adopt_existing"];
        let arguments = self.arguments().into_iter();
        for (name, value) in arguments.filter(|(name, _)| !hidden.contains(name)) {
            write!(f, ", {name} = {value}")?;
        }
        if let Some(Blank { argument, value }) = &self.blank {
            write!(f, ", {argument} = {value:?}")?;
        }
        write!(f, "{}", self.qualities)
    }
}

/// All blocks of a workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    pub(crate) blocks: BTreeMap<Address, Block>,
    pub(crate) moved: Option<(Address, Address)>,
    pub(crate) imports: BTreeSet<Address>,
    /// The addresses of `removed` blocks.
    pub(crate) removed: BTreeSet<Address>,
}

impl Configuration {
    /// Returns whether an address has a `removed` block and no resource block.
    pub(crate) fn forgets(&self, address: Address) -> bool {
        self.removed.contains(&address) && !self.blocks.contains_key(&address)
    }

    /// Returns the configuration as a real host reads it.
    pub(crate) fn hcl(&self) -> fixtures::Text {
        let mut text = fixtures::Text::default();
        for (address, block) in &self.blocks {
            text = text + block.hcl(*address);
        }
        for (at, block) in self.imports.iter().filter_map(|at| Some((at, self.blocks.get(at)?))) {
            let (to, id) = (at.to_string(), block.object.import_id());
            // Both mean the same.
            text = text
                + match at.number % 2 {
                    0 => fixtures::import(&to, &id),
                    _ => import_each(&to, &id),
                };
        }
        for (from, to) in self.moved.iter().filter(|(from, _)| !self.blocks.contains_key(from)) {
            text = text + fixtures::moved(&from.to_string(), &to.to_string());
        }
        for at in self.removed.iter().filter(|at| self.forgets(**at)) {
            text = text + fixtures::removed(&at.to_string());
        }
        text
    }
}

/// Returns an `import` block with `for_each`.
fn import_each(to: &str, id: &str) -> fixtures::Text {
    let head = format!("import {{\n  for_each = {{ only = {id:?} }}\n");
    fixtures::Text(format!("{head}  to = {to}\n  id = each.value\n}}\n"))
}
