//! The arguments of `export`. `help.txt` describes them.

use std::ffi::OsString;
use std::path::PathBuf;

use access_client::Identifier;
use lexopt::{Arg, Parser, ValueExt as _};

use super::objects::{EXPORTED, Exported};

/// Returns the text that `--help` prints.
pub(super) fn help() -> String {
    let lines = EXPORTED.iter().map(|Exported { words, .. }| {
        format!("  {:20} Write its {}.\n", words.parent_name("ID"), words.plural())
    });
    include_str!("help.txt").replace("  PARENTS\n", &lines.collect::<String>())
}

/// Returns how parents are written: `listings/ID or integrations/ID`.
fn parent_forms() -> String {
    let forms: Vec<_> = EXPORTED.iter().map(|exported| exported.words.parent_name("ID")).collect();
    forms.join(" or ")
}

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
    /// The parents whose objects are exported, each once: what it is, as in "listing", and its ID.
    pub(super) parents: Vec<(&'static str, Identifier)>,
    pub(super) format: Format,
    pub(super) base_url: Option<String>,
    /// The file, or for YAML the directory, that gets the result instead of standard output.
    pub(super) output: Option<PathBuf>,
    pub(super) imports: Option<PathBuf>,
    /// The address of the module that contains the resources; none for the root module.
    pub(super) module: Option<String>,
    /// The address of the resource that gets an `import` block. Nothing else is written then.
    pub(super) target: Option<String>,
    /// Whether files that exist are replaced.
    pub(super) force: bool,
}

/// Parses the arguments after `export`; `None` if they ask for help.
pub(super) fn parse(
    arguments: impl Iterator<Item = OsString>,
) -> Result<Option<Selection>, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut selection = Selection::default();
    let mut format = None;
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return Ok(None),
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
            Arg::Long("to") => selection.module = Some(parser.value()?.string()?),
            Arg::Long("for") => selection.target = Some(parser.value()?.string()?),
            Arg::Long("force") => selection.force = true,
            other => return Err(other.unexpected()),
        }
    }
    selection.format = format.unwrap_or_default();
    match selection.problem(format.is_some()) {
        Some(problem) => Err(problem.into()),
        None => Ok(Some(selection)),
    }
}

impl Selection {
    /// Returns why these arguments do not go together. An option without effect is an error:
    /// whoever wrote it expects one.
    fn problem(&self, has_format: bool) -> Option<String> {
        let Self { parents, format, output, imports, module, target, .. } = self;
        let (is_csv, is_yaml) = (*format == Format::Csv, *format == Format::Yaml);
        let nothing = format!("nothing is selected: add {}", parent_forms());
        let is_invalid = module.as_ref().is_some_and(|module| !is_module(module));
        let path = parents.iter().map(|(_, id)| id.as_str()).find(|id| !is_file_name(id));
        let is_path = format!(
            "--format yaml names a file after each PARENT, and {} is a path: use --format hcl for it",
            path.unwrap_or_default()
        );
        let first = first_problem(&[
            (parents.is_empty(), &nothing),
            (
                is_invalid,
                "--to is not the address of a module, such as module.eu or 'module.all[\"eu\"]'",
            ),
            (
                is_csv && (imports.is_some() || module.is_some()),
                "--imports and --to have no effect with --format csv",
            ),
            (
                is_yaml && module.is_some() && imports.is_none(),
                "--to is about import blocks: add --imports FILE",
            ),
            (
                is_yaml && parents.len() > 1 && output.is_none(),
                "--format yaml writes a file for each PARENT: add --output DIRECTORY",
            ),
            (is_yaml && path.is_some(), &is_path),
            (imports.is_some() && imports == output, "--imports and --output need different files"),
        ]);
        first.or_else(|| self.problem_with(target.as_ref()?, has_format))
    }

    /// Returns what is wrong with the address of `--for`, or does not go together with it.
    fn problem_with(&self, address: &str, has_format: bool) -> Option<String> {
        let Some(Exported { words, .. }) = exported_to(address) else {
            let problem = "--for is not the address, without a key, of a resource type that is exported, such as \
                           access_listing_role.this or 'module.all[\"eu\"].access_integration_owner.this'";
            return Some(problem.to_owned());
        };
        let needs = format!("--for {address} needs one {}", words.parent_name("ID"));
        let has_one = matches!(self.parents[..], [(parent, _)] if parent == words.parent_noun);
        first_problem(&[
            (!has_one, &needs),
            (
                has_format || self.module.is_some(),
                "--for prints an import block: --format and --to have no effect",
            ),
            (
                self.imports.is_some() && self.output.is_some(),
                "--for prints one block: choose --imports or --output",
            ),
        ])
    }
}

/// Returns the text of the first condition that is met.
fn first_problem(problems: &[(bool, &str)]) -> Option<String> {
    problems.iter().find(|(is_met, _)| *is_met).map(|(_, text)| (*text).to_owned())
}

