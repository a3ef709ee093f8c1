//! `cargo xtask docs`: writes `docs/` from the provider's schema, `examples/` and `templates/`, and the picture
//! in README.md.
//!
//! The pages follow the registry's conventions for file names, front matter and the order of
//! sections. Text that is written by hand is in `templates/`, at the path of its page. The guides are
//! written in `docs/guides/`.

mod attributes;
mod files;
mod pages;
mod picture;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use lexopt::Parser;
use lexopt::prelude::*;
use serde_json::Value;

use crate::output::print_line;
use crate::workspace::{self, Terraform};
use files::{Mode, files_below};

/// Writes the pages, or compares them (`--check`).
///
/// # Errors
///
/// Fails if an argument is unknown, if the schema cannot be read, and with `--check` if a page is out of
/// date.
pub(crate) fn run(mut arguments: Parser) -> Result<()> {
    let mut mode = Mode::Write;
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("check") => mode = Mode::Check,
            _ => return Err(argument.unexpected().into()),
        }
    }
    workspace::build_with_service()?;
    let schema = schema()?;
    let pages = pages::pages(&schema)?;
    let docs = workspace::directory().join("docs");
    if mode == Mode::Check {
        compare(&docs, &pages)?;
        return picture::write(mode);
    }
    for stale in generated(&docs)?.iter().filter(|name| !pages.contains_key(*name)) {
        fs::remove_file(docs.join(stale))?;
    }
    for (name, text) in &pages {
        let path = docs.join(name);
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        fs::write(path, text)?;
    }
    print_line(&format!("{} pages in docs/", pages.len()));
    picture::write(mode)
}

/// Returns whether a file is a picture, which takes a browser to write.
fn is_picture(name: &str) -> bool {
    name.starts_with("images/")
}

fn compare(docs: &Path, pages: &BTreeMap<String, String>) -> Result<()> {
    let current = |name: &str| fs::read_to_string(docs.join(name)).unwrap_or_default();
    let mut stale: Vec<_> = pages
        .iter()
        .filter(|(name, text)| current(name) != **text)
        .map(|(name, _)| name.clone())
        .collect();
    stale.extend(generated(docs)?.into_iter().filter(|name| !pages.contains_key(name)));
    ensure!(
        stale.is_empty(),
        "docs/ is out of date: {}. Run `cargo xtask docs`.",
        stale.join(", ")
    );
    print_line("docs/ is up to date");
    Ok(())
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

/// Returns the pages that are not written by hand.
fn generated(docs: &Path) -> Result<Vec<String>> {
    let files = files_below(docs)?.into_iter();
    Ok(files.filter(|name| !name.starts_with("guides/") && !is_picture(name)).collect())
}
