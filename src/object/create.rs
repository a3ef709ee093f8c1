//! Creating an object, and planning a create.
//!
//! A create overwrites (PATCH with `allowMissing`) or doubles (POST) what exists, so it looks first. The
//! facts are collected under a lock of the object, and [`decide`] decides. The plan looks as well, and
//! only warns: if the plan inside an apply fails, Terraform does not restore an object that it has
//! deposed, whereas it does if the create fails.

use ::time::OffsetDateTime;
use access_client::{Error, ErrorKind, Retries};
use std::time::Duration;

use super::call::{Call, Reported};
use super::messages;
use super::time::parse_time;
use super::{Adoption, Entity, ObjectPrivateState, PrivateState, Stored};
use crate::config::DeletionPolicy;
use crate::service::{InState, Key, Notice, Origin, Parent, Run};

/// The time for the read-back. After it, the object counts as never read until a refresh reads it.
const READ_BACK_LIMIT: Duration = Duration::from_secs(5);

/// Whether an object exists, as far as a look before its create has shown.
pub(crate) enum Existence<E> {
    Exists(Box<E>),
    NotFound,
    /// The response does not show it: reads are not offered, not allowed, or not known to work.
    Unchecked(Unchecked),
}

/// A response that does not show whether an object exists.
pub(crate) struct Unchecked {
    /// `None` for a list with entries that cannot be read.
    pub(crate) kind: Option<ErrorKind>,
    pub(crate) text: String,
}

impl From<Error> for Unchecked {
    fn from(error: Error) -> Self {
        Self { kind: Some(error.kind()), text: error.to_string() }
    }
}

impl Unchecked {
    fn is_not_found(&self) -> bool {
        self.kind == Some(ErrorKind::NotFound { json: true })
    }
}

/// The part of Terraform's run that looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Plan,
    Apply,
}

/// A successful create or adoption.
pub(crate) struct Created<E: Entity> {
    pub(crate) object: E,
    /// The `Date` of the response.
    pub(crate) date: Option<OffsetDateTime>,
    pub(crate) state: E::State,
    pub(crate) private: E::Private,
}

/// What a create does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Writes a new object.
    Write,
    /// Adopts the object that exists.
    Adopt,
    /// Sends nothing.
    Refuse,
}

/// What a look has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Yes,
    No,
    Unchecked,
}

/// Decides what a create does. `is_written` is whether this process has written the object, whatever a
/// read that lags returns. `may_adopt` is whether the configuration allows to adopt what was found.
pub(crate) fn decide(found: Found, is_written: bool, may_adopt: bool) -> Decision {
    match found {
        Found::Yes if may_adopt => Decision::Adopt,
        Found::Yes => Decision::Refuse,
        Found::No | Found::Unchecked if is_written => Decision::Refuse,
        // Without a check, the create warns about what it may have overwritten.
        Found::No | Found::Unchecked => Decision::Write,
    }
}

/// Plans a create. `replaced` is the private state of the object that the resource has. Returns the
/// private state of the plan, which Terraform passes to the destroy of that object.
pub(crate) async fn plan<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    planned: &E::State,
    config: &E::State,
    replaced: Option<PrivateState<E::Private>>,
) -> Result<PrivateState<E::Private>, Reported> {
    let run = call.run;
    let keys = E::subject_keys(subject);
    let in_state = E::findings(run).in_state(&keys);
    let replaced_name = replaced.as_ref().and_then(|private| private.object.name.clone());
    let origin = match (&replaced_name, &in_state) {
        (Some(name), _) => Origin::Replaces(name.clone()),
        (None, Some(object)) => Origin::InState(object.name.clone()),
        (None, None) => Origin::New,
    };
    E::plan_member(call, planned)?;
    let registered = run.registry.plan_create(&keys, &origin);
    call.agree(registered, E::TYPE, E::SUBJECT_ARGUMENT)?;
    let own = match &replaced_name {
        Some(name) => in_state.filter(|object| object.name == *name),
        None => find_tainted(run, subject, in_state, planned).await,
    };
    if let Some(own) = own {
        // The destroy would leave the object, and the create refuse it: its state would be lost.
        let adopts = E::adoption(planned) == Adoption::Allowed && E::may_have(subject, &own.name);
        if own.policy == DeletionPolicy::Abandon && !adopts {
            return Err(call.fail(messages::abandoned_replacement::<E>(&run.at(&own.name))));
        }
        E::warn_destroyed(call, planned, Some(config)).await;
        return Ok(replaced.unwrap_or(own.private));
    }
    // After the first apply call, the create follows at once.
    if run.detects_drift() && !run.registry.is_applying() {
        match E::look(run, subject, Phase::Plan).await {
            Ok(existence) => warn_about_existence::<E>(call, subject, &existence, planned, config),
            // It fails every object: a wrong key or address is an error of the plan.
            Err(error) if error.shared_cause().is_some() => return Err(call.failed(&error)),
            Err(error) => {
                let object = call.operation.object.clone();
                call.warn(messages::look_unavailable::<E>(&object, &error.into()));
            }
        }
    }
    Ok(replaced.unwrap_or_default())
}

