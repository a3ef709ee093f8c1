//! The version of the host that the tests run with.

use std::io::Write as _;
use std::process::Command;
use std::sync::LazyLock;

use super::terraform::binary;

/// A feature that not every host supports.
#[derive(Clone, Copy, Debug)]
pub(super) enum Feature {
    /// `ephemeral` blocks.
    EphemeralResources,
    /// `action` blocks.
    Actions,
}

impl Feature {
    /// Returns the first versions of Terraform and of OpenTofu that support it.
    fn since(self) -> [Option<(u32, u32)>; 2] {
        match self {
            Self::EphemeralResources => [Some((1, 10)), Some((1, 11))],
            Self::Actions => [Some((1, 14)), None],
        }
    }
}

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

/// Returns whether the host supports the feature. If not, a line on standard error states that the
/// test did not run. The test runner does not capture it.
#[must_use]
pub(super) fn supports(feature: Feature, test: &str) -> bool {
    let (name, version) = host();
    let [terraform, tofu] = feature.since();
    let since = if name == "OpenTofu" { tofu } else { terraform };
    let supported = since.is_some_and(|since| version >= since);
    if !supported {
        let (major, minor) = version;
        let line = format!("NOT TESTED with {name} {major}.{minor}: {test} needs {feature:?}\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    supported
}
