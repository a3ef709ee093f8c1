//! The repository that is recorded on roles: `repoUri` and `repoDir`.
//!
//! The order is: explicit values, the variables of CI systems, the Git repository that contains the
//! working directory. Detection reads files and never runs `git`, which may be absent or localised,
//! or refuse a directory of another user. Credentials in a remote are never sent: a remote that
//! cannot be converted to a plain web address is not recorded.

mod ci;
mod git;
mod normalise;

use std::fmt;
use std::path::{Component, Path, PathBuf};

use normalise::{UriError, normalise_uri};

use crate::environment::Environment;

/// The source of a value. An explicit value is enforced; a detected one makes no diff by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Argument or `ACCESS_REPO_*`.
    Explicit,
    /// CI variables or Git files.
    Detected,
}

/// A value to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// Normalised.
    pub(crate) value: String,
    /// Its source.
    pub(crate) source: Source,
}

/// The repository to record; `None` is not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Repository {
    /// `repoUri`.
    pub(crate) uri: Option<Recorded>,
    /// `repoDir`; "" for the top directory if that is explicit, `None` if it was detected.
    pub(crate) dir: Option<Recorded>,
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
    /// Returns a pair to be written whole: one half is never sent without the other, so that the
    /// directory of another repository never stays with a URI, nor its URI with a directory.
    pub(crate) fn whole(uri: Option<&'r String>, dir: Option<&'r String>) -> Self {
        let uri = uri.map(String::as_str);
        let dir = dir.map(String::as_str);
        Self { uri: uri.or(dir.map(|_| "")), dir: dir.or(uri.map(|_| "")) }
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

/// Whether values that are not explicit are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detection {
    /// From the variables of CI systems and from Git files.
    Auto,
    /// Not at all.
    Off,
}

/// The explicit values: an argument, or its variable.
pub(crate) struct Explicit {
    /// `repo_uri`.
    pub(crate) uri: Option<String>,
    /// `repo_dir`.
    pub(crate) dir: Option<String>,
}

/// The reason why an explicit value cannot be recorded. It contains no part of the value, which may
/// contain credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RepositoryError {
    /// The URI.
    Uri(UriError),
    /// The directory is absolute, leaves the repository, or has control characters.
    Dir,
}

impl RepositoryError {
    /// Returns the argument whose value is invalid.
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
    /// Returns what a write records.
    pub(crate) fn pair(&self) -> Pair<'_> {
        Pair::whole(
            self.uri.as_ref().map(|uri| &uri.value),
            self.dir.as_ref().map(|dir| &dir.value),
        )
    }

    /// Returns the values that were set explicitly, which are enforced. A detected one makes no diff by
    /// itself, also next to an explicit one. If an explicit one differs, the whole pair is written.
    pub(crate) fn enforced(&self) -> Pair<'_> {
        Pair {
            uri: self.uri.as_ref().and_then(Recorded::explicit),
            dir: self.dir.as_ref().and_then(Recorded::explicit),
        }
    }
}

impl Recorded {
    /// Returns the value if it was set explicitly.
    fn explicit(&self) -> Option<&str> {
        (self.source == Source::Explicit).then_some(&*self.value)
    }
}

