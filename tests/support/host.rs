//! The terraform or tofu that the acceptance tests run, and the features that it supports.

use std::ffi::OsString;
use std::process::Command;
use std::sync::LazyLock;
use std::{env, fmt};

use super::announce_untested;

/// Returns the terraform or tofu to test with: `TERRAFORM_BINARY`, which `cargo xtask test` sets,
/// or `terraform`.
pub(super) fn binary() -> OsString {
    env::var_os("TERRAFORM_BINARY")
        .filter(|binary| !binary.is_empty())
        .unwrap_or_else(|| "terraform".into())
}

/// The major and the minor number of a version.
type Minor = (u32, u32);

/// A product and its version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostVersion {
    pub(crate) is_tofu: bool,
    pub(crate) version: Minor,
}

/// Something that not every host can do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Feature {
    /// `destroy` in `lifecycle` blocks of resources.
    DestroyFalse,
    /// `ephemeral` in `variable` blocks.
    EphemeralVariables,
    /// `lifecycle { destroy = false }` in a `resource` block: what is replaced is forgotten.
    Forget,
    /// Identities, and `identity` in `import` blocks.
    Identity,
    /// A mark of the plan inside an apply.
    MarkedApply,
    /// `import` blocks in modules.
    ModuleImports,
    /// Private state of a plan, which the plan inside the apply receives.
    PlannedPrivateState,
    /// `query` and its `list` blocks.
    Query,
}

impl Feature {
    /// Returns the first versions of Terraform and OpenTofu that support it.
    fn since(self) -> (Option<Minor>, Option<Minor>) {
        match self {
            Self::DestroyFalse => (Some((1, 16)), Some((1, 12))),
            Self::EphemeralVariables => (Some((1, 10)), Some((1, 11))),
            Self::Forget => (Some((1, 16)), Some((1, 12))),
            Self::Identity => (Some((1, 12)), Some((1, 12))),
            Self::MarkedApply => (Some((1, 9)), None),
            Self::ModuleImports | Self::PlannedPrivateState => (Some((1, 16)), None),
            Self::Query => (Some((1, 14)), None),
        }
    }
}

/// Returns the host that the tests run with.
pub(crate) fn host_version() -> HostVersion {
    static HOST: LazyLock<HostVersion> = LazyLock::new(|| {
        let output = Command::new(binary())
            .arg("version")
            .env("CHECKPOINT_DISABLE", "1")
            .env_remove("TF_CLI_CONFIG_FILE")
            .output()
            .expect("acceptance tests need terraform on PATH, or TERRAFORM_BINARY that names one");
        let text = String::from_utf8_lossy(&output.stdout);
        HostVersion::parse(&text).unwrap_or_else(|| panic!("no version in {text:?}"))
    });
    *HOST
}

impl HostVersion {
    /// Reads the first line of `terraform version`.
    fn parse(text: &str) -> Option<Self> {
        let (product, version) = text.lines().next()?.split_once(" v")?;
        let is_tofu = match product {
            "Terraform" => false,
            "OpenTofu" => true,
            _ => return None,
        };
        let mut numbers = version.split('.').map(str::parse);
        let version = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        Some(Self { is_tofu, version })
    }

    /// Returns whether the host has the feature. Does not announce an untested case.
    pub(crate) fn has(self, feature: Feature) -> bool {
        let (terraform, tofu) = feature.since();
        let since = if self.is_tofu { tofu } else { terraform };
        since.is_some_and(|since| self.version >= since)
    }

    /// Returns whether the host supports the feature. Announces a test that does not run.
    #[must_use]
    #[track_caller]
    pub(crate) fn supports(self, feature: Feature) -> bool {
        self.is_tested(self.has(feature), &format!("lacks {feature:?}"))
    }

    /// Returns whether the host is older than a feature, with which it also became stricter.
    /// Announces a test that does not run.
    #[must_use]
    #[track_caller]
    pub(crate) fn is_before(self, feature: Feature) -> bool {
        self.is_tested(!self.has(feature), &format!("has {feature:?}"))
    }

    /// Returns whether a test applies to the host. Announces it if not.
    #[track_caller]
    fn is_tested(self, applies: bool, reason: &str) -> bool {
        if !applies {
            announce_untested(&format!("with {self}, which {reason}"));
        }
        applies
    }
}

impl fmt::Display for HostVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let product = if self.is_tofu { "OpenTofu" } else { "Terraform" };
        write!(f, "{product} {}.{}", self.version.0, self.version.1)
    }
}
