//! Creating an object, and planning a create.
//!
//! A create overwrites (PATCH with `allowMissing`) or doubles (POST) what exists, so it looks
//! first, under a lock of the object, and acts by its [`Look`]. The plan looks as well, and only
//! warns: if the plan inside an apply fails, Terraform does not restore an object that it has
//! deposed, whereas it does if the create fails.

use std::time::Duration;

use access_client::{Error, ErrorKind, ObjectName as _, Retries};

use super::call::{Call, was_planned};
use super::conflicts;
use super::existence::{Adoption, Existence, Look, Outcome, Unclear, existence_of};
use super::message::{Message, Reported};
use super::messages;
use super::private_state::Successor;
use super::{Created, Entity, ObjectPrivateState, PrivateOf, PrivateState, Stored};
use crate::messages::existing::WillBeMissing;
use crate::service::{
    Cause, Claim, Contradiction, Creation, Held, Key, Parent, Purpose, Refresh, Session,
};

/// The time for the read-back. After it, the object counts as never read until a refresh reads it.
const READ_BACK_LIMIT: Duration = Duration::from_secs(1);

/// Plans a create. `private` is the private state of the object that the resource replaces, or
/// empty. Returns the private state of the plan, which Terraform passes to the destroy of that
/// object.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    config: &E::State,
    mut private: PrivateOf<E>,
) -> Result<PrivateOf<E>, Reported> {
    let keys = E::subject_keys(subject);
    let replaces = private.object.name.clone();
    let is_replacement = replaces.is_some();
    register::<E>(call, subject, planned, replaces)?;
    // The first plan call of a replacement has looked and warned already.
    if !is_replacement {
        check_in_plan::<E>(call, subject, planned, config).await;
        warn_about_tainted::<E>(call, &keys, config).await;
    }
    let adopts = E::adoption(planned) == Adoption::Allowed;
    private.successor = Some(Successor { keys, adopts });
    Ok(private)
}

/// Registers a create of this plan, or adds the error of what contradicts it.
pub(crate) fn register<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    replaces: Option<String>,
) -> Result<(), Reported> {
    let session = call.session;
    let keys = E::subject_keys(subject);
    E::plan_member(call, planned)?;
    let in_state = session.states.find(&keys).map(|object| object.name);
    let creation = Creation { replaces, in_state, was_planned: was_planned() };
    let registered = session.plans.register(&keys, Claim::Create(creation));
    registered.map_err(|found| conflicts::report(call, &found, conflicts::Side::Creates))
}

/// Warns in the plan of a create about what exists. Only the create decides.
///
/// An object that a refresh of this run was called for is the resource's own, or another resource
/// has it, whose error says more than a warning.
async fn check_in_plan<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    config: &E::State,
) {
    let session = call.session;
    let keys = E::subject_keys(subject);
    if !session.checks_in_plans() || session.states.is_refreshed(&keys) {
        return;
    }
    let existence = E::check(session, subject, Purpose::Check, None).await;
    if let Existence::Failed(error) = &existence
        && session.record_failed_check(error)
    {
        return;
    }
    // During the request, another call may have refreshed or claimed the object; its error says
    // more.
    if !session.states.is_refreshed(&keys) && !session.plans.are_kept_or_destroyed(&keys) {
        let look = Look::of(session, subject, existence, planned);
        warn_about_existence::<E>(call, subject, &look, planned, config);
    }
}

/// Warns about the effects of destroying a tainted object. Terraform plans a tainted resource as a
/// create. Signs: the object was refreshed in this run, and no resource keeps or destroys it.
async fn warn_about_tainted<E: Entity>(call: &mut Call<'_>, keys: &[Key], config: &E::State) {
    let session = call.session;
    let Some(object) = session.states.find(keys) else { return };
    if let Refresh::Done { has_grants } = object.refresh
        && let Ok(name) = E::Name::parse(&object.name)
        && !session.plans.are_kept_or_destroyed(keys)
        && !session.plans.have_ended()
    {
        E::warn_destroyed(call, &name, has_grants, Some(config)).await;
    }
}

/// Warns about what a plan has found.
pub(crate) fn warn_about_existence<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    look: &Look<E>,
    planned: &E::State,
    config: &E::State,
) {
    let session = call.session;
    let parent = call.words.parent_name(E::subject_parent(subject));
    match &look.existence {
        Existence::Exists(found) => {
            let existing = E::describe_existing(session, subject, found);
            let message = if look.outcome == Outcome::Refuse {
                messages::exists_in_plan(call, &existing)
            } else {
                let effects = E::describe_adoption(session, found, planned, config);
                Some(messages::will_adopt(call, &existing, &look.intent.adoption, &effects))
            };
            message.into_iter().for_each(|message| call.warn(message));
        }
        Existence::Unknown(response) => warn_unavailable(call, &parent, response),
        // A gateway's page. The apply is a new process. If it has not read the listing by then, the
        // same 404 shows nothing, and it writes. So warn of that.
        Existence::Failed(error) if matches!(error.kind(), ErrorKind::NotFound { .. }) => {
            warn_unavailable(call, &parent, &Unclear::from(error.clone()));
        }
        Existence::Failed(error) => warn_check_failed(call, error),
        Existence::Absent if look.outcome == Outcome::WriteIfExists => {
            let arguments = &call.words.name_in_text();
            let kind = &call.kind;
            let message = Message::from(WillBeMissing { object: &call.object, kind, arguments });
            call.warn(message.at(call.words.subject_argument));
        }
        Existence::Absent => {}
    }
}

