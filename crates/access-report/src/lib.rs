//! `terraform-provider-access report`: what a plan says about access, as Markdown or JSON.
//!
//! It reads one plan, and no network, key or setting of the provider. Data flows one way: `plan`
//! reads the JSON (with `members`, `object` and `configuration`), `changes` turns each change into
//! `entries`, and `counts` counts them. Both are the `report`, and its JSON form. For Markdown,
//! `lines` says what each entry says, with texts of others made `inert`, and `page` writes as many
//! of them as fit.

mod changes;
mod configuration;
mod counts;
mod entries;
mod inert;
mod lines;
mod members;
mod object;
mod page;
mod plan;
mod report;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt as _};

use crate::plan::Plan;
use crate::report::Report;

/// The first argument that selects this program.
pub const NAME: &str = "report";

/// The description of this program in the provider's `--help`.
pub const DESCRIPTION: &str = "Say what a plan means for people's access; see report --help.";

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

/// Runs the command with the arguments after its name, and hands its result to `print`.
///
/// # Errors
///
/// A sentence without its full stop.
pub fn run(
    arguments: impl Iterator<Item = OsString>,
    print: impl Fn(&str) -> Result<(), String>,
) -> Result<ExitCode, String> {
    let hint = "Run `terraform-provider-access report --help` for the arguments";
    let options = parse(arguments).map_err(|error| format!("{error}. {hint}"))?;
    let Some(options) = options else { return print(HELP).map(|()| ExitCode::SUCCESS) };
    let report = Report::of(&read(options.file.as_deref())?);
    if options.is_json {
        let json = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
        print(&format!("{json}\n"))?;
    } else {
        print(&page::write(&report, options.limit))?;
    }
    let is_two = options.has_detailed_exit_code && !report.is_quiet();
    Ok(if is_two { ExitCode::from(2) } else { ExitCode::SUCCESS })
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

/// Reads the plan in the file or in standard input.
fn read(file: Option<&Path>) -> Result<Plan, String> {
    let (source, bytes) = match file {
        Some(file) => (file.display().to_string(), fs::read(file)),
        None => {
            let mut stdin = io::stdin().lock();
            if stdin.is_terminal() {
                return Err("There is no plan. Run `terraform show -json plan.bin | terraform-provider-access report`".to_owned());
            }
            let mut bytes = Vec::new();
            ("Standard input".to_owned(), stdin.read_to_end(&mut bytes).map(|_| bytes))
        }
    };
    let bytes = bytes.map_err(|error| format!("{source} could not be read: {error}"))?;
    if [b"\xff\xfe", b"\xfe\xff"].iter().any(|mark| bytes.starts_with(*mark)) {
        return Err(format!(
            "{source} is in UTF-16, in which PowerShell writes what a command prints. Write it in UTF-8: \
             `cmd /c \"terraform show -json plan.bin > plan.json\"`"
        ));
    }
    decode(&bytes).and_then(plan::read).map_err(|problem| {
        format!(
            "{source} {problem}. Save the plan with `terraform plan -out plan.bin`, and pass the output of \
             `terraform show -json plan.bin` (or `tofu show -json plan.bin`)"
        )
    })
}

/// Returns the text without a byte order mark, which PowerShell writes.
fn decode(bytes: &[u8]) -> Result<&str, String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    str::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())
}
