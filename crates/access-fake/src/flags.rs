//! The command-line flags, which `help.txt` describes.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};

use access_fake::{Fault, Service, World};
use lexopt::{Arg, Parser, ValueExt};
use serde::de::DeserializeOwned;

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
    parents: Vec<String>,
    faults: Vec<Fault>,
}

impl Settings {
    /// Creates the service.
    ///
    /// # Errors
    ///
    /// No object can have one of the parents.
    pub(crate) fn service(&self) -> Result<Service, String> {
        let service = Service::new(self.world.clone());
        self.parents.iter().try_for_each(|parent| service.put_parent(parent))?;
        self.faults.iter().for_each(|fault| service.add_fault(fault.clone()));
        Ok(service)
    }
}

/// Parses the arguments, without the program's name.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut settings = Settings {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8484)),
        world: World::default(),
        parents: Vec::new(),
        faults: Vec::new(),
    };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(Command::Version),
            Arg::Long("address") => settings.address = parser.value()?.parse()?,
            Arg::Long("parent") => settings.parents.push(parser.value()?.string()?),
            Arg::Long("world") => {
                let change = json(&parser.value()?.string()?)?;
                let changed = settings.world.changed(change);
                settings.world = changed.map_err(|error| error.to_string())?;
            }
            Arg::Long("fault") => settings.faults.push(json(&parser.value()?.string()?)?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(Command::Serve(Box::new(settings)))
}

/// Parses the JSON of a flag. The error quotes it.
fn json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| format!("{text:?} is not valid: {error}"))
}

#[cfg(test)]
mod tests {
    use access_fake::{Absence, Presence};

    use super::*;

    #[test]
    fn flags_change_the_service() {
        let line = "--world {\"operations\":{\"roles\":{\"get\":{\"absent\":\"method_not_allowed\"}}}} --world {\"latency_ms\":7} \
                    --parent listings/a --parent integrations/b --fault {\"action\":{\"type\":\"reset\"}}";
        let Ok(Command::Serve(settings)) = read(line.split(' ').map(OsString::from)) else {
            panic!()
        };
        let service = settings.service().unwrap();
        let mut expected = World { latency_ms: 7, ..World::default() };
        expected.operations.roles.get = Presence::Absent(Absence::MethodNotAllowed);
        assert_eq!(service.world(), expected);
        assert!(service.put("listings/a/roles/r", &serde_json::json!({})).is_ok());
        assert_eq!((service.objects("integrations/b").len(), service.faults().len()), (1, 1));
        assert_eq!(service.put_parent("teams/a"), Err("there are no teams".to_owned()));
    }
}
