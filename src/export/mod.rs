//! `terraform-provider-access export`: prints the roles of listings and the owners of integrations,
//! as blocks, as a data file or as a table.
//!
//! It is a program of its own, not a plugin, so standard output belongs to its result. It reads the
//! same environment variables as the provider and sends list requests alone. If one list fails it
//! writes nothing: a part would look like the whole.

mod arguments;
mod blocks;
mod data_schema;
mod files;
mod objects;
mod reviews;
mod table;
mod target;
mod yaml;

use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use access_client::api::{IntegrationOwner, ListingRole};
use access_client::{Identifier, Principal, StopSignal};
use plugin_server::Report as _;
use tf_provider::{Diagnostic, Diagnostics};

use crate::command::{exit_code, print, print_error};
use crate::config::ProviderConfig;
use crate::environment;
use crate::object::call::Call;
use crate::object::data_source::{DataEntity, read_all};
use crate::object::{NeededRead, Words};
use crate::service::{Connection, Session};
use arguments::{Format, HELP, Selection};
use files::{NewFile, seal};
use objects::Objects;
use reviews::Reviews;

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "export";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Print existing roles and owners as blocks, YAML or CSV; see export --help.";

/// What an export writes.
enum Export {
    /// `resource` blocks, and the `import` blocks for them.
    Blocks {
        resources: String,
        imports: String,
    },
    /// The data files, each with its path in the directory of `--output`, and the `import` blocks
    /// for what they contain.
    Data {
        files: Vec<(String, String)>,
        imports: String,
    },
    Table(String),
    /// The `import` block of `--for`.
    ImportBlock(String),
}

/// What the first line of `import` blocks says.
const IMPORTS_REMARK: &str = " Delete these blocks after the apply.";

/// Runs the command with the arguments after its name. The exit code is 2 for a wrong argument, and
/// 1 for any other failure.
pub(crate) async fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    plugin_server::log::install("access");
    let selection = match arguments::parse(arguments) {
        Ok(Some(selection)) => selection,
        Ok(None) => return exit_code(print(HELP).map(|()| ExitCode::SUCCESS)),
        Err(error) => {
            let hint = "Run \"terraform-provider-access export --help\" for the arguments.";
            print_error(&format!("Error: {error}\n\n{hint}\n"));
            return ExitCode::from(2);
        }
    };
    let mut diags = Diagnostics::default();
    let result = export(&selection, &mut diags).await;
    for (severity, all) in [("Warning", &diags.warnings), ("Error", &diags.errors)] {
        for Diagnostic { summary, detail, .. } in all {
            // As Terraform presents it without a terminal.
            print_error(&format!("{severity}: {summary}\n\n{detail}\n\n"));
        }
    }
    match result {
        Some(export) if diags.errors.is_empty() => {
            exit_code(write(export, &selection).map(|()| ExitCode::SUCCESS))
        }
        _ => ExitCode::FAILURE,
    }
}

