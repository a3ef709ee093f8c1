//! Archives and checksums with the names and contents that registries require.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};
use zip::write::SimpleFileOptions;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Returns the name of a file of this release.
pub(crate) fn name(suffix: &str) -> String {
    format!("terraform-provider-access_{VERSION}_{suffix}")
}

/// Returns the registries' name of a target of Rust's: `linux_amd64` for `x86_64-unknown-linux-musl`.
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

/// Packs the binary of a target and returns the path of the archive. Registries require a `v` before
/// the version in the name of the binary.
pub(crate) fn pack(binary: &Path, triple: &str, directory: &Path) -> Result<PathBuf> {
    let path = directory.join(name(&format!("{}.zip", platform(triple)?)));
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
    archive.start_file(format!("terraform-provider-access_v{VERSION}{extension}"), options)?;
    archive.write_all(&bytes)?;
    archive.finish()?.sync_all()?;
    Ok(path)
}

/// Writes the checksums of archives, manifest and bill of materials in the format of `sha256sum`, and
/// returns the path of the file.
pub(crate) fn write_sums(directory: &Path) -> Result<PathBuf> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.starts_with(&self::name("")) && (name.ends_with(".zip") || name.ends_with(".json"))
        {
            names.push(name);
        }
    }
    ensure!(
        names.iter().any(|name| name.ends_with(".zip")),
        "There is no archive of version {VERSION} in {}.",
        directory.display()
    );
    names.sort();
    let mut sums = String::new();
    for name in names {
        let sum = Sha256::digest(fs::read(directory.join(&name))?);
        let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        sums.push_str(&format!("{hex}  {name}\n"));
    }
    let path = directory.join(name("SHA256SUMS"));
    fs::write(&path, sums)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn archive_holds_the_binary_alone_and_is_the_same_each_time() {
        let directory = tempfile::tempdir().unwrap();
        let binary = directory.path().join("built");
        fs::write(&binary, "binary").unwrap();
        let target = "x86_64-unknown-linux-musl";
        let path = pack(&binary, target, directory.path()).unwrap();
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

        pack(&binary, target, directory.path()).unwrap();
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
        assert!(write_sums(directory.path()).is_err());
        for file in ["b.zip", "a.zip", "manifest.json", "sbom.cdx.json", "SHA256SUMS.sig"] {
            fs::write(directory.path().join(name(file)), "abc").unwrap();
        }
        fs::write(directory.path().join("terraform-provider-access_9.9.9_a.zip"), "").unwrap();
        let sums = fs::read_to_string(write_sums(directory.path()).unwrap()).unwrap();
        // The checksum of "abc" is an example in FIPS 180-2.
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let expected: String = ["a.zip", "b.zip", "manifest.json", "sbom.cdx.json"]
            .map(|file| format!("{sum}  {}\n", name(file)))
            .concat();
        assert_eq!(sums, expected);
    }
}
