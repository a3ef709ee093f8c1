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
    // An option without effect is an error: whoever wrote it expects one.
    let Selection { format, imports, module, .. } = &selection;
    let problem = if selection.listings.is_empty() && selection.integrations.is_empty() {
        "nothing is selected: add listings/ID or integrations/ID"
    } else if *format == Format::Csv && imports.is_some() {
        "--imports has no effect with --format csv, which is not for a configuration"
    } else if *format == Format::Csv && module.is_some() {
        "--to has no effect with --format csv, which is not for a configuration"
    } else if *format == Format::Csv && selection.without_resources {
        "--without-resources has no effect with --format csv, which shows everything"
    } else if *format == Format::Yaml && module.is_some() && imports.is_none() {
        "--to is about import blocks: add --imports FILE"
    } else {
        return Ok(Some(selection));
    };
    Err(problem.into())
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

    #[test]
    fn arguments_select_parents_and_options() {
        let ids = |text: &str| text.split(' ').map(|id| Identifier::parse(id).unwrap()).collect();
        let parents =
            Selection { listings: ids("a b d"), integrations: ids("c"), ..Selection::default() };
        let one = || Selection { listings: ids("a"), ..Selection::default() };
        let yaml = Selection {
            format: Format::Yaml,
            without_resources: true,
            imports: Some("f".into()),
            module: Some("module.eu[\"x\"].module.y".to_owned()),
            ..one()
        };
        let csv = Selection { format: Format::Csv, unmanaged: true, ..one() };
        // What is selected, or a part of the error.
        for (line, expected) in [
            ("--listing a b --integration c --listing=d --listing a", Ok(Some(parents.clone()))),
            ("listings/a integrations/c --listing=b listings/d integrations/c", Ok(Some(parents))),
            ("listings/a --format hcl", Ok(Some(one()))),
            ("listings/a --format csv --unmanaged", Ok(Some(csv))),
            (
                "listings/a --format yaml --imports f --to module.eu[\"x\"].module.y --without-resources",
                Ok(Some(yaml)),
            ),
            ("--listing a --help", Ok(None)),
            ("-h", Ok(None)),
            ("--without-resources", Err("nothing is selected")),
            ("--listing", Err("missing argument")),
            ("--listing a/b", Err("\"a/b\" is not an ID")),
            ("--listing a --role b", Err("--role")),
            ("a", Err("\"a\" is neither listings/ID")),
            ("listings/a/b", Err("\"a/b\" is not an ID")),
            ("listings/a --format json", Err("\"json\" is not hcl, yaml or csv")),
            ("listings/a --to eu", Err("\"eu\" is not the address of a module")),
            ("listings/a --to module.eu.", Err("is not the address of a module")),
            ("listings/a --format yaml --to module.eu", Err("--to is about import blocks")),
            ("listings/a --format csv --imports f", Err("--imports has no effect")),
            ("listings/a --format csv --to module.eu", Err("--to has no effect")),
            ("listings/a --format csv --without-resources", Err("resources has no effect")),
        ] {
            match (parse(line.split(' ').map(OsString::from)), expected) {
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (outcome, expected) => assert_eq!(outcome.ok(), expected.ok(), "{line}"),
            }
        }
    }
}
