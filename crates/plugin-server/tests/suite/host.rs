//! The version of the host that the tests run with.

use std::io::Write as _;
use std::process::Command;
use std::sync::LazyLock;

use super::terraform::binary;

/// Returns the name and the version of the host, such as `Terraform` and (1, 15).
fn host() -> (&'static str, (u32, u32)) {
    static FIRST_LINE: LazyLock<String> = LazyLock::new(|| {
        let mut command = Command::new(binary());
        command.arg("version").env("CHECKPOINT_DISABLE", "1").env_remove("TF_CLI_CONFIG_FILE");
        String::from_utf8(command.output().expect("a host").stdout).unwrap()
    });
    let (name, version) = FIRST_LINE.split_once(" v").expect("the name and the version");
    let mut numbers = version.split(['.', '\n', '-']).map(|number| number.parse().unwrap());
    (name, (numbers.next().unwrap(), numbers.next().unwrap()))
}

/// Returns whether the host supports `action` blocks, as Terraform 1.14 does. If not, a line on standard
/// error states that the test did not run. The test runner does not capture it.
#[must_use]
pub(super) fn supports_actions(test: &str) -> bool {
    let (name, (major, minor)) = host();
    let supported = name == "Terraform" && (major, minor) >= (1, 14);
    if !supported {
        let line = format!("NOT TESTED with {name} {major}.{minor}: {test} needs actions\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    supported
}
