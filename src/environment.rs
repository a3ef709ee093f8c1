//! The only file that reads the environment of the process.

use std::env;
use std::path::PathBuf;

/// The environment variables that count for a configuration: a function, so that tests can pass
/// their own.
pub(crate) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns a variable of this process. Parts that are not valid Unicode become
/// [`char::REPLACEMENT_CHARACTER`], which every reader refuses: a variable that is set must not
/// count as unset.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Returns the working directory; an empty path if it was deleted under Terraform.
pub(crate) fn working_directory() -> PathBuf {
    env::current_dir().unwrap_or_default()
}
