//! The owners of an integration in Terraform: state and private state, and how entries of the
//! service's list become both.
//!
//! The state contains users, groups and teams. The private state contains the ID of each of them at
//! the service, because an owner is removed by its ID, and because the service may store another
//! spelling than the configuration's (`users/ada` as `users/id-17`).

use std::collections::{BTreeMap, BTreeSet};

use access_client::api::IntegrationOwner;
use access_client::{Identifier, IntegrationOwnerName};
use serde::{Deserialize, Serialize};
use tf_provider::value::Value;

use crate::integration_owner::state::{is_same_owner, keys_of};
use crate::object::existence::Adoption;
use crate::object::{Describe, PrivateState};
use crate::service::Key;

/// The owners of an integration in the state, in schema order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct IntegrationOwnersState {
    pub(crate) integration: Value<String>,
    pub(crate) owners: Value<Vec<Value<String>>>,
    pub(crate) adopt_existing: Value<bool>,
    pub(crate) deletion_policy: Value<String>,
    pub(crate) id: Value<String>,
    pub(crate) name: Value<String>,
}

/// The private state of this resource.
pub(super) type Private = PrivateState<OwnersPrivateState>;

/// The owners as the service has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnersPrivateState {
    /// The owners, by ID.
    pub(crate) owners: BTreeMap<String, KnownOwner>,
    /// Whether a create could not make all changes. The state then contains the planned owners,
    /// because Terraform taints what differs from its plan, and the next refresh corrects it.
    pub(crate) incomplete: bool,
}

/// An owner that the integration has, or had when a list showed it last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct KnownOwner {
    /// The user, group or team, as the configuration spells it.
    pub(crate) owner: String,
    /// The user, group or team, as the service spells it.
    pub(crate) stored: String,
    pub(crate) create_time: Option<String>,
    /// The identifier of this resource's last write, if it has added or adopted the owner.
    pub(crate) write_id: Option<String>,
    /// Whether the last list lacked the owner. The ID stays: the list may lag, and a destroy
    /// deletes the owner.
    pub(crate) is_missing: bool,
}

/// The owners of an integration, with what a call does to them.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) integration: Identifier,
    pub(super) state: IntegrationOwnersState,
    pub(super) private: Private,
}

impl Stored {
    /// Returns `None` if the state does not contain a valid integration.
    pub(super) fn of((state, private): (IntegrationOwnersState, Private)) -> Option<Self> {
        Some(Self { integration: state.integration_id()?, state, private })
    }

    pub(super) fn into_parts(self) -> (IntegrationOwnersState, Private) {
        (self.state, self.private)
    }

    /// Returns the keys of an owner of the state: the principal, and the name if it is known.
    pub(super) fn keys_of(&self, owner: &str) -> Vec<Key> {
        let mut known = self.private.entity.owners.iter();
        let known = known.find(|(_, known)| known.owner == owner);
        let name = known.and_then(|(id, _)| owner_name(&self.integration, id));
        keys_of(&self.integration, Some(owner), name.as_ref())
    }
}

impl IntegrationOwnersState {
    /// Returns the ID of the integration if it is known and valid.
    pub(crate) fn integration_id(&self) -> Option<Identifier> {
        Identifier::parse(self.integration.as_ref_option()?).ok()
    }

    /// Returns the known owners, in order.
    pub(crate) fn principals(&self) -> BTreeSet<String> {
        let owners = self.owners.as_ref_option().map_or(&[][..], Vec::as_slice);
        owners.iter().filter_map(|owner| owner.as_ref_option().cloned()).collect()
    }

    /// Returns the state with other owners, in order.
    pub(crate) fn with_owners(self, owners: BTreeSet<String>) -> Self {
        Self { owners: Value::Value(owners.into_iter().map(Value::Value).collect()), ..self }
    }

    pub(crate) fn adoption(&self) -> Adoption {
        Adoption::by(&[("adopt_existing", &self.adopt_existing, true)])
    }

    /// Returns the planned values of a create. Its names follow from the configuration.
    pub(crate) fn planned_create(self) -> Self {
        let name = self.integration_id();
        let name = name.map_or(Value::Unknown, |id| Value::Value(integration_name(&id)));
        Self { id: name.clone(), name, ..self }
    }
}

impl OwnersPrivateState {
    /// Returns the owners that the last list has shown and those that were added since, as the
    /// state spells them.
    pub(crate) fn principals(&self) -> BTreeSet<String> {
        let present = self.owners.values().filter(|known| !known.is_missing);
        present.map(|known| known.owner.clone()).collect()
    }

