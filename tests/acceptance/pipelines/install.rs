//! `install-provider.sh`: the releases that it accepts and refuses, and the files that it writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::super::walkthrough::paste::tool;
use super::http::Server;
use super::{CommandOutput, SHA256, output_of, script};
use crate::support::Service;
use crate::support::tools::{has_tools, is_installed};

const VERSION: &str = "1.2.3";

/// A release on a file server, signed with a key of its own.
struct Release {
    directory: TempDir,
    server: Server,
}

impl Release {
    /// Returns `None` if a tool is missing that every installation needs.
    #[track_caller]
    fn new() -> Option<Self> {
        if !has_tools(&["curl", "gpg"]) {
            return None;
        }
        let directory = tempfile::tempdir().expect("a directory");
        let files = directory.path().join("files");
        fs::create_dir(&files).expect("a directory");
        let served = files.clone();
        let server = Server::start(move |request| {
            match fs::read(served.join(request.path.trim_start_matches("/v1.2.3/"))) {
                Ok(bytes) => (200, bytes),
                Err(_) => (404, b"not found".to_vec()),
            }
        });
        let release = Self { directory, server };
        for platform in ["linux_amd64", "darwin_arm64"] {
            fs::write(release.archive(platform), platform).expect("an archive");
        }
        let sums = sh(&files, &format!("{SHA256}sha256 *.zip"));
        fs::write(release.file("_SHA256SUMS"), sums.stdout).expect("the sums");
        release.make_key("release");
        release.sign("release");
        Some(release)
    }

    fn files(&self) -> PathBuf {
        self.directory.path().join("files")
    }

    fn file(&self, rest: &str) -> PathBuf {
        self.files().join(format!("terraform-provider-access_{VERSION}{rest}"))
    }

    fn archive(&self, platform: &str) -> PathBuf {
        self.file(&format!("_{platform}.zip"))
    }

    /// Runs gpg with a keyring for this name.
    fn gpg(&self, name: &str, arguments: &str) {
        let keyring = self.directory.path().join(name);
        fs::create_dir_all(&keyring).expect("a keyring");
        let run = sh(
            self.directory.path(),
            &format!(
                "chmod 700 {name} && gpg --homedir {} --batch --quiet --yes {arguments}",
                keyring.display()
            ),
        );
        assert_eq!(run.code, Some(0), "gpg {arguments}: {}", run.stderr);
    }

    fn make_key(&self, name: &str) {
        self.gpg(
            name,
            &format!("--passphrase '' --quick-gen-key {name}@example.com ed25519 sign never"),
        );
        self.gpg(name, &format!("--armor --output {name}.asc --export"));
        // The agent would outlive the test.
        let keyring = self.directory.path().join(name);
        _ = sh(
            self.directory.path(),
            &format!("gpgconf --homedir {} --kill all", keyring.display()),
        );
    }

    fn sign(&self, name: &str) {
        let sums = self.file("_SHA256SUMS").display().to_string();
        self.gpg(name, &format!("--output {sums}.sig --detach-sign {sums}"));
        let keyring = self.directory.path().join(name);
        _ = sh(
            self.directory.path(),
            &format!("gpgconf --homedir {} --kill all", keyring.display()),
        );
    }

    fn mirror(&self) -> PathBuf {
        self.directory.path().join("mirror")
    }

    /// Runs the script with more variables.
    fn install(&self, platforms: &[&str], more: &[(&str, &str)]) -> CommandOutput {
        let mut command = Command::new("sh");
        command
            .arg(script("install-provider.sh"))
            .args(platforms)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.directory.path())
            .env("PROVIDER_VERSION", VERSION)
            .env("PROVIDER_URL", format!("{}/v{VERSION}", self.server.url()))
            .env("PROVIDER_KEY", self.directory.path().join("release.asc"))
            .env("PROVIDER_MIRROR", self.mirror())
            .envs(more.iter().copied());
        output_of(&mut command)
    }

    /// Returns a directory for PATH with what every machine has, and these tools.
    fn tools(&self, more: &[&str]) -> PathBuf {
        let tools = self.directory.path().join("tools");
        _ = fs::remove_dir_all(&tools);
        fs::create_dir(&tools).expect("a directory");
        let always =
            ["sh", "mktemp", "mkdir", "rm", "cp", "cat", "cut", "awk", "grep", "uname", "tr"];
        for tool in always.iter().chain(&["dirname"]).chain(more) {
            let link = format!("ln -s \"$(command -v {tool})\" {}/{tool}", tools.display());
            assert_eq!(sh(&tools, &link).code, Some(0), "{tool}");
        }
        tools
    }

    /// Fails the test unless the script ends with an error that contains the text, and installs nothing.
    #[track_caller]
    fn refuses(&self, more: &[(&str, &str)], text: &str) {
        let output = self.install(&["linux_amd64"], more);
        assert_eq!(output.code, Some(1), "{}", output.stderr);
        assert!(output.stderr.contains(text), "{text:?} in {}", output.stderr);
        assert_eq!(output.stdout, "");
        assert!(!self.mirror().exists(), "{}", output.stderr);
    }
}

