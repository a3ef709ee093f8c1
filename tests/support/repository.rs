//! The files of this repository.

use std::process::Command;

/// Returns the names of the files that Git tracks.
pub(crate) fn tracked_files() -> Vec<String> {
    let top = env!("CARGO_MANIFEST_DIR");
    let output = Command::new("git").arg("ls-files").current_dir(top).output().expect("git runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("names in UTF-8").lines().map(str::to_owned).collect()
}
