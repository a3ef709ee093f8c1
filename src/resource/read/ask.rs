//! Asks what reads show about an object. The API document shows no reads: a 404 to a GET may mean that
//! the object was deleted, that the key may not see it, that the base address is wrong, or that there
//! is no GET. So every 404 needs a witness: the list of the parent.

use access_client::time::OffsetDateTime;
use access_client::{Error, ErrorKind, Object, Response};

use super::decide::Shown;
use crate::run::{InList, Key, Purpose, Run};

/// What reads have returned for an object.
pub(crate) enum Answer<E> {
    Object(Response<E>),
    /// It is gone, by a response of this `Date`.
    Gone(Option<OffsetDateTime>),
    /// GET is a 404, and the list has this entry.
    OnlyListed(Error, Box<E>),
    /// GET is a 404, and no list explains it. The text has both responses.
    Unexplained(String),
    /// 403, 405, 501, or another failure.
    Failure(Error),
}

impl<E> Answer<E> {
    pub(crate) fn shown(&self) -> Shown {
        match self {
            Self::Object(_) => Shown::Present,
            Self::Gone(_) => Shown::Gone,
            Self::OnlyListed(..) => Shown::OnlyListed,
            Self::Unexplained(_) => Shown::Unexplained,
            Self::Failure(error) => match error.kind() {
                ErrorKind::NotImplemented => Shown::NotOffered,
                ErrorKind::Forbidden => Shown::Forbidden,
                _ => Shown::Failed,
            },
        }
    }

    /// Returns what reads show, as a sentence without its full stop.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Object(_) => "GET returns it".to_owned(),
            Self::Gone(_) => "it is not found".to_owned(),
            Self::OnlyListed(error, _) => format!("{error}; the list of its parent contains it"),
            Self::Unexplained(responses) => responses.clone(),
            Self::Failure(error) => error.to_string(),
        }
    }
}

/// Asks by GET, and after a 404 by the list of the parent. `keys` are those of the object: the list has
/// to be younger than this run's last write of it.
pub(crate) async fn ask<E: Object>(
    run: &Run,
    name: &E::Name,
    keys: &[Key],
    purpose: Purpose,
) -> Answer<E> {
    let client = run.client.with_retries(purpose.retries());
    let error = match E::get(&client, name).await {
        Ok(Response { object, date, .. }) if object.delete_time().is_some() => {
            return Answer::Gone(date);
        }
        Ok(response) => return Answer::Object(response),
        Err(error) => error,
    };
    if !matches!(error.kind(), ErrorKind::NotFound) {
        return Answer::Failure(error);
    }
    match run.find_in_list(name, keys, purpose).await {
        InList::Contains(entry) => Answer::OnlyListed(error, Box::new(entry)),
        InList::Lacks(date) => Answer::Gone(date),
        InList::Unclear(list) => {
            Answer::Unexplained(format!("{error}; the list of its parent: {list}"))
        }
    }
}
