//! The configuration of a workspace: blocks at addresses, as JSON for calls and as text for a real host.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use fastrand::Rng;
use serde_json::{Value, json};

use plugin_server::testkit::unknown;

/// A kind of resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Role,
    Owner,
    /// All owners of an integration.
    Owners,
}

impl Kind {
    pub(crate) fn resource_type(self) -> &'static str {
        match self {
            Self::Role => "access_listing_role",
            Self::Owner => "access_integration_owner",
            Self::Owners => "access_integration_owners",
        }
    }
}

/// The address of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address {
    pub(crate) kind: Kind,
    pub(crate) number: u8,
}

impl Address {
    pub(crate) fn draw(random: &mut Rng) -> Self {
        let kind = match random.u8(..12) {
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.parent_name(), self.own_name())
    }
}

/// A resource block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    pub(crate) object: Object,
    pub(crate) region: u8,
    pub(crate) text: u8,
    pub(crate) resources: Option<u8>,
    pub(crate) fixed_id: Option<u8>,
    pub(crate) adopts: bool,
    /// `allow_missing = false`.
    pub(crate) must_exist: bool,
    pub(crate) abandon: Option<bool>,
    pub(crate) create_first: bool,
    /// Whether the object's name is known only after apply, if it is new.
    pub(crate) is_late: bool,
}

impl Block {
    pub(crate) fn draw(workspace: usize, kind: Kind, random: &mut Rng) -> Self {
        let mut rare = |chance| random.u8(..chance) == 0;
        let [adopts, must_exist, sets_policy, create_first, is_late] =
            [rare(4), rare(20), rare(8), rare(3), rare(6)];
        let [region, has_resources, has_id] = [rare(10), rare(2), rare(4)];
        Self {
            object: Object::draw(workspace, kind, random),
            region: u8::from(region),
            text: random.u8(..4),
            resources: has_resources.then(|| random.u8(..4)),
            fixed_id: has_id.then(|| random.u8(..3)),
            adopts,
            must_exist,
            abandon: sets_policy.then(|| random.bool()),
            create_first,
            is_late,
        }
    }

    /// Returns whether the user has said that an existing object may be taken.
    pub(crate) fn takes(&self) -> bool {
        self.adopts || (self.must_exist && self.object.kind == Kind::Role)
    }

    /// The owners that a block of all owners wants: always a few, from the bits of its text.
    pub(crate) fn owners(&self) -> Vec<String> {
        let bits = (self.text << 1) | 1;
        (0..3).filter(|bit| bits >> bit & 1 == 1).map(|bit| format!("users/user-{bit}")).collect()
    }

    pub(crate) fn display_name(&self) -> String {
        format!("Name {}", self.text)
    }

    fn resource_names(&self) -> Option<Vec<String>> {
        self.resources.map(|bits| {
            (0..2).filter(|bit| bits >> bit & 1 == 1).map(|bit| format!("repo/{bit}")).collect()
        })
    }

    /// The name of the resource whose output is the object's name.
    fn late_name(&self) -> String {
        self.object.own_name().replace(['/', '-'], "_")
    }

    /// Sets the arguments in an object whose members are all null.
    fn arguments(&self, own_name: Value) -> Vec<(&'static str, Value)> {
        let policy = self.abandon.map(|abandon| if abandon { "abandon" } else { "delete" });
        let mut all = vec![
            ("adopt_existing", if self.adopts { json!(true) } else { Value::Null }),
            ("deletion_policy", json!(policy)),
        ];
        let parent = json!(self.object.parent_name());
        match self.object.kind {
            Kind::Role => all.extend([
                ("listing", parent),
                ("role", own_name),
                ("display_name", json!(self.display_name())),
                ("priority", json!(self.text)),
                ("description", json!((self.text > 1).then(|| format!("Text {}", self.text)))),
                ("resources", json!(self.resource_names())),
                ("allow_missing", if self.must_exist { json!(false) } else { Value::Null }),
            ]),
            Kind::Owner => all.extend([
                ("integration", parent),
                ("owner", own_name),
                ("integration_owner_id", json!(self.fixed_id.map(|id| format!("fixed-{id}")))),
            ]),
            Kind::Owners => all.extend([("integration", parent), ("owners", json!(self.owners()))]),
        }
        all
    }
}

impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.object)?;
        if self.region > 0 {
            write!(f, " in region {}", self.region)?;
        }
        for (name, value) in self.arguments(Value::Null) {
            if !value.is_null() && !matches!(name, "listing" | "integration") {
                write!(f, ", {name} = {value}")?;
            }
        }
        let flags = [
            (self.create_first, ", create_before_destroy"),
            (self.is_late, ", name known after apply"),
        ];
        flags.iter().filter(|(is_set, _)| *is_set).try_for_each(|(_, text)| f.write_str(text))
    }
}

/// All blocks of a workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct Configuration {
    pub(crate) blocks: BTreeMap<Address, Block>,
    pub(crate) moved: Vec<(Address, Address)>,
    pub(crate) imports: BTreeSet<Address>,
}

impl Configuration {
    /// Returns a block as Terraform passes it to the provider, with its name unknown unless the resource
    /// of that name is among the known ones.
    pub(crate) fn value(block: &Block, known: &BTreeSet<String>, empty: &Value) -> Value {
        let is_known = !block.is_late || known.contains(&block.late_name());
        let name = if is_known { json!(block.object.own_name()) } else { unknown() };
        let mut value = empty.clone();
        for (argument, given) in block.arguments(name) {
            value[argument] = given;
        }
        value
    }

    /// Returns the resources whose outputs are names of objects, as far as they are targeted.
    pub(crate) fn late_names(&self, target: Option<Address>) -> BTreeSet<String> {
        let targeted =
            self.blocks.iter().filter(|(at, _)| target.is_none_or(|target| target == **at));
        targeted.filter(|(_, block)| block.is_late).map(|(_, block)| block.late_name()).collect()
    }

    /// Returns the configuration as a real host reads it.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for name in self.late_names(None) {
            let value = name.replacen("users_", "users/", 1).replace('_', "-");
            _ = writeln!(
                text,
                "resource \"terraform_data\" \"{name}\" {{\n  input = \"{value}\"\n}}"
            );
        }
        for (address, block) in &self.blocks {
            _ = writeln!(
                text,
                "resource \"{}\" \"a{}\" {{",
                address.kind.resource_type(),
                address.number
            );
            if block.region > 0 {
                _ = writeln!(text, "  provider = access.second");
            }
            let name = json!(block.object.own_name());
            for (argument, value) in block.arguments(name.clone()) {
                if block.is_late && value == name {
                    _ = writeln!(
                        text,
                        "  {argument} = terraform_data.{}.output",
                        block.late_name()
                    );
                } else if !value.is_null() {
                    _ = writeln!(text, "  {argument} = {value}");
                }
            }
            let first = block.create_first;
            _ = writeln!(text, "  lifecycle {{\n    create_before_destroy = {first}\n  }}\n}}");
        }
        text.push_str(&self.import_blocks());
        for (from, to) in self.moved.iter().filter(|(from, _)| !self.blocks.contains_key(from)) {
            _ = writeln!(text, "moved {{\n  from = {from}\n  to = {to}\n}}");
        }
        text
    }
}
