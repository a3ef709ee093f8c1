//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use lexopt::prelude::*;

use crate::scenario::Scenario;

/// The command that the command line selects.
pub(crate) enum Command {
    /// Print [`HELP`].
    Help,
    /// Measure whole runs of terraform.
    Terraform(Options),
    /// Measure gRPC alone.
    Driver(Options),
}

/// The options of a measurement. Some of them apply to only one of the two commands.
pub(crate) struct Options {
    /// The provider's binary.
    pub(crate) provider: PathBuf,
    /// The binary of `plugin-meter`, which terraform starts in place of a plugin.
    pub(crate) meter: PathBuf,
    /// The binary of terraform or tofu.
    pub(crate) terraform: PathBuf,
    /// Providers to compare with.
    pub(crate) others: Vec<Other>,
    /// The scenarios to measure with terraform; the driver uses the first one's latency and rate.
    pub(crate) scenarios: Vec<Scenario>,
    /// The number of rounds.
    pub(crate) rounds: usize,
    /// Terraform's `-parallelism`; calls at once for the driver.
    pub(crate) parallelism: usize,
    /// Numbers of roles for the driver.
    pub(crate) sizes: Vec<usize>,
    /// The provider's `drift_detection` for the driver.
    pub(crate) drift_detection: String,
    /// Whether the driver does not encrypt its connection.
    pub(crate) plain: bool,
    /// Directory to which results are written; they are always printed.
    pub(crate) write: Option<PathBuf>,
}

/// A provider to compare with.
pub(crate) struct Other {
    /// The last part of its source address.
    pub(crate) name: String,
    /// Its version, or empty if the command line did not contain it.
    pub(crate) version: String,
    /// Its binary.
    pub(crate) binary: PathBuf,
}

/// The text of `--help`.
pub(crate) const HELP: &str = "\
Measures the provider against the local service.

Usage: cargo xtask bench [options]             runs a real terraform
       cargo xtask bench --driver [options]    makes the same calls over gRPC, without terraform

Options of both commands:
  --latency MS           Time that the service waits before each response. [default: 0]
  --rate N               The service returns 429 beyond N requests per second. [default: no limit]
  --parallelism N        Number of concurrent calls. [default: 10]
  --write                Write the results to benchmarks/. `cargo xtask docs` copies them into
                         docs/performance.md.

With terraform (TERRAFORM_BINARY selects another one than the first on PATH):
  --scenario NAME        Measure this scenario only. Can be repeated. [default: all]
                           latency    plan without changes, 1000 roles in 10 listings, 80 ms
                           rate       plan without changes, 200 roles in 2 listings, 5 requests
                                      a second
                           terraform  create, plan, edit, destroy, 500 roles, no latency
  --roles N              Roles in the configuration, instead of the scenario's.
  --listings N           Listings of these roles, instead of the scenario's.
                         If --latency, --rate, --roles or --listings is set and --scenario is not,
                         only the scenario terraform is measured. They exclude --write.
  --rounds N             Rounds; the figures are medians. [default: 3]
  --other NAME[@VERSION]=BINARY
                         Compare with another provider. NAME is restapi (Mastercard/restapi) or
                         restful (magodo/restful). Can be repeated.

With --driver:
  --sizes N,N,...        Numbers of roles. [default: 100,1000,5000,10000]
  --drift-detection MODE auto, list or off. [default: auto]
  --plain                Do not encrypt the connection, to measure the cost of encryption.
";

/// Values that replace those of every selected scenario.
#[derive(Default)]
struct Overrides {
    roles: Option<usize>,
    listings: Option<usize>,
    latency: Option<Duration>,
    requests_per_second: Option<u32>,
}

impl Overrides {
    fn is_empty(&self) -> bool {
        let Self { roles, listings, latency, requests_per_second } = self;
        roles.is_none() && listings.is_none() && latency.is_none() && requests_per_second.is_none()
    }

    fn apply(&self, scenario: &mut Scenario) {
        scenario.roles = self.roles.unwrap_or(scenario.roles);
        scenario.listings = self.listings.unwrap_or(scenario.listings);
        scenario.latency = self.latency.unwrap_or(scenario.latency);
        scenario.requests_per_second = self.requests_per_second.or(scenario.requests_per_second);
        if !self.is_empty() {
            // The goals apply only to the scenario's own numbers.
            scenario.goals = crate::scenario::Goals::default();
        }
    }
}

