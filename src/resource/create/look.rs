//! Looks whether an object exists before it is created, by requests. `decide` has the rules.

use access_client::{ErrorKind, Object};

use super::decide::{Intent, Outcome, decide};
use super::existence::Existence;
use crate::resource::entity::Check;
use crate::resource::read::ask::{Answer, ask};
use crate::run::{Key, Purpose, Run};

/// What was found before a create, and what follows.
pub(crate) struct Look<E> {
    pub(crate) existence: Existence<E>,
    pub(crate) outcome: Outcome,
}

/// Looks for the object of a create. `adopts` is whether the configuration allows an adoption, and
/// `replaced` the object that is destroyed before, which does not count.
pub(crate) async fn look<E: Check>(
    run: &Run,
    new: &E::New,
    adopts: bool,
    purpose: Purpose,
    replaced: Option<&E::Name>,
) -> Look<E> {
    let keys = E::keys_of_new(new);
    let mut existence = E::look(run, new, purpose, replaced).await;
    // What this process has deleted it makes again.
    let is_unclear = matches!(existence, Existence::Unexplained(_) | Existence::NoAnswer(_));
    if is_unclear && run.writes.has_deleted(&keys[0]) {
        existence = Existence::Absent;
    }
    let may_adopt = match &existence {
        Existence::Exists(existing) => adopts && E::is_adoptable(new, existing),
        _ => adopts,
    };
    let is_written = run.writes.is_written(&keys[0]);
    let outcome = decide(existence.found(), Intent { may_adopt, is_written });
    Look { existence, outcome }
}

/// Looks for an object by GET, and after a 404 by the list of its parent.
pub(crate) async fn look_by_get<E: Object>(
    run: &Run,
    name: &E::Name,
    keys: &[Key],
    purpose: Purpose,
) -> Existence<E> {
    match ask::<E>(run, name, keys, purpose).await {
        Answer::Object(response) => existence_of(run, response.object),
        Answer::OnlyListed(_, entry) => existence_of(run, *entry),
        Answer::Gone(_) => Existence::Absent,
        Answer::Unexplained(responses) => Existence::Unexplained(responses),
        Answer::Failure(error) => match error.kind() {
            ErrorKind::NotImplemented | ErrorKind::Forbidden => {
                Existence::NoAnswer(error.to_string())
            }
            _ => Existence::Failed(error),
        },
    }
}

/// Returns whether a returned object exists. If this process has deleted it, the read lags.
pub(crate) fn existence_of<E: Object>(run: &Run, object: E) -> Existence<E> {
    if is_deleted(run, &object) { Existence::Absent } else { Existence::Exists(Box::new(object)) }
}

/// Returns whether this process has deleted an object that a read shows.
pub(crate) fn is_deleted<E: Object>(run: &Run, object: &E) -> bool {
    run.writes.is_deleted(&Key::Name(object.name().to_string()), object.create_time())
}
