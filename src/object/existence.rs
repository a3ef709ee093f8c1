//! Whether an object exists, before it is created, and what the create does then.
//!
//! The facts are collected by requests ([`Existence`]), and [`decide`] decides: it is the table of
//! section "Creates" in DESIGN.md. The create acts by its outcome, its plan warns about it, and the
//! first plan call of a replacement by another name fails if the create would
//! ([`replacement_fails`]).

use access_client::{Error, ErrorKind, ObjectName as _};
use tf_provider::value::Value;

use super::Check;
use crate::service::{InList, Key, Listable, Purpose, Session};

/// Whether an object exists, as far as reads show.
pub(crate) enum Existence<T> {
    Exists(Box<T>),
    Absent,
    /// Reads are not offered, not allowed, or not known to work.
    Unknown(Unclear),
    /// The read failed, which shows nothing.
    Failed(Error),
}

impl<T> Existence<T> {
    /// Returns what decides about a create.
    pub(crate) fn found(&self) -> Found {
        match self {
            Self::Exists(_) => Found::Exists,
            Self::Absent => Found::Absent,
            Self::Unknown(unclear) if unclear.is_not_found => Found::NotFoundUnclear,
            Self::Unknown(_) => Found::Unreadable,
            Self::Failed(_) => Found::Failed,
        }
    }
}

/// What a look has found: the rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Exists,
    Absent,
    /// A 404 that shows nothing.
    NotFoundUnclear,
    /// Reads are not offered or not allowed, or a list cannot be read as a whole.
    Unreadable,
    Failed,
}

/// A response that does not show whether an object exists.
pub(crate) struct Unclear {
    /// `None` for a list with entries that cannot be read.
    pub(crate) error: Option<Error>,
    /// Whether the read of the object, or of the list that would show it, is a 404. Then `error`
    /// may be `None` as well: the GET is a 404, and the list has entries that cannot be read.
    pub(crate) is_not_found: bool,
    /// The response as a message shows it, without its full stop.
    pub(crate) text: String,
}

impl From<Error> for Unclear {
    fn from(error: Error) -> Self {
        let is_not_found = matches!(error.kind(), ErrorKind::NotFound { .. });
        let text = error.to_string();
        Self { error: Some(error), is_not_found, text }
    }
}

impl Unclear {
    /// Returns the kind of the response; `None` for a list with entries that cannot be read.
    pub(crate) fn kind(&self) -> Option<ErrorKind> {
        self.error.as_ref().map(Error::kind)
    }
}

/// Whether a create may adopt an object that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Adoption {
    Allowed,
    Refused,
    /// These arguments decide it, and are known only after apply.
    DependsOn(Vec<&'static str>),
}

