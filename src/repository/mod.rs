//! The repository that is recorded on roles: `repoUri` and `repoDir`.
//!
//! Order: what was set, the variables of CI systems, the Git repository that holds the working
//! directory. Detection reads files and never runs `git`, which may be absent, speak another
//! language, or refuse a directory of another owner. Credentials in a remote never leave the
//! machine: what cannot be made a plain web address is not sent at all.

mod ci;
mod git;
mod normalise;

use std::fmt;
use std::path::{Component, Path, PathBuf};

use normalise::{UriError, normalise_uri};

use crate::config::Environment;

/// Where a value came from: what was set is enforced, what was detected makes no diff by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Argument or `ACCESS_REPO_*`.
    Explicit,
    /// CI variables or Git files.
    Detected,
}

/// A value to record, and where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// Normalised.
    pub(crate) value: String,
    /// Whether it is enforced.
    pub(crate) source: Source,
}

/// What is to be recorded; `None` is not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repository {
    /// `repoUri`.
    pub(crate) uri: Option<Recorded>,
    /// `repoDir`; "" for the top directory where that was set, `None` where it was detected.
    pub(crate) dir: Option<Recorded>,
}

/// What a write sends of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recording<'r> {
    /// `repoUri`.
    pub(crate) uri: Option<&'r str>,
    /// `repoDir`.
    pub(crate) dir: Option<&'r str>,
}

/// What was set, argument before variable.
pub(crate) struct Explicit {
    /// `repo_uri`.
    pub(crate) uri: Option<String>,
    /// `repo_dir`.
    pub(crate) dir: Option<String>,
}

/// Why a value that was set cannot be recorded. Holds no part of it: it may hold credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepositoryError {
    /// The URI.
    Uri(UriError),
    /// The directory is absolute, leaves the repository, or has control characters.
    Dir,
}

impl RepositoryError {
    /// The argument to blame.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Uri(_) => "repo_uri",
            Self::Dir => "repo_dir",
        }
    }
}

impl fmt::Display for RepositoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uri(error) => write!(f, "The repository URI {error}"),
            Self::Dir => f.write_str(
                "The directory must be relative to the top of the repository and stay in it",
            ),
        }
    }
}

impl Repository {
    /// `repoUri`, where there is one to send.
    pub(crate) fn uri_text(&self) -> Option<&str> {
        self.uri.as_ref().map(|uri| uri.value.as_str())
    }

    /// `repoDir`, where there is one to send.
    pub(crate) fn dir_text(&self) -> Option<&str> {
        self.dir.as_ref().map(|dir| dir.value.as_str())
    }

    /// All that there is to send.
    pub(crate) fn to_send(&self) -> Recording<'_> {
        Recording { uri: self.uri_text(), dir: self.dir_text() }
    }
}

/// Finds what is to be recorded. URI and directory are independent: a URI that was set goes with
/// the directory that was detected.
pub(crate) fn find(
    explicit: Explicit,
    detection: bool,
    environment: Environment<'_>,
    working_directory: &Path,
) -> Result<Repository, RepositoryError> {
    let set = |value| Recorded { value, source: Source::Explicit };
    let detected = |value| Recorded { value, source: Source::Detected };
    let mut repository = Repository {
        uri: match explicit.uri {
            Some(uri) => Some(set(normalise_uri(&uri).map_err(RepositoryError::Uri)?)),
            None => None,
        },
        dir: match explicit.dir {
            Some(dir) => Some(set(normalise_dir(&dir)?)),
            None => None,
        },
    };
    if !detection || (repository.uri.is_some() && repository.dir.is_some()) {
        return Ok(repository);
    }
    let environment = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let ci = ci::find(&environment);
    let git = git::find(working_directory);
    repository.uri = repository.uri.or_else(|| {
        let candidates = [ci.uri, git.as_ref().and_then(|git| git.origin.clone())];
        // An odd remote of a CI system must not hide a good one of the checkout.
        let uri = candidates.into_iter().flatten().find_map(|uri| normalise_uri(&uri).ok());
        uri.map(detected)
    });
    repository.dir = repository.dir.or_else(|| {
        let tops = [ci.top, git.map(|git| git.top)];
        let dir = tops.into_iter().flatten().find_map(|top| below(&top, working_directory))?;
        (!dir.is_empty()).then(|| detected(dir))
    });
    Ok(repository)
}

/// The path of a directory below the top, with slashes; "" for the top itself, `None` outside.
fn below(top: &Path, directory: &Path) -> Option<String> {
    let real = |path: &Path| path.canonicalize().ok();
    let (top, directory) = (real(top)?, real(directory)?);
    let mut parts = Vec::new();
    for component in directory.strip_prefix(&top).ok()?.components() {
        let Component::Normal(part) = component else { return None };
        // Terragrunt copies each unit into a cache below it; the hash in there changes.
        if part == ".terragrunt-cache" {
            break;
        }
        parts.push(part.to_str()?.to_owned());
    }
    let path = parts.join("/");
    (!path.chars().any(char::is_control)).then_some(path)
}

/// A directory as it was set, with slashes and without decoration; "" for the top itself.
fn normalise_dir(dir: &str) -> Result<String, RepositoryError> {
    let dir = dir.trim().replace('\\', "/");
    if dir.starts_with('/') || dir.chars().any(char::is_control) || dir.get(1..2) == Some(":") {
        return Err(RepositoryError::Dir);
    }
    let mut parts = Vec::new();
    for part in dir.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(RepositoryError::Dir),
            ".terragrunt-cache" => break,
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

/// What a place says about the repository.
#[derive(Debug, Default, PartialEq, Eq)]
struct Checkout {
    /// The remote, as it is written there.
    uri: Option<String>,
    /// The top directory of the checkout.
    top: Option<PathBuf>,
}

#[cfg(test)]
mod tests;
