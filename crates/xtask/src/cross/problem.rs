//! The problem of a step: it failed, or this machine cannot do it.

/// The reason why a step did not end well.
#[derive(Debug)]
pub(super) enum Problem {
    /// No Linux machine can do it.
    Missing(String),
    /// A program or a library that it needs is not installed, and could not be installed.
    NotInstalled(String),
    /// It failed.
    Failed(anyhow::Error),
}

impl Problem {
    /// Creates the problem of a step that no Linux machine can do.
    pub(super) fn missing(reason: String) -> Self {
        Self::Missing(reason)
    }

    /// Creates the problem of something that is not installed.
    pub(super) fn not_installed(reason: String) -> Self {
        Self::NotInstalled(reason)
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}