/// Returns the object in a state that a create without private state replaces: the resource is tainted.
/// An object that another resource abandons is not the create's own. Terraform plans that right after the
/// object's read, so the plan of a create that would be an error under `abandon` looks first.
async fn find_tainted<E: Entity>(
    run: &Run,
    subject: &E::Subject,
    in_state: Option<InState<E>>,
    planned: &E::State,
) -> Option<InState<E>> {
    let object = in_state?;
    let adopts = E::adoption(planned) == Adoption::Allowed;
    if object.policy == DeletionPolicy::Abandon && !adopts && run.detects_drift() {
        _ = E::look(run, subject, Phase::Apply).await;
    }
    (!run.registry.is_abandoned(&object.name)).then_some(object)
}

/// Warns about what a plan has found. Only the create decides.
fn warn_about_existence<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    existence: &Existence<E>,
    planned: &E::State,
    config: &E::State,
) {
    match existence {
        Existence::NotFound => {}
        Existence::Exists(existing) => match E::adoption(planned) {
            Adoption::Refused => warn_exists(call, subject, &**existing),
            _ if !E::is_adoptable(subject, existing) => warn_exists(call, subject, &**existing),
            adoption => {
                let effects = E::describe_adoption(call.run, existing, planned, config);
                call.warn(messages::will_adopt::<E>(call.run, existing, &adoption, &effects));
            }
        },
        Existence::Unchecked(response) => {
            let once = Notice::LookUnavailable(E::KIND);
            if !response.is_not_found() {
                let message = messages::look_unavailable::<E>(&call.operation.object, response);
                return call.warn_once(once, message);
            }
            let parent = format!("{}/{}", E::PARENTS, E::subject_parent(subject));
            let message = messages::parent_not_found::<E>(&parent, &response.text);
            // Without any read that has succeeded, the service may not offer reads at all.
            let notice = if call.run.reads_work() { Notice::ParentNotFound(parent) } else { once };
            call.warn_once(notice, message);
        }
    }
}

fn warn_exists<E: Entity>(call: &mut Call<'_>, subject: &E::Subject, existing: &E) {
    let message = messages::exists::<E>(call.run, subject, existing, Phase::Plan);
    call.warn(message);
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
    let run = call.run;
    let keys = E::subject_keys(subject);
    let _held = run.registry.begin_write(&keys[0]).await;
    let look = E::look(run, subject, Phase::Apply).await;
    let mut existence = look.map_err(|error| call.failed(&error))?;
    let was_deleted = run.registry.has_deleted(&keys);
    if was_deleted && matches!(existence, Existence::Unchecked(_)) {
        existence = Existence::NotFound;
    }
    let (found, is_adoptable) = match &existence {
        Existence::Exists(existing) => (Found::Yes, E::is_adoptable(subject, existing)),
        Existence::NotFound => (Found::No, true),
        Existence::Unchecked(_) => (Found::Unchecked, true),
    };
    let may_adopt = is_adoptable && E::adoption(&planned) == Adoption::Allowed;
    let decision = decide(found, run.registry.is_written(&keys[0]), may_adopt);
    if decision == Decision::Refuse {
        let found = match &existence {
            Existence::Exists(existing) => Some(&**existing),
            _ => None,
        };
        return Err(refuse(call, subject, keys, found));
    }
    let created = E::create(call, subject, &existence, planned, config).await?;
    let is_overwritten = E::CREATE_OVERWRITES
        && !was_deleted
        && found != Found::Yes
        && is_older_than_run(run, created.object.create_time(), created.date);
    Ok(finish(call, keys, &existence, created, is_overwritten).await)
}

/// Refuses an object that a write has found.
pub(crate) fn refuse_found<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    existing: &E,
) -> Reported {
    refuse(call, subject, E::subject_keys(subject), Some(existing))
}

fn refuse<E: Entity>(
    call: &mut Call<'_>,
    subject: &E::Subject,
    keys: Vec<Key>,
    existing: Option<&E>,
) -> Reported {
    let is_written = call.run.registry.is_written(&keys[0]);
    let name = existing.map(|existing| Key::Name(existing.name().to_string()));
    call.run.registry.record_refusal(keys.into_iter().chain(name));
    let message = match existing {
        Some(existing) if !is_written => {
            messages::exists::<E>(call.run, subject, existing, Phase::Apply)
        }
        _ => messages::written_already::<E>(&call.run.at(&call.operation.object)),
    };
    call.fail(message)
}