impl Adoption {
    /// Decides by the arguments that allow an adoption, each with the value that does.
    pub(crate) fn by(arguments: &[(&'static str, &Value<bool>, bool)]) -> Self {
        if arguments.iter().any(|(_, value, allows)| value.as_ref_option() == Some(allows)) {
            return Self::Allowed;
        }
        let unknown = arguments.iter().filter(|(_, value, _)| value.is_unknown());
        let unknown: Vec<_> = unknown.map(|(name, ..)| *name).collect();
        if unknown.is_empty() { Self::Refused } else { Self::DependsOn(unknown) }
    }

    /// Returns the arguments that decide, for a message: "`owner`".
    pub(crate) fn known_after_apply(&self) -> String {
        let Self::DependsOn(arguments) = self else { return String::new() };
        format!("`{}`", arguments.join("` and `"))
    }
}

/// What the configuration and this process know about an object before its create.
#[derive(Debug)]
pub(crate) struct Intent {
    pub(crate) adoption: Adoption,
    /// The object has to exist (`allow_missing = false`), and this process has not deleted it.
    pub(crate) must_exist: bool,
    /// This process has written the object, whatever a read that lags returns.
    pub(crate) is_written: bool,
}

/// What was found before a create, and what it decides.
pub(crate) struct Look<E> {
    pub(crate) existence: Existence<E>,
    pub(crate) intent: Intent,
    pub(crate) outcome: Outcome,
}

impl<E: Check> Look<E> {
    pub(crate) fn of(
        session: &Session,
        subject: &E::Subject,
        existence: Existence<E>,
        planned: &E::State,
    ) -> Self {
        let keys = E::subject_keys(subject);
        let is_adoptable = match &existence {
            Existence::Exists(existing) => E::is_adoptable(subject, existing),
            _ => true,
        };
        let intent = Intent {
            adoption: if is_adoptable { E::adoption(planned) } else { Adoption::Refused },
            must_exist: E::must_exist(planned) && !session.writes.has_deleted(&keys[0]),
            is_written: session.writes.is_written(&keys[0]),
        };
        let outcome = decide(existence.found(), &intent);
        Self { existence, intent, outcome }
    }
}

/// What a create does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Write,
    /// Writes, and warns that an object may have existed. With `allow_missing = false`, the service
    /// accepts the write only if it does.
    WriteUnchecked,
    Adopt,
    /// Adopts or refuses what exists, by an argument that is known only after apply.
    Undecided,
    /// Refuses what exists: nothing is sent.
    Refuse,
    /// Sends a write that the service accepts only if the object exists, so it refuses it.
    WriteIfExists,
    /// Fails because the look has failed: nothing is sent.
    FailUnchecked,
}

/// Decides what a create does.
pub(crate) fn decide(found: Found, intent: &Intent) -> Outcome {
    match found {
        // The failure may pass. Until then, nothing shows what a write would overwrite or double.
        Found::Failed => Outcome::FailUnchecked,
        Found::Exists => match intent.adoption {
            Adoption::Allowed => Outcome::Adopt,
            Adoption::Refused => Outcome::Refuse,
            Adoption::DependsOn(_) => Outcome::Undecided,
        },
        // The read lags: another resource of this run has made the object.
        _ if intent.is_written => Outcome::Refuse,
        Found::Absent if intent.must_exist => Outcome::WriteIfExists,
        Found::Absent => Outcome::Write,
        // Otherwise nothing could be created at a service without reads.
        Found::NotFoundUnclear | Found::Unreadable => Outcome::WriteUnchecked,
    }
}

/// Decides whether the first plan call of a replacement by another name fails: an apply would
/// destroy the old object before the create fails. `leaves` is whether the old object stays at the
/// service.
pub(crate) fn replacement_fails(found: Found, outcome: Outcome, leaves: bool) -> bool {
    match outcome {
        Outcome::Write | Outcome::Adopt => false,
        // Also if the old object stays: the configuration has to say what happens to the one that
        // exists.
        Outcome::Refuse | Outcome::Undecided => true,
        // A 404 may mean a parent that does not exist. Without reads, no name could be changed.
        Outcome::WriteUnchecked => found == Found::NotFoundUnclear && !leaves,
        // If the old object stays, a failed create loses nothing.
        Outcome::WriteIfExists | Outcome::FailUnchecked => !leaves,
    }
}

/// What a 404 to a GET shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explanation {
    Absent,
    Exists,
    Gateway,
    Nothing,
    /// The list decides.
    AskList,
}

/// The facts about a 404 to a GET.
#[derive(Clone, Copy, Debug)]
struct NotFound {
    /// The body is a JSON object: the service's own response.
    json: bool,
    /// A read under this parent has succeeded in this run.
    parent_was_read: bool,
    /// `None` before the list was requested.
    in_list: Option<InList>,
}

/// Concludes from a 404 to the GET of an object that is to be created.
fn explain(not_found: NotFound) -> Explanation {
    let NotFound { json, parent_was_read, in_list } = not_found;
    match in_list {
        // The list contradicts the 404, and a write would overwrite the object.
        Some(InList::Contains) => Explanation::Exists,
        // Reads work under this parent, so the service's own 404 is about the object.
        _ if json && parent_was_read => Explanation::Absent,
        None => Explanation::AskList,
        Some(InList::Lacks) => Explanation::Absent,
        // Reads work, and this response is not the service's.
        Some(_) if !json && parent_was_read => Explanation::Gateway,
        Some(_) => Explanation::Nothing,
    }
}

/// Checks by GET whether an object exists. A 404 may need the list of the parent.
pub(crate) async fn check_by_get<E: Listable>(
    session: &Session,
    name: &E::Name,
    purpose: Purpose,
) -> Existence<E> {
    let client = session.client.with_retries(purpose.retries());
    match E::get(&client, name).await {
        Ok(response) => {
            E::parents(session).of(name.parent()).record_read();
            existence_of(session, response.object)
        }
        Err(error) => match error.kind() {
            ErrorKind::NotFound { json } => {
                check_by_list(session, name, purpose, (error, json)).await
            }
            ErrorKind::NotImplemented | ErrorKind::Forbidden => Existence::Unknown(error.into()),
            _ => Existence::Failed(error),
        },
    }
}