/// Returns everything selected in its format, or `None` with errors in `diags`.
async fn export(selection: &Selection, diags: &mut Diagnostics) -> Option<Export> {
    let reviews = match selection.reviews.as_deref().map(Reviews::read).transpose() {
        Ok(reviews) => reviews,
        Err(error) => {
            diags.report_error("Could not read the reviews", error);
            return None;
        }
    };
    let session = connect(selection.base_url.as_deref(), diags)?;
    let mut roles = Vec::new();
    for listing in &selection.listings {
        roles.extend(list::<ListingRole>(&session, listing, diags).await);
    }
    let mut owners = Vec::new();
    for integration in &selection.integrations {
        owners.extend(list::<IntegrationOwner>(&session, integration, diags).await);
    }
    if selection.unmanaged {
        roles.retain(|role| role.manager.is_none());
    }
    if selection.format != Format::Csv {
        let writes_names = selection.target.is_none();
        let is_blank = |role: &&ListingRole| role.display_name.trim().is_empty();
        for role in roles.iter().filter(|role| writes_names && is_blank(role)) {
            let problem =
                "`display_name` is required. The plan fails until you write one for this role.";
            diags.report_warning("A role has no display name", format!("{}: {problem}", role.name));
        }
        let writes_resources = writes_names && !selection.without_resources;
        let has_blank = |role: &&ListingRole| role.resources.iter().any(String::is_empty);
        for role in roles.iter().filter(|role| writes_resources && has_blank(role)) {
            let problem = "`resources` must not contain an empty resource. The plan fails until you remove it.";
            diags.report_warning(
                "A role has an empty resource",
                format!("{}: {problem}", role.name),
            );
        }
        owners = manageable_owners(owners, selection, diags);
    }
    let failed = |error| diags.report_error("Could not write the export", format!("{error}."));
    let objects = Objects::new(roles, owners).map_err(failed).ok()?;
    if let Some(target) = &selection.target {
        let block = target.block(&objects);
        let failed = |error| diags.report_error("Two objects have one key", error);
        return block.map_err(failed).ok().map(Export::ImportBlock);
    }
    let prefix = selection.module.as_ref().map_or(String::new(), |module| format!("{module}."));
    let with_resources = !selection.without_resources;
    Some(match selection.format {
        Format::Hcl => blocks::write(&objects, &prefix, with_resources),
        Format::Yaml => {
            // What could not be read is an error already.
            if diags.errors.is_empty() {
                warn_about_missing_files(&objects, selection, diags);
            }
            yaml::write(&objects, &prefix, with_resources)
        }
        Format::Csv => {
            let base_url = session.base_url.as_deref().unwrap_or_default();
            Export::Table(table::write(&objects, base_url, reviews.as_ref()))
        }
    })
}

/// Warns about each parent without objects: a data file without entries would be an error of the
/// plan, and an older file stays.
fn warn_about_missing_files(objects: &Objects, selection: &Selection, diags: &mut Diagnostics) {
    let mut warn = |collection: &str, id: &Identifier, entries: &str| {
        let detail = format!("{collection}/{id} has no {entries} to export, so it gets no file.");
        diags.report_warning("A file was not written", detail);
    };
    let has = |objects: &[serde_json::Value], parent: &str, id: &Identifier| {
        objects.iter().any(|object| object[parent] == id.as_str())
    };
    for listing in selection.listings.iter().filter(|id| !has(&objects.roles, "listing", id)) {
        warn("listings", listing, "roles");
    }
    for id in selection.integrations.iter().filter(|id| !has(&objects.owners, "integration", id)) {
        warn("integrations", id, "owners");
    }
}

/// Returns the owners that a configuration can manage. Adds a warning for each other.
fn manageable_owners(
    owners: Vec<IntegrationOwner>,
    selection: &Selection,
    diags: &mut Diagnostics,
) -> Vec<IntegrationOwner> {
    // Whether integration and principal are the key.
    let by_principal = match &selection.target {
        Some(target) => !target.has_owner_ids(),
        None => selection.format == Format::Yaml,
    };
    let mut seen = HashSet::new();
    let is_manageable = |owner: &IntegrationOwner| {
        let IntegrationOwner { name, owner: principal, .. } = owner;
        let is_first = seen.insert((name.integration.clone(), principal.clone()));
        let reason = if Principal::parse(principal).is_err() {
            format!(
                "the service returned {principal:?} as its owner, which is not a user, group or team."
            )
        } else if by_principal && !is_first {
            format!("{principal} owns the integration under another ID already.")
        } else {
            return true;
        };
        let detail = format!("{name}: {reason} The owner was not exported.");
        diags.report_warning("An owner was skipped", detail);
        false
    };
    owners.into_iter().filter(is_manageable).collect()
}

