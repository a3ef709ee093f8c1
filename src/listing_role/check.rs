//! What decides about the create of a listing role.

use access_client::{ListingRole, Retries, RoleField};
use tf_provider::value::Value;

use super::attributes::ATTRIBUTES;
use super::say::{recorded, shown};
use super::state::changed_fields;
use crate::resource::attributes::attribute_of;
use crate::resource::entity::{Check, Convert as _};
use crate::resource::seen::{Seen, ask};
use crate::run::{Keys, Run};
use crate::say::create::{Effects, Existing};

impl Check for ListingRole {
    const RISK: &'static str = "may have been overwritten";

    /// Looks by GET, or in plans of many roles by the list.
    async fn see(
        run: &Run,
        name: &Self::Name,
        keys: &Keys,
        retries: Retries,
        _replaced: Option<&Self::Name>,
    ) -> Seen<Self> {
        if retries == Retries::Throttled && !run.lists.take_get::<Self>(&name.listing) {
            match run.find_in_list::<Self>(name, keys, retries).await {
                // A plan: this process has deleted nothing yet.
                Ok(Some(role)) => return Seen::Present(role),
                Ok(None) => return Seen::Gone,
                Err(_) => {}
            }
        }
        ask(run, name, keys, retries).await.unless_deleted(run)
    }

    fn adopt_existing(planned: &Self::State) -> &Value<bool> {
        &planned.adopt_existing
    }

    fn describe_existing(run: &Run, _name: &Self::Name, role: &Self) -> Existing {
        let existing = Self::from_response(role.clone());
        let repository = existing.repository();
        let is_same = repository.is_same(&run.repository.written);
        let is_by_other = existing.is_managed() && !is_same && !repository.is_empty();
        let other = if is_by_other { "another configuration has it: " } else { "" };
        Existing {
            name: role.name.to_string(),
            sentence: format!("{other}{}", recorded(run, &existing)),
            may_be_ours: existing.is_managed() && is_same && !repository.is_empty(),
            may_be_own: existing.is_managed() && is_same,
            adoption: "overwrites it",
            instead: None,
            attribute: "role",
        }
    }

    fn describe_adoption(
        run: &Run,
        role: &Self,
        planned: &Self::State,
        config: &Self::State,
    ) -> Effects {
        let existing = Self::from_response(role.clone());
        let changes = changed_fields(Some(&existing), planned, config);
        let values = serde_json::to_value(&existing).unwrap_or_default();
        let attributes = changes.iter().filter_map(|field| attribute_of(ATTRIBUTES, *field));
        let repository: &[&str] = if run.repository.written.changes(&existing.repository()) {
            &["repo_uri", "repo_dir"]
        } else {
            &[]
        };
        let names = attributes.chain(repository.iter().copied());
        let present: Vec<_> = names.map(|name| (name, shown(run, &values[name]))).collect();
        let grants = changes.contains(&RoleField::Resources);
        Effects::new(
            &present,
            if grants { "Access that was granted earlier does not change." } else { "" },
        )
    }
}
