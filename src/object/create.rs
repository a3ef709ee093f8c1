//! Creating an object, and planning a create.
//!
//! A create overwrites (PATCH with `allowMissing`) or doubles (POST) what exists, so it checks first, under
//! a lock of the object. The plan checks as well, and only warns: if the plan inside an apply fails,
//! Terraform does not restore an object that it has deposed, whereas it does if the create fails.

use std::time::Duration;

use access_client::time::is_before_by;
use access_client::{Error, ErrorKind, ObjectName as _, Retries};

use super::call::{Call, was_planned};
use super::conflicts;
use super::existence::{Adoption, Existence, Intent, Outcome, Unclear, decide, existence_of};
use super::message::Reported;
use super::messages;
use super::{Created, Entity, ObjectPrivateState, PrivateOf, PrivateState, Stored};
use crate::service::{
    Cause, Claim, Contradiction, Held, InState, Key, Origin, Parent, Purpose, Session,
};

/// The time for the read-back. After it, the object counts as never read until a refresh reads it.
const READ_BACK_LIMIT: Duration = Duration::from_secs(1);

/// How much older than its own last update a role is that existed before its create. The service may take
/// a moment between the two times.
const OLDER: Duration = Duration::from_secs(10);

/// Plans a create. `replaced` is the private state of the object that the resource has. Returns the
/// private state of the plan, which Terraform passes to the destroy of that object.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    config: &E::State,
    replaced: Option<PrivateOf<E>>,
) -> Result<PrivateOf<E>, Reported> {
    let session = call.session;
    let in_state = session.states.find(&E::subject_keys(subject));
    let replaced_name = replaced.as_ref().and_then(|private| private.object.name.clone());
    let origin = match (replaced_name, &in_state) {
        (Some(name), _) => Origin::Replaces(name),
        // Without a refresh, no state has arrived: the resource is most likely tainted.
        (None, Some(object)) => Origin::MaybeTainted(object.name.clone()),
        (None, None) if was_planned() => Origin::Planned,
        (None, None) => Origin::New,
    };
    register::<E>(call, subject, planned, &origin)?;
    let own = in_state.filter(|object| is_own::<E>(object, &origin));
    let stored = own.as_ref().and_then(|own| own.as_stored::<Stored<E>>());
    if let Some(stored) = stored {
        E::warn_destroyed(call, &stored.state, Some(config)).await;
    } else if origin == Origin::New {
        check_in_plan::<E>(call, subject, planned, config).await;
    }
    let private = replaced.or_else(|| stored.map(|stored| stored.private.clone()));
    Ok(private.unwrap_or_default())
}

/// Returns whether the resource of a create has this object of a state.
fn is_own<E: Entity>(object: &InState, origin: &Origin) -> bool {
    match origin {
        Origin::Replaces(name) => *name == object.name,
        _ => object.as_stored::<Stored<E>>().is_some(),
    }
}

/// Returns what is known about an object before its create.
pub(crate) fn intent_of<E: Entity>(
    session: &Session,
    subject: &E::Subject,
    existence: &Existence<E>,
    planned: &E::State,
) -> Intent {
    let keys = E::subject_keys(subject);
    let is_adoptable = match existence {
        Existence::Exists(existing) => E::is_adoptable(subject, existing),
        _ => true,
    };
    Intent {
        adoption: if is_adoptable { E::adoption(planned) } else { Adoption::Refused },
        must_exist: E::must_exist(planned) && !session.writes.has_deleted(&keys[0]),
        is_written: session.writes.is_written(&keys[0]),
    }
}

/// Registers a create of this plan, or adds the error of what contradicts it.
pub(crate) fn register<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    origin: &Origin,
) -> Result<(), Reported> {
    let session = call.session;
    let keys = E::subject_keys(subject);
    E::plan_member(call, planned)?;
    let is_adopting = E::adoption(planned) == Adoption::Allowed;
    let claim = Claim::Create { origin: origin.clone(), adopts: is_adopting };
    session.plans.register(&keys, &claim).map_err(|found| conflicts::report(call, &found))?;
    let Some(object) = session.states.find(&keys) else { return Ok(()) };
    // The destroy would leave the object, and the create refuse it: a state would be lost.
    let leaves = object.is_abandoned && !session.plans.have_ended();
    let will_leave = E::abandons(session, planned);
    if (leaves || will_leave && is_own::<E>(&object, origin))
        && !adopts::<E>(planned, &keys, &object.name)
    {
        return Err(conflicts::report(call, &Contradiction::CreatedAndAbandoned));
    }
    Ok(())
}

