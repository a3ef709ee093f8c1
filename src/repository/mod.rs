//! The repository that is recorded on roles: `repoUri` and `repoDir`, both from one source. Values that
//! are set explicitly replace detection as a whole.

mod git;
mod normalise;
mod pair;

pub(crate) use git::detect;
pub(crate) use normalise::{normalise_dir, normalise_uri};
pub(crate) use pair::{Repository, same_dir, same_uri};

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
    /// Returns the repository of explicit values; without any, the repository is `detected`.
    pub(crate) fn new(explicit: Repository, detected: impl FnOnce() -> Repository) -> Self {
        let is_explicit = explicit != Repository::default();
        let written = if is_explicit { explicit.clone().whole() } else { detected() };
        Self { written, enforced: explicit }
    }
}

#[cfg(test)]
mod tests;
