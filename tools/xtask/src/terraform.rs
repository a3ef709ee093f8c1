//! Finds the terraform or tofu binary.

use std::env;
use std::path::{self, PathBuf};

use anyhow::{Result, bail};

/// Returns the binary in `TERRAFORM_BINARY`, or the first `terraform` or `tofu` on PATH.
pub(crate) fn find() -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = |name: &PathBuf| {
        env::split_paths(&path)
            .flat_map(|directory| {
                [directory.join(name), directory.join(name).with_extension("exe")]
            })
            .find(|binary| binary.is_file())
    };
    if let Some(chosen) = env::var_os("TERRAFORM_BINARY").filter(|binary| !binary.is_empty()) {
        let chosen = PathBuf::from(chosen);
        let found = if chosen.components().count() == 1 {
            on_path(&chosen)
        } else {
            chosen.is_file().then(|| path::absolute(&chosen)).transpose()?
        };
        let Some(found) = found else {
            bail!("TERRAFORM_BINARY names {}, which does not exist.", chosen.display());
        };
        return Ok(found);
    }
    let Some(found) = ["terraform", "tofu"].iter().find_map(|name| on_path(&PathBuf::from(name)))
    else {
        bail!(
            "No terraform or tofu on PATH. Install one (https://developer.hashicorp.com/terraform/install \
             or https://opentofu.org/docs/intro/install), or set TERRAFORM_BINARY."
        );
    };
    Ok(found)
}
