//! The command-line flags, which `help.txt` describes.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use access_fake::{
    Absence, DeletedRoles, Fault, Presence, Rank, RateLimit, RetryAfter, Service, World,
};
use lexopt::{Arg, Parser, ValueExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The text that `--help` prints.
pub(crate) const HELP: &str = include_str!("help.txt");

const DEFAULT_KEYS: [&str; 3] = ["admin-key", "member-key", "reader-key"];

/// The command of the arguments.
pub(crate) enum Command {
    Help,
    Version,
    Serve(Box<Settings>),
}

/// The settings of a service to start.
pub(crate) struct Settings {
    pub(crate) address: SocketAddr,
    pub(crate) data: Option<PathBuf>,
    pub(crate) world: World,
    listings: Vec<String>,
    managed_listings: Vec<String>,
    managements: Vec<(String, Value)>,
    integrations: Vec<String>,
    keys: Vec<(Rank, String)>,
    faults: Vec<Fault>,
}

impl Settings {
    /// Adds the listings, integrations, keys and faults of the flags.
    pub(crate) fn apply_to(&self, service: &Service) {
        self.listings.iter().for_each(|listing| service.put_listing(listing));
        for listing in &self.managed_listings {
            service.manage_listing(listing, Some(json!("TERRAFORM")), true);
        }
        for (listing, management) in &self.managements {
            let provider_only = self.managed_listings.contains(listing);
            service.manage_listing(listing, Some(management.clone()), provider_only);
        }
        self.integrations.iter().for_each(|integration| service.put_integration(integration));
        for (rank, key) in &self.keys {
            service.put_key(rank_name(*rank), key, *rank);
        }
        self.faults.iter().for_each(|fault| service.add_fault(fault.clone()));
    }

    /// Returns the keys for the line that is printed at startup.
    pub(crate) fn key_names(&self) -> String {
        let given = self.keys.iter().map(|(_, key)| key.as_str());
        DEFAULT_KEYS.into_iter().chain(given).collect::<Vec<&str>>().join(", ")
    }
}

/// Parses the arguments, without the program's name.
pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut settings = Settings {
        address: SocketAddr::from((Ipv4Addr::LOCALHOST, 8484)),
        data: None,
        world: World::default(),
        listings: Vec::new(),
        managed_listings: Vec::new(),
        managements: Vec::new(),
        integrations: Vec::new(),
        keys: Vec::new(),
        faults: Vec::new(),
    };
    let mut retry_after = None;
    while let Some(argument) = parser.next()? {
        let name = match argument {
            Arg::Short('h') => return Ok(Command::Help),
            Arg::Short('V') => return Ok(Command::Version),
            Arg::Long(name) => name.to_owned(),
            other => return Err(other.unexpected()),
        };
        match name.as_str() {
            "help" => return Ok(Command::Help),
            "version" => return Ok(Command::Version),
            "address" => settings.address = parsed(&mut parser)?,
            "data" => settings.data = Some(parser.value()?.into()),
            "listing" => settings.listings.push(text(&mut parser)?),
            "managed-listing" => settings.managed_listings.push(text(&mut parser)?),
            "management" => settings.managements.push(management(&text(&mut parser)?)?),
            "integration" => settings.integrations.push(text(&mut parser)?),
            "key" => settings.keys.push(key(&text(&mut parser)?)?),
            "fault" => settings.faults.push(fault(&text(&mut parser)?)?),
            "retry-after" => retry_after = Some(word(&mut parser)?),
            _ => world_flag(&name, &mut parser, &mut settings.world)?,
        }
    }
    match (&mut settings.world.rate_limit, retry_after) {
        (Some(limit), Some(retry_after)) => limit.retry_after = retry_after,
        (None, Some(_)) => return Err("--retry-after requires --rate-limit".into()),
        (_, None) => {}
    }
    Ok(Command::Serve(Box::new(settings)))
}