/// Returns whether a create with these keys certainly adopts an object of this name.
pub(crate) fn adopts<E: Entity>(planned: &E::State, keys: &[Key], name: &str) -> bool {
    let has_other_name = |key: &Key| matches!(key, Key::Name(own) if own != name);
    E::adoption(planned) == Adoption::Allowed && !keys.iter().any(has_other_name)
}

/// Warns in the plan of a create about what exists. Only the create decides. After the first apply call,
/// the create follows at once.
async fn check_in_plan<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    config: &E::State,
) {
    let session = call.session;
    if !session.checks_in_plans() {
        return;
    }
    let existence = E::check(session, subject, Purpose::Check, None).await;
    if let Existence::Failed(error) = &existence
        && session.record_failed_check(error)
    {
        return;
    }
    // Meanwhile, Terraform may have planned what contradicts this create: an error says so.
    if !session.plans.are_claimed(&E::subject_keys(subject)) {
        warn_about_existence::<E>(call, subject, &existence, planned, config);
    }
}

/// Warns about what a plan has found.
pub(crate) fn warn_about_existence<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    existence: &Existence<E>,
    planned: &E::State,
    config: &E::State,
) {
    let session = call.session;
    let intent = intent_of::<E>(session, subject, existence, planned);
    let parent = call.words.parent_name(E::subject_parent(subject));
    match (decide(existence, &intent), existence) {
        (outcome, Existence::Exists(found)) => {
            let existing = E::describe_existing(session, subject, found);
            let message = if outcome == Outcome::Refuse {
                messages::exists_in_plan(call, &existing)
            } else {
                let effects = E::describe_adoption(session, found, planned, config);
                Some(messages::will_adopt(call, &existing, &intent.adoption, &effects))
            };
            message.into_iter().for_each(|message| call.warn(message));
        }
        (_, Existence::Unknown(response)) => warn_unavailable(call, &parent, response),
        (_, Existence::NoParent(response)) => {
            call.warn_once(messages::parent_not_found(call, &parent, response, None));
        }
        // A gateway's page. The create may have read less under this parent, and then writes unchecked.
        (_, Existence::Failed(error)) if matches!(error.kind(), ErrorKind::NotFound { .. }) => {
            warn_unavailable(call, &parent, &Unclear::from(error.clone()));
        }
        (_, Existence::Failed(error)) => warn_check_failed(call, error),
        (Outcome::FailMissing, _) => {
            call.warn(messages::must_exist(&call.object, "The apply will fail."));
        }
        _ => {}
    }
}

fn warn_unavailable(call: &mut Call<'_>, parent: &str, response: &Unclear) {
    let message = messages::check_unavailable(call, parent, response);
    call.warn_first(Cause::CheckUnavailable(call.kind), message);
}

/// Warns about a check of a plan that has failed: once about a cause that concerns every object.
pub(crate) fn warn_check_failed(call: &mut Call<'_>, error: &Error) {
    let other = || Cause::CheckFailure(call.kind, error.status());
    let cause = error.shared_cause().map_or_else(other, Cause::SharedCheckFailure);
    call.warn_first(cause, messages::check_failed(call, error));
}

/// Creates the object, or adopts it if the configuration allows that. Returns a state or an error, never
/// both: Terraform would taint the object, and destroy it at the next apply. A failure after the write
/// is a warning.
pub(crate) async fn create<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: E::State,
    config: &E::State,
) -> Result<Stored<E>, Reported> {
    let session = call.session;
    let keys = E::subject_keys(subject);
    let held = session.begin_write(&keys).await;
    let created = check_and_write(call, subject, held, planned, config).await;
    if created.is_err() {
        // A configuration wants the object: its delete under another address is refused.
        session.writes.record_wanted(keys);
    }
    created
}

