//! Writes the files of a release, as registries require them. `cargo xtask dist` builds the binary and runs
//! this program:
//!
//! - `terraform-provider-access_<version>_<os>_<arch>.zip` with the one binary in it
//! - `terraform-provider-access_<version>_manifest.json`
//! - `terraform-provider-access_<version>_SHA256SUMS` over all of them
//!
//! The archive contains neither times nor owners, so two builds of one commit are identical. Signing is a
//! separate step, because it needs the key: `.github/workflows/release.yml` signs the checksums.

mod package;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use lexopt::prelude::*;

fn main() -> Result<()> {
    let (mut directory, mut triple, mut binary) = (None, None, None);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("directory") => directory = Some(PathBuf::from(arguments.value()?)),
            Long("target") => triple = Some(arguments.value()?.string()?),
            Long("binary") => binary = Some(PathBuf::from(arguments.value()?)),
            _ => return Err(argument.unexpected().into()),
        }
    }
    let directory = directory.context("--directory is required")?;
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::create_dir_all(&directory)?;
    fs::copy(
        top.join("terraform-registry-manifest.json"),
        directory.join(package::name("manifest.json")),
    )?;
    // Without a binary, only the checksums of what is there are written.
    if let Some(binary) = binary {
        let triple = triple.context("--binary requires --target")?;
        let archive = package::pack(&binary, &triple, &directory)?;
        print_line(&format!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len()));
    }
    let sums = package::write_sums(&directory)?;
    print_line(&format!("{}\n{}", sums.display(), fs::read_to_string(&sums)?.trim_end()));
    Ok(())
}

#[allow(clippy::print_stdout, reason = "a program of its own, whose output is for a terminal")]
fn print_line(line: &str) {
    println!("{line}");
}
