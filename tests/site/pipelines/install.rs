//! `install-provider.sh`: the releases that it accepts and refuses, and the files that it writes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use super::super::guides::paste::{host_path, path_from, tool};
use super::{SHA256, script};
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service, has_parts};

/// A release in the folder `files`, with the key that signed it in `release.asc`.
struct Release {
    directory: TempDir,
}

impl Release {
    /// Returns `None` if a tool is missing that every installation needs.
    #[track_caller]
    fn new() -> Option<Self> {
        if !has_tools(&["curl", "gpg"]) {
            return None;
        }
        let release = Self { directory: tempfile::tempdir().expect("a directory") };
        release.sh("mkdir files
cd files
for platform in linux_amd64 linux_arm64 darwin_amd64 darwin_arm64; do
  printf %s $platform > terraform-provider-access_1.2.3_$platform.zip
done");
        release.sums();
        release.sign("release", "never", "");
        Some(release)
    }

    /// Runs commands in the directory of the release.
    #[track_caller]
    fn sh(&self, text: &str) {
        let mut command = Command::new("sh");
        Outcome::of(command.args(["-euc", text]).current_dir(self.path(""))).succeeds();
    }

    /// Writes the checksums of the archives.
    #[track_caller]
    fn sums(&self) {
        self.sh(&format!(
            "{SHA256}cd files; sha256 *.zip > terraform-provider-access_1.2.3_SHA256SUMS"
        ));
    }

    /// Makes a key, which expires after this time, and signs the sums with it.
    fn sign(&self, key: &str, expires: &str, options: &str) {
        self.sh(&format!(
            "mkdir -m 700 {key}
gpg() {{ command gpg --homedir \"$PWD/{key}\" --batch --quiet --yes {options} \"$@\"; }}
gpg --passphrase '' --quick-gen-key {key}@example.com ed25519 sign {expires}
gpg --armor --output {key}.asc --export
for sums in files/*_SHA256SUMS; do gpg --output $sums.sig --armor --detach-sign $sums; done
gpgconf --homedir \"$PWD/{key}\" --kill all"
        ));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Runs the script in the directory of the release, with these variables in addition.
    fn install(&self, arguments: &[&str], more: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new("sh");
        command
            .arg(script("install-provider.sh"))
            .args(arguments)
            .current_dir(self.path(""))
            .env_clear()
            .env("PATH", path_from(&self.path("bin")))
            .env("HOME", self.directory.path())
            .env("PROVIDER_VERSION", "1.2.3")
            .env("PROVIDER_URL", self.path("files"))
            .env("PROVIDER_KEY", self.path("release.asc"))
            .env("TERRAFORM", host_path(&Service::full().workspace()))
            .envs(more.iter().copied());
        Outcome::of(&mut command)
    }

    /// Fails the test unless the script ends with an error that contains the text, and installs
    /// nothing.
    #[track_caller]
    fn refuses(&self, more: &[(&str, &str)], text: &str) {
        let output = self.install(&[], more);
        // Shells end with different codes if a required variable is empty.
        assert!(output.code > 0, "{text}: {}", output.stderr);
        has_parts(&output.stderr, &[text]);
        assert_eq!(output.stdout, "");
        assert!(!self.path(".terraform-access").exists(), "{}", output.stderr);
    }
}

/// Returns the platform of this machine as archives name it.
fn this_platform() -> String {
    let system = std::env::consts::OS.replace("macos", "darwin");
    let processor = std::env::consts::ARCH.replace("x86_64", "amd64").replace("aarch64", "arm64");
    format!("{system}_{processor}")
}

#[test]
fn release_is_installed_from_a_folder_an_address_and_a_private_repository() {
    let Some(release) = Release::new() else { return };
    fs::create_dir(release.path("bin")).expect("a directory");
    let gh = "[ \"$GH_TOKEN $*\" = \"token release download v1.2.3 --repo https://github.example/o/r --pattern ${7-}\" ] && cp \"$HOME/files/$7\" .";
    tool(&release.path("bin"), "gh", gh);
    let folder = release.path("files").display().to_string();
    let private = "https://github.example/o/r/releases/download/v1.2.3";
    let mirror = release.path(".terraform-access");
    for (url, token) in
        [("files", ""), (&folder, ""), (&format!("file://{folder}"), ""), (private, "token")]
    {
        let output =
            release.install(&[], &[("PROVIDER_URL", url), ("PROVIDER_TOKEN", token)]).succeeds();
        assert_eq!(output.stderr, "", "{url}");
        let setting = mirror.join("cli.tfrc");
        assert_eq!(output.stdout, format!("TF_CLI_CONFIG_FILE={}\n", setting.display()));
        let setting = fs::read_to_string(setting).expect("the CLI configuration");
        has_parts(&setting, &[format!("path    = \"{}\"", mirror.display())]);
        for registry in ["registry.terraform.io", "registry.opentofu.org"] {
            let name = format!("terraform-provider-access_1.2.3_{}.zip", this_platform());
            let installed = mirror.join(registry).join("access/access").join(name);
            assert_eq!(fs::read_to_string(installed).expect(url), this_platform());
        }
        fs::remove_dir_all(&mirror).expect("the mirror");
    }
}

#[test]
fn release_that_cannot_be_trusted_or_found_is_refused() {
    let Some(release) = Release::new() else { return };
    let sums = "files/terraform-provider-access_1.2.3_SHA256SUMS";
    for (name, value, text) in [
        ("PROVIDER_VERSION", "9.9.9", "Could not get terraform-provider-access_9.9.9_SHA256SUMS"),
        ("PROVIDER_VERSION", "", "does not name a version of access/access"),
        ("PROVIDER_URL", "", "Set PROVIDER_URL"),
        ("PROVIDER_URL", "file:///nowhere", "Could not get"),
        ("PROVIDER_KEY", "nowhere", "/nowhere does not exist"),
        ("PROVIDER_KEY", sums, "is not a public key"),
    ] {
        release.refuses(&[(name, value)], text);
    }
    // A key that its user trusts, and that is not the release's.
    release.sign("other", "never", "");
    release.sh(
        "mkdir -m 700 .gnupg; gpg --homedir \"$PWD/.gnupg\" --batch --quiet --import other.asc",
    );
    release.refuses(&[], "is not valid for");
    release.sign("expired", "1d", "--faked-system-time 20200101T000000");
    release.refuses(&[("PROVIDER_KEY", "expired.asc")], "is not valid for");
    fs::remove_file(release.path(&format!("{sums}.sig"))).expect("the signature");
    release.refuses(&[("PROVIDER_UNSIGNED", "no")], "Could not get");

    let unsigned = ("PROVIDER_UNSIGNED", "yes");
    let archive = release
        .path("files")
        .join(format!("terraform-provider-access_1.2.3_{}.zip", this_platform()));
    fs::write(archive, "changed").expect("an archive");
    release.refuses(&[unsigned], "does not have the checksum");
    fs::write(release.path(sums), "").expect("the sums");
    release.refuses(&[unsigned], "has no line for");
}

#[test]
fn second_signed_build_of_an_installed_version_is_refused() {
    let Some(release) = Release::new() else { return };
    release.install(&[], &[]).succeeds();
    release.install(&[], &[]).succeeds();
    release.sh("for archive in files/*.zip; do echo changed >> $archive; done");
    release.sums();
    release.sign("another", "never", "");
    let key = ("PROVIDER_KEY", "another.asc");
    let output = release.install(&[], &[key]);
    output.refuses(&["is another build of 1.2.3 than ", "Nothing was installed."]);
    let installed = format!(
        ".terraform-access/registry.terraform.io/access/access/terraform-provider-access_1.2.3_{}.zip",
        this_platform()
    );
    let content = || fs::read_to_string(release.path(&installed)).expect("an archive");
    assert_eq!(content(), this_platform());
    // A build of one's own is not signed, and may change.
    release.install(&[], &[("PROVIDER_UNSIGNED", "yes")]).succeeds();
    assert_ne!(content(), this_platform());
}

/// The host refuses to lock archives that are not zip files, after the script has removed the
/// provider's block.
#[test]
fn lock_file_is_as_it_was_after_a_failure() {
    let Some(release) = Release::new() else { return };
    let lock = release.path(".terraform.lock.hcl");
    let before = "provider \"registry.terraform.io/access/access\" {\n  version = \"1.2.2\"\n}\n";
    for content in [None, Some(before)] {
        if let Some(text) = content {
            fs::write(&lock, text).expect("a lock file");
        }
        let output = release.install(&["--lock"], &[]);
        output.refuses(&["is as it was. Nothing was installed."]);
        assert_eq!(fs::read_to_string(&lock).ok().as_deref(), content);
        assert!(!release.path(".terraform-access").exists());
    }
}
