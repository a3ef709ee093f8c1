//! `cargo xtask docs`: writes `docs/` from the provider's schema, `examples/` and `templates/`, and
//! the picture in README.md.
//!
//! The pages follow the registry's conventions for file names, front matter and the order of
//! sections. Text that is written by hand is in `templates/`, at the path of its page. The guides
//! are written in `docs/guides/`.

mod attributes;
mod pages;
mod picture;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;
use serde_json::Value;

use crate::print_line;
use crate::workspace::{self, Terraform};

/// Whether pages are written, or compared with `docs/`.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Write,
    Check,
}

/// Writes the pages, or compares them (`--check`).
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut mode = Mode::Write;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("check") => mode = Mode::Check,
            _ => return Err(argument.unexpected().into()),
        }
    }
    workspace::build_with_service()?;
    let pages = pages::pages(&schema()?)?;
    let docs = workspace::directory().join("docs");
    let is_current =
        |name: &str, text: &str| fs::read_to_string(docs.join(name)).is_ok_and(|it| it == text);
    // Guides are written by hand, and pictures take a browser.
    let mut stale = files_below(&docs)?;
    stale.retain(|name| {
        !name.starts_with("guides/") && !name.starts_with("images/") && !pages.contains_key(name)
    });
    if mode == Mode::Check {
        let outdated = pages.iter().filter(|(name, text)| !is_current(name, text));
        stale.extend(outdated.map(|(name, _)| name.clone()));
        let names = stale.join(", ");
        ensure!(stale.is_empty(), "docs/ is out of date: {names}. Run `cargo xtask docs`.");
        print_line("docs/ is up to date");
        return picture::write(mode);
    }
    for name in stale {
        fs::remove_file(docs.join(name))?;
    }
    for (name, text) in &pages {
        let path = docs.join(name);
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        fs::write(path, text)?;
    }
    print_line(&format!("{} pages in docs/", pages.len()));
    picture::write(mode)
}

/// Returns the files below a directory, relative to it and with `/` between the parts.
fn files_below(directory: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory)?.to_string_lossy().replace('\\', "/");
                files.push(name);
            }
        }
    }
    Ok(files)
}

/// Returns the provider's schema as Terraform receives it.
fn schema() -> Result<Value> {
    let terraform = Terraform::new("docs")?;
    fs::write(terraform.directory().join("main.tf"), "provider \"access\" {}\n")?;
    let output = terraform.command(&["providers", "schema", "-json"]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let schemas: Value = serde_json::from_slice(&output.stdout)?;
    let schemas = schemas["provider_schemas"].as_object().context("provider_schemas")?;
    Ok(schemas.values().next().context("one provider")?.clone())
}