/// Parses the command line. `cargo xtask bench` adds the paths of the binaries.
///
/// # Errors
///
/// Fails if an option is unknown, or if a value is missing or invalid.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Command> {
    let mut options = Options {
        provider: PathBuf::new(),
        meter: std::env::current_exe()?.with_file_name("plugin-meter"),
        terraform: std::env::var_os("TERRAFORM_BINARY").unwrap_or_default().into(),
        others: Vec::new(),
        scenarios: Vec::new(),
        rounds: 3,
        parallelism: 10,
        sizes: vec![100, 1000, 5000, 10_000],
        drift_detection: "auto".to_owned(),
        plain: false,
        write: None,
    };
    let mut overrides = Overrides::default();
    let mut driver = false;
    let mut parser = lexopt::Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") | Short('h') => return Ok(Command::Help),
            Long("driver") => driver = true,
            Long("provider") => options.provider = parser.value()?.into(),
            Long("write-to") => options.write = Some(parser.value()?.into()),
            Long("scenario") => options.scenarios.push(scenario(&parser.value()?.string()?)?),
            Long("latency") => {
                overrides.latency = Some(Duration::from_millis(parser.value()?.parse()?));
            }
            Long("rate") => {
                let rate = positive(&mut parser)?;
                overrides.requests_per_second = Some(u32::try_from(rate)?);
            }
            Long("roles") => overrides.roles = Some(positive(&mut parser)?),
            Long("listings") => overrides.listings = Some(positive(&mut parser)?),
            Long("parallelism") => options.parallelism = positive(&mut parser)?,
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
    ensure!(options.provider.is_file(), "run `cargo xtask bench`, which builds the provider");
    // Plugins are started in another directory than this one.
    options.provider = options.provider.canonicalize()?;
    // Published results are those of the conditions that their page describes.
    ensure!(
        driver || overrides.is_empty() || options.write.is_none(),
        "--write excludes --latency, --rate, --roles and --listings"
    );
    if options.scenarios.is_empty() {
        let is_local = driver || !overrides.is_empty();
        options.scenarios = if is_local { vec![Scenario::local()] } else { Scenario::all() };
    }
    options.scenarios.iter_mut().for_each(|scenario| overrides.apply(scenario));
    Ok(if driver { Command::Driver(options) } else { Command::Terraform(options) })
}

fn scenario(name: &str) -> Result<Scenario> {
    let all = Scenario::all();
    let names: Vec<_> = all.iter().map(|scenario| scenario.name).collect();
    let unknown = format!("unknown scenario {name:?}: {} are known", names.join(", "));
    all.into_iter().find(|scenario| scenario.name == name).context(unknown)
}

fn positive(parser: &mut lexopt::Parser) -> Result<usize> {
    let number = parser.value()?.parse()?;
    ensure!(number > 0, "a number must be positive");
    Ok(number)
}

fn other(text: &str) -> Result<Other> {
    let Some((name, binary)) = text.split_once('=') else {
        bail!("--other needs NAME=BINARY, not {text:?}");
    };
    let binary = PathBuf::from(binary);
    ensure!(binary.is_file(), "{} does not exist", binary.display());
    let (name, version) = name.split_once('@').unwrap_or((name, ""));
    Ok(Other { name: name.to_owned(), version: version.to_owned(), binary: binary.canonicalize()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_line(line: &str) -> Result<Command> {
        let own = std::env::current_exe().unwrap();
        let provider = ["--provider".into(), own.into_os_string()];
        read(provider.into_iter().chain(line.split_whitespace().map(OsString::from)))
    }

    fn scenarios(line: &str) -> Vec<Scenario> {
        let Command::Terraform(options) = read_line(line).unwrap() else { panic!("terraform") };
        options.scenarios
    }

    #[test]
    fn driver_options_reach_the_measurement() {
        let line = "--driver --latency 20 --rate 50 --sizes 1,20 --plain";
        let Command::Driver(options) = read_line(line).unwrap() else { panic!("driver") };
        assert_eq!(options.scenarios[0].latency, Duration::from_millis(20));
        assert_eq!(options.scenarios[0].requests_per_second, Some(50));
        assert_eq!(options.sizes, [1, 20]);
        assert!(options.plain);
    }

    #[test]
    fn scenarios_are_all_unless_selected() {
        let names =
            |line: &str| scenarios(line).iter().map(|scenario| scenario.name).collect::<Vec<_>>();
        assert_eq!(names(""), ["latency", "rate", "terraform"]);
        assert_eq!(names("--scenario rate"), ["rate"]);
        assert_eq!(names("--latency 80"), ["terraform"]);
        assert_eq!(names("--scenario latency --roles 7"), ["latency"]);
        assert!(names("--write-to x").len() > 1);
    }

    #[test]
    fn scenario_numbers_can_be_replaced() {
        let changed = &scenarios("--scenario latency --roles 7 --listings 2 --rate 3")[0];
        assert_eq!((changed.roles, changed.listings), (7, 2));
        assert_eq!(changed.latency, Duration::from_millis(80));
        assert_eq!(changed.requests_per_second, Some(3));
        assert!(changed.goals.requests.is_none(), "a goal of other numbers");
    }

    #[test]
    fn other_providers_have_a_name_a_binary_and_an_optional_version() {
        let own = std::env::current_exe().unwrap();
        let named = other(&format!("restapi@3.0.0={}", own.display())).unwrap();
        assert_eq!((named.name.as_str(), named.version.as_str()), ("restapi", "3.0.0"));
        let unnamed = other(&format!("restful={}", own.display())).unwrap();
        assert_eq!((unnamed.name.as_str(), unnamed.version.as_str()), ("restful", ""));
        assert!(other("restapi=/nowhere").is_err());
    }

    #[test]
    fn invalid_options_are_refused() {
        for (line, part) in [
            ("--rounds 0", "positive"),
            ("--rate 0", "positive"),
            ("--sizes 1,x", "invalid digit"),
            ("--sizes 0", "--sizes must be positive"),
            ("--other restapi", "NAME=BINARY"),
            ("--scenario far", "latency, rate, terraform"),
            ("--write-to x --roles 3", "--write excludes"),
            ("--unheard", "unheard"),
        ] {
            let Err(error) = read_line(line) else { panic!("{line} is accepted") };
            assert!(error.to_string().contains(part), "{line}: {error}");
        }
        assert!(read(std::iter::empty()).is_err());
    }
}
