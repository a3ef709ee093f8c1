//! The arguments of `report`. `help.txt` describes them.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt as _};

/// The text that `--help` prints.
pub(super) const HELP: &str = include_str!("help.txt");

/// The default of `--limit`: a part of the 65,536 characters of a comment on GitHub.
const LIMIT: usize = 20_000;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    /// The file with the plan; standard input if there is none.
    pub(super) file: Option<PathBuf>,
    pub(super) is_json: bool,
    /// The largest size of the Markdown in bytes.
    pub(super) limit: usize,
    pub(super) has_detailed_exit_code: bool,
}

/// Parses the arguments after `report`; `None` if they ask for help.
///
/// # Errors
///
/// The problem with the arguments.
pub(super) fn parse(
    arguments: impl Iterator<Item = OsString>,
) -> Result<Option<Options>, lexopt::Error> {
    let mut options =
        Options { file: None, is_json: false, limit: LIMIT, has_detailed_exit_code: false };
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long("format") => {
                let format = parser.value()?.string()?;
                options.is_json = match format.as_str() {
                    "markdown" => false,
                    "json" => true,
                    _ => return Err(format!("{format:?} is neither markdown nor json").into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_select_file_form_and_size() {
        let parse = |line: &str| parse(line.split_whitespace().map(OsString::from));
        let options = |file: Option<&str>, is_json, limit, has_detailed_exit_code| {
            let file = file.map(PathBuf::from);
            Some(Options { file, is_json, limit, has_detailed_exit_code })
        };
        for (line, expected) in [
            ("", options(None, false, 20_000, false)),
            ("-", options(None, false, 20_000, false)),
            ("--format json plan.json", options(Some("plan.json"), true, 20_000, false)),
            ("a --limit=0 --format markdown", options(Some("a"), false, 0, false)),
            ("--detailed-exitcode", options(None, false, 20_000, true)),
            ("a --help", None),
        ] {
            assert_eq!(parse(line).unwrap(), expected, "{line}");
        }
        for (line, expected) in [
            ("a b", "\"b\""),
            ("--format xml", "\"xml\" is neither"),
            ("--limit x", "\"x\""),
            ("--limit -1", "-1"),
            ("--limit", "missing argument"),
            ("--key x", "--key"),
        ] {
            let error = parse(line).unwrap_err().to_string();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
