//! `cargo xtask dist`: writes the files of a release, as registries require them, to `dist/`.
//!
//! - `terraform-provider-access_<version>_<os>_<arch>.zip` with the one binary in it
//! - `terraform-provider-access_<version>_manifest.json`
//! - `terraform-provider-access_<version>_SHA256SUMS` over all of them
//!
//! Two builds of one commit are identical: the binary does not contain paths of the machine, and
//! the archive contains neither times nor owners. Signing is a separate step, because it needs the
//! key: `.github/workflows/release.yml` runs `gpg --detach-sign` on the checksums.

mod elf;
mod package;
mod target;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;

use crate::output::print_line;
use crate::workspace;
use target::Target;

/// The options of the command line.
#[derive(Debug, Default)]
struct Options {
    /// Target to build for; the host by default.
    target: Option<String>,
    /// Binary to pack instead of building one.
    binary: Option<PathBuf>,
    /// Directory to write to; `dist` by default.
    directory: Option<PathBuf>,
    /// Whether to only write the checksums of the files in the directory.
    only_sums: bool,
}

impl Options {
    fn parse(mut arguments: Parser) -> Result<Self> {
        let mut options = Self::default();
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("sums") => options.only_sums = true,
                Long("target") => options.target = Some(arguments.value()?.string()?),
                Long("binary") => options.binary = Some(arguments.value()?.into()),
                Long("directory") => options.directory = Some(arguments.value()?.into()),
                _ => return Err(argument.unexpected().into()),
            }
        }
        Ok(options)
    }
}

/// Builds the binary, packs it and writes the checksums.
///
/// # Errors
///
/// Fails if an argument is unknown, if the build fails, if a Linux binary is not static, and if there is
/// no archive to write checksums for.
pub(crate) fn run(arguments: Parser) -> Result<()> {
    let options = Options::parse(arguments)?;
    let directory = options.directory.unwrap_or_else(|| workspace::directory().join("dist"));
    fs::create_dir_all(&directory)?;
    let manifest = workspace::directory().join("terraform-registry-manifest.json");
    fs::copy(manifest, directory.join(package::name("manifest.json")))?;
    if !options.only_sums {
        let target = Target::parse(&options.target.map_or_else(host, Ok)?)?;
        let binary = match options.binary {
            Some(binary) => binary,
            None => build(&target)?,
        };
        let archive = package::pack(&binary, &target, &directory)?;
        print_line(&format!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len()));
    }
    let sums = package::write_sums(&directory)?;
    print_line(&format!("{}\n{}", sums.display(), fs::read_to_string(&sums)?.trim_end()));
    Ok(())
}

/// Returns the target of this machine's compiler.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").current_dir(workspace::directory()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc did not print its host")?.to_owned())
}

fn build(target: &Target) -> Result<PathBuf> {
    let mut flags = vec![
        // Panic messages contain paths; they must not depend on the machine.
        format!("--remap-path-prefix={}=.", workspace::directory().display()),
        format!("--remap-path-prefix={}=cargo", cargo_home()?.display()),
    ];
    // Cargo reads flags from one source only, so those that the environment sets for this target, such
    // as a linker's, are added here.
    let variable = target.triple().replace('-', "_").to_uppercase();
    let more = env::var(format!("CARGO_TARGET_{variable}_RUSTFLAGS")).unwrap_or_default();
    flags.extend(more.split_whitespace().map(str::to_owned));
    if target.is_linux() {
        // Alpine does not have glibc, so the binary links the C library statically.
        flags.push("-Ctarget-feature=+crt-static".to_owned());
    }
    let status = workspace::cargo_command()
        .args(["build", "--locked", "--release", "--package", "terraform-provider-access"])
        .args(["--target", target.triple()])
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
        .status()?;
    ensure!(status.success(), "The build for {} failed.", target.triple());
    let output = workspace::target_directory()?.join(target.triple()).join("release");
    let binary = output.join(target.file_name("terraform-provider-access"));
    if target.is_linux() {
        let bytes = fs::read(&binary)?;
        ensure!(
            elf::is_static(&bytes).context("the binary is not an ELF file")?,
            "{} needs the system's loader, which Alpine does not have.",
            binary.display()
        );
    }
    Ok(binary)
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    let home = env::var_os("HOME").or_else(|| env::var_os("USERPROFILE"));
    Ok(Path::new(&home.context("neither CARGO_HOME nor HOME is set")?).join(".cargo"))
}
