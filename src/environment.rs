//! The only file that reads the environment of the process.

use std::env;
use std::path::PathBuf;

/// The environment variables that count for a configuration: a function, so that tests can pass
/// their own.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns a variable of this process. One that is not valid Unicode counts as unset.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Returns the working directory; an empty path if it was deleted under Terraform.
pub(crate) fn working_directory() -> PathBuf {
    env::current_dir().unwrap_or_default()
}

/// Returns the directory for temporary files.
pub(crate) fn temporary_directory() -> PathBuf {
    env::temp_dir()
}
