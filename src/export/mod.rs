//! `terraform-provider-access export`: prints the roles of listings and the owners of integrations, as
//! blocks, as a data file or as a table.
//!
//! It is a program of its own, not a plugin, so standard output belongs to its result. It reads the
//! same environment variables as the provider and sends list requests alone. If one list fails it
//! writes nothing: a part would look like the whole.

mod arguments;
mod blocks;
mod objects;
mod table;
mod yaml;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use access_client::api::{IntegrationOwner, ListingRole};
use access_client::{Identifier, Principal, StopSignal};
use plugin_server::Report as _;
use tf_provider::{Diagnostic, Diagnostics};

use crate::command::{exit_code, print, print_error};
use crate::config::ProviderConfig;
use crate::object::call::Call;
use crate::object::data_source::{DataEntity, read_all};
use crate::object::{NeededRead, Words};
use crate::service::{Connection, Session};
use arguments::{Format, HELP, Selection};
use objects::Objects;

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "export";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Print existing roles and owners as blocks, YAML or CSV; see export --help.";

struct Output {
    text: String,
    /// The `import` blocks; a table has none.
    imports: String,
}

/// The first line of `import` blocks.
const IMPORTS_HEAD: &str =
    "# Written by `terraform-provider-access export`. Delete these blocks after the apply.\n";

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
    let output = export(&selection, &mut diags).await;
    for (severity, all) in [("Warning", &diags.warnings), ("Error", &diags.errors)] {
        for Diagnostic { summary, detail, .. } in all {
            // As Terraform presents it without a terminal.
            print_error(&format!("{severity}: {summary}\n\n{detail}\n\n"));
        }
    }
    match output {
        Some(output) if diags.errors.is_empty() => {
            exit_code(write(&output, &selection).map(|()| ExitCode::SUCCESS))
        }
        _ => ExitCode::FAILURE,
    }
}

/// Returns everything selected in its format, or `None` with errors in `diags`.
async fn export(selection: &Selection, diags: &mut Diagnostics) -> Option<Output> {
    let session = connect(diags)?;
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
        for role in roles.iter().filter(|role| role.display_name.trim().is_empty()) {
            let problem =
                "`display_name` is required. The plan fails until you write one for this role.";
            diags.report_warning("A role has no display name", format!("{}: {problem}", role.name));
        }
        owners = manageable_owners(owners, selection.format, diags);
    }
    let failed = |error| diags.report_error("Could not write the export", format!("{error}."));
    let objects = Objects::new(roles, owners).map_err(failed).ok()?;
    let prefix = selection.module.as_ref().map_or(String::new(), |module| format!("{module}."));
    let with_resources = !selection.without_resources;
    Some(match selection.format {
        Format::Hcl => blocks::write(&objects, &prefix, with_resources),
        Format::Yaml => yaml::write(&objects, &prefix, with_resources),
        Format::Csv => Output { text: table::write(&objects), imports: String::new() },
    })
}

/// Returns the owners that a configuration can manage. Adds a warning for each other.
fn manageable_owners(
    owners: Vec<IntegrationOwner>,
    format: Format,
    diags: &mut Diagnostics,
) -> Vec<IntegrationOwner> {
    let mut seen = HashSet::new();
    let is_manageable = |owner: &IntegrationOwner| {
        let IntegrationOwner { name, owner: principal, .. } = owner;
        let is_first = seen.insert((name.integration.clone(), principal.clone()));
        let reason = if Principal::parse(principal).is_err() {
            format!(
                "the service returned {principal:?} as its owner, which is not a user, group or team."
            )
        } else if format == Format::Yaml && !is_first {
            // In the data file, integration and principal are the key.
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

/// Returns the run that the environment variables configure.
fn connect(diags: &mut Diagnostics) -> Option<Arc<Session>> {
    let (connection, config) = (Connection::new(), ProviderConfig::default());
    // No Terraform runs. The service recognises the caller by the provider's name.
    connection.configure(&config, "unknown", StopSignal::default(), diags)?;
    // No argument is set, so none is unknown.
    connection.require().ok()
}

/// Returns the objects of a parent, sorted by ID, without deleted ones. Adds an error if the list fails.
async fn list<E: DataEntity>(
    session: &Session,
    parent: &Identifier,
    diags: &mut Diagnostics,
) -> Vec<E> {
    let Words { kind, name_form, .. } = E::WORDS;
    let instead = format!(
        "Nothing was exported. Without lists, write an `import` block with the name (`{name_form}`) for \
         each {kind}, with `provider = access` for Terraform 1.16 and later, and run \
         `terraform plan -generate-config-out=generated.tf`."
    );
    let needed = NeededRead { attribute: None, ..NeededRead::of_list(E::WORDS, instead) };
    let object = E::WORDS.parent_name(parent);
    let mut call = Call::new(session, "export", E::WORDS, object, diags);
    read_all(&mut call, parent, &needed).await.unwrap_or_default()
}

/// Writes the output, and the `import` blocks to a new file. Without a file, the blocks follow the
/// `resource` blocks; a data file cannot contain them.
fn write(Output { text, imports }: &Output, selection: &Selection) -> Result<(), String> {
    let Some(path) = &selection.imports else {
        let is_hcl = selection.format == Format::Hcl;
        return print(&if is_hcl { format!("{text}\n{imports}") } else { text.clone() });
    };
    let written = File::create_new(path).and_then(|mut file| {
        file.write_all(imports.as_bytes()).inspect_err(|_| _ = fs::remove_file(path))
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => format!(
            "{} exists already, and is not overwritten. Delete it, or choose another file",
            path.display()
        ),
        _ => format!("Could not write {}: {error}", path.display()),
    })?;
    print(text).inspect_err(|_| _ = fs::remove_file(path))
}
