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
use crate::service::{Key, Session};

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

pub(super) type Private = PrivateState<OwnersPrivateState, IntegrationOwnersState>;

/// The owners as the service has them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct OwnersPrivateState {
    /// The owners, by ID.
    pub(crate) owners: BTreeMap<String, KnownOwner>,
    /// Whether a create could not make all changes. The state then contains the planned owners, because
    /// Terraform taints what differs from its plan, and the next refresh corrects it.
    pub(crate) incomplete: bool,
}

#[derive(Clone)]
pub(super) struct Stored {
    pub(super) integration: Identifier,
    pub(super) state: IntegrationOwnersState,
    pub(super) private: Private,
}

impl Stored {
    /// Returns `None` if the state does not contain a valid integration.
    pub(super) fn of(state: IntegrationOwnersState, private: Private) -> Option<Self> {
        Some(Self { integration: state.integration_id()?, state, private })
    }

    pub(super) fn into_parts(self) -> (IntegrationOwnersState, Private) {
        (self.state, self.private)
    }

    pub(super) fn is_left(&self, session: &Session) -> bool {
        self.private.is_abandoned || session.abandons(&self.state.deletion_policy)
    }

    /// Returns the keys of an owner of the state: the principal, and the name if it is known.
    pub(super) fn keys_of(&self, owner: &str) -> Vec<Key> {
        let mut known = self.private.entity.owners.iter();
        let known = known.find(|(_, known)| known.owner == owner);
        let name = known.and_then(|(id, _)| owner_name(&self.integration, id));
        keys_of(&self.integration, Some(owner), name.as_ref())
    }
}

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
    /// When this configuration added the owner, in seconds since the epoch, or 0 if that is not known; none
    /// as soon as a read has shown the owner.
    pub(crate) added_at: Option<i64>,
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
    /// Returns the owners, as the state spells them.
    pub(crate) fn principals(&self) -> BTreeSet<String> {
        self.owners.values().map(|known| known.owner.clone()).collect()
    }

    /// Records the configuration's spelling of an owner. Returns whether the integration has it.
    pub(crate) fn spell(&mut self, owner: &str) -> bool {
        let mut found = false;
        for known in self.owners.values_mut() {
            if known.owner == owner || known.stored == owner {
                owner.clone_into(&mut known.owner);
                found = true;
            }
        }
        found
    }

    /// Returns two of these owners that the service stores as the same owner.
    pub(crate) fn find_same<'o>(&self, owners: &'o BTreeSet<String>) -> Option<(&'o str, &'o str)> {
        let spelling = |text: &str| owners.get(text).map(String::as_str);
        self.owners
            .values()
            .filter(|known| known.owner != known.stored)
            .find_map(|known| Some((spelling(&known.owner)?, spelling(&known.stored)?)))
    }

    /// Returns the owner that a response shows, if it is known under its ID.
    pub(crate) fn find(&self, found: &IntegrationOwner) -> Option<&KnownOwner> {
        let known = self.owners.get(found.name.owner.as_str());
        known.filter(|it| is_same_owner(found, it.create_time.as_deref(), Some(&it.stored)))
    }

    /// Returns what is known about an owner after a response shows it. An owner that was known before keeps
    /// the configuration's spelling.
    pub(crate) fn after_read(&self, found: &IntegrationOwner) -> KnownOwner {
        let known = self.find(found);
        KnownOwner {
            owner: known.map_or(&found.owner, |known| &known.owner).clone(),
            stored: found.owner.clone(),
            create_time: found.create_time.clone(),
            write_id: known.and_then(|known| known.write_id.clone()),
            added_at: None,
        }
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
    use super::*;

    fn set(owners: &[&str]) -> BTreeSet<String> {
        owners.iter().map(|&owner| owner.to_owned()).collect()
    }

    #[test]
    fn two_spellings_of_one_owner_are_found() {
        let ada = KnownOwner {
            owner: "users/ada".to_owned(),
            stored: "users/id-17".to_owned(),
            ..KnownOwner::default()
        };
        let owners = [("1".to_owned(), ada)].into();
        let mut known = OwnersPrivateState { owners, ..OwnersPrivateState::default() };
        let both = set(&["users/ada", "users/ben", "users/id-17"]);
        assert_eq!(known.find_same(&both), Some(("users/ada", "users/id-17")));
        assert_eq!(known.find_same(&set(&["users/ada", "users/ben"])), None);
        assert!(known.spell("users/id-17"), "the service's spelling");
        assert_eq!(known.principals(), set(&["users/id-17"]));
        assert!(!known.spell("users/ada"));
    }
}
