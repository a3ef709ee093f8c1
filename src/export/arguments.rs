//! The arguments of `export`. `help.txt` describes them.

use std::ffi::OsString;
use std::path::PathBuf;

use access_client::Identifier;
use lexopt::{Arg, Parser, ValueExt as _};

/// The text that `--help` prints.
pub(super) const HELP: &str = include_str!("help.txt");

/// The command of the arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Prints the help.
    Help,
    /// Exports the selected objects.
    Export(Selection),
}

/// The objects to export, and how.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Listings whose roles are exported, each once.
    pub(super) listings: Vec<Identifier>,
    /// Integrations whose owners are exported, each once.
    pub(super) integrations: Vec<Identifier>,
    /// Whether `resources` of roles are part of the configuration and not a comment.
    pub(super) with_resources: bool,
    /// The file that the `import` blocks are written to.
    pub(super) imports: Option<PathBuf>,
}

/// Parses the arguments after `export`.
///
/// # Errors
///
/// The problem with the arguments.
pub(super) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut selection = Selection { with_resources: true, ..Selection::default() };
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listing") => add_values(&mut parser, &mut selection.listings)?,
            Arg::Long("integration") => add_values(&mut parser, &mut selection.integrations)?,
            Arg::Value(parent) => {
                let parent = parent.string()?;
                match parent.split_once('/') {
                    Some(("listings", id)) => add(id, &mut selection.listings)?,
                    Some(("integrations", id)) => add(id, &mut selection.integrations)?,
                    _ => {
                        let rule = "is neither listings/ID nor integrations/ID";
                        return Err(format!("{parent:?} {rule}").into());
                    }
                }
            }
            Arg::Long("imports") => selection.imports = Some(parser.value()?.into()),
            Arg::Long("without-resources") => selection.with_resources = false,
            other => return Err(other.unexpected()),
        }
    }
    if selection.listings.is_empty() && selection.integrations.is_empty() {
        return Err("nothing is selected: add listings/ID or integrations/ID".into());
    }
    Ok(Command::Export(selection))
}

/// Adds the identifiers up to the next option.
fn add_values(parser: &mut Parser, selected: &mut Vec<Identifier>) -> Result<(), lexopt::Error> {
    parser.values()?.try_for_each(|value| add(&value.string()?, selected))
}

/// Adds an identifier. One that is given twice counts once.
fn add(text: &str, selected: &mut Vec<Identifier>) -> Result<(), lexopt::Error> {
    let identifier =
        Identifier::parse(text).map_err(|error| format!("{text:?} is not an ID: it {error}"))?;
    if !selected.contains(&identifier) {
        selected.push(identifier);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    fn selected(line: &str) -> (Vec<String>, Vec<String>, bool) {
        let Ok(Command::Export(selection)) = parse_line(line) else { panic!("{line}") };
        let texts = |ids: Vec<Identifier>| ids.iter().map(Identifier::to_string).collect();
        (texts(selection.listings), texts(selection.integrations), selection.with_resources)
    }

    #[test]
    fn arguments_select_any_number_of_parents() {
        let (listings, integrations, with_resources) =
            selected("--listing a b --integration c --listing=d --listing a");
        assert_eq!((listings.join(" "), integrations.join(" ")), ("a b d".into(), "c".into()));
        assert!(with_resources);
        assert!(!selected("--integration c --without-resources").2);
        let (listings, integrations, _) =
            selected("--imports f listings/a integrations/c --listing=b listings/a integrations/c");
        assert_eq!((listings.join(" "), integrations.join(" ")), ("a b".into(), "c".into()));
    }

    #[test]
    fn arguments_that_select_nothing_or_are_unknown_are_errors() {
        let cases = [
            ("", "nothing is selected"),
            ("--without-resources", "nothing is selected"),
            ("--listing", "missing argument"),
            ("--listing a/b", "\"a/b\" is not an ID"),
            ("--listing a --role b", "--role"),
            ("a", "\"a\" is neither listings/ID"),
            ("listings/a/b", "\"a/b\" is not an ID"),
            ("roles/a", "neither"),
            ("listings/a --imports", "missing argument"),
        ];
        for (line, expected) in cases {
            let error = parse_line(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
        assert_eq!(parse_line("--listing a --help"), Ok(Command::Help));
        assert_eq!(parse_line("-h"), Ok(Command::Help));
    }
}
