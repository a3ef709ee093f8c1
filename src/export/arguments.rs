//! The arguments of `export`. `help.txt` describes them.

use std::ffi::OsString;
use std::path::PathBuf;

use access_client::Identifier;
use lexopt::{Arg, Parser, ValueExt as _};

/// The text that `--help` prints.
pub(super) const HELP: &str = include_str!("help.txt");

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Format {
    /// `resource` blocks.
    #[default]
    Hcl,
    /// The data file of `examples/team`.
    Yaml,
    /// One line for each object.
    Csv,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Selection {
    /// Listings whose roles are exported, each once.
    pub(super) listings: Vec<Identifier>,
    /// Integrations whose owners are exported, each once.
    pub(super) integrations: Vec<Identifier>,
    pub(super) format: Format,
    /// Whether roles that record a manager are left out.
    pub(super) unmanaged: bool,
    /// Whether the configuration does not manage `resources` of roles.
    pub(super) without_resources: bool,
    pub(super) imports: Option<PathBuf>,
    /// The address of the module that contains the resources; none for the root module.
    pub(super) module: Option<String>,
}

/// Parses the arguments after `export`; `None` if they ask for help.
pub(super) fn parse(
    arguments: impl Iterator<Item = OsString>,
) -> Result<Option<Selection>, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut selection = Selection::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long("listing") => add_values(&mut parser, &mut selection.listings)?,
            Arg::Long("integration") => add_values(&mut parser, &mut selection.integrations)?,
            Arg::Value(parent) => add_parent(&parent.string()?, &mut selection)?,
            Arg::Long("format") => {
                selection.format = match parser.value()?.string()?.as_str() {
                    "hcl" => Format::Hcl,
                    "yaml" => Format::Yaml,
                    "csv" => Format::Csv,
                    other => {
                        return Err(format!("--format {other:?} is not hcl, yaml or csv").into());
                    }
                };
            }
            Arg::Long("imports") => selection.imports = Some(parser.value()?.into()),
            Arg::Long("to") => selection.module = Some(parse_module(parser.value()?.string()?)?),
            Arg::Long("unmanaged") => selection.unmanaged = true,
            Arg::Long("without-resources") => selection.without_resources = true,
            other => return Err(other.unexpected()),
        }
    }
    match contradiction(&selection) {
        Some(problem) => Err(problem.into()),
        None => Ok(Some(selection)),
    }
}

/// Returns why the options do not go together. An option without effect is an error: whoever wrote it
/// expects one.
fn contradiction(selection: &Selection) -> Option<&'static str> {
    let Selection { listings, integrations, format, without_resources, imports, module, .. } =
        selection;
    let is_csv = *format == Format::Csv;
    let problems = [
        (
            listings.is_empty() && integrations.is_empty(),
            "nothing is selected: add listings/ID or integrations/ID",
        ),
        (
            is_csv && imports.is_some(),
            "--imports has no effect with --format csv, which is not for a configuration",
        ),
        (
            is_csv && module.is_some(),
            "--to has no effect with --format csv, which is not for a configuration",
        ),
        (
            is_csv && *without_resources,
            "--without-resources has no effect with --format csv, which shows everything",
        ),
        (
            *format == Format::Yaml && module.is_some() && imports.is_none(),
            "--to is about import blocks: add --imports FILE",
        ),
    ];
    problems.into_iter().find_map(|(applies, problem)| applies.then_some(problem))
}

/// Checks as much of a module's address as keeps it on its line; Terraform checks the rest.
fn parse_module(address: String) -> Result<String, lexopt::Error> {
    if address.starts_with("module.")
        && !address.ends_with('.')
        && !address.contains(char::is_control)
    {
        Ok(address)
    } else {
        Err(format!("--to {address:?} is not the address of a module, such as module.eu").into())
    }
}

fn add_parent(parent: &str, selection: &mut Selection) -> Result<(), lexopt::Error> {
    match parent.split_once('/') {
        Some(("listings", id)) => add(id, &mut selection.listings),
        Some(("integrations", id)) => add(id, &mut selection.integrations),
        _ => Err(format!("{parent:?} is neither listings/ID nor integrations/ID").into()),
    }
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

    fn parse_line(line: &str) -> Result<Option<Selection>, String> {
        parse(line.split_whitespace().map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn arguments_select_parents_and_options() {
        let ids = |text: &str| text.split(' ').map(|id| Identifier::parse(id).unwrap()).collect();
        let parents =
            Selection { listings: ids("a b d"), integrations: ids("c"), ..Selection::default() };
        for line in [
            "--listing a b --integration c --listing=d --listing a",
            "listings/a integrations/c --listing=b listings/d integrations/c",
        ] {
            assert_eq!(parse_line(line).as_ref(), Ok(&Some(parents.clone())), "{line}");
        }
        let selected = |format| Selection { listings: ids("a"), format, ..Selection::default() };
        for (line, expected) in [
            ("listings/a --format hcl", selected(Format::Hcl)),
            (
                "listings/a --format csv --unmanaged",
                Selection { unmanaged: true, ..selected(Format::Csv) },
            ),
            (
                "listings/a --format yaml --imports f --to module.eu[\"x\"].module.y --without-resources",
                Selection {
                    without_resources: true,
                    imports: Some("f".into()),
                    module: Some("module.eu[\"x\"].module.y".to_owned()),
                    ..selected(Format::Yaml)
                },
            ),
        ] {
            assert_eq!(parse_line(line), Ok(Some(expected)), "{line}");
        }
        assert_eq!(parse_line("--listing a --help"), Ok(None));
        assert_eq!(parse_line("-h"), Ok(None));
    }

    #[test]
    fn arguments_that_select_nothing_or_have_no_effect_are_errors() {
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
            ("listings/a --format", "missing argument"),
            ("listings/a --format json", "\"json\" is not hcl, yaml or csv"),
            ("listings/a --to eu", "\"eu\" is not the address of a module"),
            ("listings/a --to module.eu.", "is not the address of a module"),
            ("listings/a --format yaml --to module.eu", "--to is about import blocks"),
            ("listings/a --format csv --imports f", "--imports has no effect"),
            ("listings/a --format csv --to module.eu", "--to has no effect"),
            ("listings/a --format csv --without-resources", "--without-resources has no effect"),
        ];
        for (line, expected) in cases {
            let error = parse_line(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