/// Returns the program for checksums that this machine has.
fn checksum_tool() -> &'static str {
    if is_installed("sha256sum") { "sha256sum" } else { "shasum" }
}

fn sh(directory: &Path, text: &str) -> CommandOutput {
    output_of(Command::new("sh").args(["-c", text]).current_dir(directory))
}

#[test]
fn release_is_laid_out_for_both_registries_and_named_on_standard_output() {
    let Some(release) = Release::new() else { return };
    let output = release.install(&["linux_amd64", "darwin_arm64"], &[]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let configuration = release.mirror().join("cli.tfrc");
    assert_eq!(output.stdout, format!("TF_CLI_CONFIG_FILE={}\n", configuration.display()));
    let text = fs::read_to_string(configuration).expect("the CLI configuration");
    assert!(text.contains("include = [\"access/access\"]"), "{text}");
    for registry in ["registry.terraform.io", "registry.opentofu.org"] {
        for platform in ["linux_amd64", "darwin_arm64"] {
            let archive = release.archive(platform);
            let copy = release.mirror().join(registry).join("access/access");
            let copy = fs::read_to_string(copy.join(archive.file_name().unwrap()));
            assert_eq!(copy.expect("an archive"), platform);
        }
    }
    // A second run replaces the files and leaves other versions alone.
    assert_eq!(release.install(&[], &[]).code, Some(0));
}

#[test]
fn release_with_another_checksum_is_refused() {
    let Some(release) = Release::new() else { return };
    fs::write(release.archive("linux_amd64"), "changed").expect("an archive");
    release.refuses(&[], "does not have the checksum");
    release.refuses(&[("PROVIDER_UNSIGNED", "yes")], "does not have the checksum");
}

#[test]
fn release_with_changed_sums_or_another_key_is_refused() {
    let Some(release) = Release::new() else { return };
    let sums = release.file("_SHA256SUMS");
    let text = fs::read_to_string(&sums).expect("the sums");
    fs::write(&sums, format!("{text}\n")).expect("the sums");
    release.refuses(&[], "is not valid for");

    release.make_key("other");
    release.sign("other");
    release.refuses(&[], "is not valid for");
    let key = release.directory.path().join("other.asc");
    let other = [("PROVIDER_KEY", key.to_str().unwrap())];
    assert_eq!(release.install(&["linux_amd64"], &other).code, Some(0));
}

#[test]
fn release_signed_with_an_expired_key_is_refused() {
    let Some(release) = Release::new() else { return };
    release.gpg("expired", "--faked-system-time 20200101T000000 --passphrase '' --quick-gen-key expired@example.com ed25519 sign 1d");
    release.gpg("expired", "--armor --output expired.asc --export");
    let sums = release.file("_SHA256SUMS").display().to_string();
    release.gpg(
        "expired",
        &format!("--faked-system-time 20200101T010000 --output {sums}.sig --detach-sign {sums}"),
    );
    let key = release.directory.path().join("expired.asc");
    release.refuses(&[("PROVIDER_KEY", key.to_str().unwrap())], "is not valid for");
}

#[test]
fn release_without_signature_or_key_or_gpg_needs_the_explicit_setting() {
    let Some(release) = Release::new() else { return };
    release.refuses(&[("PROVIDER_KEY", "/nonexistent.asc")], "/nonexistent.asc does not exist");
    let not_a_key = release.file("_SHA256SUMS").display().to_string();
    release.refuses(&[("PROVIDER_KEY", &not_a_key)], "is not a public key");

    // Everything but gpg.
    let tools = release.tools(&["curl", checksum_tool()]);
    release.refuses(&[("PATH", tools.to_str().unwrap())], "gpg is not installed");
    fs::remove_file(release.file("_SHA256SUMS.sig")).expect("the signature");
    release.refuses(&[], "Could not download");

    let output =
        release.install(&[], &[("PATH", tools.to_str().unwrap()), ("PROVIDER_UNSIGNED", "yes")]);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    assert!(output.stderr.contains("is not checked"), "{}", output.stderr);
}

#[test]
fn release_that_lacks_the_version_or_platform_is_refused() {
    let Some(release) = Release::new() else { return };
    release.refuses(&[("PROVIDER_VERSION", "9.9.9")], "Could not download");
    let other = release.install(&["plan9_amd64"], &[]);
    assert_eq!(other.code, Some(1));
    assert!(other.stderr.contains("has no line for"), "{}", other.stderr);
    assert!(!release.mirror().exists());
    let mut command = Command::new("sh");
    let output =
        output_of(command.arg(script("install-provider.sh")).env_remove("PROVIDER_VERSION"));
    assert!(
        output.code != Some(0) && output.stderr.contains("Set PROVIDER_VERSION"),
        "{}",
        output.stderr
    );
}

#[test]
fn registry_as_the_version_installs_nothing_and_keeps_the_setting() {
    let Some(release) = Release::new() else { return };
    for (setting, printed) in [("", ""), ("/etc/terraformrc", "/etc/terraformrc")] {
        let variables = [("PROVIDER_VERSION", "registry"), ("TF_CLI_CONFIG_FILE", setting)];
        let output = release.install(&[], &variables);
        assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
        assert_eq!(output.stdout, format!("TF_CLI_CONFIG_FILE={printed}\n"));
        assert!(!release.mirror().exists());
    }
    // Jobs set the variable to what was printed. The host takes an empty one for none.
    let service = Service::full();
    let workspace = service.workspace();
    let version = output_of(workspace.command(&["version"]).env("TF_CLI_CONFIG_FILE", ""));
    assert_eq!((version.code, version.stderr.as_str()), (Some(0), ""));
}

#[test]
fn release_is_installed_with_other_tools_and_on_other_machines() {
    let Some(release) = Release::new() else { return };
    if has_tools(&["wget", "shasum", "perl"]) {
        let tools = release.tools(&["wget", "shasum", "perl"]);
        let path = [("PATH", tools.to_str().unwrap()), ("PROVIDER_UNSIGNED", "yes")];
        let output = release.install(&["linux_amd64"], &path);
        assert_eq!(output.code, Some(0), "{}", output.stderr);
    }

    let tools = release.tools(&[checksum_tool()]);
    let path = [("PATH", tools.to_str().unwrap()), ("PROVIDER_UNSIGNED", "yes")];
    let output = release.install(&["linux_amd64"], &path);
    assert_eq!(output.code, Some(1), "{}", output.stdout);
    assert!(output.stderr.contains("Neither curl nor wget is installed."), "{}", output.stderr);

    for (machine, code, text) in [
        ("[ $1 = -s ] && echo Darwin || echo arm64", 0, ""),
        ("[ $1 = -s ] && echo Linux || echo armv7l", 1, "_linux_arm.zip"),
        ("[ $1 = -s ] && echo Linux || echo i686", 1, "_linux_386.zip"),
        ("[ $1 = -s ] && echo FreeBSD || echo aarch64", 1, "_freebsd_arm64.zip"),
        ("[ $1 = -s ] && echo Linux || echo riscv64", 1, "There is no archive for riscv64."),
    ] {
        let tools = release.tools(&["curl", checksum_tool()]);
        fs::remove_file(tools.join("uname")).expect("the link");
        tool(&tools, "uname", machine);
        let path = [("PATH", tools.to_str().unwrap()), ("PROVIDER_UNSIGNED", "yes")];
        let output = release.install(&[], &path);
        assert_eq!(output.code, Some(code), "{machine}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{machine}: {}", output.stderr);
    }
}
