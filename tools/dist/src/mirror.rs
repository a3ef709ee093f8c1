//! A network mirror: static documents that any web server can return. See "Provider Network Mirror
//! Protocol" in the documentation of Terraform.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use crate::Archive;

/// Namespace and type in the source address of the provider.
const NAME: &str = "access/access";

/// The registries that Terraform and OpenTofu add to a source address without a host.
const REGISTRIES: [&str; 2] = ["registry.terraform.io", "registry.opentofu.org"];

/// Writes `index.json` and a document for each version. Both protocols require the media type
/// `application/json`, which web servers derive from the names.
pub(crate) fn write(directory: &Path, archives: &[Archive]) -> Result<()> {
    let mut versions: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for archive in archives {
        let document = json!({
            // Relative to the document, so that the directory can be served below any address.
            "url": format!("../../../{}", archive.file()),
            "hashes": [format!("h1:{}", archive.h1), format!("zh:{}", archive.sha256)],
        });
        versions.entry(&archive.version).or_default().insert(archive.platform(), document);
    }
    let index: Map<String, Value> =
        versions.keys().map(|version| ((*version).to_owned(), json!({}))).collect();
    for registry in REGISTRIES {
        let place = directory.join(registry).join(NAME);
        fs::create_dir_all(&place)?;
        write_json(&place.join("index.json"), &json!({ "versions": index }))?;
        for (version, archives) in &versions {
            let name = format!("{version}.json");
            write_json(&place.join(name), &json!({ "archives": archives }))?;
        }
    }
    Ok(())
}

fn write_json(path: &Path, document: &Value) -> Result<()> {
    fs::write(path, format!("{document:#}\n")).with_context(|| path.display().to_string())
}
