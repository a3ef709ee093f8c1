//! `terraform-provider-access export`: writes the roles of listings and the owners of integrations,
//! as blocks, as data files or as a table.
//!
//! It is a program of its own, not a plugin, so standard output belongs to its result. It reads the
//! environment variables of the provider that its help names, and sends list requests alone. What
//! it leaves out is named on standard error and makes the exit code 1, after everything else was
//! written.

mod arguments;
mod blocks;
mod files;
mod objects;
mod service;
mod table;
mod yaml;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::command::{exit_code, print, print_error};
use crate::run::Run;
use arguments::{Format, Selection};
use objects::{EXPORTED, Objects};

/// The first argument that selects this program instead of the plugin.
pub(crate) const NAME: &str = "export";

/// The description of this program in the provider's `--help`.
pub(crate) const DESCRIPTION: &str =
    "Print existing objects as blocks, YAML or CSV; see export --help.";

/// Texts to write, each with its file; `None` for standard output.
type Export = Vec<(Option<PathBuf>, String)>;

/// Runs the command with the arguments after its name. The exit code is 2 for a wrong argument, and
/// 1 for any other failure.
pub(crate) async fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    plugin_server::log::install("access");
    let selection = match arguments::parse(arguments) {
        Ok(Some(selection)) => selection,
        Ok(None) => return exit_code(print(&arguments::help()).map(|()| ExitCode::SUCCESS)),
        Err(error) => {
            let hint = "Run \"terraform-provider-access export --help\" for the arguments.";
            print_error(&format!("Error: {error}\n\n{hint}\n"));
            return ExitCode::from(2);
        }
    };
    let run = match service::connect(selection.base_url.as_deref()) {
        Ok(run) => run,
        Err(error) => {
            print_error(&format!("Error: {error}\n"));
            return ExitCode::FAILURE;
        }
    };
    let mut left_out = Vec::new();
    let objects = read(&run, &selection, &mut left_out).await;
    for text in &left_out {
        // Names come from the service.
        let lines: Vec<_> = text.lines().map(|line| run.client.presentable(line)).collect();
        print_error(&format!("Error: {}\n", lines.join("\n")));
    }
    if !left_out.is_empty() && objects.iter().all(|it| it.all.is_empty()) {
        print_error("Nothing was written.\n");
        return ExitCode::FAILURE;
    }
    let base_url = run.base_url.as_deref().unwrap_or_default();
    let export = export(&objects, &selection, base_url);
    let code = if left_out.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    exit_code(write(export, selection.force).map(|()| code))
}

/// Returns the selected objects of each type. Adds what is left out to `left_out`.
async fn read(run: &Run, selection: &Selection, left_out: &mut Vec<String>) -> Vec<Objects> {
    let mut objects = Vec::new();
    for exported in &*EXPORTED {
        let mut all = Vec::new();
        for (_, id) in selection.parents.iter().filter(|it| it.0 == exported.words.parent_noun) {
            all.extend((exported.read)(run, id, left_out).await);
        }
        objects.push(Objects { exported, all });
    }
    let is_yaml = selection.format == Format::Yaml;
    let has_keys = is_yaml || selection.target.is_some();
    if selection.format != Format::Csv {
        objects.iter_mut().for_each(|it| it.retain_manageable(is_yaml, has_keys, left_out));
    }
    objects
}

/// Returns the objects in the format of the selection.
fn export(objects: &[Objects], selection: &Selection, base_url: &str) -> Export {
    let Selection { output, imports, .. } = selection;
    if let Some(address) = &selection.target {
        let path = output.as_ref().or(imports.as_ref());
        return vec![(path.cloned(), blocks::import_block_of(objects, address))];
    }
    let prefix = selection.module.as_ref().map_or(String::new(), |module| format!("{module}."));
    match selection.format {
        Format::Hcl => {
            let (resources, import_blocks) = blocks::write(objects, &prefix);
            match imports {
                Some(_) => vec![(output.clone(), resources), (imports.clone(), import_blocks)],
                None => vec![(output.clone(), format!("{resources}\n{import_blocks}"))],
            }
        }
        Format::Yaml => {
            let (files, import_blocks) = yaml::write(objects, &prefix);
            let path = |name| output.as_ref().map(|directory| directory.join(name));
            let files = files.into_iter().map(|(name, text)| (path(name), text));
            let import_blocks =
                imports.iter().map(|path| (Some(path.clone()), import_blocks.clone()));
            files.chain(import_blocks).collect()
        }
        Format::Csv => vec![(output.clone(), table::write(objects, base_url))],
    }
}

/// Writes an export: all of it or nothing.
fn write(export: Export, force: bool) -> Result<(), String> {
    let mut new_files = Vec::new();
    let mut printed = String::new();
    for (path, text) in export {
        match path {
            Some(path) => new_files.push((path, text)),
            None => printed += &text,
        }
    }
    let staged = files::stage(&new_files, force)?;
    print(&printed)?;
    staged.commit()
}
