//! The arguments of `export`. `help.txt` describes them.

use std::ffi::OsString;
use std::path::PathBuf;

use access_client::Identifier;
use lexopt::{Arg, Parser, ValueExt as _};

use super::target::{KeyForm, Target, after_modules};

/// The text that `--help` prints.
pub(super) const HELP: &str = include_str!("help.txt");

/// The format of the result.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Format {
    /// `resource` blocks.
    #[default]
    Hcl,
    /// The data files of `examples/team`.
    Yaml,
    /// One line for each object.
    Csv,
}

/// What is exported, and how.
#[derive(Default)]
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
    pub(super) base_url: Option<String>,
    /// The file, or for YAML the directory, that gets the result instead of standard output.
    pub(super) output: Option<PathBuf>,
    pub(super) imports: Option<PathBuf>,
    /// The address of the module that contains the resources; none for the root module.
    pub(super) module: Option<String>,
    /// The resource of the configuration that gets an `import` block, and nothing else is written.
    pub(super) target: Option<Target>,
    /// The file with the columns of a table that the service does not have.
    pub(super) reviews: Option<PathBuf>,
}

/// Parses the arguments after `export`; `None` if they ask for help.
pub(super) fn parse(
    arguments: impl Iterator<Item = OsString>,
) -> Result<Option<Selection>, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut selection = Selection::default();
    let mut format = None;
    let mut key = None;
    let mut each = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
            Arg::Long(kind @ ("listing" | "integration")) => {
                let collection = format!("{kind}s");
                for id in parser.values()? {
                    add_parent(&format!("{collection}/{}", id.string()?), &mut selection)?;
                }
            }
            Arg::Value(parent) => add_parent(&parent.string()?, &mut selection)?,
            Arg::Long("format") => {
                format = Some(match parser.value()?.string()?.as_str() {
                    "hcl" => Format::Hcl,
                    "yaml" => Format::Yaml,
                    "csv" => Format::Csv,
                    other => {
                        return Err(format!("--format {other:?} is not hcl, yaml or csv").into());
                    }
                });
            }
            Arg::Long("base-url") => selection.base_url = Some(parser.value()?.string()?),
            Arg::Long("output") => selection.output = Some(parser.value()?.into()),
            Arg::Long("imports") => selection.imports = Some(parser.value()?.into()),
            Arg::Long("to") => selection.module = Some(parse_module(parser.value()?.string()?)?),
            Arg::Long("for") => selection.target = Some(Target::parse(&parser.value()?.string()?)?),
            Arg::Long("key") => key = Some(KeyForm::parse(&parser.value()?.string()?)),
            Arg::Long("each") => each = Some(parser.value()?.string()?),
            Arg::Long("reviews") => selection.reviews = Some(parser.value()?.into()),
            Arg::Long("unmanaged") => selection.unmanaged = true,
            Arg::Long("without-resources") => selection.without_resources = true,
            other => return Err(other.unexpected()),
        }
    }
    if selection.target.is_none() && (key.is_some() || each.is_some()) {
        return Err("--key and --each are about the block of --for: add --for ADDRESS".into());
    }
    if let Some(target) = &mut selection.target {
        if format.is_some() {
            return Err("--for prints an import block, which has no --format".into());
        }
        target.select(key, each)?;
    }
    selection.format = format.unwrap_or_default();
    match selection.problem() {
        Some(problem) => Err(problem.into()),
        None => Ok(Some(selection)),
    }
}

impl Selection {
    /// Returns why these arguments do not go together. An option without effect is an error:
    /// whoever wrote it expects one.
    fn problem(&self) -> Option<String> {
        let is_csv = self.format == Format::Csv;
        let is_yaml = self.format == Format::Yaml;
        let has_imports = self.imports.is_some();
        let has_module = self.module.is_some();
        let parents = self.listings.len() + self.integrations.len();
        let text = if parents == 0 {
            "nothing is selected: add listings/ID or integrations/ID"
        } else if is_csv && has_imports {
            "--imports has no effect with --format csv, which is not for a configuration"
        } else if is_csv && has_module {
            "--to has no effect with --format csv, which is not for a configuration"
        } else if is_csv && self.without_resources {
            "--without-resources has no effect with --format csv, which shows everything"
        } else if !is_csv && self.reviews.is_some() {
            "--reviews is about columns of a table: add --format csv"
        } else if is_yaml && has_module && !has_imports {
            "--to is about import blocks: add --imports FILE"
        } else if is_yaml && parents > 1 && self.output.is_none() {
            "--format yaml writes a file for each listing and integration: add --output DIRECTORY"
        } else if has_imports && self.imports == self.output {
            "--imports and --output need different files"
        } else if let Some(target) = &self.target {
            return self.problem_with(target);
        } else {
            return None;
        };
        Some(text.to_owned())
    }

