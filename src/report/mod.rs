//! `terraform-provider-access report`: what a plan means for access, as Markdown or JSON.
//!
//! It is a program of its own, like `export`. It reads one plan, and uses no network, no key and no
//! setting of the provider. [`plan`] and [`configuration`] read the JSON by its [`members`],
//! [`findings`] decides, [`entries`] holds the result, and is its JSON form, and [`markdown`]
//! writes it.

mod configuration;
mod entries;
mod findings;
mod inert;
mod markdown;
mod members;
mod plan;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt as _};

use crate::command::{exit_code, print};

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "report";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Say what a plan means for people's access; see report --help.";

/// The text that `--help` prints.
const HELP: &str = include_str!("help.txt");

/// The default of `--limit`: a part of the 65,536 characters of a comment on GitHub.
const LIMIT: usize = 20_000;

/// The arguments of the command.
struct Options {
    /// The file with the plan; standard input if there is none.
    file: Option<PathBuf>,
    is_json: bool,
    /// The largest size of the Markdown in bytes.
    limit: usize,
    has_detailed_exit_code: bool,
}

/// Runs the command with the arguments after its name.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    exit_code(match parse(arguments) {
        Ok(None) => print(HELP).map(|()| ExitCode::SUCCESS),
        Ok(Some(options)) => report(&options),
        Err(error) => {
            let hint = "Run `terraform-provider-access report --help` for the arguments";
            Err(format!("{error}. {hint}"))
        }
    })
}

/// Parses the arguments; `None` if they ask for help.
fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Option<Options>, lexopt::Error> {
    let mut options =
        Options { file: None, is_json: false, limit: LIMIT, has_detailed_exit_code: false };
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long("format") => {
                options.is_json = match parser.value()?.string()?.as_str() {
                    "markdown" => false,
                    "json" => true,
                    other => return Err(format!("{other:?} is neither markdown nor json").into()),
                };
            }
            Arg::Long("limit") => options.limit = parser.value()?.parse()?,
            Arg::Long("detailed-exitcode") => options.has_detailed_exit_code = true,
            Arg::Value(file) if options.file.is_none() => options.file = Some(file.into()),
            other => return Err(other.unexpected()),
        }
    }
    // The usual name of standard input.
    options.file = options.file.filter(|file| file.as_os_str() != "-");
    Ok(Some(options))
}

/// Reads the plan and prints its report. The error is a sentence without its full stop.
fn report(options: &Options) -> Result<ExitCode, String> {
    let (bytes, source) = read(options.file.as_deref())?;
    let plan = decode(&bytes).and_then(plan::read).map_err(|problem| {
        format!(
            "{source} {problem}. Save the plan with `terraform plan -out plan.bin`, and pass the output of \
             `terraform show -json plan.bin` (or `tofu show -json plan.bin`)"
        )
    })?;
    let report = findings::findings(&plan);
    if options.is_json {
        let json = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
        print(&format!("{json}\n"))?;
    } else {
        print(&markdown::write(&report, options.limit))?;
    }
    let says_changes = options.has_detailed_exit_code && report.changes_access();
    Ok(if says_changes { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Returns the content of the file or of standard input, and its name in messages.
fn read(file: Option<&Path>) -> Result<(Vec<u8>, String), String> {
    let failed = |name: &str, error| format!("Could not read {name}: {error}");
    if let Some(file) = file {
        let name = file.display().to_string();
        let bytes = fs::read(file).map_err(|error| failed(&name, error))?;
        return Ok((bytes, name));
    }
    let mut stdin = io::stdin().lock();
    if stdin.is_terminal() {
        return Err("There is no plan. Run `terraform show -json plan.bin | terraform-provider-access report`".to_owned());
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(|error| failed("standard input", error))?;
    Ok((bytes, "Standard input".to_owned()))
}

/// Returns the text without a byte order mark, which PowerShell writes.
fn decode(bytes: &[u8]) -> Result<&str, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err("is UTF-16, not UTF-8: `>` of Windows PowerShell writes it".to_owned());
    }
    str::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use plugin_server::testkit::connect;
    use plugin_server::testkit::proto::tfplugin6 as pb;

    use super::*;
    use crate::provider;

    /// Changes of any other resource are left out.
    #[tokio::test]
    async fn every_resource_of_the_provider_is_read() {
        let request = pb::get_provider_schema::Request {};
        let schema = connect(provider::server()).await.get_provider_schema(request).await.unwrap();
        for resource in schema.resource_schemas.keys() {
            assert!(plan::Kind::of(resource).is_some(), "{resource}");
        }
        assert!(!schema.resource_schemas.is_empty());
    }

    /// `acceptance::report` shows what right arguments do.
    #[test]
    fn wrong_argument_is_named() {
        for (line, part) in [
            ("a b", "\"b\""),
            ("--format xml", "\"xml\" is neither"),
            ("--limit -1", "-1"),
            ("--limit", "missing argument"),
            ("--key x", "--key"),
        ] {
            let error = parse(line.split(' ').map(OsString::from)).err().expect(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
