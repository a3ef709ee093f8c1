//! The problem of a step: it failed, or this machine cannot do it.

/// The reason why a step did not end well.
#[derive(Debug)]
pub(super) enum Problem {
    /// Something that it needs is not available on this machine.
    Missing(String),
    /// It failed.
    Failed(anyhow::Error),
}

impl Problem {
    /// Creates the problem of something that is not available.
    pub(super) fn missing(reason: String) -> Self {
        Self::Missing(reason)
    }
}

impl From<anyhow::Error> for Problem {
    fn from(error: anyhow::Error) -> Self {
        Self::Failed(error)
    }
}