fn world_flag(name: &str, parser: &mut Parser, world: &mut World) -> Result<(), lexopt::Error> {
    match name {
        "world" => world.set_undocumented(undocumented(&text(parser)?)?),
        "get" => {
            world.roles.get = parsed(parser)?;
            world.owners.get = world.roles.get;
        }
        "list" => {
            world.roles.list = parsed(parser)?;
            world.owners.list = world.roles.list;
        }
        "delete" => {
            world.roles.delete = parsed(parser)?;
            world.owners.delete = world.roles.delete;
        }
        "role-get" => world.roles.get = parsed(parser)?,
        "role-list" => world.roles.list = parsed(parser)?,
        "role-delete" => world.roles.delete = parsed(parser)?,
        "owner-get" => world.owners.get = parsed(parser)?,
        "owner-list" => world.owners.list = parsed(parser)?,
        "owner-delete" => world.owners.delete = parsed(parser)?,
        "not-found-body" => world.not_found_body = word(parser)?,
        "error-body" => world.error_body = word(parser)?,
        "omit-defaults" => world.omit_defaults = true,
        "priority-as-number" => world.priority_as_number = true,
        "reverse-resources" => world.reverse_resources = true,
        "unknown-fields" => world.unknown_fields_in_responses = true,
        "return-deleted-roles" => world.deleted_roles = DeletedRoles::Returned,
        "empty-delete-response" => world.empty_delete_response = true,
        "no-manager" => world.recognises_caller = false,
        "no-repository" => world.records_repository = false,
        "lenient-body" => world.requires_schema_fields = false,
        "duplicate-owners" => world.duplicate_owners = true,
        "conflict-status" => world.conflict_status = parsed(parser)?,
        "reads-lag" => world.reads_lag = parsed(parser)?,
        "reads-lag-ms" => world.reads_lag_ms = parsed(parser)?,
        "latency-ms" => world.latency_ms = parsed(parser)?,
        "lag" => world.lags.push(rule(parser)?),
        "hide" => world.hidden.push(rule(parser)?),
        "omit-fields" => world.omitted_fields.push(rule(parser)?),
        "odd-list" => world.lists.push(rule(parser)?),
        "gateway" => world.gateways.push(rule(parser)?),
        "base-path" => world.base_paths.push(text(parser)?),
        "canonical-owner" => world.canonical_owners.extend([spelling(&text(parser)?)?]),
        "repo-uri-git-suffix" => world.repo_uri_git_suffix = true,
        "repo-uri-upper-host" => world.repo_uri_upper_host = true,
        "clock-offset-ms" => world.clock_offset_ms = parsed(parser)?,
        "idle-close-ms" => world.idle_close_ms = Some(parsed(parser)?),
        "goaway-after" => world.goaway_after = Some(parsed(parser)?),
        "close-after-response" => world.close_after_response = true,
        "rate-limit" => world.rate_limit = Some(rate_limit(&text(parser)?)?),
        _ => return Err(lexopt::Error::UnexpectedOption(format!("--{name}"))),
    }
    Ok(())
}

fn text(parser: &mut Parser) -> Result<String, lexopt::Error> {
    parser.value()?.string()
}

fn parsed<T>(parser: &mut Parser) -> Result<T, lexopt::Error>
where
    T: FromStr,
    T::Err: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    parser.value()?.parse()
}

/// Parses a rule of a world in JSON.
fn rule<T: DeserializeOwned>(parser: &mut Parser) -> Result<T, lexopt::Error> {
    let text = text(parser)?;
    serde_json::from_str(&text).map_err(|error| format!("{text:?} is not a rule: {error}").into())
}

/// Parses the principal that is sent and the principal that is stored.
fn spelling(text: &str) -> Result<(String, String), String> {
    let (sent, stored) =
        text.split_once('=').ok_or_else(|| format!("{text:?} is not SENT=STORED"))?;
    Ok((sent.to_owned(), stored.to_owned()))
}

/// Parses a value that is a string in the world's JSON.
fn word<T: DeserializeOwned>(parser: &mut Parser) -> Result<T, lexopt::Error> {
    serde_json::from_value(json!(text(parser)?)).map_err(|error| error.to_string().into())
}

fn undocumented(world: &str) -> Result<Presence, String> {
    if world == "full" {
        return Ok(Presence::Present);
    }
    let suffix = world.strip_prefix("documented-only");
    suffix
        .and_then(|suffix| match suffix.strip_prefix('-') {
            None if suffix.is_empty() => Some(Absence::NotFound),
            None => None,
            Some(status) => Absence::of_status(status.parse().ok()?),
        })
        .map(Presence::Absent)
        .ok_or_else(|| format!("{world:?} is not a world: full or documented-only[-404|-405|-501]"))
}

