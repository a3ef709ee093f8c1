//! The owners of an integration in Terraform: state and private state, and how entries of the
//! service's list become both.
//!
//! The state contains users, groups and teams. The private state contains the ID of each of them at
//! the service, because an owner is removed by its ID, and because the service may store another
//! spelling than the configuration's (`users/ada` as `users/id-17`).

use std::collections::{BTreeMap, BTreeSet};

use ::time::OffsetDateTime;
use access_client::api::IntegrationOwner;
use access_client::{Identifier, IntegrationOwnerName};
use serde::{Deserialize, Serialize};
use tf_provider::value::Value;

use super::schema::WORDS;
use crate::object::PrivateState;
use crate::service::Session;
use crate::time::{is_same as is_same_time, is_within_lag};

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

/// The private state, as Terraform stores it.
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
    pub(super) state: IntegrationOwnersState,
    pub(super) private: Private,
}

impl Stored {
    pub(super) fn into_parts(self) -> (IntegrationOwnersState, Private) {
        (self.state, self.private)
    }

    pub(super) fn is_left(&self, session: &Session) -> bool {
        self.private.is_left(session.policy_of(&self.state.deletion_policy))
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
    /// When this configuration added the owner, in seconds since the epoch; none as soon as a read
    /// has shown it.
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

    /// Sets the owners. The value stays as it is if it contains them already.
    pub(crate) fn set_owners(&mut self, owners: BTreeSet<String>) {
        if self.owners.as_ref_option().is_none() || self.principals() != owners {
            self.owners = Value::Value(owners.into_iter().map(Value::Value).collect());
        }
    }

    /// Returns the planned values of a create. Its names follow from the configuration.
    pub(crate) fn planned_create(self) -> Self {
        let name = self.integration_id();
        let name = name.map_or(Value::Unknown, |id| Value::Value(integration_name(&id)));
        Self { id: name.clone(), name, ..self }
    }

    /// Returns the state of an integration with these owners.
    pub(crate) fn new(integration: &Identifier, owners: BTreeSet<String>) -> Self {
        let integration = Value::Value(integration.to_string());
        let mut state = Self { integration, ..Self::default() }.planned_create();
        state.set_owners(owners);
        state
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

    /// Returns an owner that the service has under this spelling.
    pub(crate) fn find_stored(&mut self, stored: &str) -> Option<&mut KnownOwner> {
        self.owners.values_mut().find(|known| known.stored == stored)
    }

    /// Records that this resource has written an owner.
    pub(crate) fn record_write(&mut self, owner: &str, write_id: &str) {
        for known in self.owners.values_mut().filter(|known| known.owner == owner) {
            known.write_id = Some(write_id.to_owned());
        }
    }

    /// Returns two of these owners that the service stores as the same owner.
    pub(crate) fn find_same<'o>(&self, owners: &'o BTreeSet<String>) -> Option<(&'o str, &'o str)> {
        let spelling = |text: &str| owners.get(text).map(String::as_str);
        self.owners
            .values()
            .filter(|known| known.owner != known.stored)
            .find_map(|known| Some((spelling(&known.owner)?, spelling(&known.stored)?)))
    }

    /// Returns whether an entry of a list is known.
    pub(crate) fn contains(&self, entry: &IntegrationOwner) -> bool {
        self.owners.get(entry.name.owner.as_str()).is_some_and(|known| known.is_same(entry))
    }

    /// Records the entries of a list. Returns the owners that were known and that the list lacks; they
    /// are no longer recorded. An entry whose ID and creation time are known keeps the configuration's
    /// spelling.
    pub(crate) fn record_list(
        &mut self,
        entries: impl IntoIterator<Item = IntegrationOwner>,
    ) -> BTreeMap<String, KnownOwner> {
        let mut missing = std::mem::take(&mut self.owners);
        for entry in entries {
            let id = entry.name.owner.to_string();
            let listed = KnownOwner::listed(&entry);
            let known = match missing.remove(&id) {
                Some(known) if known.is_same(&entry) => {
                    KnownOwner { owner: known.owner, write_id: known.write_id, ..listed }
                }
                _ => listed,
            };
            self.owners.insert(id, known);
        }
        missing
    }

    /// Returns the name of an owner if it is known.
    pub(crate) fn name_of(
        &self,
        integration: &Identifier,
        owner: &str,
    ) -> Option<IntegrationOwnerName> {
        let (id, _) = self.owners.iter().find(|(_, known)| known.owner == owner)?;
        owner_name(integration, id)
    }
}

impl KnownOwner {
    /// Returns an owner that the service returned, in its spelling.
    pub(crate) fn listed(entry: &IntegrationOwner) -> Self {
        Self {
            owner: entry.owner.clone(),
            stored: entry.owner.clone(),
            create_time: entry.create_time.clone(),
            write_id: None,
            added_at: None,
        }
    }