/// Warns, once per run and kind, that a create will not know whether it overwrites or doubles an
/// object.
fn warn_unavailable(call: &mut Call<'_>, parent: &str, response: &Unclear) {
    let message = messages::check_unavailable(call, parent, response);
    call.warn_first(Cause::CheckUnavailable(call.kind), message);
}

/// Warns about a look of a plan that has failed: once about a cause that concerns every object.
pub(crate) fn warn_check_failed(call: &mut Call<'_>, error: &Error) {
    let cause = match error.shared_cause() {
        Some(cause) => Cause::SharedCheckFailure(cause),
        None => Cause::CheckFailure(call.kind, error.status()),
    };
    call.warn_first(cause, messages::check_failed(call, error));
}

/// Creates the object, or adopts it if the configuration allows that. Returns a state or an error,
/// never both: Terraform would taint the object, and destroy it at the next apply. A failure after
/// the write is a warning.
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

/// Looks for the object, decides, and sends the create unless that is refused. `held` are the locks
/// of the object's known keys.
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
        // The service may store a principal in another spelling. A delete by that spelling shares
        // only the name with this create, and may have been running when the look was made.
        let name = Key::Name(existing.name().to_string());
        if !keys.contains(&name) {
            held.extend(session.writes.hold(&[name]).await);
        }
        existence = existence_of(session, *existing);
    }
    // For an owner only the principal counts: under a fixed ID, this process may have deleted
    // another one.
    let was_deleted = session.writes.has_deleted(&keys[0]);
    if was_deleted && matches!(existence, Existence::Unknown(_)) {
        existence = Existence::Absent;
    }
    let look = Look::of(session, subject, existence, &planned);
    match (look.outcome, &look.existence) {
        (_, Existence::Failed(error)) => {
            record_other_spelling(session, error);
            return Err(call.failed(error));
        }
        (Outcome::Refuse | Outcome::Undecided, Existence::Exists(existing)) => {
            return Err(refuse(call, subject, &**existing));
        }
        // Reads do not show the object, and this process has written it.
        (Outcome::Refuse | Outcome::Undecided, _) => {
            return Err(refuse_created_twice(call));
        }
        _ => {}
    }
    let created = E::create(call, subject, &look, planned, config).await?;
    Ok(finish(call, keys, &look.existence, created).await)
}

/// Records that a configuration wants the object under the name that the service returned: it
/// spells the ID in another case, and a delete by that name would delete what this create has asked
/// for.
pub(crate) fn record_other_spelling(session: &Session, error: &Error) {
    if let Some(name) = error.other_spelling() {
        session.writes.record_wanted([Key::Name(name.to_owned())]);
    }
}

/// Adds the error of an object that exists and may not be adopted.
pub(crate) fn refuse<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    existing: &E,
) -> Reported {
    let session = call.session;
    session.writes.record_wanted([Key::Name(existing.name().to_string())]);
    if session.writes.is_written(&E::subject_keys(subject)[0]) {
        return refuse_created_twice(call);
    }
    let existing = E::describe_existing(session, subject, existing);
    call.fail(messages::exists(call, &existing))
}

/// Adds the error of an object that another create of this process has made.
fn refuse_created_twice(call: &mut Call<'_>) -> Reported {
    conflicts::report(call, &Contradiction::CreatedTwice, conflicts::Side::Creates)
}

/// Records a create, and warns about what it may have overwritten.
async fn finish<E: Entity>(
    call: &mut Call<'_>,
    mut keys: Vec<Key>,
    existence: &Existence<E>,
    created: Created<E>,
) -> Stored<E> {
    let session = call.session;
    let Created { object, date, state, private: mut entity } = created;
    let name = object.name().to_string();
    // The service may have given the object another ID than was asked for. Nothing was written
    // under that one.
    keys.retain(|key| !matches!(key, Key::Name(_)));
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
    // What the first refresh would record: it then changes nothing.
    E::record_run(&mut entity, &state, session);

    if let Existence::Unknown(response) = existence {
        // A 404 shows that a role did not exist if reads work under its listing. For an owner the
        // list decides, so a GET proves nothing.
        let is_shown =
            response.kind() == Some(ErrorKind::NotFound { json: true }) && parent.reads_work();
        if !(call.words.create_overwrites && is_shown) {
            call.warn(E::unchecked(&call.object, response));
        }
    }
    Stored { state, private: PrivateState { object: private, entity, ..Default::default() } }
}

/// Reads the first object that this run creates under a parent back, once, without retries and for
/// a second at most, to find out whether reads work there. Returns whether they do.
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
