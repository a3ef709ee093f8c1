//! Archives and checksums with the names and contents that registries require.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use zip::write::SimpleFileOptions;

use crate::archive::{hex, sums_line};
use crate::file_name;

/// Returns the registries' name of a target of Rust's: `linux_amd64` for
/// `x86_64-unknown-linux-musl`.
fn platform(triple: &str) -> Result<String> {
    let os = match triple {
        _ if triple.contains("-linux-") => "linux",
        _ if triple.contains("-apple-darwin") => "darwin",
        _ if triple.contains("-windows-") => "windows",
        _ if triple.ends_with("-freebsd") => "freebsd",
        _ => bail!("{triple}: registries do not have a name for this operating system."),
    };
    let architecture = match triple.split('-').next().unwrap_or_default() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "i586" | "i686" => "386",
        arm if arm.starts_with("arm") => "arm",
        _ => bail!("{triple}: registries do not have a name for this processor."),
    };
    Ok(format!("{os}_{architecture}"))
}

/// Packs the binary of a target, one of Rust's names, and returns the path of the archive.
/// Registries require a `v` before the version in the name of the binary.
///
/// # Errors
///
/// Registries do not have a name for every target.
pub fn pack(binary: &Path, triple: &str, version: &str, directory: &Path) -> Result<PathBuf> {
    let path = directory.join(file_name(version, &format!("{}.zip", platform(triple)?)));
    let bytes = fs::read(binary).with_context(|| binary.display().to_string())?;
    let mut archive = zip::ZipWriter::new(File::create(&path)?);
    // Without times, the same binary results in the same archive. The mode makes the binary
    // executable.
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o755);
    let extension = if triple.contains("-windows-") { ".exe" } else { "" };
    archive.start_file(format!("terraform-provider-access_v{version}{extension}"), options)?;
    archive.write_all(&bytes)?;
    archive.finish()?.sync_all()?;
    Ok(path)
}

/// Writes the manifest that registries read.
///
/// # Errors
///
/// The file cannot be written.
pub fn write_manifest(directory: &Path, version: &str) -> Result<()> {
    let manifest = include_str!("../../../terraform-registry-manifest.json");
    Ok(fs::write(directory.join(file_name(version, "manifest.json")), manifest)?)
}

