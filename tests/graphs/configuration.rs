//! A configuration that is edited at random.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fastrand::Rng;

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Role,
    Owner,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Role, Self::Owner];

    pub(super) fn resource_type(self) -> &'static str {
        match self {
            Self::Role => "access_listing_role",
            Self::Owner => "access_integration_owner",
        }
    }
}

/// A role by its ID, or an owner by its principal.
pub(super) type Object = (Kind, String);

/// The address of a resource: its kind and its name.
pub(super) type Address = (Kind, String);

/// Returns an address as Terraform prints it.
pub(super) fn shown((kind, name): &Address) -> String {
    format!("{}.{name}", kind.resource_type())
}

/// A resource block.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) object: Object,
    create_before_destroy: bool,
    adopts: bool,
    /// Whether the object's name is known only after apply, if it is new.
    is_late: bool,
    display_name: u8,
}

impl Resource {
    /// Returns the name of the resource whose output is the object's name.
    fn late_name(&self) -> String {
        format!("late_{}", self.object.1.replace(['/', '-'], "_"))
    }
}

/// All resource blocks of a workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Configuration {
    pub(super) resources: BTreeMap<Address, Resource>,
    moved: Vec<(Address, Address)>,
    /// Names the objects that only this workspace configures.
    workspace: usize,
}

impl Configuration {
    pub(super) fn new(workspace: usize) -> Self {
        Self { workspace, ..Self::default() }
    }

    /// Draws an object. Both workspaces may configure the shared ones.
    fn object(&self, kind: Kind, random: &mut Rng) -> Object {
        let owner = if random.u8(..4) == 0 { "shared".to_owned() } else { self.own() };
        let id = format!("{owner}-{}", random.u8(..3));
        (kind, if kind == Kind::Owner { format!("users/{id}") } else { id })
    }

    fn own(&self) -> String {
        format!("own-{}", self.workspace)
    }

    fn free_address(&self, kind: Kind, random: &mut Rng) -> Address {
        loop {
            let address = (kind, format!("name_{}", random.u8(..8)));
            if !self.resources.contains_key(&address) {
                return address;
            }
        }
    }

    fn any_address(&self, random: &mut Rng) -> Option<Address> {
        random.choice(self.resources.keys()).cloned()
    }

    /// Adds a resource. An object of the other workspace would rightly be deleted by either of the
    /// two that adopted it, so only own ones are adopted.
    fn add(&mut self, object: Object, random: &mut Rng) {
        let address = self.free_address(object.0, random);
        let adopts = object.1.contains(&self.own()) && random.bool();
        let resource = Resource {
            object,
            create_before_destroy: random.bool(),
            adopts,
            is_late: random.u8(..3) == 0,
            display_name: random.u8(..3),
        };
        self.resources.insert(address, resource);
    }

    /// Makes one random edit.
    pub(super) fn edit(&mut self, random: &mut Rng) {
        self.moved.clear();
        let address = match self.any_address(random) {
            Some(address) if self.resources.len() < 6 && random.u8(..3) > 0 => address,
            Some(address) if self.resources.len() >= 6 => address,
            _ => {
                let object = self.object(*random.choice(&Kind::ALL).unwrap_or(&Kind::Role), random);
                return self.add(object, random);
            }
        };
        match random.u8(..10) {
            0 => {
                self.resources.remove(&address);
            }
            action @ 1..=3 => {
                let new = self.free_address(address.0, random);
                if let Some(resource) = self.resources.remove(&address) {
                    self.resources.insert(new.clone(), resource);
                }
                if action == 1 {
                    self.moved.push((address, new));
                }
            }
            4 => {
                if let Some(resource) = self.resources.get(&address).cloned() {
                    self.add(resource.object, random);
                }
            }
            5 | 6 => {
                let object = self.object(address.0, random);
                let own = object.1.contains(&self.own());
                if let Some(resource) = self.resources.get_mut(&address) {
                    resource.object = object;
                    resource.adopts &= own;
                }
            }
            7 => {
                if let Some(resource) = self.resources.get_mut(&address) {
                    resource.create_before_destroy ^= true;
                }
            }
            8 => {
                if let Some(resource) = self.resources.get_mut(&address) {
                    resource.is_late ^= true;
                }
            }
            _ => {
                if let Some(resource) = self.resources.get_mut(&address) {
                    resource.display_name = random.u8(..3);
                }
            }
        }
    }

    /// Adds a second resource for the object of an address. Returns both addresses.
    pub(super) fn duplicate(&mut self, random: &mut Rng) -> Option<(Address, Address)> {
        let address = self.any_address(random)?;
        let new = self.free_address(address.0, random);
        let resource = self.resources.get(&address)?.clone();
        self.resources.insert(new.clone(), resource);
        Some((address, new))
    }

    /// Returns the configuration as Terraform reads it.
    pub(super) fn text(&self) -> String {
        let mut late = BTreeSet::new();
        let mut text = "provider \"access\" {\n  max_retries = 0\n}\n".to_owned();
        for (address, resource) in &self.resources {
            let (kind, id) = &resource.object;
            let name = resource.late_name();
            let value = if resource.is_late {
                if late.insert(name.clone()) {
                    _ = write!(
                        text,
                        "resource \"terraform_data\" \"{name}\" {{\n  input = \"{id}\"\n}}\n"
                    );
                }
                format!("terraform_data.{name}.output")
            } else {
                format!("\"{id}\"")
            };
            let body = match kind {
                Kind::Role => format!(
                    "  listing = \"github\"\n  role = {value}\n  display_name = \"Name {}\"\n  \
                     priority = 1\n",
                    resource.display_name
                ),
                Kind::Owner => format!("  integration = \"github\"\n  owner = {value}\n"),
            };
            _ = write!(
                text,
                "resource \"{}\" \"{}\" {{\n{body}  adopt_existing = {}\n  lifecycle {{\n    \
                 create_before_destroy = {}\n  }}\n}}\n",
                kind.resource_type(),
                address.1,
                resource.adopts,
                resource.create_before_destroy
            );
        }
        for (from, to) in &self.moved {
            _ = write!(text, "moved {{\n  from = {}\n  to = {}\n}}\n", shown(from), shown(to));
        }
        text
    }
}
