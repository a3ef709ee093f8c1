//! Whether an object exists, before it is created, and what the create does then.
//!
//! The facts are collected by requests ([`Existence`]), and [`decide`] decides. The create acts by its
//! outcome. The plan of a create warns about it, the first plan of a replacement and the destroy of the
//! replaced object fail if the create would ([`Outcome::would_fail`]).

use access_client::{Error, ErrorKind, ObjectName as _};
use tf_provider::value::Value;

use crate::service::{InList, Key, Listable, Purpose, Session};

/// Whether an object exists, as far as reads show.
pub(crate) enum Existence<T, X = Error> {
    Exists(Box<T>),
    Free,
    /// No object has the name, and its parent does not exist.
    NoParent(Unclear),
    /// Reads are not offered, not allowed, or not known to work.
    Unknown(Unclear),
    /// The read failed, which shows nothing.
    Failed(X),
}

/// A response that does not show whether an object exists.
pub(crate) struct Unclear {
    /// `None` for a list with entries that cannot be read.
    pub(crate) kind: Option<ErrorKind>,
    pub(crate) text: String,
}

impl Unclear {
    pub(crate) fn is_not_found(&self) -> bool {
        self.kind == Some(ErrorKind::NotFound { json: true })
    }
}

impl From<Error> for Unclear {
    fn from(error: Error) -> Self {
        Self { kind: Some(error.kind()), text: error.to_string() }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Write,
    /// Writes, and warns that an object may have existed.
    WriteUnchecked,
    Adopt,
    /// Adopts or refuses what exists, by an argument that is known only after apply.
    Undecided,
    /// Refuses what exists: nothing is sent.
    Refuse,
    /// Sends a write that the service refuses, because the parent does not exist.
    FailWithoutParent,
    /// Sends a write that the service refuses, because the object has to exist and does not.
    FailMissing,
    /// Fails because the check has failed: nothing is sent.
    FailUnchecked,
}

impl Outcome {
    /// Returns whether the create would not result in an object, as far as is known.
    pub(crate) fn would_fail(self) -> bool {
        !matches!(self, Self::Write | Self::WriteUnchecked | Self::Adopt)
    }
}

pub(crate) fn decide<T, X>(existence: &Existence<T, X>, intent: &Intent) -> Outcome {
    match existence {
        Existence::Failed(_) => Outcome::FailUnchecked,
        Existence::Exists(_) => match intent.adoption {
            Adoption::Allowed => Outcome::Adopt,
            Adoption::Refused => Outcome::Refuse,
            Adoption::DependsOn(_) => Outcome::Undecided,
        },
        _ if intent.is_written => Outcome::Refuse,
        Existence::NoParent(_) => Outcome::FailWithoutParent,
        Existence::Free if intent.must_exist => Outcome::FailMissing,
        Existence::Free => Outcome::Write,
        Existence::Unknown(_) => Outcome::WriteUnchecked,
    }
}

/// What a 404 to the GET of a role shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Free,
    Exists,
    NoParent,
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
    /// The list of another parent has succeeded in this run: a 404 to a list means something.
    lists_work: bool,
    /// `None` before the list was requested.
    in_list: Option<InList>,
}

