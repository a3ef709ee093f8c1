//! What acceptance tests share: a working directory with a terraform in it.

mod outcome;
mod workspace;

pub(crate) use outcome::Outcome;
pub(crate) use workspace::Workspace;