/// Returns whether an ID is the name of a file on every system. On Windows a colon leads to a stream of another
/// file.
fn is_file_name(id: &str) -> bool {
    !id.contains(if cfg!(windows) { &['\\', ':'][..] } else { &['\\'] })
}

/// Returns whether an address begins as that of a module. Terraform checks the rest.
fn is_module(address: &str) -> bool {
    address.starts_with("module.") && !address.contains(char::is_control)
}

/// Returns what is imported to the address of a resource without a key; `None` for another address.
pub(super) fn exported_to(address: &str) -> Option<&'static Exported> {
    let (rest, name) = address.rsplit_once('.')?;
    let (module, resource_type) = rest.rsplit_once('.').unwrap_or(("", rest));
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    if !is_name || !(module.is_empty() || is_module(module)) {
        return None;
    }
    EXPORTED.iter().find(|exported| exported.words.resource_type == resource_type)
}

/// Adds a parent, such as a listing. One that is given twice counts once.
fn add_parent(parent: &str, selection: &mut Selection) -> Result<(), lexopt::Error> {
    let (collection, id) = parent.split_once('/').unwrap_or_default();
    let mut nouns = EXPORTED.iter().map(|exported| exported.words.parent_noun);
    let Some(noun) = nouns.find(|noun| collection.strip_suffix('s') == Some(*noun)) else {
        return Err(format!("{parent:?} is not {}", parent_forms()).into());
    };
    let id = Identifier::parse(id).map_err(|error| format!("{id:?} is not an ID: it {error}"))?;
    if !selection.parents.contains(&(noun, id.clone())) {
        selection.parents.push((noun, id));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Option<Selection>, lexopt::Error> {
        parse(line.split(' ').map(OsString::from))
    }

    /// `acceptance::export` and `site::team` show what the other options do.
    #[test]
    fn parents_are_selected_once_and_in_order() {
        let line =
            "listings/a integrations/c listings/d --force integrations/c listings/b listings/a";
        let Selection { parents, .. } = parsed(line).unwrap().unwrap();
        let shown: Vec<_> = parents.iter().map(|(noun, id)| format!("{noun} {id}")).collect();
        assert_eq!(shown, ["listing a", "integration c", "listing d", "listing b"]);
        assert!(parsed("listings/a --help").unwrap().is_none());
        let lines = "  listings/ID          Write its listing roles.\n  integrations/ID      Write";
        assert!(help().contains(lines), "{}", help());
    }

    #[test]
    fn wrong_argument_is_named() {
        for (line, part) in [
            ("--force", "nothing is selected"),
            ("--output", "missing argument"),
            ("listings/a --role b", "--role"),
            ("a", "\"a\" is not listings/ID or integrations/ID"),
            ("listings/a/b", "\"a/b\" is not an ID"),
            ("listings/a --format json", "\"json\" is not hcl, yaml or csv"),
            ("listings/a --to eu", "--to is not the address of a module"),
            ("listings/a --format yaml --to module.eu", "--to is about import blocks"),
            ("listings/a listings/b --format yaml", "add --output DIRECTORY"),
            ("listings/a\\b --format yaml --output eu", "and a\\b is a path"),
            ("listings/a --format csv --imports f", "no effect with --format csv"),
            ("listings/a --format csv --to module.eu", "no effect with --format csv"),
            ("listings/a --imports f --output f", "different files"),
            ("listings/a --for access_role.a", "--for is not the address"),
            ("listings/a --for access_listing_role.a --format hcl", "no effect"),
            ("integrations/a --for access_listing_role.a", "needs one listings/ID"),
            ("listings/a listings/b --for access_listing_role.a", "needs one listings/ID"),
            ("listings/a integrations/b --for access_listing_role.a", "needs one listings/ID"),
            ("listings/a --for access_listing_role.a --to module.eu", "no effect"),
            ("listings/a --for access_listing_role.a --imports f --output g", "one block"),
        ] {
            let error = parsed(line).err().expect(line).to_string();
            assert!(error.contains(part), "{line}: {error}");
        }
    }

    #[test]
    fn address_is_of_roles_or_owners_in_any_module_without_a_key() {
        let (role, owner) = (Some("access_listing_role"), Some("access_integration_owner"));
        for (address, expected) in [
            ("access_listing_role.this", role),
            ("access_integration_owner.a-b", owner),
            ("module.eu.access_listing_role.this", role),
            ("module.eu[\"a.b\"].module.c[0].access_integration_owner.this", owner),
            ("module.eu\n.access_listing_role.this", None),
            ("access_listing_role.this[\"viewer\"]", None),
            ("access_listing_role.this[each.key]", None),
            ("access_integration_owners.this", None),
            ("data.access_listing_role.this", None),
            ("my_access_listing_role.this", None),
            ("access_listing_role", None),
            ("access_listing_role.", None),
            ("", None),
        ] {
            let found = exported_to(address).map(|exported| exported.words.resource_type);
            assert_eq!(found, expected, "{address}");
        }
    }
}
