//! `terraform-provider-access report`: what a plan means for access, as Markdown or JSON.
//!
//! It is a program of its own, like `export`. It reads one plan, and uses no network, no key and no
//! setting of the provider. [`plan`] reads the JSON, [`findings`] decides, [`entries`] holds the
//! result, and is its JSON form, and [`markdown`] writes it.

mod arguments;
mod entries;
mod findings;
mod inert;
mod markdown;
mod plan;

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use arguments::Options;

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "report";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Say what a plan means for people's access; see report --help.";

/// Runs the report. `arguments` are those after `report`.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let written = match arguments::parse(arguments) {
        Ok(None) => print(arguments::HELP).map(|()| false),
        Ok(Some(options)) => report(&options),
        Err(error) => {
            let hint = "Run `terraform-provider-access report --help` for the arguments";
            Err(format!("{error}. {hint}"))
        }
    };
    match written {
        Ok(false) => ExitCode::SUCCESS,
        Ok(true) => ExitCode::from(2),
        Err(error) => {
            // A failure is ignored: there is no other place to report it.
            let _ = writeln!(io::stderr().lock(), "Error: {error}.");
            ExitCode::FAILURE
        }
    }
}

/// Prints the report. Returns whether the exit code must say that access changes.
fn report(options: &Options) -> Result<bool, String> {
    let (bytes, source) = read(options.file.as_deref())?;
    let text = decode(&bytes);
    let plan = text.and_then(plan::read).map_err(|problem| {
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
    Ok(options.has_detailed_exit_code && report.changes_access())
}

/// Returns the content of the file or of standard input, and its name in messages.
fn read(file: Option<&Path>) -> Result<(Vec<u8>, String), String> {
    if let Some(file) = file {
        let bytes = fs::read(file);
        let name = file.display().to_string();
        return bytes
            .map(|bytes| (bytes, name.clone()))
            .map_err(|error| format!("Could not read {name}: {error}"));
    }
    let mut stdin = io::stdin().lock();
    if stdin.is_terminal() {
        return Err("There is no plan. Run `terraform show -json plan.bin | terraform-provider-access report`".to_owned());
    }
    let mut bytes = Vec::new();
    stdin
        .read_to_end(&mut bytes)
        .map_err(|error| format!("Could not read standard input: {error}"))?;
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

/// Writes to standard output, and fails if that does: a part of the report would look like the whole.
fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    printed.map_err(|error| format!("Could not write to standard output: {error}"))
}