    /// Returns what `--for` does not go together with.
    fn problem_with(&self, target: &Target) -> Option<String> {
        let others = if target.is_role() { &self.integrations } else { &self.listings };
        let text = if let Some(other) = others.first() {
            let kind = if target.is_role() { "listings" } else { "integrations" };
            return Some(format!("--for {target} needs {kind}/ID, and {other} is another parent"));
        } else if self.module.is_some() {
            "--to has no effect with --for, whose address contains the module"
        } else if self.without_resources {
            "--without-resources has no effect with --for, which prints an import block"
        } else if self.imports.is_some() && self.output.is_some() {
            "--for prints one block: choose --imports or --output"
        } else {
            return None;
        };
        Some(text.to_owned())
    }
}

fn parse_module(address: String) -> Result<String, lexopt::Error> {
    if after_modules(&address) == Some("") {
        return Ok(address);
    }
    Err(format!(
        "--to {address:?} is not the address of a module, such as module.eu or module.all[\"eu\"], whose quotes need \
         quotes for the shell"
    )
    .into())
}

/// Adds a listing or an integration. One that is given twice counts once.
fn add_parent(parent: &str, selection: &mut Selection) -> Result<(), lexopt::Error> {
    let (selected, id) = match parent.split_once('/') {
        Some(("listings", id)) => (&mut selection.listings, id),
        Some(("integrations", id)) => (&mut selection.integrations, id),
        _ => return Err(format!("{parent:?} is neither listings/ID nor integrations/ID").into()),
    };
    let id = Identifier::parse(id).map_err(|error| format!("{id:?} is not an ID: it {error}"))?;
    if !selected.contains(&id) {
        selected.push(id);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Selection>, lexopt::Error> {
        parse(line.split(' ').map(OsString::from))
    }

    /// `acceptance::export` and `acceptance::team` show what the other options do.
    #[test]
    fn parents_are_selected_once_and_in_order() {
        let ids = |ids: &[&str]| ids.iter().map(|id| Identifier::parse(id).unwrap()).collect();
        let expected: [Vec<_>; 2] = [ids(&["a", "b", "d"]), ids(&["c"])];
        for line in [
            "--listing a b --integration c --listing=d --listing a",
            "listings/a integrations/c --listing=b listings/d integrations/c --format hcl",
        ] {
            let Selection { listings, integrations, .. } = parsed(line).unwrap().unwrap();
            assert_eq!([listings, integrations], expected, "{line}");
        }
        assert!(parsed("--listing a --help").unwrap().is_none());
    }

    #[test]
    fn wrong_argument_is_named() {
        for (line, part) in [
            ("--without-resources", "nothing is selected"),
            ("--listing", "missing argument"),
            ("--listing a/b", "\"a/b\" is not an ID"),
            ("--listing a --role b", "--role"),
            ("a", "\"a\" is neither listings/ID"),
            ("listings/a/b", "\"a/b\" is not an ID"),
            ("listings/a --format json", "\"json\" is not hcl, yaml or csv"),
            ("listings/a --to eu", "\"eu\" is not the address of a module"),
            ("listings/a --to module.eu.", "is not the address of a module"),
            ("listings/a --to module.all[eu]", "quotes for the shell"),
            ("listings/a --to module.all[each.key]", "is not the address of a module"),
            ("listings/a --to module.all[\"eu\"", "is not the address of a module"),
            ("listings/a --to module.all[\"eu\"]x", "is not the address of a module"),
            ("listings/a --to module.all[-1]", "is not the address of a module"),
            ("listings/a --for module.all[eu].access_listing_role.a", "quotes for the shell"),
            ("listings/a --format yaml --to module.eu", "--to is about import blocks"),
            ("listings/a listings/b --format yaml", "add --output DIRECTORY"),
            ("listings/a --format csv --imports f", "--imports has no effect"),
            ("listings/a --format csv --to module.eu", "--to has no effect"),
            ("listings/a --format csv --without-resources", "resources has no effect"),
            ("listings/a --reviews f", "--reviews is about columns"),
            ("listings/a --imports f --output f", "different files"),
            ("listings/a --key role", "add --for ADDRESS"),
            ("listings/a --each local.roles", "add --for ADDRESS"),
            ("listings/a --for access_role.a", "\"access_role.a\" is not the address"),
            ("listings/a --for access_listing_role.a --format hcl", "no --format"),
            ("listings/a --for access_listing_role.a --key owner", "\"owner\" is not"),
            ("integrations/a --for access_listing_role.a", "needs listings/ID, and a is another"),
            ("listings/a --for access_listing_role.a --to module.eu", "--to has no effect"),
            ("listings/a --for access_listing_role.a --without-resources", "has no effect"),
            ("listings/a --for access_listing_role.a --imports f --output g", "one block"),
        ] {
            let error = parsed(line).err().expect(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
