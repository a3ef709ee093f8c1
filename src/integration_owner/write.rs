//! Adding an integration owner with one POST, finding out what became of a POST that failed, and
//! adopting an owner that exists. There is no update.

use access_client::api::IntegrationOwner;
use access_client::time::{OffsetDateTime, is_before};
use access_client::{Error, ErrorKind, Principal, Response};

use super::check::find_again;
use super::messages;
use super::state::{NewOwner, NotAdded, OwnerPrivateState};
use crate::object::call::Call;
use crate::object::create::refuse;
use crate::object::existence::{Existence, Look, Outcome};
use crate::object::messages::invalid_state;
use crate::object::{Created, Reported, Stored, Write};
use crate::service::{Key, Session, is_one_object};

impl Write for IntegrationOwner {
    async fn create(
        call: &mut Call<'_>,
        subject: &NewOwner,
        look: &Look<Self>,
        planned: Self::State,
        _config: &Self::State,
    ) -> Result<Created<Self>, Reported> {
        let Some(principal) = &subject.owner else {
            return Err(call.fail(invalid_state(call.kind)));
        };
        let added = match &look.existence {
            Existence::Exists(existing) => Added::Existing((**existing).clone()),
            _ => add(call.session, subject, principal, &look.existence)
                .await
                .map_err(|failure| messages::not_added(call, subject, principal, &failure))?,
        };
        let (owner, date) = match added {
            Added::New(owner, date) => (owner, date),
            // Also what only the answer to the POST has shown.
            Added::Existing(owner) => {
                let existence = Existence::Exists(Box::new(owner.clone()));
                let look = Look::of(call.session, subject, existence, &planned);
                if look.outcome != Outcome::Adopt {
                    return Err(refuse(call, subject, &owner));
                }
                (owner, None)
            }
        };
        if let Some(message) = messages::other_id(subject, &owner.name) {
            call.warn(message);
        }
        let private = OwnerPrivateState { stored: Some(owner.owner.clone()) };
        let state = planned.after_write(owner.clone());
        Ok(Created { object: owner, date, state, private })
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

/// The owner that there is after a POST.
pub(crate) enum Added {
    /// The POST added it. The time is the `Date` of the response, if there was one.
    New(IntegrationOwner, Option<OffsetDateTime>),
    /// It existed before the POST.
    Existing(IntegrationOwner),
}

/// Adds the owner. The client sends the POST again only if the service cannot have processed it.
/// After any other failure, this checks once more. `before` is the result of the check before the
/// POST.
pub(crate) async fn add(
    session: &Session,
    new: &NewOwner,
    principal: &Principal,
    before: &Existence<IntegrationOwner>,
) -> Result<Added, NotAdded> {
    let newest = newest_listed(session, new);
    let error = match post(session, new, principal).await {
        Ok(added) => return Ok(added),
        Err(error) => error,
    };
    let conflict = error.kind() == ErrorKind::Conflict;
    if !conflict && !has_unknown_outcome(&error) {
        return Err(NotAdded::Refused(error));
    }
    match find_again(session, new).await {
        Some(owner) if conflict => Ok(Added::Existing(owner)),
        None if conflict => Err(NotAdded::Refused(error)),
        // It has another principal, and is older than an owner that the list contained before.
        Some(owner)
            if !new.is_principal_of(&owner)
                && is_before(owner.create_time.as_deref(), newest.as_deref()) =>
        {
            Ok(Added::Existing(owner))
        }
        Some(owner) if is_added(&owner, new, before) => Ok(Added::New(owner, None)),
        found => Err(NotAdded::Unknown(error, found)),
    }
}

/// Sends the POST, and finds out whether its response shows an owner that existed before: a service
/// may answer with the owner that there is. If this process was deleting that owner, the POST is
/// sent once more.
async fn post(session: &Session, new: &NewOwner, principal: &Principal) -> Result<Added, Error> {
    let parent = session.owners.of(&new.integration);
    let mut has_repeated = false;
    loop {
        let shown = parent.shown();
        let writes = session.writes.count();
        let id = new.id.as_ref();
        let posted = session.client.create_integration_owner(&new.integration, principal, id).await;
        parent.record_write();
        let Response { object: owner, date, .. } = posted?;
        let key = Key::Name(owner.name.to_string());
        let create_time = owner.create_time.as_deref();
        drop(session.writes.hold_delete(&key).await);
        if !has_repeated && session.writes.is_deleted_since(writes, &key, create_time) {
            has_repeated = true;
            continue;
        }
        // A list that lags shows what this process has deleted, perhaps without its time.
        let was_listed = shown.get(&owner.name.owner).is_some_and(|listed| {
            is_one_object(listed.as_deref(), create_time)
                && !session.writes.is_deleted(&key, listed.as_deref())
        });
        let is_deleted = session.writes.is_deleted(&key, create_time);
        let existed =
            was_listed && !is_deleted || session.writes.has_written_object(&key, create_time);
        return Ok(if existed { Added::Existing(owner) } else { Added::New(owner, date) });
    }
}

/// Returns the latest time of creation in the list that this run has, by the service's clock.
/// Requests nothing.
fn newest_listed(session: &Session, new: &NewOwner) -> Option<String> {
    let list = session.owners.of(&new.integration).known_list()?;
    let times = list.entries.values().filter_map(|owner| owner.create_time.clone());
    times.reduce(|one, other| if is_before(Some(&one), Some(&other)) { other } else { one })
}

/// Returns whether the POST added the owner that was found after it: the list lacked
/// it before, or its fixed ID was free.
fn is_added(
    found: &IntegrationOwner,
    new: &NewOwner,
    before: &Existence<IntegrationOwner>,
) -> bool {
    let has_id = new.id.as_ref() == Some(&found.name.owner);
    match before {
        Existence::Absent => has_id || new.is_principal_of(found),
        // Without a list, GET did not return the fixed ID before, and does now.
        Existence::Unknown(_) => has_id,
        Existence::Exists(_) | Existence::Failed(_) => false,
    }
}

/// Returns whether the service may have added the owner although the POST failed. A refusal of its
/// own is a known outcome.
fn has_unknown_outcome(error: &Error) -> bool {
    let refused = matches!(
        error.kind(),
        ErrorKind::Unauthorized
            | ErrorKind::Forbidden
            | ErrorKind::NotFound { .. }
            | ErrorKind::NotImplemented
            | ErrorKind::Invalid
            | ErrorKind::Redirect
    );
    !refused && error.may_have_been_processed()
}
