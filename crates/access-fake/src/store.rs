//! The stored objects: listings with their roles, integrations with their owners.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::owner::Owner;
use crate::role::Role;
use crate::slot::Slot;

/// A listing with its roles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Listing {
    /// The `management` field of its roles; `None` for a manually managed listing.
    pub(crate) management: Option<Value>,
    /// Whether only the infrastructure-as-code provider can write its roles.
    pub(crate) provider_only: bool,
    pub(crate) roles: BTreeMap<String, Slot<Role>>,
}

/// An integration with its owners.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Integration {
    pub(crate) owners: BTreeMap<String, Slot<Owner>>,
    /// The number of generated owner IDs.
    pub(crate) generated: u64,
}

/// All stored objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Store {
    pub(crate) listings: BTreeMap<String, Listing>,
    pub(crate) integrations: BTreeMap<String, Integration>,
}

impl Store {
    /// Ends the lag of all objects.
    pub(crate) fn end_lags(&mut self) {
        for listing in self.listings.values_mut() {
            listing.roles.values_mut().for_each(Slot::end_lag);
        }
        for integration in self.integrations.values_mut() {
            integration.owners.values_mut().for_each(Slot::end_lag);
        }
    }

    /// Creates the default listings and integrations.
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

    /// Adds an integration with its first owner unless it exists.
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
}

/// Returns the existing objects, regardless of lag.
pub(crate) fn existing<T: Clone>(
    slots: &BTreeMap<String, Slot<T>>,
) -> impl Iterator<Item = (&String, &T)> {
    slots.iter().filter_map(|(id, slot)| Some((id, slot.current()?)))
}
