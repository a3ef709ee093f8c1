//! The repository that is recorded on roles: `repoUri` and `repoDir`, both from one source. Values that
//! are set explicitly replace detection as a whole.

use access_client::repository::Repository;

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

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(uri: Option<&str>, dir: Option<&str>) -> Repository {
        Repository { uri: uri.map(str::to_owned), dir: dir.map(str::to_owned) }
    }

    #[test]
    fn explicit_values_replace_detection_as_a_whole_and_are_enforced() {
        let detected = pair(Some("https://h/a/b"), Some(""));
        let (uri, dir) = (Some("https://set/x/y"), Some("d"));
        // What is set and therefore enforced, and what is written.
        for (explicit, written) in [
            (pair(uri, dir), pair(uri, dir)),
            (pair(uri, None), pair(uri, Some(""))),
            (pair(None, dir), pair(Some(""), dir)),
            (pair(None, None), detected.clone()),
        ] {
            let repository = OwnRepository::new(explicit.clone(), || detected.clone());
            assert_eq!(repository, OwnRepository { written, enforced: explicit });
        }
    }
}
