//! The documents of a provider registry, as static files at the top of a host. See "Provider
//! Registry Protocol" in the documentation of Terraform. Hosts verify the signature of the
//! checksums with the key in these documents.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::{Archive, NAME, file_name, write_json};

/// The manifest of the provider, which names the protocol that it speaks.
const MANIFEST: &str = include_str!("../../../terraform-registry-manifest.json");

/// Writes the documents. `key` is the public key of the release.
pub(crate) fn write(directory: &Path, archives: &[Archive], key: &Path) -> Result<()> {
    let manifest: Value = serde_json::from_str(MANIFEST)?;
    let protocols = &manifest["metadata"]["protocol_versions"];
    let armoured = fs::read_to_string(key).with_context(|| key.display().to_string())?;
    let signing_keys = json!({
        "gpg_public_keys": [{ "key_id": key_id(key)?, "ascii_armor": armoured }],
    });
    let place = directory.join("v1/providers").join(NAME);
    let mut versions: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for archive in archives {
        let platform = json!({ "os": archive.os, "arch": archive.architecture });
        versions.entry(&archive.version).or_default().push(platform);
        let sums = file_name(&archive.version, "SHA256SUMS");
        let document = json!({
            "protocols": protocols,
            "os": archive.os,
            "arch": archive.architecture,
            "filename": archive.file(),
            "download_url": format!("/{}", archive.file()),
            "shasum": archive.sha256,
            "shasums_url": format!("/{sums}"),
            "shasums_signature_url": format!("/{sums}.sig"),
            "signing_keys": signing_keys,
        });
        let download = place.join(&archive.version).join("download").join(&archive.os);
        write_json(&download.join(&archive.architecture), &document)?;
    }
    let versions: Vec<Value> = versions
        .into_iter()
        .map(|(version, platforms)| {
            json!({ "version": version, "protocols": protocols, "platforms": platforms })
        })
        .collect();
    write_json(&place.join("versions"), &json!({ "versions": versions }))?;
    let discovery = json!({ "providers.v1": "/v1/providers/" });
    write_json(&directory.join(".well-known/terraform.json"), &discovery)
}

/// Returns the identifier of the only key in a file: the last 16 digits of its fingerprint.
fn key_id(file: &Path) -> Result<String> {
    let output = Command::new("gpg")
        .args(["--batch", "--with-colons", "--show-keys"])
        .arg(file)
        .output()
        .context("gpg is needed for --key")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{} is not a public key.", file.display());
    let keys: Vec<&str> = text.lines().filter(|line| line.starts_with("pub:")).collect();
    let [key] = keys[..] else {
        bail!("{} has {} public keys instead of one.", file.display(), keys.len());
    };
    Ok(key.split(':').nth(4).context("gpg printed no identifier")?.to_owned())
}