/// Explains a 404 to a GET by what this run has read, or by the list of the parent.
async fn check_by_list<E: Listable>(
    session: &Session,
    name: &E::Name,
    purpose: Purpose,
    (error, json): (Error, bool),
) -> Existence<E> {
    // A list that this run has may show what the GET does not: a PATCH would overwrite the object.
    if let Some(entry) = E::parents(session).known_entry(name) {
        return existence_of(session, entry);
    }
    let parent_was_read = E::parents(session).of(name.parent()).reads_work();
    let known = NotFound { json, parent_was_read, in_list: None };
    // Reads work under the parent, so the name is free.
    if explain(known) == Explanation::Absent {
        return Existence::Absent;
    }
    let of_list = purpose.of_explanation();
    let (in_list, found) = E::parents(session).look_up(&session.client, name, of_list).await;
    // `parent_was_read` stays as it was before the list: what the list shows is in `in_list`.
    match (explain(NotFound { in_list: Some(in_list), ..known }), found) {
        (Explanation::Exists, Ok(Some(entry))) => existence_of(session, entry),
        // A list that contains the object returns its entry, so only `Absent` is left.
        (Explanation::Exists | Explanation::Absent, _) => Existence::Absent,
        (Explanation::Gateway, _) => Existence::Failed(error),
        (Explanation::Nothing | Explanation::AskList, found) => {
            let mut unclear = Unclear::from(error);
            match (in_list, found) {
                (InList::ReadableLack, _) => {
                    unclear.error = None;
                    unclear.text += "; the list of its parent has entries that cannot be read";
                }
                (InList::Failed, Err(failure)) => {
                    unclear.text += &format!("; the list of its parent: {failure}");
                }
                _ => {}
            }
            Existence::Unknown(unclear)
        }
    }
}

/// Returns whether a returned object exists. If this process has deleted it, the read lags.
pub(crate) fn existence_of<E: Listable>(session: &Session, object: E) -> Existence<E> {
    let key = Key::Name(object.name().to_string());
    let is_deleted = session.writes.is_deleted(&key, object.create_time());
    if is_deleted || object.delete_time().is_some() {
        Existence::Absent
    } else {
        Existence::Exists(Box::new(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn create_writes_only_what_does_not_exist_or_may_be_adopted() {
        use Outcome::{
            Adopt, FailUnchecked, Refuse, Undecided, Write, WriteIfExists, WriteUnchecked,
        };
        let found = [
            Found::Exists,
            Found::Absent,
            Found::NotFoundUnclear,
            Found::Unreadable,
            Found::Failed,
        ];
        // Adoption, and whether the object has to exist; what the create does if it exists, and if
        // not.
        let cases = [
            (Adoption::Refused, false, Refuse, Write),
            (Adoption::Allowed, false, Adopt, Write),
            (Adoption::Allowed, true, Adopt, WriteIfExists),
            (Adoption::DependsOn(vec!["adopt_existing"]), false, Undecided, Write),
        ];
        for (adoption, must_exist, exists, absent) in cases {
            let rows = [
                (false, [exists, absent, WriteUnchecked, WriteUnchecked, FailUnchecked]),
                // This process has written it, whatever a read that lags returns.
                (true, [exists, Refuse, Refuse, Refuse, FailUnchecked]),
            ];
            for (is_written, outcomes) in rows {
                let intent = Intent { adoption: adoption.clone(), must_exist, is_written };
                for (found, expected) in found.into_iter().zip(outcomes) {
                    assert_eq!(decide(found, &intent), expected, "{found:?}: {intent:?}");
                }
            }
        }
    }

    #[test]
    fn replacement_fails_in_the_plan_if_its_create_would_fail_after_the_destroy() {
        use Outcome::{
            Adopt, FailUnchecked, Refuse, Undecided, Write, WriteIfExists, WriteUnchecked,
        };
        // What was found and what the create does; whether the plan fails, and whether under
        // `abandon`.
        let cases = [
            (Found::Absent, Write, false, false),
            (Found::Absent, WriteIfExists, true, false),
            (Found::Absent, Refuse, true, true),
            (Found::Exists, Adopt, false, false),
            (Found::Exists, Refuse, true, true),
            (Found::Exists, Undecided, true, true),
            (Found::Unreadable, WriteUnchecked, false, false),
            (Found::NotFoundUnclear, WriteUnchecked, true, false),
            (Found::Failed, FailUnchecked, true, false),
        ];
        for (found, outcome, fails, fails_abandoning) in cases {
            assert_eq!(replacement_fails(found, outcome, false), fails, "{found:?}");
            assert_eq!(replacement_fails(found, outcome, true), fails_abandoning, "{found:?}");
        }
    }

    #[test]
    fn not_found_is_a_free_name_only_if_a_read_under_the_parent_works() {
        use Explanation::{Absent, AskList, Exists, Gateway, Nothing};
        let clear = [None, Some(InList::Contains), Some(InList::Lacks)];
        let unclear = [InList::ReadableLack, InList::NotFound, InList::NotOffered, InList::Failed];
        // JSON, parent was read; what is shown by the list. The last column is what any list shows
        // that is not clear.
        let cases = [
            ((true, true), [Absent, Exists, Absent, Absent]),
            ((true, false), [AskList, Exists, Absent, Nothing]),
            ((false, false), [AskList, Exists, Absent, Nothing]),
            ((false, true), [AskList, Exists, Absent, Gateway]),
        ];
        for ((json, parent_was_read), expected) in cases {
            for (column, in_list) in clear.into_iter().chain(unclear.map(Some)).enumerate() {
                let not_found = NotFound { json, parent_was_read, in_list };
                assert_eq!(explain(not_found), expected[column.min(3)], "{not_found:?}");
            }
        }
    }
}
