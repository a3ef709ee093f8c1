//! What a look before a create has found.

use access_client::Error;

use super::decide::Found;

/// Whether an object exists, as far as reads show.
pub(crate) enum Existence<E> {
    Exists(Box<E>),
    Absent,
    /// A 404 that no list explains. The text has the responses.
    Unexplained(String),
    /// Reads are not offered or not allowed, or a list cannot be read. The text has the response.
    NoAnswer(String),
    Failed(Error),
}

impl<E> Existence<E> {
    pub(crate) fn found(&self) -> Found {
        match self {
            Self::Exists(_) => Found::Exists,
            Self::Absent => Found::Absent,
            Self::Unexplained(_) => Found::Unexplained,
            Self::NoAnswer(_) => Found::NoAnswer,
            Self::Failed(_) => Found::Failed,
        }
    }
}