/// Records a create, and warns about what it may have overwritten.
async fn finish<E: Entity>(
    call: &mut Call<'_>,
    mut keys: Vec<Key>,
    existence: &Existence<E>,
    created: Created<E>,
    is_overwritten: bool,
) -> Stored<E> {
    let run = call.run;
    let Created { object, date, state, private: entity } = created;
    let name = object.name().to_string();
    keys.push(Key::Name(name.clone()));
    let write_id = run.registry.record_write(&keys);
    let parent = E::findings(run).parents.of(E::parent(object.name()));
    parent.record_write();
    let reads = match existence {
        Existence::Exists(_) => true,
        Existence::NotFound | Existence::Unchecked(_) => read_back(run, &parent, &object).await,
    };
    let mut private = ObjectPrivateState { reads, ..ObjectPrivateState::default() };
    private.record_write(run, name, write_id, date);

    if is_overwritten {
        call.warn(messages::overwritten::<E>(run, &object));
    } else if let Existence::Unchecked(response) = existence {
        // A 404 shows that the object did not exist if reads work under its parent.
        let is_shown = E::CREATE_OVERWRITES && response.is_not_found() && parent.reads_work();
        if !is_shown {
            call.warn(E::unchecked(call, response));
        }
    }
    Stored { state, private: PrivateState { object: private, entity } }
}

/// Reads the first object that this run creates under a parent back, once, without retries and for a few
/// seconds at most, to find out whether reads work there. Returns whether they do.
async fn read_back<E: Entity>(run: &Run, parent: &Parent<E>, written: &E) -> bool {
    parent
        .read_back(async {
            let client = run.client.with_retries(Retries::Never);
            let read = tokio::time::timeout(READ_BACK_LIMIT, E::get(&client, written.name()));
            let read = matches!(read.await, Ok(Ok(_)));
            if read {
                parent.record_read();
            }
            read
        })
        .await
}

/// Returns whether an object is older than this run, by the service's clock.
pub(crate) fn is_older_than_run(
    run: &Run,
    create_time: Option<&str>,
    date: Option<OffsetDateTime>,
) -> bool {
    let (Some(created), Some(date)) = (create_time.and_then(parse_time), date) else {
        return false;
    };
    // `Date` has whole seconds.
    created < date - run.started.elapsed() - Duration::from_secs(2)
}

/// Looks for an object by GET.
///
/// # Errors
///
/// A failure that shows nothing, and that the create would meet as well.
pub(crate) async fn look_by_get<E: Entity>(
    run: &Run,
    name: &E::Name,
) -> Result<Existence<E>, Error> {
    let parent = E::findings(run).parents.of(E::parent(name));
    match E::get(&run.client, name).await {
        Ok(response) => {
            parent.record_read();
            Ok(existence_of(run, response.object))
        }
        Err(error) => match error.kind() {
            ErrorKind::NotFound { json: true } if parent.reads_work() => Ok(Existence::NotFound),
            ErrorKind::NotFound { .. } | ErrorKind::NotImplemented | ErrorKind::Forbidden => {
                Ok(Existence::Unchecked(error.into()))
            }
            _ => Err(error),
        },
    }
}

/// Returns whether an object that was returned exists. One that this process has deleted does not: the
/// read lags.
pub(crate) fn existence_of<E: Entity>(run: &Run, object: E) -> Existence<E> {
    let key = Key::Name(object.name().to_string());
    let is_deleted = run.registry.is_deleted(&key, object.create_time());
    if is_deleted || object.delete_time().is_some() {
        Existence::NotFound
    } else {
        Existence::Exists(Box::new(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_writes_only_what_does_not_exist_or_may_be_adopted() {
        use Decision::{Adopt, Refuse, Write};
        let cases = [
            // found, written by this process, may adopt
            (Found::Yes, false, true, Adopt),
            (Found::Yes, false, false, Refuse),
            (Found::Yes, true, true, Adopt),
            (Found::Yes, true, false, Refuse),
            (Found::No, false, true, Write),
            (Found::No, false, false, Write),
            (Found::No, true, true, Refuse),
            (Found::No, true, false, Refuse),
            (Found::Unchecked, false, true, Write),
            (Found::Unchecked, false, false, Write),
            (Found::Unchecked, true, true, Refuse),
            (Found::Unchecked, true, false, Refuse),
        ];
        for (found, is_written, may_adopt, expected) in cases {
            let decision = decide(found, is_written, may_adopt);
            assert_eq!(decision, expected, "{found:?}, written {is_written}, adopts {may_adopt}");
        }
    }
}