    /// Returns whether an object with the same ID is this owner, and not another that was added under
    /// its ID.
    pub(crate) fn is_same(&self, entry: &IntegrationOwner) -> bool {
        match (&self.create_time, &entry.create_time) {
            (Some(known), Some(found)) => is_same_time(known, found),
            _ => self.stored == entry.owner,
        }
    }

    /// Returns whether the owner was added a moment ago, and no read has shown it yet.
    pub(crate) fn may_lag(&self, date: Option<OffsetDateTime>) -> bool {
        is_within_lag(self.added_at, date)
    }
}

/// Returns the name of an integration, under which its owners as a whole are registered.
pub(super) fn integration_name(integration: &Identifier) -> String {
    WORDS.parent_name(integration)
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

    fn entry(id: &str, owner: &str, create_time: &str) -> IntegrationOwner {
        IntegrationOwner {
            name: owner_name(&Identifier::parse("github").unwrap(), id).unwrap(),
            owner: owner.to_owned(),
            create_time: Some(create_time.to_owned()),
            update_time: None,
        }
    }

    /// Returns a private state after a list with `ada`, which the configuration spells differently than
    /// the service, and `ben`.
    fn private() -> OwnersPrivateState {
        let mut private = OwnersPrivateState::default();
        private.record_list([entry("1", "users/id-17", "t1"), entry("2", "users/ben", "t2")]);
        private.owners.get_mut("1").unwrap().owner = "users/ada".to_owned();
        private
    }

    #[test]
    fn list_keeps_the_spelling_of_known_owners_and_returns_missing_ones() {
        let mut known = private();
        let listed = [entry("1", "users/id-17", "t1"), entry("3", "groups/ops", "t3")];
        let missing = known.record_list(listed);
        assert_eq!(known.principals(), set(&["groups/ops", "users/ada"]));
        assert_eq!(missing.keys().collect::<Vec<_>>(), ["2"]);

        // Another owner under the same ID.
        let mut known = private();
        known.record_list([entry("1", "users/id-18", "t9")]);
        assert_eq!(known.principals(), set(&["users/id-18"]));
    }

    #[test]
    fn two_spellings_of_one_owner_are_found() {
        let mut known = private();
        let both = set(&["users/ada", "users/ben", "users/id-17"]);
        assert_eq!(known.find_same(&both), Some(("users/ada", "users/id-17")));
        assert_eq!(known.find_same(&set(&["users/ada", "users/ben"])), None);
        assert!(known.spell("users/id-17"), "the service's spelling");
        assert_eq!(known.principals(), set(&["users/ben", "users/id-17"]));
        assert!(!known.spell("users/ada"));
    }

    #[test]
    fn owners_in_another_order_leave_the_state_as_it_is() {
        let integration = Identifier::parse("github").unwrap();
        let mut state = IntegrationOwnersState::new(&integration, set(&["users/ada", "users/ben"]));
        let reversed = ["users/ben", "users/ada"].map(|owner| Value::Value(owner.to_owned()));
        state.owners = Value::Value(reversed.to_vec());
        let before = state.clone();
        state.set_owners(set(&["users/ada", "users/ben"]));
        assert_eq!(state, before);
        state.set_owners(set(&[]));
        assert_eq!(state.owners, Value::Value(Vec::new()));
        assert_eq!(state.name, Value::Value("integrations/github".to_owned()));
    }
}