/// Concludes from a 404 to the GET of an object that is to be created.
fn explain(not_found: NotFound) -> Shown {
    let NotFound { json, parent_was_read, lists_work, in_list } = not_found;
    match in_list {
        Some(InList::Contains) => Shown::Exists,
        _ if json && parent_was_read => Shown::Free,
        None => Shown::AskList,
        Some(InList::Lacks) => Shown::Free,
        Some(InList::NotFound { json: true }) if lists_work => Shown::NoParent,
        Some(_) if !json && parent_was_read => Shown::Gateway,
        Some(_) => Shown::Nothing,
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
    let known = NotFound { json, parent_was_read, lists_work: false, in_list: None };
    if explain(known) != Shown::AskList {
        return Existence::Free;
    }
    let purpose = if purpose == Purpose::Decide { Purpose::Explain } else { purpose };
    let (in_list, found) = E::parents(session).look_up(&session.client, name, purpose).await;
    let lists_work = E::parents(session).lists_work_elsewhere(name.parent());
    // `parent_was_read` stays as it was before the list: what the list shows is in `in_list`.
    match (explain(NotFound { lists_work, in_list: Some(in_list), ..known }), found) {
        (Shown::Exists, Ok(Some(entry))) => existence_of(session, entry),
        (Shown::Exists | Shown::Free, _) => Existence::Free,
        (Shown::NoParent, _) => Existence::NoParent(error.into()),
        (Shown::Gateway, _) => Existence::Failed(error),
        (Shown::Nothing | Shown::AskList, found) => {
            let mut unclear = Unclear::from(error);
            match (in_list, found) {
                (InList::ReadableLack, _) => {
                    unclear.kind = None;
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
        Existence::Free
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
            Adopt, FailMissing, FailUnchecked, FailWithoutParent, Refuse, Undecided, Write,
            WriteUnchecked,
        };
        let unclear = || Unclear { kind: None, text: String::new() };
        let found: [(&str, Existence<(), ()>); 5] = [
            ("exists", Existence::Exists(Box::new(()))),
            ("free", Existence::Free),
            ("no parent", Existence::NoParent(unclear())),
            ("unknown", Existence::Unknown(unclear())),
            ("failed", Existence::Failed(())),
        ];
        // Adoption, and whether the object has to exist; what the create does if it exists, and if not.
        let cases = [
            (Adoption::Refused, false, Refuse, Write),
            (Adoption::Allowed, false, Adopt, Write),
            (Adoption::Allowed, true, Adopt, FailMissing),
            (Adoption::DependsOn(vec!["adopt_existing"]), false, Undecided, Write),
        ];
        for (adoption, must_exist, exists, free) in cases {
            let rows = [
                (false, [exists, free, FailWithoutParent, WriteUnchecked, FailUnchecked]),
                (true, [exists, Refuse, Refuse, Refuse, FailUnchecked]),
            ];
            for (is_written, outcomes) in rows {
                let intent = Intent { adoption: adoption.clone(), must_exist, is_written };
                for ((name, existence), expected) in found.iter().zip(outcomes) {
                    assert_eq!(decide(existence, &intent), expected, "{name}: {intent:?}");
                }
            }
        }
    }

    #[test]
    fn not_found_is_a_free_name_only_if_a_read_under_the_parent_works() {
        use Shown::{AskList, Exists, Free, Gateway, NoParent, Nothing};
        let clear = [
            None,
            Some(InList::Contains),
            Some(InList::Lacks),
            Some(InList::NotFound { json: true }),
        ];
        let unclear = [
            InList::ReadableLack,
            InList::NotFound { json: false },
            InList::NotOffered,
            InList::Failed,
        ];
        // JSON, parent was read, lists work elsewhere; what is shown by the list. The last column is what
        // any list shows that is not clear.
        let cases = [
            ((true, true, false), [Free, Exists, Free, Free, Free]),
            ((true, false, false), [AskList, Exists, Free, Nothing, Nothing]),
            ((true, false, true), [AskList, Exists, Free, NoParent, Nothing]),
            ((false, false, false), [AskList, Exists, Free, Nothing, Nothing]),
            ((false, false, true), [AskList, Exists, Free, NoParent, Nothing]),
            ((false, true, false), [AskList, Exists, Free, Gateway, Gateway]),
            ((false, true, true), [AskList, Exists, Free, NoParent, Gateway]),
        ];
        for ((json, parent_was_read, lists_work), expected) in cases {
            for (column, in_list) in clear.into_iter().chain(unclear.map(Some)).enumerate() {
                let not_found = NotFound { json, parent_was_read, lists_work, in_list };
                assert_eq!(explain(not_found), expected[column.min(4)], "{not_found:?}");
            }
        }
    }
}
