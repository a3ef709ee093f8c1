//! `cargo xtask docs`: writes `docs/` from the provider's own schema, `examples/` and `templates/`.
//!
//! The pages follow the registry's conventions: file names, front matter, order of sections. What
//! is written by hand stands in `templates/`, in the same places as the page it belongs to. What
//! `cargo xtask bench --write` measured stands in `benchmarks/`, and without it there is no page of it.

mod attributes;
mod pages;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::tell;
use crate::workspace::{self, Terraform};

/// Writes the pages, or with `check` only compares them.
///
/// # Errors
///
/// Fails where the schema cannot be had, and with `check` where a page is not current.
pub(crate) fn run(check: bool) -> Result<()> {
    let provider = workspace::build_provider("debug")?;
    let schema = schema(&provider)?;
    let pages = pages::pages(&schema)?;
    let docs = workspace::directory().join("docs");
    if check {
        return compare(&docs, &pages);
    }
    if docs.exists() {
        fs::remove_dir_all(&docs)?;
    }
    for (name, text) in &pages {
        let path = docs.join(name);
        fs::create_dir_all(path.parent().context("a page has a directory")?)?;
        fs::write(path, text)?;
    }
    tell(&format!("{} pages in docs/", pages.len()));
    Ok(())
}

fn compare(docs: &Path, pages: &BTreeMap<String, String>) -> Result<()> {
    let current = |name: &str| fs::read_to_string(docs.join(name)).unwrap_or_default();
    let mut stale: Vec<_> = pages
        .iter()
        .filter(|(name, text)| current(name) != **text)
        .map(|it| it.0.clone())
        .collect();
    stale.extend(files_below(docs)?.into_iter().filter(|name| !pages.contains_key(name)));
    ensure!(
        stale.is_empty(),
        "docs/ is not current: {}. Run `cargo xtask docs`.",
        stale.join(", ")
    );
    tell("docs/ is current");
    Ok(())
}

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

/// What Terraform itself gets from the provider.
fn schema(provider: &Path) -> Result<Value> {
    let terraform = Terraform::new(provider)?;
    fs::write(terraform.directory().join("main.tf"), "provider \"access\" {}\n")?;
    let output = terraform.command(&["providers", "schema", "-json"]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let schemas: Value = serde_json::from_slice(&output.stdout)?;
    let schemas = schemas["provider_schemas"].as_object().context("provider_schemas")?;
    Ok(schemas.values().next().context("one provider")?.clone())
}
