//! Creating an integration owner: one POST, or the adoption of an owner that exists. There is no update.

use access_client::api::IntegrationOwner;

use super::add::{Added, add};
use super::check;
use super::messages;
use super::state::{NewOwner, OwnerPrivateState};
use crate::object::call::Call;
use crate::object::create::refuse;
use crate::object::existence::{Adoption, Existence};
use crate::object::messages::invalid_state;
use crate::object::{Created, Plan as _, Reported, Stored, Write};
use crate::service::{Purpose, Session};

impl Write for IntegrationOwner {
    async fn check(
        session: &Session,
        subject: &NewOwner,
        purpose: Purpose,
        own: Option<&Self::Name>,
    ) -> Existence<Self> {
        check::check(session, subject, purpose, own).await
    }

    fn is_adoptable(subject: &NewOwner, existing: &Self) -> bool {
        subject.id.as_ref().is_none_or(|id| *id == existing.name.owner)
            && (subject.owner.is_none() || subject.is_principal_of(existing))
    }

    async fn create(
        call: &mut Call<'_>,
        subject: &NewOwner,
        existence: &Existence<Self>,
        planned: Self::State,
        _config: &Self::State,
    ) -> Result<Created<Self>, Reported> {
        let Some(principal) = &subject.owner else {
            return Err(call.fail(invalid_state(call.kind)));
        };
        let (owner, date) = match existence {
            Existence::Exists(existing) => ((**existing).clone(), None),
            _ => match add(call.session, subject, principal, existence).await {
                Ok(Added::New(owner, date)) => (owner, date),
                Ok(Added::Existing(owner))
                    if Self::adoption(&planned) == Adoption::Allowed
                        && Self::is_adoptable(subject, &owner) =>
                {
                    (owner, None)
                }
                Ok(Added::Existing(owner)) => {
                    return Err(refuse(call, subject, &owner));
                }
                Err(failure) => {
                    return Err(messages::not_added(call, subject, principal, &failure));
                }
            },
        };
        if let Some(message) = messages::other_id(subject, &owner.name) {
            call.warn(message);
        }
        let private = OwnerPrivateState { stored: Some(owner.owner.clone()) };
        let state = planned.after_write(owner.clone());
        Ok(Created { object: owner, date, is_repeated: false, state, private })
    }

    async fn update(
        _call: &mut Call<'_>,
        stored: Stored<Self>,
        planned: Self::State,
        _config: &Self::State,
    ) -> Result<Stored<Self>, Reported> {
        // Only `adopt_existing` and `deletion_policy` change in place.
        Ok(Stored { state: planned.resolve_unknowns(stored.state), private: stored.private })
    }
}
