//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use access_fake::{RateLimit, RetryAfter, World};
use anyhow::{Result, bail, ensure};
use lexopt::prelude::*;

/// What the command line asks for.
pub(crate) enum Command {
    /// The text of `--help`.
    Help,
    /// Whole runs of terraform.
    Terraform(Options),
    /// gRPC alone.
    Driver(Options),
}

/// How to measure. Not every option means something to both.
pub(crate) struct Options {
    /// The provider's binary.
    pub(crate) provider: PathBuf,
    /// The program between terraform and a plugin.
    pub(crate) meter: PathBuf,
    /// terraform or tofu.
    pub(crate) terraform: PathBuf,
    /// Providers to compare with.
    pub(crate) others: Vec<Other>,
    /// Resources in a configuration.
    pub(crate) resources: usize,
    /// How often everything is measured.
    pub(crate) rounds: usize,
    /// What terraform does at once.
    pub(crate) parallelism: usize,
    /// How the service behaves.
    pub(crate) world: World,
    /// Numbers of roles for the driver.
    pub(crate) sizes: Vec<usize>,
    /// The provider's `drift_detection` for the driver.
    pub(crate) drift_detection: String,
    /// Whether the driver does without encryption.
    pub(crate) plain: bool,
    /// Where results are written; else only printed.
    pub(crate) write: Option<PathBuf>,
}

/// A provider to compare with.
pub(crate) struct Other {
    /// The last part of its source address.
    pub(crate) name: String,
    /// Its version, empty where it was not said.
    pub(crate) version: String,
    /// Its binary.
    pub(crate) binary: PathBuf,
}

/// What `--help` says.
pub(crate) const HELP: &str = "\
Measures the provider against the local service.

Usage: cargo xtask bench [options]             whole runs of a real terraform: create, unchanged
                                               plan, edit of all, destroy
       cargo xtask bench --driver [options]    the same calls over gRPC, without terraform

Both:
  --latency MS           The service waits so long before every answer. [default: 0]
  --rate N               The service answers 429 beyond N requests a second. [default: no limit]
  --parallelism N        Calls at once. [default: 10]
  --write                Write the results to benchmarks/; `cargo xtask docs` puts them into
                         docs/performance.md.

With terraform (TERRAFORM_BINARY chooses another one than the first on PATH):
  --resources N          Roles in the configuration. [default: 1000]
  --rounds R             Rounds; the figures are medians. [default: 3]
  --other NAME[@VERSION]=BINARY
                         Compare with another provider, NAME being restapi (Mastercard/restapi) or
                         restful (magodo/restful). May stand more than once.

With --driver:
  --sizes N,N,…          Numbers of roles. [default: 100,1000,5000,10000]
  --drift-detection MODE auto, list or off. [default: auto]
  --plain                Without encryption between driver and plugin, to see what it costs.
";

/// Reads the command line. Which binaries to use is said by `cargo xtask bench`.
///
/// # Errors
///
/// Something is unknown, missing or no number.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Command> {
    let mut options = Options {
        provider: PathBuf::new(),
        meter: std::env::current_exe()?.with_file_name("plugin-meter"),
        terraform: std::env::var_os("TERRAFORM_BINARY").unwrap_or_default().into(),
        others: Vec::new(),
        resources: 1000,
        rounds: 3,
        parallelism: 10,
        world: World::default(),
        sizes: vec![100, 1000, 5000, 10_000],
        drift_detection: "auto".to_owned(),
        plain: false,
        write: None,
    };
    let mut driver = false;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") | Short('h') => return Ok(Command::Help),
            Long("driver") => driver = true,
            Long("provider") => options.provider = parser.value()?.into(),
            Long("write-to") => options.write = Some(parser.value()?.into()),
            Long("latency") => options.world.latency_ms = parser.value()?.parse()?,
            Long("rate") => {
                let rate: u32 = parser.value()?.parse()?;
                ensure!(rate > 0, "--rate must be positive");
                options.world.rate_limit = Some(RateLimit {
                    per_second: rate.into(),
                    burst: rate,
                    retry_after: RetryAfter::Seconds,
                });
            }
            Long("parallelism") => options.parallelism = positive(&mut parser)?,
            Long("resources") => options.resources = positive(&mut parser)?,
            Long("rounds") => options.rounds = positive(&mut parser)?,
            Long("other") => options.others.push(other(&parser.value()?.string()?)?),
            Long("sizes") => {
                let sizes = parser.value()?.string()?;
                options.sizes = sizes.split(',').map(str::parse).collect::<Result<_, _>>()?;
                ensure!(options.sizes.iter().all(|size| *size > 0), "--sizes must be positive");
            }
            Long("drift-detection") => options.drift_detection = parser.value()?.string()?,
            Long("plain") => options.plain = true,
            argument => return Err(argument.unexpected().into()),
        }
    }
    ensure!(options.provider.is_file(), "run it by `cargo xtask bench`, which builds the provider");
    // Plugins are started in another directory than this one.
    options.provider = options.provider.canonicalize()?;
    Ok(if driver { Command::Driver(options) } else { Command::Terraform(options) })
}

fn positive(parser: &mut lexopt::Parser) -> Result<usize> {
    let number = parser.value()?.parse()?;
    ensure!(number > 0, "a positive number is needed");
    Ok(number)
}

fn other(text: &str) -> Result<Other> {
    let Some((name, binary)) = text.split_once('=') else {
        bail!("--other needs NAME=BINARY, not {text:?}");
    };
    let binary = PathBuf::from(binary);
    ensure!(binary.is_file(), "{} is not there", binary.display());
    let (name, version) = name.split_once('@').unwrap_or((name, ""));
    Ok(Other { name: name.to_owned(), version: version.to_owned(), binary: binary.canonicalize()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_words(words: &str) -> Result<Command> {
        let own = std::env::current_exe().unwrap();
        let provider = ["--provider".into(), own.into_os_string()];
        read(provider.into_iter().chain(words.split_whitespace().map(OsString::from)))
    }

    #[test]
    fn options_reach_the_service_and_the_measurement() {
        let words = "--driver --latency 20 --rate 50 --sizes 1,20 --plain";
        let Command::Driver(options) = read_words(words).unwrap() else { panic!("driver") };
        assert_eq!(options.world.latency_ms, 20);
        assert_eq!(options.world.rate_limit.unwrap().burst, 50);
        assert_eq!(options.sizes, [1, 20]);
        assert!(options.plain);
    }

    #[test]
    fn other_providers_have_a_name_a_binary_and_maybe_a_version() {
        let own = std::env::current_exe().unwrap();
        let named = other(&format!("restapi@3.0.0={}", own.display())).unwrap();
        assert_eq!((named.name.as_str(), named.version.as_str()), ("restapi", "3.0.0"));
        let unnamed = other(&format!("restful={}", own.display())).unwrap();
        assert_eq!((unnamed.name.as_str(), unnamed.version.as_str()), ("restful", ""));
        assert!(other("restapi=/nowhere").is_err());
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        for words in
            ["--rounds 0", "--rate 0", "--sizes 1,x", "--sizes 0", "--other restapi", "--unheard"]
        {
            assert!(read_words(words).is_err(), "{words}");
        }
        assert!(read(std::iter::empty()).is_err());
    }
}
