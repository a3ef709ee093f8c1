//! Writes the files of a release, as registries require them:
//!
//! - `terraform-provider-access_<version>_<os>_<arch>.zip` with the one binary in it
//! - `terraform-provider-access_<version>_manifest.json`
//! - `terraform-provider-access_<version>_SHA256SUMS` over all of them
//!
//! and the documents of a network mirror, `registry.terraform.io/access/access/index.json` and the
//! same for OpenTofu. Terraform and OpenTofu install the archives from any web server that serves
//! the directory as it is.
//!
//! The documents describe every version of which there are archives, so a directory that keeps
//! those of earlier versions serves them all. The archives contain neither times nor owners, so two
//! builds of one commit are identical. Signing is a separate step, because it needs the private
//! key.

mod archive;
mod mirror;
mod package;

use std::path::Path;

use anyhow::Result;

pub use archive::{Archive, archives};
pub use package::{pack, write_manifest, write_sums};

/// The version of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the name of a file of a release.
#[must_use]
pub fn file_name(version: &str, suffix: &str) -> String {
    format!("terraform-provider-access_{version}_{suffix}")
}

/// Writes the documents of a network mirror for the archives in a directory.
///
/// # Errors
///
/// An archive that differs from the checksums of its version is an error, so that the documents do
/// not vouch for it.
pub fn write_documents(directory: &Path) -> Result<()> {
    let archives = archives(directory)?;
    for archive in &archives {
        archive.check_sum(directory)?;
    }
    mirror::write(directory, &archives)
}
