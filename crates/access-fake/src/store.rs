//! What the service keeps: listings with their roles, integrations with their owners.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::owner::Owner;
use crate::role::Role;
use crate::slot::Slot;

/// A listing; only what its roles need is known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Listing {
    /// What its roles answer as `management`; none for manually managed ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) management: Option<Value>,
    /// Its roles can be written by the infrastructure-as-code provider alone.
    pub(crate) provider_only: bool,
    pub(crate) roles: BTreeMap<String, Slot<Role>>,
}

/// An integration; only its owners are known of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Integration {
    pub(crate) owners: BTreeMap<String, Slot<Owner>>,
    /// How many IDs were made up so far.
    pub(crate) generated: u64,
}

/// Everything that is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Store {
    pub(crate) listings: BTreeMap<String, Listing>,
    pub(crate) integrations: BTreeMap<String, Integration>,
}

impl Store {
    /// The listings and integrations that are there from the start, made at this time.
    pub(crate) fn seeded(now: &str) -> Self {
        let mut store = Self::default();
        for name in ["github", "production"] {
            store.listings.insert(name.to_owned(), Listing::default());
        }
        let iac = Listing {
            management: Some(json!("TERRAFORM")),
            provider_only: true,
            ..Listing::default()
        };
        store.listings.insert("iac".to_owned(), iac);
        for name in ["github", "okta"] {
            store.add_integration(name, now);
        }
        store
    }

    /// Adds an integration with its first owner, unless it is there already.
    pub(crate) fn add_integration(&mut self, name: &str, now: &str) {
        self.integrations.entry(name.to_owned()).or_insert_with(|| {
            let founder = Owner {
                owner: "users/founder".to_owned(),
                create_time: now.to_owned(),
                update_time: now.to_owned(),
            };
            let owners = BTreeMap::from([("founder".to_owned(), Slot::of(founder))]);
            Integration { owners, generated: 0 }
        });
    }

    /// Every object in full, for people.
    pub(crate) fn full(&self) -> Value {
        let listings: BTreeMap<&String, Value> = self
            .listings
            .iter()
            .map(|(listing, kept)| {
                let roles: BTreeMap<&String, Value> = present(&kept.roles)
                    .map(|(role, value)| {
                        let name = role_name(listing, role);
                        (role, value.full(&name, kept.management.as_ref()))
                    })
                    .collect();
                let management = &kept.management;
                let provider_only = kept.provider_only;
                (
                    listing,
                    json!({"management": management, "provider_only": provider_only, "roles": roles}),
                )
            })
            .collect();
        let integrations: BTreeMap<&String, Value> = self
            .integrations
            .iter()
            .map(|(integration, kept)| {
                let owners: BTreeMap<&String, Value> = present(&kept.owners)
                    .map(|(owner, value)| (owner, value.full(&owner_name(integration, owner))))
                    .collect();
                (integration, json!({"owners": owners}))
            })
            .collect();
        json!({"listings": listings, "integrations": integrations})
    }
}

/// The objects that are there, without regard to how reads lag.
pub(crate) fn present<T: Clone>(
    slots: &BTreeMap<String, Slot<T>>,
) -> impl Iterator<Item = (&String, &T)> {
    slots.iter().filter_map(|(id, slot)| Some((id, slot.current()?)))
}

pub(crate) fn role_name(listing: &str, role: &str) -> String {
    format!("listings/{listing}/roles/{role}")
}

pub(crate) fn owner_name(integration: &str, owner: &str) -> String {
    format!("integrations/{integration}/owners/{owner}")
}

/// Returns the name of a listing's collection of roles.
pub(crate) fn roles_name(listing: &str) -> String {
    format!("listings/{listing}/roles")
}

/// Returns the name of an integration's collection of owners.
pub(crate) fn owners_name(integration: &str) -> String {
    format!("integrations/{integration}/owners")
}
