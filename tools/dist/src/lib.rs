//! Writes the files of a release, as registries require them:
//!
//! - `terraform-provider-access_<version>_<os>_<arch>.zip` with the one binary in it
//! - `terraform-provider-access_<version>_manifest.json`
//! - `terraform-provider-access_<version>_SHA256SUMS` over all of them
//!
//! and the documents from which Terraform and OpenTofu install the archives in the same directory
//! without a public registry. Its files can be served as they are:
//!
//! - a network mirror: `registry.terraform.io/access/access/index.json`, and the same for OpenTofu
//! - with the public key of the release, a provider registry: `.well-known/terraform.json` and
//!   `v1/`
//! - an OCI image layout for OpenTofu: `oci/`
//!
//! The documents describe every version of which there are archives, so a directory that keeps
//! those of earlier versions serves them all. The archives contain neither times nor owners, so two
//! builds of one commit are identical. Signing is a separate step, because it needs the private
//! key.

mod archive;
mod mirror;
mod oci;
mod package;
mod registry;

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::Value;

pub use archive::{Archive, archives};
pub use package::{pack, write_manifest, write_sums};

/// The version of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Namespace and type in the source address of the provider.
const NAME: &str = "access/access";

/// Returns the name of a file of a release.
#[must_use]
pub fn file_name(version: &str, suffix: &str) -> String {
    format!("terraform-provider-access_{version}_{suffix}")
}

/// Writes the documents that describe the archives in a directory. `key` is a file with the public
/// key that signs the checksums; without it, there is no provider registry.
///
/// # Errors
///
/// An archive that differs from the checksums of its version is an error, so that the documents do
/// not vouch for it.
pub fn write_documents(directory: &Path, key: Option<&Path>) -> Result<()> {
    let archives = archives(directory)?;
    for archive in &archives {
        archive.check_sum(directory)?;
    }
    mirror::write(directory, &archives)?;
    oci::write(directory, &archives)?;
    if let Some(key) = key {
        registry::write(directory, &archives, key)?;
    }
    Ok(())
}

/// Writes a document of JSON, with the directories above it.
fn write_json(path: &Path, document: &Value) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file has a directory")?)?;
    fs::write(path, format!("{document:#}\n")).with_context(|| path.display().to_string())
}
