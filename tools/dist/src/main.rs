//! `cargo xtask dist` builds the binary and runs this program, which packs it. See the library of
//! this crate.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use lexopt::prelude::*;

fn main() -> Result<()> {
    let mut directory = None;
    let mut triple = None;
    let mut binary = None;
    let mut version = dist::VERSION.to_owned();
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("directory") => directory = Some(PathBuf::from(arguments.value()?)),
            Long("target") => triple = Some(arguments.value()?.string()?),
            Long("binary") => binary = Some(PathBuf::from(arguments.value()?)),
            Long("version") => version = arguments.value()?.string()?,
            _ => return Err(argument.unexpected().into()),
        }
    }
    let directory = directory.context("--directory is required")?;
    fs::create_dir_all(&directory)?;
    dist::write_manifest(&directory, &version)?;
    // Without a binary, the checksums and the documents of what is there are written.
    if let Some(binary) = binary {
        let triple = triple.context("--binary requires --target")?;
        let archive = dist::pack(&binary, &triple, &version, &directory)?;
        print_line(&format!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len()));
    }
    let sums = dist::write_sums(&directory, &version)?;
    print_line(&format!("{}\n{}", sums.display(), fs::read_to_string(&sums)?.trim_end()));
    dist::write_documents(&directory)
}

#[allow(clippy::print_stdout, reason = "a program of its own, whose output is for a terminal")]
fn print_line(line: &str) {
    println!("{line}");
}
