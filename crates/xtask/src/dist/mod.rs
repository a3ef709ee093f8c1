//! `cargo xtask dist`: what the registries want of a release, in `dist/`.
//!
//! - `terraform-provider-access_<version>_<os>_<arch>.zip` with the one binary in it
//! - `terraform-provider-access_<version>_manifest.json`
//! - `terraform-provider-access_<version>_SHA256SUMS` over all of them
//!
//! Two builds of one commit give the same bytes: paths are taken out of the binary, and the archive
//! knows neither times nor owners. Signing is left to whoever has the key: `gpg --detach-sign` of
//! the sums, as `.github/workflows/release.yml` does it.

mod elf;
mod package;
mod target;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{tell, workspace};
use target::Target;

/// What is asked for on the command line.
#[derive(Debug, Default)]
struct Wish {
    /// Build for this target; else for this machine.
    target: Option<String>,
    /// Pack this binary instead of building one.
    binary: Option<PathBuf>,
    /// Where everything goes.
    directory: Option<PathBuf>,
    /// Only write the sums of what is there.
    only_sums: bool,
}

impl Wish {
    fn parse(arguments: &[&str]) -> Result<Self> {
        let mut wish = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().with_context(|| format!("{argument} needs a value."));
            match *argument {
                "--sums" => wish.only_sums = true,
                "--target" => wish.target = Some((*value()?).to_owned()),
                "--binary" => wish.binary = Some(value()?.into()),
                "--directory" => wish.directory = Some(value()?.into()),
                _ => bail!("{argument} is none of --target, --binary, --directory and --sums."),
            }
        }
        Ok(wish)
    }
}

/// Builds, packs and sums up.
///
/// # Errors
///
/// Fails where the build fails, where a Linux binary is not static, and where nothing is there to
/// be summed up.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let wish = Wish::parse(arguments)?;
    let directory = wish.directory.unwrap_or_else(|| workspace::directory().join("dist"));
    fs::create_dir_all(&directory)?;
    let manifest = workspace::directory().join("terraform-registry-manifest.json");
    fs::copy(manifest, directory.join(package::name("manifest.json")))?;
    if !wish.only_sums {
        let target = Target::parse(&wish.target.map_or_else(host, Ok)?)?;
        let binary = match wish.binary {
            Some(binary) => binary,
            None => build(&target)?,
        };
        let archive = package::pack(&binary, &target, &directory)?;
        tell(&format!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len()));
    }
    let sums = package::write_sums(&directory)?;
    tell(&format!("{}\n{}", sums.display(), fs::read_to_string(&sums)?.trim_end()));
    Ok(())
}

/// The target of this machine's compiler.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").current_dir(workspace::directory()).output()?;
    let text = String::from_utf8(output.stdout)?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not name its host")?.to_owned())
}

fn build(target: &Target) -> Result<PathBuf> {
    let mut flags = vec![
        // Wherever it is built, the binary says the same of panics.
        format!("--remap-path-prefix={}=.", workspace::directory().display()),
        format!("--remap-path-prefix={}=cargo", cargo_home()?.display()),
    ];
    // Cargo takes flags from one place alone: those that the environment has for this target, such as
    // a linker's, are added here.
    let variable = target.triple().replace('-', "_").to_uppercase();
    let more = env::var(format!("CARGO_TARGET_{variable}_RUSTFLAGS")).unwrap_or_default();
    flags.extend(more.split_whitespace().map(str::to_owned));
    if target.is_linux() {
        // Alpine has no glibc: the binary brings what it needs.
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
            elf::is_static(&bytes).context("the build is no ELF file")?,
            "{} wants a loader of the system, which Alpine does not have.",
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