fn management(text: &str) -> Result<(String, Value), String> {
    let (listing, value) =
        text.split_once('=').ok_or_else(|| format!("{text:?} is not LISTING=VALUE"))?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| json!(value));
    Ok((listing.to_owned(), value))
}

fn key(text: &str) -> Result<(Rank, String), String> {
    [Rank::Admin, Rank::Member, Rank::Reader]
        .into_iter()
        .find_map(|rank| {
            let secret = text.strip_prefix(rank_name(rank))?.strip_prefix(':')?;
            (!secret.is_empty()).then(|| (rank, secret.to_owned()))
        })
        // The message does not contain the text, because that contains a key.
        .ok_or_else(|| "a key is admin:KEY, member:KEY or reader:KEY".to_owned())
}

fn rank_name(rank: Rank) -> &'static str {
    match rank {
        Rank::Admin => "admin",
        Rank::Member => "member",
        Rank::Reader => "reader",
    }
}

fn fault(text: &str) -> Result<Fault, String> {
    serde_json::from_str(text).map_err(|error| format!("{text:?} is not a fault: {error}"))
}

fn rate_limit(text: &str) -> Result<RateLimit, String> {
    let problem = || format!("{text:?} is not a rate: a number over 0, or NUMBER:BURST");
    let (rate, burst) =
        text.split_once(':').map_or((text, None), |(rate, burst)| (rate, Some(burst)));
    let per_second: f64 = rate.parse().map_err(|_| problem())?;
    if !per_second.is_finite() || per_second <= 0.0 {
        return Err(problem());
    }
    let burst = match burst {
        Some(burst) => burst.parse().map_err(|_| problem())?,
        // At least one whole request, because otherwise none would ever pass.
        None => per_second.ceil() as u32,
    };
    Ok(RateLimit { per_second, burst, retry_after: RetryAfter::default() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use access_fake::{ErrorBody, NotFoundBody};

    use super::*;

    fn settings(line: &str) -> Result<Settings, String> {
        match read(line.split(' ').map(OsString::from)).map_err(|error| error.to_string())? {
            Command::Serve(settings) => Ok(*settings),
            Command::Help | Command::Version => Err("not to serve".to_owned()),
        }
    }

    #[test]
    fn flags_change_the_world() {
        let world = settings(
            "--world documented-only-405 --role-get present --list absent-501 --owner-delete absent-404 \
             --not-found-body html --error-body message --omit-defaults --no-manager \
             --rate-limit 5:2 --retry-after date --reads-lag 3 --conflict-status=400",
        )
        .unwrap()
        .world;
        let mut expected = World::documented_only(Absence::MethodNotAllowed);
        expected.roles.get = Presence::Present;
        expected.roles.list = Presence::Absent(Absence::NotImplemented);
        expected.owners.list = expected.roles.list;
        expected.owners.delete = Presence::Absent(Absence::NotFound);
        expected.not_found_body = NotFoundBody::Html;
        expected.error_body = ErrorBody::Message;
        expected.omit_defaults = true;
        expected.recognises_caller = false;
        expected.rate_limit =
            Some(RateLimit { per_second: 5.0, burst: 2, retry_after: RetryAfter::Date });
        expected.reads_lag = 3;
        expected.conflict_status = 400;
        assert_eq!(world, expected);
    }

    #[test]
    fn invalid_flags_are_refused() {
        for line in [
            "--nonsense",
            "argument",
            "--get absent-403",
            "--world documented-only-",
            "--world half",
            "--rate-limit 0",
            "--retry-after seconds",
            "--key owner:x",
            "--key admin:",
            "--management github",
            "--fault {}",
            "--error-body loud",
            "--address localhost",
        ] {
            assert!(settings(line).is_err(), "{line}");
        }
    }

    #[test]
    fn flags_add_objects_and_keys() {
        let settings = settings(
            "--listing a --managed-listing b --management b={\"kind\":1} --management a=word \
             --integration c --key reader:r",
        )
        .unwrap();
        assert_eq!(settings.key_names(), "admin-key, member-key, reader-key, r");
        let service = Service::new(settings.world.clone());
        settings.apply_to(&service);
        let snapshot = service.snapshot();
        assert_eq!(snapshot["listings"]["a"]["management"], "word");
        assert_eq!(snapshot["listings"]["b"]["management"], json!({"kind": 1}));
        assert_eq!(snapshot["listings"]["b"]["provider_only"], true);
        assert!(snapshot["integrations"]["c"]["owners"]["founder"].is_object());
    }

    #[test]
    fn flags_add_rules() {
        let world = settings(
            "--hide {\"object\":\"a\",\"get\":404} --hide {\"object\":\"b\"} --lag {\"reads\":2} \
             --omit-fields {\"fields\":[\"manager\"]} --odd-list {\"overlap\":true} \
             --gateway {\"prefix\":\"/x\",\"body\":\"text\"} --base-path /eu \
             --canonical-owner users/ada=users/id-17 --clock-offset-ms -5 --idle-close-ms 7 \
             --repo-uri-git-suffix --repo-uri-upper-host --close-after-response --goaway-after 9",
        )
        .unwrap()
        .world;
        let expected = json!({
            "hidden": [{"object": "a", "get": 404}, {"object": "b"}],
            "lags": [{"reads": 2}],
            "omitted_fields": [{"fields": ["manager"]}],
            "lists": [{"overlap": true}],
            "gateways": [{"prefix": "/x", "body": "text"}],
            "base_paths": ["/eu"],
            "canonical_owners": {"users/ada": "users/id-17"},
            "clock_offset_ms": -5,
            "idle_close_ms": 7,
            "goaway_after": 9,
            "repo_uri_git_suffix": true,
            "repo_uri_upper_host": true,
            "close_after_response": true,
        });
        assert_eq!(world, serde_json::from_value::<World>(expected).unwrap());
    }

    /// Returns the flags that the help describes, each on a line of its own.
    fn flags_of_help() -> BTreeSet<&'static str> {
        HELP.lines()
            .filter_map(|line| line.trim_start().strip_prefix("--"))
            .filter_map(|line| line.split([' ', ',']).next())
            .collect()
    }

    #[test]
    fn help_describes_only_known_flags() {
        for flag in flags_of_help() {
            // A flag without its value fails in another way than an unknown one.
            let known = read([format!("--{flag}").into()].into_iter());
            assert!(!matches!(known, Err(lexopt::Error::UnexpectedOption(_))), "{flag}");
        }
    }

    #[test]
    fn help_describes_every_flag() {
        let (source, _) = include_str!("flags.rs").split_once("mod tests").unwrap();
        let (_, source) = source.split_once("fn read(").unwrap();
        let (source, _) = source.split_once("fn text(").unwrap();
        let arms = source.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once('"'));
        let flags: BTreeSet<&str> =
            arms.filter(|(_, rest)| rest.starts_with(" =>")).map(|(flag, _)| flag).collect();
        assert!(flags.len() > 40, "{flags:?}");
        for flag in flags {
            let described =
                HELP.contains(&format!("--{flag} ")) || HELP.contains(&format!("--{flag},"));
            assert!(described, "{flag}");
        }
    }

    /// Returns the first JSON object in text.
    fn first_object(text: &str) -> &str {
        let start = text.find('{').unwrap();
        let mut depth = 0;
        for (at, character) in text.char_indices().skip(start) {
            depth += match character {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if depth == 0 && at >= start {
                return &text[start..=at];
            }
        }
        panic!("an unfinished object: {text}")
    }

    #[test]
    fn help_has_valid_examples_of_rules() {
        let flags = flags_of_help();
        let rules: Vec<&str> =
            flags.into_iter().filter(|flag| HELP.contains(&format!("  --{flag} JSON"))).collect();
        assert!(rules.len() >= 6, "{rules:?}");
        for flag in rules {
            let (_, text) = HELP.split_once(&format!("--{flag} JSON")).unwrap();
            let arguments = [format!("--{flag}").into(), first_object(text).into()];
            assert!(matches!(read(arguments.into_iter()), Ok(Command::Serve(_))), "{flag}");
        }
    }
}