    /// Records the configuration's spelling of an owner. Returns whether the integration has it.
    pub(crate) fn spell(&mut self, owner: &str) -> bool {
        let mut found = false;
        for known in self.owners.values_mut().filter(|known| !known.is_missing) {
            if known.owner == owner || known.stored == owner {
                owner.clone_into(&mut known.owner);
                found = true;
            }
        }
        found
    }

    /// Returns the IDs under which an owner was known that the last list lacked.
    pub(crate) fn missing_ids(&self, owner: &str) -> Vec<String> {
        let is_missing = |known: &KnownOwner| {
            known.is_missing && (known.owner == owner || known.stored == owner)
        };
        let missing = self.owners.iter().filter(|(_, known)| is_missing(known));
        missing.map(|(id, _)| id.clone()).collect()
    }

    /// Returns what is known about an owner after a response shows it. An owner that was known
    /// before, under its ID and with its creation time, keeps the configuration's spelling.
    pub(crate) fn after_read(&self, found: &IntegrationOwner) -> KnownOwner {
        let known = self.owners.get(found.name.owner.as_str());
        let known =
            known.filter(|it| is_same_owner(found, it.create_time.as_deref(), Some(&it.stored)));
        KnownOwner {
            owner: known.map_or(&found.owner, |known| &known.owner).clone(),
            stored: found.owner.clone(),
            // A list may cut the time, or leave it out.
            create_time: known.map_or_else(
                || found.create_time.clone(),
                |known| known.create_time.clone().or_else(|| found.create_time.clone()),
            ),
            write_id: known.and_then(|known| known.write_id.clone()),
            is_missing: false,
        }
    }

    /// Records what a list shows. Owners that it lacks are kept as missing.
    pub(crate) fn record_list<'l>(&mut self, entries: impl Iterator<Item = &'l IntegrationOwner>) {
        let mut owners: BTreeMap<String, KnownOwner> =
            entries.map(|entry| (entry.name.owner.to_string(), self.after_read(entry))).collect();
        for (id, known) in std::mem::take(&mut self.owners) {
            owners.entry(id).or_insert(KnownOwner { is_missing: true, ..known });
        }
        self.owners = owners;
    }
}

/// Returns the name of an integration, under which its owners as a whole are registered.
pub(super) fn integration_name(integration: &Identifier) -> String {
    IntegrationOwner::WORDS.parent_name(integration)
}

/// Returns the name of an owner with an ID from private state.
pub(super) fn owner_name(integration: &Identifier, id: &str) -> Option<IntegrationOwnerName> {
    let owner = Identifier::parse(id).ok()?;
    Some(IntegrationOwnerName { integration: integration.clone(), owner })
}

#[cfg(test)]
mod tests {
    use access_client::ObjectName as _;

    use super::*;

    fn set(owners: &[&str]) -> BTreeSet<String> {
        owners.iter().map(|&owner| owner.to_owned()).collect()
    }

    fn entry(id: &str, owner: &str, create_time: &str) -> IntegrationOwner {
        IntegrationOwner {
            name: IntegrationOwnerName::parse(&format!("integrations/github/owners/{id}")).unwrap(),
            owner: owner.to_owned(),
            create_time: Some(create_time.to_owned()),
            update_time: None,
        }
    }

    #[test]
    fn list_shows_the_owners_and_the_ids_of_others_stay() {
        let (old, new) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
        let known = |owner: &str, stored: &str| KnownOwner {
            owner: owner.to_owned(),
            stored: stored.to_owned(),
            create_time: Some(old.to_owned()),
            ..KnownOwner::default()
        };
        let owners = [
            ("1".to_owned(), known("users/ada", "users/id-17")),
            ("2".to_owned(), known("users/ben", "users/ben")),
            ("3".to_owned(), known("users/cai", "users/cai")),
        ];
        let mut private = OwnersPrivateState { owners: owners.into(), incomplete: false };
        // The list shows the first, another owner under the ID of the second, and a new one.
        let list = [
            entry("1", "users/id-17", old),
            entry("2", "users/dan", new),
            entry("4", "users/eve", new),
        ];
        private.record_list(list.iter());
        assert_eq!(private.principals(), set(&["users/ada", "users/dan", "users/eve"]));
        assert_eq!(private.missing_ids("users/cai"), ["3"]);
        assert!(private.missing_ids("users/ben").is_empty(), "its ID has another owner");
        assert!(!private.spell("users/cai"), "it is missing");
        assert!(private.spell("users/id-17"), "the service's spelling");
        assert_eq!(private.principals(), set(&["users/dan", "users/eve", "users/id-17"]));

        private.record_list([entry("3", "users/cai", old)].iter());
        assert_eq!(private.principals(), set(&["users/cai"]));
        assert_eq!(private.owners.len(), 4, "no ID is lost");
    }
}
