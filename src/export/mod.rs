//! `terraform-provider-access export`: prints `import` and `resource` blocks for the roles of
//! listings and the owners of integrations, for hosts without `terraform query`.
//!
//! It is a program of its own, not a plugin, so that standard output belongs to the blocks. It
//! reads the same environment variables as the provider and sends list requests alone. If one list
//! fails it prints no blocks: a part of them would look like the whole.

mod arguments;
mod blocks;
mod hcl;
mod names;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use access_client::api::{IntegrationOwner, ListingRole};
use access_client::{Error, ErrorKind, Identifier, StopSignal};
use plugin_server::{OrReport as _, Report as _};
use tf_provider::{Diagnostic, Diagnostics};

use crate::config::{self, ProviderConfig};
use crate::environment;
use crate::object::call::{Advice, Call};
use crate::object::{Entity, list};
use crate::service::{Connection, Run};
use arguments::{Command, Selection};

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "export";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Print import and resource blocks for existing roles and owners; see export --help.";

/// Runs the export. `arguments` are those after `export`.
pub(crate) async fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    plugin_server::log::install("access");
    let selection = match arguments::parse(arguments) {
        Ok(Command::Help) => return print(arguments::HELP),
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
        Some(blocks) if diags.errors.is_empty() => print(&blocks),
        _ => ExitCode::FAILURE,
    }
}

/// Returns the blocks of everything selected, or `None` with errors in `diags`.
async fn export(selection: &Selection, diags: &mut Diagnostics) -> Option<String> {
    let service = connect(diags)?;
    let mut roles = Vec::new();
    for listing in &selection.listings {
        roles.extend(list_all::<ListingRole>(&service, listing, diags).await);
    }
    let mut owners = Vec::new();
    for integration in &selection.integrations {
        owners.extend(list_all::<IntegrationOwner>(&service, integration, diags).await);
    }
    let options = blocks::Options { with_resources: selection.with_resources };
    Some(blocks::write(&roles, &owners, options, diags))
}

/// Returns the service that the environment variables configure.
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
    let run = connection
        .configure(configuration)
        .and_then(|()| connection.require().map_err(Option::unwrap_or_default));
    run.or_report(diags, "Could not export")
}

/// Returns the objects of a parent by ID, without deleted ones. Adds an error if the list fails.
async fn list_all<E: Entity>(run: &Run, parent: &Identifier, diags: &mut Diagnostics) -> Vec<E> {
    let name = format!("{} {parent}", E::PARENT_KIND);
    let mut call = Call::new(run, "export", E::KIND, &name, diags);
    let list = match list::whole::<E>(run, parent).await {
        Ok(list) => list,
        Err(error) => {
            let next = next_step_of::<E>(&error);
            call.failed_with(&error, Advice { next, ..Advice::default() });
            return Vec::new();
        }
    };
    if !list.skipped.is_empty() {
        let skipped = list.skipped.join("; ");
        diags.report_warning(
            format!("Entries of the list of {}s were skipped", E::KIND),
            format!("{name}: some entries could not be read, and have no blocks. {skipped}"),
        );
    }
    let entries = list.entries.values();
    entries.filter(|object| object.delete_time().is_none()).cloned().collect()
}

/// Returns the advice for a failed list, unless its status alone determines it.
fn next_step_of<E: Entity>(error: &Error) -> Option<String> {
    let by_name = format!(
        "Nothing was exported. Without lists, write an `import` block with the name \
         (`{}`) for each {}, and run `terraform plan -generate-config-out=generated.tf`.",
        E::NAME_FORM,
        E::KIND
    );
    match error.kind() {
        ErrorKind::NotImplemented => Some(format!("The service does not offer lists. {by_name}")),
        ErrorKind::NotFound { .. } => Some(format!(
            "The {} does not exist, this API key may not see it, or the service does not offer \
             lists. Check the ID and ACCESS_BASE_URL. {by_name}",
            E::PARENT_KIND
        )),
        _ => None,
    }
}

/// Returns a diagnostic as Terraform presents it without a terminal.
fn presented(severity: &str, diagnostic: &Diagnostic) -> String {
    format!("{severity}: {}\n\n{}\n\n", diagnostic.summary, diagnostic.detail)
}

/// Writes to standard output, and fails if that does: a part of the blocks would look like the
/// whole.
fn print(text: &str) -> ExitCode {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            write_error(&format!("Error: Could not write to standard output: {error}\n"));
            ExitCode::FAILURE
        }
    }
}

/// Writes to standard error. A failure is ignored: there is no other place to report it.
fn write_error(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