/// Returns the run that the environment variables configure, and `--base-url`.
fn connect(base_url: Option<&str>, diags: &mut Diagnostics) -> Option<Arc<Session>> {
    let is_set = |name| environment::variable(name).is_some_and(|text| !text.trim().is_empty());
    let is_blank = base_url.is_none_or(|url| url.trim().is_empty());
    // The texts of the provider name its arguments, which this command does not read.
    let reason = "`export` does not read the `provider` block.";
    if is_blank && !is_set("ACCESS_BASE_URL") {
        let remedy = "Add `--base-url URL`, or set the environment variable `ACCESS_BASE_URL`.";
        diags.report_error("Missing base_url", format!("{remedy} {reason}"));
    }
    if !is_set("ACCESS_API_KEY") && !is_set("ACCESS_API_KEY_FILE") {
        let remedy = "Set the environment variable `ACCESS_API_KEY`, or `ACCESS_API_KEY_FILE` to the path of a file.";
        diags.report_error("Missing api_key", format!("{remedy} {reason}"));
    }
    if !diags.errors.is_empty() {
        return None;
    }
    let connection = Connection::new();
    let config = ProviderConfig::of_base_url(base_url);
    // No Terraform runs. The service recognises the caller by the provider's name.
    connection.configure(&config, "unknown", StopSignal::default(), diags)?;
    // No argument is unknown.
    connection.require().ok()
}

/// Returns the objects of a parent, sorted by ID, without deleted ones. Adds an error if the list
/// fails.
async fn list<E: DataEntity>(
    session: &Session,
    parent: &Identifier,
    diags: &mut Diagnostics,
) -> Vec<E> {
    let Words { kind, name_form, .. } = E::WORDS;
    let instead = format!(
        "Nothing was exported. Without lists, write an `import` block with the name (`{name_form}`) for \
         each {kind}, with `provider = access` for Terraform 1.16.0 and 1.16.1, and run \
         `terraform plan -generate-config-out=generated.tf`."
    );
    let needed = NeededRead { attribute: None, ..NeededRead::of_list(E::WORDS, instead) };
    let object = E::WORDS.parent_name(parent);
    let mut call = Call::new(session, "export", E::WORDS, object, diags);
    read_all(&mut call, parent, &needed).await.unwrap_or_default()
}

/// Writes an export to files and standard output: all of it or nothing. Without a file of their
/// own, the `import` blocks follow the `resource` blocks; data files cannot contain them.
fn write(export: Export, selection: &Selection) -> Result<(), String> {
    let mut new_files = Vec::new();
    let mut add = |path: &Path, text: String| {
        new_files.push(NewFile { path: path.to_owned(), text });
    };
    let output = selection.output.as_deref();
    let imports_file = selection.imports.as_deref();
    let (text, path) = match export {
        Export::Blocks { resources, imports } => match imports_file {
            Some(file) => {
                add(file, seal(&imports, IMPORTS_REMARK));
                (Some(seal(&resources, "")), output)
            }
            None => (Some(seal(&(resources + &imports), "")), output),
        },
        Export::Data { files, imports } => {
            if let Some(file) = imports_file {
                add(file, seal(&imports, IMPORTS_REMARK));
            }
            match output {
                Some(directory) => {
                    files.into_iter().for_each(|(name, text)| add(&directory.join(name), text));
                    (None, None)
                }
                // The first is the one of the only parent; a schema follows.
                None => (files.into_iter().next().map(|(_, text)| text), None),
            }
        }
        Export::Table(text) => (Some(text), output),
        Export::ImportBlock(block) => (Some(seal(&block, IMPORTS_REMARK)), output.or(imports_file)),
    };
    let mut printed = None;
    match (text, path) {
        (Some(text), Some(path)) => add(path, text),
        (text, _) => printed = text,
    }
    let staged = files::stage(&new_files)?;
    if let Some(text) = printed {
        print(&text)?;
    }
    staged.commit()
}
