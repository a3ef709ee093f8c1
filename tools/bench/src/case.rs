//! What is compared: configurations of the same roles, each with a provider.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::options::{Options, TEAM_LISTINGS, configurations};

/// A configuration of roles, and the provider that manages them.
pub(crate) struct Case {
    /// What the table calls the provider.
    pub(crate) provider: String,
    /// The binary of the plugin. `terraform_data` has none.
    pub(crate) plugin: Option<PathBuf>,
    pub(crate) roles: usize,
    /// Above one, the roles are in modules, with a data file for each listing.
    pub(crate) listings: usize,
    /// The directories that are copied into that of the configuration, and their names there.
    sources: Vec<(PathBuf, &'static str)>,
}

/// Returns the cases that the options select.
pub(crate) fn all(options: &Options) -> Vec<Case> {
    let mut cases = Vec::new();
    if options.roles > 0 {
        let case = |name: &str, provider: String, plugin| Case {
            provider,
            plugin,
            roles: options.roles,
            listings: 1,
            sources: vec![(configurations().join(name), "")],
        };
        cases.push(case("terraform_data", "terraform_data".to_owned(), None));
        cases.push(case("access", "access".to_owned(), Some(options.provider.clone())));
        for (name, binary) in &options.others {
            let file = binary.file_name().unwrap_or_default().to_string_lossy();
            cases.push(case(name, format!("{name} ({file})"), Some(binary.clone())));
        }
    }
    if options.team > 0 {
        let case = |provider: &str, plugin, sources| Case {
            provider: provider.to_owned(),
            plugin,
            roles: options.team,
            listings: TEAM_LISTINGS,
            sources,
        };
        let floor = vec![(configurations().join("team_terraform_data"), "")];
        let region = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/team/region");
        let team = vec![(configurations().join("team"), ""), (region, "region")];
        cases.push(case("terraform_data", None, floor));
        cases.push(case("access", Some(options.provider.clone()), team));
    }
    cases
}

impl Case {
    /// Returns what the table says about the configuration.
    pub(crate) fn configuration(&self) -> String {
        let modules = if self.listings > 1 { "modules of examples/team" } else { "one resource" };
        format!("{} roles, {modules}", self.roles)
    }

    /// Copies the configuration into a directory.
    pub(crate) fn write(&self, directory: &Path) -> Result<()> {
        for (source, name) in &self.sources {
            copy(source, &directory.join(name)).with_context(|| source.display().to_string())?;
        }
        Ok(())
    }

    /// Writes the data files, if the configuration reads any. Edition 2 changes each role.
    pub(crate) fn write_data(&self, directory: &Path, edition: &str) -> Result<()> {
        if self.listings == 1 {
            return Ok(());
        }
        let data = directory.join("data/listings");
        fs::create_dir_all(&data)?;
        for (listing, name) in self.listing_names().enumerate() {
            let mut text = String::new();
            for role in (listing..self.roles).step_by(self.listings) {
                write!(
                    text,
                    "role-{role}:\n  display_name: Role {role}\n  description: Edition {edition}\n  \
                     priority: {role}\n  resources:\n    - repositories/handbook\n    \
                     - repositories/website\n"
                )?;
            }
            fs::write(data.join(format!("{name}.yaml")), text)?;
        }
        Ok(())
    }

    pub(crate) fn listing_names(&self) -> impl Iterator<Item = String> {
        (0..self.listings).map(|index| format!("listing-{index}"))
    }

    /// Returns the address in `required_providers` of the configuration.
    pub(crate) fn source_address(&self, directory: &Path) -> Result<String> {
        let text = fs::read_to_string(directory.join("main.tf"))?;
        let address = text.split("source = \"").nth(1).and_then(|rest| rest.split('"').next());
        Ok(address.context("main.tf does not name its provider")?.to_owned())
    }
}

/// Copies the files below a directory.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let copied = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &copied)?;
        } else {
            fs::copy(entry.path(), copied)?;
        }
    }
    Ok(())
}
