//! Adding an integration owner, or adopting one that exists. There is no update.

use access_client::IntegrationOwner;

use super::post::{Before, add, not_added};
use super::say;
use super::state::NewOwner;
use crate::resource::call::Call;
use crate::resource::describe::StoredOf;
use crate::resource::entity::{Created, Write};
use crate::resource::seen::Seen;
use crate::say::Reported;
use crate::say::call::invalid_state;

impl Write for IntegrationOwner {
    async fn write_new(
        call: &mut Call<'_>,
        new: &NewOwner,
        seen: &Seen<Self>,
        planned: Self::State,
        _config: &Self::State,
    ) -> Result<Created<Self>, Reported> {
        let Some(principal) = &new.owner else {
            return Err(call.fail(invalid_state(call.words.noun)));
        };
        let owner = match seen.object() {
            Some(existing) => existing.clone(),
            None => {
                let before = Before::of_look(call.run, new).await;
                let added = add(call.run, new, principal, &before).await;
                added.map_err(|failure| not_added(call, new, principal, &failure))?
            }
        };
        if let Err(fault) = owner.name.owner.check() {
            return Err(call.fail(say::not_addressable(&fault)));
        }
        if let Some(id) = new.id.as_ref().filter(|id| **id != owner.name.owner) {
            call.warn(say::other_id(id, &owner.name.owner));
        }
        let state = planned.after_write(owner.clone());
        Ok(Created { object: owner, state, own: () })
    }

    async fn write_changes(
        _call: &mut Call<'_>,
        mut stored: StoredOf<Self>,
        planned: Self::State,
        _config: &Self::State,
    ) -> Result<StoredOf<Self>, Reported> {
        // Only `adopt_existing` changes in place.
        stored.state = planned.resolve_unknowns(stored.state);
        Ok(stored)
    }
}
