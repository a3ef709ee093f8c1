//! What decides about the create of a listing role.

use access_client::{ListingRole, RoleField};
use tf_provider::value::Value;

use super::attributes::ATTRIBUTES;
use super::say::{recorded, shown};
use super::state::changed_fields;
use crate::resource::attributes::attribute_of;
use crate::resource::create::existence::Existence;
use crate::resource::create::look::{existence_of, look_by_get};
use crate::resource::describe::Describe as _;
use crate::resource::entity::{Check, Convert as _};
use crate::run::{InList, Purpose, Run};
use crate::say::create::{Effects, Existing};

impl Check for ListingRole {
    const RISK: &'static str = "may have been overwritten";

    /// Looks by GET, or in plans of many roles by the list.
    async fn look(
        run: &Run,
        name: &Self::Name,
        purpose: Purpose,
        _replaced: Option<&Self::Name>,
    ) -> Existence<Self> {
        let keys = Self::keys_of_new(name);
        if purpose == Purpose::Confirm && !run.lists.take_get::<Self>(&name.listing) {
            match run.find_in_list::<Self>(name, &keys, purpose).await {
                InList::Contains(role) => return existence_of(run, role),
                InList::Lacks(_) => return Existence::Absent,
                InList::Unclear(_) => {}
            }
        }
        look_by_get(run, name, &keys, purpose).await
    }

    fn adopts(planned: &Self::State) -> bool {
        planned.adopt_existing == Value::Value(true)
    }

    fn describe_existing(run: &Run, _name: &Self::Name, role: &Self) -> Existing {
        let existing = Self::from_response(role.clone());
        let repository = existing.repository();
        let is_same = repository.is_same(&run.repository.written);
        let is_by_other = existing.is_managed() && !is_same && !repository.is_empty();
        let other = if is_by_other { "another configuration has it: " } else { "" };
        Existing {
            name: role.name.to_string(),
            parent: Self::WORDS.parent_name(&role.name.listing),
            sentence: format!("{other}{}", recorded(run, &existing)),
            may_have_address: existing.is_managed() && is_same,
            adoption: "overwrites it with this configuration",
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
