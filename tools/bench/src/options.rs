//! The command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use lexopt::prelude::*;

/// The listings over which the roles in the modules of `examples/team` are spread.
pub(crate) const TEAM_LISTINGS: usize = 10;

/// Returns the directory of the configurations.
pub(crate) fn configurations() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("configurations")
}

/// The text of `--help`.
pub(crate) const HELP: &str = "\
Measures the provider against the local service, with a real terraform, and prints a table:
apply new roles, plan the same, apply an edit of all, destroy.

Usage: cargo xtask bench [options]

  --roles N         Roles of one resource. 0 leaves this measurement out. [default: 500]
  --team N          Roles of ten listings in the modules of examples/team. 0 leaves this measurement
                    out. [default: 2000]
  --latency MS      The service waits so long before each response. [default: 0]
  --other NAME=BINARY
                    Measure the roles of one resource with this provider as well. NAME is a
                    directory of tools/bench/configurations. Can be repeated.

TERRAFORM_BINARY selects another terraform or tofu than the first on PATH.
";

/// What is measured.
pub(crate) struct Options {
    /// The provider's binary.
    pub(crate) provider: PathBuf,
    /// The binary of terraform or tofu.
    pub(crate) terraform: PathBuf,
    /// Other providers: the directory of the configuration, and the binary.
    pub(crate) others: Vec<(String, PathBuf)>,
    /// The roles of one resource.
    pub(crate) roles: usize,
    /// The roles in the modules of `examples/team`.
    pub(crate) team: usize,
    pub(crate) latency_ms: u64,
}

/// Parses the command line, or returns `None` for `--help`. `cargo xtask bench` adds `--provider`
/// and sets `TERRAFORM_BINARY`.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>> {
    let mut options = Options {
        provider: PathBuf::new(),
        terraform: std::env::var_os("TERRAFORM_BINARY").unwrap_or_default().into(),
        others: Vec::new(),
        roles: 500,
        team: 2000,
        latency_ms: 0,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") | Short('h') => return Ok(None),
            Long("provider") => options.provider = parser.value()?.into(),
            Long("roles") => options.roles = parser.value()?.parse()?,
            Long("team") => options.team = parser.value()?.parse()?,
            Long("latency") => options.latency_ms = parser.value()?.parse()?,
            Long("other") => options.others.push(other(&parser.value()?.string()?)?),
            argument => return Err(argument.unexpected().into()),
        }
    }
    ensure!(options.team.is_multiple_of(TEAM_LISTINGS), "--team must be a multiple of ten");
    // Plugins are started in another directory than this process.
    options.provider =
        options.provider.canonicalize().context("run `cargo xtask bench`, which builds it")?;
    Ok(Some(options))
}

/// Parses `NAME=BINARY`.
fn other(text: &str) -> Result<(String, PathBuf)> {
    let Some((name, binary)) = text.split_once('=') else {
        bail!("--other needs NAME=BINARY, not {text:?}");
    };
    let configuration = configurations().join(name).join("main.tf");
    ensure!(configuration.is_file(), "{} does not exist", configuration.display());
    let binary = Path::new(binary).canonicalize().with_context(|| binary.to_owned())?;
    Ok((name.to_owned(), binary))
}
