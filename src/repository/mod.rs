//! The repository that is recorded on roles: `repoUri` and `repoDir`, both from one source. Values that
//! are set explicitly replace detection as a whole.

mod git;
mod normalise;

use std::path::Path;

pub(crate) use normalise::{normalise_dir, normalise_uri};

/// The source of a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    /// Arguments or `ACCESS_REPO_*`: enforced.
    Explicit,
    /// Git files, or nothing: makes no diff by itself.
    #[default]
    Detected,
}

/// The repository to record, with normalised values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repository {
    uri: Option<String>,
    /// "" for the top directory.
    dir: Option<String>,
    source: Source,
}

/// The pair that a write records, or a role has recorded. `None` is not sent, "" clears the field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pair<'r> {
    /// `repoUri`.
    pub(crate) uri: Option<&'r str>,
    /// `repoDir`.
    pub(crate) dir: Option<&'r str>,
}

impl<'r> Pair<'r> {
    /// Returns a pair to be written whole: one half is never sent without the other, so the directory of
    /// another repository never stays with a URI, nor its URI with a directory.
    pub(crate) fn whole(uri: Option<&'r String>, dir: Option<&'r String>) -> Self {
        let uri = uri.map(String::as_str);
        let dir = dir.map(String::as_str);
        Self { uri: uri.or(dir.map(|_| "")), dir: dir.or(uri.map(|_| "")) }
    }
}

impl Repository {
    /// Returns the repository of explicit, normalised values; without any, the repository is `detected`.
    pub(crate) fn new(
        uri: Option<String>,
        dir: Option<String>,
        detected: impl FnOnce() -> Self,
    ) -> Self {
        match (uri, dir) {
            (None, None) => detected(),
            (uri, dir) => Self { uri, dir, source: Source::Explicit },
        }
    }

    /// Detects the Git checkout that contains a directory. Reads files and never runs `git`, which may be
    /// absent or localised, or refuse a directory of another user. A checkout whose remote is not a web
    /// address is not recorded: its directory would be one of an unknown repository.
    pub(crate) fn detect(directory: &Path) -> Self {
        git::find_checkout(directory).map_or_else(Self::default, |checkout| Self {
            uri: Some(checkout.uri),
            dir: Some(checkout.dir),
            source: Source::Detected,
        })
    }

    /// Returns what a write records.
    pub(crate) fn pair(&self) -> Pair<'_> {
        Pair::whole(self.uri.as_ref(), self.dir.as_ref())
    }

    /// Returns the values that were set explicitly. If a role differs from one of them, [`Self::pair`] is
    /// written.
    pub(crate) fn enforced(&self) -> Pair<'_> {
        match self.source {
            Source::Explicit => Pair { uri: self.uri.as_deref(), dir: self.dir.as_deref() },
            Source::Detected => Pair::default(),
        }
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

#[cfg(test)]
mod tests;
