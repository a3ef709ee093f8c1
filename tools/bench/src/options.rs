//! The command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context as _, Result, bail, ensure};
use lexopt::prelude::*;

use crate::figures::{first_line, machine, version_of};
use crate::scenario::{GROWTH, SCENARIOS, Scenario};

/// The command that the command line selects.
pub(crate) enum Command {
    Help,
    /// Measure whole runs of terraform.
    Terraform(Options),
    /// Draw the figures in `benchmarks/`.
    Picture,
}

/// The options of a measurement.
pub(crate) struct Options {
    /// The provider's binary.
    pub(crate) provider: PathBuf,
    /// The binary of terraform or tofu.
    pub(crate) terraform: PathBuf,
    /// Further hosts for the growth.
    pub(crate) hosts: Vec<PathBuf>,
    /// Providers to compare with: the last part of their source address, version, and binary.
    pub(crate) others: Vec<(String, String, PathBuf)>,
    /// The scenarios to measure with terraform.
    pub(crate) scenarios: Vec<Scenario>,
    /// Whether the growth with the number of roles is measured.
    pub(crate) growth: bool,
    /// The number of rounds.
    pub(crate) rounds: usize,
    /// Whether results are written to `benchmarks/` as well.
    pub(crate) write: bool,
}

/// The text of `--help`.
pub(crate) const HELP: &str = "\
Measures the provider against the local service.

Usage: cargo xtask bench [options]      runs a real terraform
       cargo xtask bench --picture      draws the figures in benchmarks/ again

  --write                Write the results to benchmarks/ as well, and draw their picture.

  --scenario NAME        Measure this scenario only. Can be repeated. [default: all]
                           latency    plan without changes, 1000 roles in 10 listings, 80 ms
                           rate       plan without changes, 200 roles in 2 listings, 5 requests
                                      a second
                           terraform  create, plan, edit, destroy, 500 roles, no latency
                           growth     plan without changes, 100 to 3000 roles, in two layouts
  --rounds N             Rounds; the figures are medians. [default: 3]
  --host BINARY          Compare the layouts with another terraform or tofu as well. Can be
                         repeated.
  --other NAME[@VERSION]=BINARY
                         Compare with another provider. NAME is restapi (Mastercard/restapi) or
                         restful (magodo/restful). Can be repeated.

TERRAFORM_BINARY selects another terraform than the first on PATH.
";

/// Parses the command line. `cargo xtask bench` adds the paths of the binaries.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Command> {
    let mut options = Options {
        provider: PathBuf::new(),
        terraform: std::env::var_os("TERRAFORM_BINARY").unwrap_or_default().into(),
        hosts: Vec::new(),
        others: Vec::new(),
        scenarios: Vec::new(),
        growth: false,
        rounds: 3,
        write: false,
    };
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") | Short('h') => return Ok(Command::Help),
            Long("picture") => return Ok(Command::Picture),
            Long("provider") => options.provider = parser.value()?.into(),
            Long("write") => options.write = true,
            Long("scenario") => {
                let name = parser.value()?.string()?;
                if name == GROWTH {
                    options.growth = true;
                    continue;
                }
                let found = SCENARIOS.iter().find(|scenario| scenario.name == name);
                options.scenarios.push(*found.with_context(|| format!("unknown scenario {name}"))?);
            }
            Long("host") => {
                let host = PathBuf::from(parser.value()?);
                let found = host.canonicalize().with_context(|| host.display().to_string())?;
                options.hosts.push(found);
            }
            Long("rounds") => options.rounds = parser.value()?.parse()?,
            Long("other") => options.others.push(other(&parser.value()?.string()?)?),
            argument => return Err(argument.unexpected().into()),
        }
    }
    ensure!(options.rounds > 0, "rounds must be positive");
    ensure!(options.provider.is_file(), "run `cargo xtask bench`, which builds the provider");
    // Plugins are started in another directory than this one.
    options.provider = options.provider.canonicalize()?;
    if options.scenarios.is_empty() && !options.growth {
        options.scenarios = SCENARIOS.to_vec();
        options.growth = true;
    }
    Ok(Command::Terraform(options))
}

/// Parses `NAME[@VERSION]=BINARY`. The path becomes absolute, because plugins start in another
/// directory.
fn other(text: &str) -> Result<(String, String, PathBuf)> {
    let Some((name, binary)) = text.split_once('=') else {
        bail!("--other needs NAME=BINARY, not {text:?}");
    };
    let binary = Path::new(binary).canonicalize().with_context(|| binary.to_owned())?;
    let (name, version) = name.split_once('@').unwrap_or((name, "of unknown version"));
    Ok((name.to_owned(), version.to_owned(), binary))
}

impl Options {
    /// Returns the number of rounds, the versions, and the machine.
    pub(crate) fn conditions(&self) -> Result<String> {
        let mut versions = vec![version_of(&self.terraform)?];
        versions.push(first_line(process::Command::new(&self.provider).arg("--version"))?);
        versions.extend(self.others.iter().map(|(name, version, _)| format!("{name} {version}")));
        let (rounds, versions) = (self.rounds, versions.join(", "));
        Ok(format!("Median of {rounds} rounds. {versions}; {}.", machine()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<Command> {
        let own = std::env::current_exe().unwrap();
        let provider = ["--provider".into(), own.into_os_string()];
        read(provider.into_iter().chain(line.split_whitespace().map(OsString::from)))
    }

    #[test]
    fn options_select_what_is_measured() {
        let own = std::env::current_exe().unwrap();
        let line = format!("--scenario rate --rounds 5 --other restapi@3.0.0={}", own.display());
        let Command::Terraform(options) = read_line(&line).unwrap() else { panic!() };
        assert_eq!((options.scenarios.len(), options.scenarios[0].name), (1, "rate"));
        assert_eq!((options.rounds, options.others[0].1.as_str()), (5, "3.0.0"));
        let Command::Terraform(options) = read_line("").unwrap() else { panic!() };
        assert!(options.scenarios.len() == SCENARIOS.len() && options.growth);
        let Command::Terraform(options) = read_line("--scenario growth").unwrap() else { panic!() };
        assert!(options.scenarios.is_empty() && options.growth);
    }
}
