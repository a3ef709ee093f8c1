//! The archives in a directory, and their checksums.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::file_name;

/// The archive of one version for one platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Archive {
    /// The version, such as `0.1.0`.
    pub version: String,
    /// The operating system, such as `linux`.
    pub os: String,
    /// The processor, such as `amd64`.
    pub architecture: String,
    /// SHA-256 of the archive in hexadecimal digits. Lock files have it after `zh:`.
    pub sha256: String,
    /// Checksum of the files in the archive, as lock files have it after `h1:`.
    pub h1: String,
}

/// Returns the archives in a directory, of every version, in the order of their names.
///
/// # Errors
///
/// A file that has the name of an archive and is none is an error.
pub fn archives(directory: &Path) -> Result<Vec<Archive>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut archives = Vec::new();
    for name in names {
        let stem = name.strip_suffix(".zip");
        let Some(stem) = stem.and_then(|stem| stem.strip_prefix("terraform-provider-access_"))
        else {
            continue;
        };
        let [version, os, architecture] = stem.split('_').collect::<Vec<_>>()[..] else {
            bail!("{name} does not name a version and a platform.");
        };
        let path = directory.join(&name);
        let bytes = fs::read(&path)?;
        archives.push(Archive {
            version: version.to_owned(),
            os: os.to_owned(),
            architecture: architecture.to_owned(),
            sha256: hex(&bytes),
            h1: content_hash(&path).with_context(|| format!("{name} is not an archive"))?,
        });
    }
    Ok(archives)
}

impl Archive {
    /// Returns the name of its file.
    #[must_use]
    pub fn file(&self) -> String {
        file_name(&self.version, &format!("{}_{}.zip", self.os, self.architecture))
    }

    /// Returns its platform as lock files name it, such as `linux_amd64`.
    #[must_use]
    pub fn platform(&self) -> String {
        format!("{}_{}", self.os, self.architecture)
    }

    /// Compares it with the checksums of its version.
    pub(crate) fn check_sum(&self, directory: &Path) -> Result<()> {
        let sums = directory.join(file_name(&self.version, "SHA256SUMS"));
        let text = fs::read_to_string(&sums)
            .with_context(|| format!("{} has no checksums in {}", self.file(), sums.display()))?;
        let line = sums_line(&self.sha256, &self.file());
        ensure!(
            text.lines().any(|other| other == line.trim_end()),
            "{} does not have the checksum in {}.",
            self.file(),
            sums.display()
        );
        Ok(())
    }
}

/// Returns the line of a file in the checksums.
pub(crate) fn sums_line(sha256: &str, name: &str) -> String {
    format!("{sha256}  {name}\n")
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the hash of the files in an archive, which does not depend on how they are packed: the
/// SHA-256 of a list of their SHA-256 and names, sorted by name, in base64. Go's package `dirhash`
/// calls it `Hash1`.
fn content_hash(path: &Path) -> Result<String> {
    let mut archive = zip::ZipArchive::new(File::open(path)?)?;
    let mut names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    names.sort();
    let mut list = Sha256::new();
    for name in names {
        let mut bytes = Vec::new();
        std::io::copy(&mut archive.by_name(&name)?, &mut bytes)?;
        list.update(format!("{}  {name}\n", hex(&bytes)));
    }
    Ok(STANDARD.encode(list.finalize()))
}