/// Writes the checksums of archives, manifest and bills of materials in the format of `sha256sum`,
/// and returns the path of the file. Checksums that are signed stay as they are.
///
/// # Errors
///
/// There is no archive of the version.
pub fn write_sums(directory: &Path, version: &str) -> Result<PathBuf> {
    let path = directory.join(file_name(version, "SHA256SUMS"));
    if directory.join(file_name(version, "SHA256SUMS.sig")).exists() {
        // Somebody may have downloaded some of the archives only.
        return Ok(path);
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let is_covered = name.ends_with(".zip") || name.ends_with(".json");
        if name.starts_with(&file_name(version, "")) && is_covered {
            names.push(name);
        }
    }
    ensure!(
        names.iter().any(|name| name.ends_with(".zip")),
        "There is no archive of version {version} in {}.",
        directory.display()
    );
    names.sort();
    let mut sums = String::new();
    for name in names {
        sums.push_str(&sums_line(&hex(&fs::read(directory.join(&name))?), &name));
    }
    fs::write(&path, sums)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;
    use crate::{VERSION, archives, write_documents};

    const TARGET: &str = "x86_64-unknown-linux-musl";

    fn name(suffix: &str) -> String {
        file_name(VERSION, suffix)
    }

    #[test]
    fn archive_holds_the_binary_alone_and_is_the_same_each_time() {
        let directory = tempfile::tempdir().unwrap();
        let binary = directory.path().join("built");
        fs::write(&binary, "binary").unwrap();
        let path = pack(&binary, TARGET, VERSION, directory.path()).unwrap();
        let expected = format!("terraform-provider-access_{VERSION}_linux_amd64.zip");
        assert_eq!(path.file_name().unwrap(), expected.as_str());
        let first = fs::read(&path).unwrap();

        let mut archive = zip::ZipArchive::new(File::open(&path).unwrap()).unwrap();
        assert_eq!(archive.len(), 1);
        let mut member = archive.by_index(0).unwrap();
        assert_eq!(member.name(), format!("terraform-provider-access_v{VERSION}"));
        assert_eq!(member.unix_mode().unwrap() & 0o777, 0o755);
        let mut content = String::new();
        member.read_to_string(&mut content).unwrap();
        assert_eq!(content, "binary");

        pack(&binary, TARGET, VERSION, directory.path()).unwrap();
        assert!(fs::read(&path).unwrap() == first, "the archive depends on the time");
    }

    #[test]
    fn platform_has_the_registries_names() {
        for (triple, expected) in [
            ("x86_64-unknown-linux-musl", "linux_amd64"),
            ("x86_64-unknown-linux-gnu", "linux_amd64"),
            ("aarch64-unknown-linux-musl", "linux_arm64"),
            ("arm-unknown-linux-musleabihf", "linux_arm"),
            ("i686-unknown-linux-musl", "linux_386"),
            ("x86_64-apple-darwin", "darwin_amd64"),
            ("aarch64-apple-darwin", "darwin_arm64"),
            ("x86_64-pc-windows-msvc", "windows_amd64"),
            ("aarch64-pc-windows-msvc", "windows_arm64"),
            ("x86_64-unknown-freebsd", "freebsd_amd64"),
        ] {
            assert_eq!(platform(triple).unwrap(), expected);
        }
        assert!(platform("wasm32-unknown-unknown").is_err());
        assert!(platform("riscv64gc-unknown-linux-gnu").is_err());
    }

    #[test]
    fn sums_cover_archives_manifest_and_bill_of_materials_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        assert!(write_sums(directory.path(), VERSION).is_err());
        for file in ["b.zip", "a.zip", "manifest.json", "sbom.cdx.json", "notes.txt"] {
            fs::write(directory.path().join(name(file)), "abc").unwrap();
        }
        fs::write(directory.path().join("terraform-provider-access_9.9.9_a.zip"), "").unwrap();
        let sums = fs::read_to_string(write_sums(directory.path(), VERSION).unwrap()).unwrap();
        // The checksum of "abc" is an example in FIPS 180-2.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let expected: String = ["a.zip", "b.zip", "manifest.json", "sbom.cdx.json"]
            .map(|file| format!("{sum}  {}\n", name(file)))
            .concat();
        assert_eq!(sums, expected);
    }

    /// Writes archives of two versions, and their documents.
    fn release() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (version, content) in [("0.1.0", "binary"), ("0.2.0", "another")] {
            let binary = directory.path().join("built");
            fs::write(&binary, content).unwrap();
            pack(&binary, TARGET, version, directory.path()).unwrap();
            write_sums(directory.path(), version).unwrap();
        }
        write_documents(directory.path()).unwrap();
        directory
    }

    #[test]
    fn hashes_are_those_of_lock_files() {
        let directory = release();
        let first = archives(directory.path()).unwrap().remove(0);
        // `printf '%s  terraform-provider-access_v0.1.0\n' $(printf binary | sha256sum | cut -c
        // 1-64) | openssl dgst -sha256 -binary | base64`
        assert_eq!(first.h1, "isbuNRjCcxqGWtxPhkTL8Fpm5k5pajoXr/tWgRk5q4Q=");
        assert_eq!(first.file(), "terraform-provider-access_0.1.0_linux_amd64.zip");
        assert_eq!(first.platform(), "linux_amd64");
    }

    #[test]
    fn documents_are_not_written_for_an_archive_that_differs_from_the_checksums() {
        let directory = release();
        let binary = directory.path().join("built");
        fs::write(&binary, "changed").unwrap();
        pack(&binary, TARGET, "0.2.0", directory.path()).unwrap();
        let error = write_documents(directory.path()).unwrap_err().to_string();
        assert!(error.contains("0.2.0_linux_amd64.zip does not have the checksum in"), "{error}");

        // Checksums that are signed are not written again.
        let sums = directory.path().join(file_name("0.2.0", "SHA256SUMS"));
        let signed = fs::read_to_string(&sums).unwrap();
        fs::write(directory.path().join(file_name("0.2.0", "SHA256SUMS.sig")), "").unwrap();
        write_sums(directory.path(), "0.2.0").unwrap();
        assert_eq!(fs::read_to_string(&sums).unwrap(), signed);
        assert!(write_documents(directory.path()).is_err());
    }
}
