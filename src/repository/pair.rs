//! [`Repository`]: the pair of URI and directory, and what counts as the same.

use serde::{Deserialize, Serialize};

use super::normalise::{normalise_dir, normalise_uri};

/// A repository and a directory in it: `repoUri` and `repoDir`, as a write sends them, a role records them,
/// or private state stores them. `None` is not sent, "" clears the field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Repository {
    pub(crate) uri: Option<String>,
    pub(crate) dir: Option<String>,
}

impl Repository {
    /// Returns the pair with both halves, or without any. One half is never sent without the other, so the
    /// directory of another repository never stays with a URI, nor its URI with a directory.
    pub(super) fn whole(self) -> Self {
        match self {
            Self { uri: None, dir: None } => self,
            Self { uri, dir } => {
                Self { uri: Some(uri.unwrap_or_default()), dir: Some(dir.unwrap_or_default()) }
            }
        }
    }

    /// Returns whether no repository is recorded. The service does not distinguish "" from an unset field.
    pub(crate) fn is_empty(&self) -> bool {
        let is_set = |value: &Option<String>| value.as_ref().is_some_and(|text| !text.is_empty());
        !is_set(&self.uri) && !is_set(&self.dir)
    }

    /// Returns whether two pairs name one directory of one repository.
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

/// Returns whether two URIs name one repository. The service may store another spelling of it.
pub(crate) fn same_uri(one: Option<&String>, other: Option<&String>) -> bool {
    let normalised = |uri: Option<&String>| {
        uri.map(|uri| normalise_uri(uri).unwrap_or_else(|_| uri.clone())).unwrap_or_default()
    };
    one == other || normalised(one) == normalised(other)
}

/// Returns whether two directories are equal. The service does not distinguish "" from an unset
/// field.
pub(crate) fn same_dir(one: Option<&String>, other: Option<&String>) -> bool {
    let normalised = |dir: Option<&String>| {
        dir.map(|dir| normalise_dir(dir).unwrap_or_else(|_| dir.clone())).unwrap_or_default()
    };
    normalised(one) == normalised(other)
}
