//! The repository that is recorded on roles: `repoUri` and `repoDir`, both from one source. Values that
//! are set explicitly replace detection as a whole.

mod git;
mod normalise;

use serde::{Deserialize, Serialize};

pub(crate) use git::detect;
pub(crate) use normalise::{normalise_dir, normalise_uri};

/// The repository of a configured provider, with normalised values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnRepository {
    /// What a write records.
    pub(crate) written: Repository,
    /// The values that were set explicitly, by arguments or `ACCESS_REPO_*`: if a role differs from one of
    /// them, the pair is written. A detected pair makes no diff by itself, and nothing is enforced.
    pub(crate) enforced: Repository,
}

impl OwnRepository {
    /// Returns the repository of explicit values; without any, the repository is `detected`. One half is
    /// never sent without the other, so the directory of another repository never stays with a URI, nor its
    /// URI with a directory.
    pub(crate) fn new(explicit: Repository, detected: impl FnOnce() -> Repository) -> Self {
        let written = match explicit.clone() {
            Repository { uri: None, dir: None } => detected(),
            Repository { uri, dir } => Repository {
                uri: Some(uri.unwrap_or_default()),
                dir: Some(dir.unwrap_or_default()),
            },
        };
        Self { written, enforced: explicit }
    }
}

/// A repository and a directory in it: `repoUri` and `repoDir`, as a write sends them, a role records them,
/// or private state stores them. `None` is not sent, "" clears the field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Repository {
    pub(crate) uri: Option<String>,
    pub(crate) dir: Option<String>,
}

impl Repository {
    /// Returns whether no repository is recorded. The service does not distinguish "" from an unset field.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.uri, &self.dir].into_iter().flatten().all(String::is_empty)
    }

    /// Returns whether two pairs name the same directory of the same repository.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        same_uri(self.uri.as_ref(), other.uri.as_ref())
            && same_dir(self.dir.as_ref(), other.dir.as_ref())
    }

    /// Returns whether a write of this pair would change what is recorded.
    pub(crate) fn changes(&self, recorded: &Self) -> bool {
        let changes_uri = self.uri.is_some() && !same_uri(self.uri.as_ref(), recorded.uri.as_ref());
        changes_uri || self.dir.is_some() && !same_dir(self.dir.as_ref(), recorded.dir.as_ref())
    }
}

/// Returns whether two URIs name the same repository. The service may store another spelling of it.
pub(crate) fn same_uri(one: Option<&String>, other: Option<&String>) -> bool {
    same(one, other, normalise_uri)
}

/// Returns whether two directories are the same. The service may store another spelling.
pub(crate) fn same_dir(one: Option<&String>, other: Option<&String>) -> bool {
    same(one, other, normalise_dir)
}

/// The service does not distinguish "" from an unset field.
fn same(
    one: Option<&String>,
    other: Option<&String>,
    normalise: fn(&str) -> Result<String, &'static str>,
) -> bool {
    let normalised = |text: &String| normalise(text).unwrap_or_else(|_| text.clone());
    one == other
        || one.map(normalised).unwrap_or_default() == other.map(normalised).unwrap_or_default()
}

#[cfg(test)]
mod tests;
