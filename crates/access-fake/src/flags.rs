//! The command-line flags, which `help.txt` describes. Everything else is set through the admin pages or
//! the Rust API.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

use access_fake::{Absence, Fault, Presence, RateLimit, RetryAfter, Service, World};
use lexopt::{Arg, Parser, ValueExt};

/// The text that `--help` prints.
pub(crate) const HELP: &str = include_str!("help.txt");

/// The command of the arguments.
pub(crate) enum Command {
    Help,
    Version,
    Serve(Box<Settings>),
}

/// The settings of a service to start.
pub(crate) struct Settings {
    pub(crate) address: SocketAddr,
    world: World,
    listings: Vec<String>,
    integrations: Vec<String>,
    faults: Vec<Fault>,
}

impl Settings {
    /// Creates the service.
    pub(crate) fn service(&self) -> Service {
        let service = Service::new(self.world.clone());
        self.listings.iter().for_each(|listing| service.put_listing(listing));
        self.integrations.iter().for_each(|integration| service.put_integration(integration));
        self.faults.iter().for_each(|fault| service.add_fault(fault.clone()));
        service
    }
}

/// Parses the arguments, without the program's name.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut settings = Settings {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8484)),
        world: World::default(),
        listings: Vec::new(),
        integrations: Vec::new(),
        faults: Vec::new(),
    };
    while let Some(argument) = parser.next()? {
        let world = &mut settings.world;
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(Command::Version),
            Arg::Long("address") => settings.address = parsed(&mut parser)?,
            Arg::Long("listing") => settings.listings.push(parser.value()?.string()?),
            Arg::Long("integration") => settings.integrations.push(parser.value()?.string()?),
            Arg::Long("world") => world.set_undocumented(undocumented(&parser.value()?.string()?)?),
            Arg::Long("get") => {
                world.roles.get = parsed(&mut parser)?;
                world.owners.get = world.roles.get;
            }
            Arg::Long("list") => {
                world.roles.list = parsed(&mut parser)?;
                world.owners.list = world.roles.list;
            }
            Arg::Long("delete") => {
                world.roles.delete = parsed(&mut parser)?;
                world.owners.delete = world.roles.delete;
            }
            Arg::Long("no-manager") => world.recognises_caller = false,
            Arg::Long("reads-lag") => world.reads_lag = parsed(&mut parser)?,
            Arg::Long("latency-ms") => world.latency_ms = parsed(&mut parser)?,
            Arg::Long("rate-limit") => world.rate_limit = Some(rate_limit(parsed(&mut parser)?)?),
            Arg::Long("fault") => settings.faults.push(fault(&parser.value()?.string()?)?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Serve(Box::new(settings)))
}

fn parsed<T>(parser: &mut Parser) -> Result<T, lexopt::Error>
where
    T: FromStr,
    T::Err: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    parser.value()?.parse()
}

fn undocumented(world: &str) -> Result<Presence, String> {
    match world {
        "full" => Ok(Presence::Present),
        "documented-only" => Ok(Presence::Absent(Absence::NotFound)),
        _ => Err(format!("{world:?} is not a world: full or documented-only")),
    }
}

fn fault(text: &str) -> Result<Fault, String> {
    serde_json::from_str(text).map_err(|error| format!("{text:?} is not a fault: {error}"))
}

fn rate_limit(per_second: u32) -> Result<RateLimit, String> {
    if per_second == 0 {
        return Err("a rate is a number over 0".to_owned());
    }
    let retry_after = RetryAfter::Seconds;
    Ok(RateLimit { per_second: per_second.into(), burst: per_second, retry_after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Result<Settings, String> {
        match read(line.split(' ').map(OsString::from)).map_err(|error| error.to_string())? {
            Command::Serve(settings) => Ok(*settings),
            Command::Help | Command::Version => Err("not to serve".to_owned()),
        }
    }

    #[test]
    fn flags_change_the_world() {
        let service = settings(
            "--world documented-only --get present --list absent-501 --no-manager --rate-limit 5 \
             --reads-lag 3 --latency-ms 7 --listing a --integration b \
             --fault {\"action\":{\"type\":\"reset\"}}",
        )
        .unwrap()
        .service();
        let mut expected = World::documented_only(Absence::NotFound);
        for operations in [&mut expected.roles, &mut expected.owners] {
            operations.get = Presence::Present;
            operations.list = Presence::Absent(Absence::NotImplemented);
        }
        expected.recognises_caller = false;
        expected.rate_limit = Some(rate_limit(5).unwrap());
        expected.reads_lag = 3;
        expected.latency_ms = 7;
        assert_eq!(service.world(), expected);
        assert!(service.put_role("a", "r", &serde_json::json!({})).is_ok());
        assert_eq!((service.owners("b").len(), service.faults().len()), (1, 1));
    }

    #[test]
    fn invalid_flags_are_refused() {
        for line in [
            "--nonsense",
            "argument",
            "--get absent-403",
            "--world half",
            "--rate-limit 0",
            "--fault {}",
            "--address localhost",
        ] {
            assert!(settings(line).is_err(), "{line}");
        }
    }

    #[test]
    fn help_describes_only_known_flags() {
        let flags = HELP.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
        for flag in flags.filter_map(|line| line.split([' ', ',']).next()) {
            // A flag without its value fails in another way than an unknown one.
            let known = read([format!("--{flag}").into()].into_iter());
            assert!(!matches!(known, Err(lexopt::Error::UnexpectedOption(_))), "{flag}");
        }
    }
}
