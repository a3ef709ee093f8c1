//! An OCI image layout with an index for each version, as OpenTofu expects it of an `oci_mirror`.
//! Programs such as `oras cp --from-oci-layout` copy it to a registry.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::archive::hex;
use crate::{Archive, write_json};

/// The media types of an OCI layout that OpenTofu installs providers from.
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const EMPTY: &str = "application/vnd.oci.empty.v1+json";
const PROVIDER: &str = "application/vnd.opentofu.provider";
const TARGET: &str = "application/vnd.opentofu.provider-target";

/// The directory of the blobs, which are named by their content.
struct Blobs(PathBuf);

impl Blobs {
    /// Stores bytes, and returns their descriptor.
    fn put(&self, media_type: &str, bytes: &[u8]) -> Result<Value> {
        let digest = hex(bytes);
        fs::write(self.0.join(&digest), bytes)?;
        Ok(json!({
            "mediaType": media_type,
            "digest": format!("sha256:{digest}"),
            "size": bytes.len(),
        }))
    }
}

/// Writes the layout into `oci`, in place of that of an earlier run.
pub(crate) fn write(directory: &Path, archives: &[Archive]) -> Result<()> {
    let layout = directory.join("oci");
    if layout.exists() {
        fs::remove_dir_all(&layout)?;
    }
    let blobs = Blobs(layout.join("blobs/sha256"));
    fs::create_dir_all(&blobs.0)?;
    let config = blobs.put(EMPTY, b"{}")?;
    let mut versions: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for archive in archives {
        let mut layer = blobs.put("archive/zip", &fs::read(archive.path(directory))?)?;
        layer["annotations"] = json!({ "org.opencontainers.image.title": archive.file() });
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "artifactType": TARGET,
            "config": config,
            "layers": [layer],
        });
        let mut manifest = blobs.put(MANIFEST, manifest.to_string().as_bytes())?;
        manifest["artifactType"] = json!(TARGET);
        manifest["platform"] = json!({ "os": archive.os, "architecture": archive.architecture });
        versions.entry(&archive.version).or_default().push(manifest);
    }
    let mut tags = Vec::new();
    for (version, manifests) in versions {
        let index = json!({
            "schemaVersion": 2,
            "mediaType": INDEX,
            "artifactType": PROVIDER,
            "manifests": manifests,
        });
        let mut index = blobs.put(INDEX, index.to_string().as_bytes())?;
        index["artifactType"] = json!(PROVIDER);
        // A tag cannot contain the plus sign of a version.
        let tag = version.replace('+', "_");
        index["annotations"] = json!({ "org.opencontainers.image.ref.name": tag });
        tags.push(index);
    }
    let index = json!({ "schemaVersion": 2, "mediaType": INDEX, "manifests": tags });
    write_json(&layout.join("index.json"), &index)?;
    write_json(&layout.join("oci-layout"), &json!({ "imageLayoutVersion": "1.0.0" }))
}
