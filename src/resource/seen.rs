//! What reads show about an object. The API document shows no reads: a 404 to a GET may mean that the
//! object was deleted, that the key may not see it, that the base address is wrong, or that there is no
//! GET. So every 404 needs a witness: the list of the parent. `decide` has what follows.

use std::fmt;

use access_client::{Error, ErrorKind, Object, ObjectName as _, Retries};

use crate::run::{Key, Keys, Run};

/// What reads show about an object. `F` is a failed request.
#[derive(Debug)]
pub(crate) enum Seen<T, F = Error> {
    /// GET returns it. Before a create also: a list contains it.
    Present(T),
    /// GET is a 404, and the parent's list contains it.
    OnlyListed(T, F),
    /// GET returns it with `deleteTime`.
    Deleted(T),
    /// GET is a 404, and the parent's list lacks it.
    Gone,
    /// A 404 that no list explains. The text has the responses.
    Unexplained(String),
    /// 405 or 501. Before the create of an owner also: its list is refused, or cannot be read.
    NotOffered(String),
    /// 403.
    Forbidden(F),
    /// Another failure.
    Failed(F),
}

impl<T> Seen<T> {
    /// Returns what a failed GET shows by itself. A 404 alone shows nothing.
    fn of_failure(error: Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::Unexplained(error.to_string()),
            ErrorKind::NotImplemented => Self::NotOffered(error.to_string()),
            ErrorKind::Forbidden => Self::Forbidden(error),
            _ => Self::Failed(error),
        }
    }

    /// Returns whether reads do not show if the object is there, and have not failed.
    pub(crate) fn is_unclear(&self) -> bool {
        matches!(self, Self::Unexplained(_) | Self::NotOffered(_) | Self::Forbidden(_))
    }

    /// Decides what follows for an object, and logs it.
    pub(crate) fn decide<A: fmt::Debug>(
        &self,
        object: impl fmt::Display,
        decide: impl FnOnce(&Self) -> A,
    ) -> A {
        let answer = decide(self);
        tracing::debug!(%object, seen = self.text(), follows = ?answer, "decided");
        answer
    }

    /// Returns the object that is there.
    pub(crate) fn object(&self) -> Option<&T> {
        match self {
            Self::Present(object) | Self::OnlyListed(object, _) => Some(object),
            _ => None,
        }
    }

    /// Returns what reads show, as a sentence without its full stop.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Present(_) => "GET returns it".to_owned(),
            Self::Deleted(_) | Self::Gone => "it is not found".to_owned(),
            Self::OnlyListed(_, error) => format!("{error}; its list contains it"),
            Self::Unexplained(responses) | Self::NotOffered(responses) => responses.clone(),
            Self::Forbidden(error) | Self::Failed(error) => error.to_string(),
        }
    }
}

impl<T: Object> Seen<T> {
    /// Returns the same before a create: what this process has deleted is gone, whatever a read that lags
    /// shows.
    pub(crate) fn unless_deleted(self, run: &Run) -> Self {
        if self.object().is_some_and(|object| is_deleted(run, object)) { Self::Gone } else { self }
    }
}

/// Asks by GET, and after a 404 by the list of the parent, which has to be younger than this run's last
/// write of the object. Only the name and the times of the object are sure to be readable.
pub(crate) async fn ask<T: Object>(
    run: &Run,
    name: &T::Name,
    keys: &Keys,
    retries: Retries,
) -> Seen<T> {
    let got = T::get_times(&run.client.with_retries(retries), name).await;
    conclude(run, name, keys, retries, got).await
}

/// The same for a refresh, which needs every value of the object.
pub(crate) async fn ask_whole<T: Object>(run: &Run, name: &T::Name, keys: &Keys) -> Seen<T> {
    let got = T::get(&run.client, name).await;
    conclude(run, name, keys, Retries::All, got).await
}

/// Concludes from the result of a GET, after a 404 with the list.
async fn conclude<T: Object>(
    run: &Run,
    name: &T::Name,
    keys: &Keys,
    retries: Retries,
    got: Result<T, Error>,
) -> Seen<T> {
    let error = match got {
        Ok(object) if object.delete_time().is_some() => return Seen::Deleted(object),
        Ok(object) => return Seen::Present(object),
        Err(error) => error,
    };
    if error.kind() != ErrorKind::NotFound {
        return Seen::of_failure(error);
    }
    match run.find_in_list(name, keys, retries).await {
        Ok(Some(entry)) => Seen::OnlyListed(entry, error),
        Ok(None) => Seen::Gone,
        Err(list) => Seen::Unexplained(format!("{error}; {}", of_list::<T>(&list))),
    }
}

/// Returns an object that [`ask`] has found gone, if a later list shows it: reads may lag behind a create.
///
/// # Errors
///
/// Returns why the list does not show whether the object exists.
pub(crate) async fn find_later<T: Object>(run: &Run, name: &T::Name) -> Result<Option<T>, Error> {
    let list = run.later_list::<T>(name.parent()).await.map_err(|failed| failed.error)?;
    list.look_up(&run.client, name)
}

/// Returns why the list of the parent does not explain a 404. The parent's own 404 is an answer.
pub(crate) fn of_list<T: Object>(error: &Error) -> String {
    let (parent, _) = T::Name::WORDS;
    match error.kind() {
        ErrorKind::NotFound => format!("its {parent} was not found ({error})"),
        _ => format!("the list of its {parent}: {error}"),
    }
}

/// Returns whether this process has deleted an object that a read shows.
pub(crate) fn is_deleted<T: Object>(run: &Run, object: &T) -> bool {
    run.writes.is_deleted(&Key::Name(object.name().to_string()), object.create_time())
}
