//! `terraform-provider-access export`: prints `resource` and `import` blocks for the roles of listings
//! and the owners of integrations.
//!
//! It is a program of its own, not a plugin, so standard output belongs to the blocks. It reads the
//! same environment variables as the provider and sends list requests alone. If one list fails it
//! writes no blocks: a part of them would look like the whole.

mod arguments;
mod blocks;
mod hcl;
mod names;

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use access_client::api::{IntegrationOwner, ListingRole};
use access_client::{Identifier, Retries, StopSignal};
use plugin_server::Report as _;
use tf_provider::{Diagnostic, Diagnostics};

use crate::config::{self, ProviderConfig};
use crate::environment;
use crate::object::next_step;
use crate::object::{self, Entity};
use crate::service::{Connection, Incomplete, Run};
use arguments::{Command, Selection};
use blocks::Blocks;

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "export";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Print resource and import blocks for existing roles and owners; see export --help.";

/// Runs the export. `arguments` are those after `export`.
pub(crate) async fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    plugin_server::log::install("access");
    let selection = match arguments::parse(arguments) {
        Ok(Command::Help) => return exit_code(print(arguments::HELP)),
        Ok(Command::Export(selection)) => selection,
        Err(error) => {
            let hint = "Run \"terraform-provider-access export --help\" for the arguments.";
            write_error(&format!("Error: {error}\n\n{hint}\n"));
            return ExitCode::from(2);
        }
    };
    let mut diags = Diagnostics::default();
    let blocks = export(&selection, &mut diags).await;
    for warning in &diags.warnings {
        write_error(&presented("Warning", warning));
    }
    for error in &diags.errors {
        write_error(&presented("Error", error));
    }
    match blocks {
        Some(blocks) if diags.errors.is_empty() => {
            exit_code(write(&blocks, selection.imports.as_deref()))
        }
        _ => ExitCode::FAILURE,
    }
}

/// Returns the blocks of everything selected, or `None` with errors in `diags`.
async fn export(selection: &Selection, diags: &mut Diagnostics) -> Option<Blocks> {
    let run = connect(diags)?;
    let mut roles = Vec::new();
    for listing in &selection.listings {
        roles.extend(list::<ListingRole>(&run, listing, diags).await);
    }
    let mut owners = Vec::new();
    for integration in &selection.integrations {
        owners.extend(list::<IntegrationOwner>(&run, integration, diags).await);
    }
    Some(blocks::write(&roles, &owners, selection.with_resources, diags))
}

/// Returns the run that the environment variables configure.
fn connect(diags: &mut Diagnostics) -> Option<Arc<Run>> {
    let configuration = config::configure(
        &ProviderConfig::default(),
        // No Terraform runs. The service recognises the caller by the provider's name.
        "unknown",
        &environment::variable,
        &environment::working_directory(),
        StopSignal::default(),
        diags,
    )?;
    let connection = Connection::new();
    if let Err(reason) = connection.configure(configuration) {
        diags.report_error("Could not set up the connection to the service", format!("{reason}."));
    }
    // No argument is set, so none is unknown.
    connection.require().ok()
}

/// Returns the objects of a parent, sorted by ID, without deleted ones. Adds an error if the list fails.
async fn list<E: Entity>(run: &Run, parent: &Identifier, diags: &mut Diagnostics) -> Vec<E> {
    let list = match object::list::request::<E>(run, parent, Retries::All).await {
        Ok(list) => list,
        Err(Incomplete { error, .. }) => {
            let instead = format!(
                "Nothing was exported. Without lists, write an `import` block with the name (`{}`) for each \
                 {}, and run `terraform plan -generate-config-out=generated.tf`.",
                E::NAME_FORM,
                E::KIND
            );
            let advice = object::list::advice::<E>(&error, "ACCESS_BASE_URL", &instead);
            let next = next_step(&error, &advice.unwrap_or_default());
            let summary = format!("Could not export {}s", E::KIND);
            let detail = format!("{} {parent}: {error}.\n\n{next}", E::PARENT_KIND);
            diags.report_error(summary, detail);
            return Vec::new();
        }
    };
    if !list.skipped.is_empty() {
        diags.report_warning(
            format!("Entries of the list of {}s were skipped", E::KIND),
            format!(
                "{} {parent}: some entries could not be read, and have no blocks. {}",
                E::PARENT_KIND,
                list.skipped.join("; ")
            ),
        );
    }
    list.entries.into_values().filter(|object| object.delete_time().is_none()).collect()
}

/// Writes the `import` blocks to a new file, or after the `resource` blocks.
fn write(blocks: &Blocks, imports: Option<&Path>) -> Result<(), String> {
    let Some(path) = imports else {
        return print(&format!("{}\n{}", blocks.resources, blocks.imports));
    };
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!(
            "{} exists already, and is not overwritten. Delete it, or choose another file",
            path.display()
        ),
        _ => format!("Could not write {}: {error}", path.display()),
    };
    let mut file = OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
    let written = file.write_all(blocks.imports.as_bytes()).map_err(failed);
    written.and_then(|()| print(&blocks.resources)).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

/// Returns a diagnostic as Terraform presents it without a terminal.
fn presented(severity: &str, diagnostic: &Diagnostic) -> String {
    format!("{severity}: {}\n\n{}\n\n", diagnostic.summary, diagnostic.detail)
}

/// Writes to standard output, and fails if that does: a part of the blocks would look like the
/// whole.
fn print(text: &str) -> Result<(), String> {
    let mut stdout = io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    printed.map_err(|error| format!("Could not write to standard output: {error}"))
}

fn exit_code(written: Result<(), String>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            write_error(&format!("Error: {error}.\n"));
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard error. A failure is ignored: there is no other place to report it.
fn write_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