/// Finds the repository to record. URI and directory are one pair: if one is set explicitly, the
/// other is detected only if the detected repository is the same.
///
/// # Errors
///
/// Returns the reason why an explicit value cannot be recorded.
pub(crate) fn find_repository(
    explicit: Explicit,
    detection: Detection,
    environment: Environment<'_>,
    working_directory: &Path,
) -> Result<Repository, RepositoryError> {
    let recorded = |value, source| Recorded { value, source };
    let explicit_uri = explicit.uri.map(|uri| normalise_uri(&uri)).transpose();
    let explicit_uri = explicit_uri.map_err(RepositoryError::Uri)?;
    let explicit_dir = explicit.dir.map(|dir| normalise_dir(&dir)).transpose()?;
    let mut uri = explicit_uri.map(|uri| recorded(uri, Source::Explicit));
    let mut dir = explicit_dir.map(|dir| recorded(dir, Source::Explicit));
    if detection == Detection::Auto && (uri.is_none() || dir.is_none()) {
        let detected = detect(environment, working_directory);
        let same = uri.as_ref().is_none_or(|uri| detected.uri.as_ref() == Some(&uri.value));
        if dir.is_none() && same {
            dir = detected.dir.map(|dir| recorded(dir, Source::Detected));
        }
        uri = uri.or_else(|| detected.uri.map(|uri| recorded(uri, Source::Detected)));
    }
    Ok(Repository { uri, dir })
}

/// A detected pair, both from one checkout.
#[derive(Default)]
struct Detected {
    uri: Option<String>,
    dir: Option<String>,
}

/// Detects the pair: the URI from the CI system if it names a usable one, otherwise from the
/// checkout; the directory below the top of the same repository. Without a URI, the directory would be
/// one of an unknown repository, and is not detected either.
fn detect(environment: Environment<'_>, working_directory: &Path) -> Detected {
    let environment = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
    let normalised = |uri: Option<String>| uri.and_then(|uri| normalise_uri(&uri).ok());
    let real = |path: &Path| path.canonicalize().ok();
    let directory = real(working_directory).map(|directory| outside_terragrunt_cache(&directory));
    let contains = |top: &PathBuf| directory.as_ref().is_some_and(|dir| dir.starts_with(top));
    let ci = ci::find_checkout(&environment);
    let ci_top = ci.top.and_then(|top| real(&top)).filter(contains);
    let git = directory.as_deref().and_then(git::find_checkout);
    let git_uri = normalised(git.as_ref().and_then(|git| git.origin.clone()));
    let git_top = git.map(|git| git.top);
    let (uri, top) = match (normalised(ci.uri), git_uri) {
        // The checkout may be in a directory below the workspace of the CI system.
        (Some(ci_uri), Some(git_uri)) if ci_uri == git_uri => (ci_uri, git_top),
        // A path in another repository inside the workspace is not one in the CI system's repository.
        (Some(ci_uri), Some(_)) => {
            let holds_workspace = |top: &PathBuf| git_top.is_some_and(|git| top.starts_with(git));
            (ci_uri, ci_top.filter(holds_workspace))
        }
        // A CI system may leave its top directory out, or check out elsewhere.
        (Some(ci_uri), None) => (ci_uri, ci_top.or(git_top)),
        // An odd remote of a CI system must not hide a good one of the checkout.
        (None, Some(git_uri)) => (git_uri, git_top),
        (None, None) => return Detected::default(),
    };
    let dir = top.zip(directory).and_then(|(top, directory)| below(&top, &directory));
    Detected { uri: Some(uri), dir: dir.filter(|dir| !dir.is_empty()) }
}

/// Returns the directory of the unit for a directory in a cache of Terragrunt, which copies each unit
/// into one. The copy of a module may contain the module's `.git`, and the hash in its path changes.
fn outside_terragrunt_cache(directory: &Path) -> PathBuf {
    directory.components().take_while(|part| part.as_os_str() != ".terragrunt-cache").collect()
}

/// Returns the path of a directory below the top, with slashes; "" for the top itself, and `None`
/// outside of it. Both are canonical.
fn below(top: &Path, directory: &Path) -> Option<String> {
    let mut parts = Vec::new();
    for component in directory.strip_prefix(top).ok()?.components() {
        let Component::Normal(part) = component else { return None };
        parts.push(part.to_str()?);
    }
    let path = parts.join("/");
    (!path.chars().any(char::is_control)).then_some(path)
}

/// Returns an explicit directory in normal form: with slashes, and without `.` and empty parts; ""
/// for the top itself.
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

#[cfg(test)]
mod tests;