async fn check_and_write<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    mut held: Held,
    planned: E::State,
    config: &E::State,
) -> Result<Stored<E>, Reported> {
    let session = call.session;
    let keys = E::subject_keys(subject);
    let mut existence = E::check(session, subject, Purpose::Decide, None).await;
    if let Existence::Exists(existing) = existence {
        // The service may store a principal in another spelling. A delete by that spelling shares only
        // the name with this create, and may have been running when the check was made.
        let name = Key::Name(existing.name().to_string());
        if !keys.contains(&name) {
            held.extend(session.writes.hold(&[name]).await);
        }
        existence = existence_of(session, *existing);
    }
    // For an owner only the principal counts: under a fixed ID, this process may have deleted another one.
    let was_deleted = session.writes.has_deleted(&keys[0]);
    if was_deleted && matches!(existence, Existence::Unknown(_)) {
        existence = Existence::Free;
    }
    let outcome = decide(&existence, &intent_of(session, subject, &existence, &planned));
    match (outcome, &existence) {
        (_, Existence::Failed(error)) => return Err(call.failed(error)),
        (Outcome::Refuse | Outcome::Undecided, Existence::Exists(existing)) => {
            return Err(refuse(call, subject, &**existing));
        }
        (Outcome::Refuse | Outcome::Undecided, _) => {
            return Err(conflicts::report(call, &Contradiction::CreatedTwice));
        }
        _ => {}
    }
    let created = E::create(call, subject, &existence, planned, config).await?;
    let is_overwritten = call.words.create_overwrites
        && !was_deleted
        && !created.is_repeated
        && outcome != Outcome::Adopt
        && is_before_by(created.object.create_time(), created.object.update_time(), OLDER);
    Ok(finish(call, keys, &existence, created, is_overwritten).await)
}

pub(crate) fn refuse<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    existing: &E,
) -> Reported {
    let session = call.session;
    session.writes.record_wanted([Key::Name(existing.name().to_string())]);
    if session.writes.is_written(&E::subject_keys(subject)[0]) {
        return conflicts::report(call, &Contradiction::CreatedTwice);
    }
    let existing = E::describe_existing(session, subject, existing);
    call.fail(messages::exists(call, &existing, None))
}

/// Records a create, and warns about what it may have overwritten.
async fn finish<E: Entity>(
    call: &mut Call<'_>,
    mut keys: Vec<Key>,
    existence: &Existence<E>,
    created: Created<E>,
    is_overwritten: bool,
) -> Stored<E> {
    let session = call.session;
    let Created { object, date, state, private: entity, .. } = created;
    let name = object.name().to_string();
    keys.push(Key::Name(name.clone()));
    let write_id = session.writes.record_write(&keys, object.create_time());
    let parent = E::parents(session).of(object.name().parent());
    parent.record_write();
    let is_read = match existence {
        Existence::Exists(_) => true,
        _ => read_back(session, &parent, &object).await,
    };
    let mut private = ObjectPrivateState { read_before: is_read, ..Default::default() };
    private.record_write(session, name, write_id, date);
    private.record_own(object.create_time());

    if is_overwritten {
        let name = object.name().to_string();
        call.warn(messages::overwritten(call, &name, object.create_time()));
    } else if let Existence::Unknown(response) = existence {
        // A 404 shows that the object did not exist if reads work under its parent.
        let is_shown = response.is_not_found() && parent.reads_work();
        if !(call.words.create_overwrites && is_shown) {
            call.warn(E::unchecked(&call.object, response));
        }
    }
    Stored { state, private: PrivateState { object: private, entity, ..Default::default() } }
}

/// Reads the first object that this run creates under a parent back, once, without retries and for a
/// second at most, to find out whether reads work there. Returns whether they do.
async fn read_back<E: Entity>(session: &Session, parent: &Parent<E>, written: &E) -> bool {
    parent
        .read_back(async {
            let client = session.client.with_retries(Retries::Never);
            let read = tokio::time::timeout(READ_BACK_LIMIT, E::get(&client, written.name()));
            let read = matches!(read.await, Ok(Ok(_)));
            if read {
                parent.record_read();
            }
            read
        })
        .await
}
