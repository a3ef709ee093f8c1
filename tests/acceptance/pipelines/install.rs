//! `install-provider.sh`: the releases that it accepts and refuses, and the files that it writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use super::super::walkthrough::paste::tool;
use super::http::Server;
use super::{SHA256, output_of, script};
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service};

const VERSION: &str = "1.2.3";

/// A release in the folder `files` and on a server, with the key that signed it in `release.asc`.
struct Release {
    directory: TempDir,
    server: Server,
}

impl Release {
    /// Returns `None` if a tool is missing that every installation needs.
    #[track_caller]
    fn new() -> Option<Self> {
        if !has_tools(&["curl", "gpg", "jq"]) {
            return None;
        }
        let directory = tempfile::tempdir().expect("a directory");
        let files = directory.path().join("files");
        fs::create_dir(&files).expect("a directory");
        let server = Server::start(move |request| respond(&files, &request.path, &request.headers));
        let release = Self { directory, server };
        release.sh(&format!(
            "{SHA256}cd files
for platform in linux_amd64 darwin_arm64; do
  printf %s $platform > terraform-provider-access_{VERSION}_$platform.zip
done
sha256 *.zip > terraform-provider-access_{VERSION}_SHA256SUMS"
        ));
        release.sign("release", "never", "");
        Some(release)
    }

    /// Runs commands in the directory of the release.
    #[track_caller]
    fn sh(&self, text: &str) {
        let mut command = Command::new("sh");
        let output = output_of(command.args(["-euc", text]).current_dir(self.directory.path()));
        assert_eq!(output.code, 0, "{text}\n{}", output.stderr);
    }

    /// Signs the sums with a new key, which expires after this time.
    fn sign(&self, key: &str, expires: &str, options: &str) {
        let sums = format!("files/terraform-provider-access_{VERSION}_SHA256SUMS");
        self.sh(&format!(
            "mkdir -m 700 {key}
gpg() {{ command gpg --homedir \"$PWD/{key}\" --batch --quiet --yes {options} \"$@\"; }}
gpg --passphrase '' --quick-gen-key {key}@example.com ed25519 sign {expires}
gpg --armor --output {key}.asc --export
gpg --output {sums}.sig --detach-sign {sums}
gpgconf --homedir \"$PWD/{key}\" --kill all"
        ));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn file(&self, rest: &str) -> PathBuf {
        self.path(&format!("files/terraform-provider-access_{VERSION}{rest}"))
    }

    /// Returns a command that installs in the directory of the release, with these variables in addition.
    fn install(&self, platforms: &[&str], more: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new("sh");
        command
            .arg(script("install-provider.sh"))
            .args(platforms)
            .current_dir(self.directory.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.directory.path())
            .env("PROVIDER_VERSION", VERSION)
            .env("PROVIDER_URL", format!("{}/v{VERSION}", self.server.url()))
            .env("PROVIDER_KEY", self.path("release.asc"))
            .env("PROVIDER_MIRROR", self.path("mirror"))
            .envs(more.iter().copied());
        output_of(&mut command)
    }

    /// Fails the test unless the script ends with an error that contains the text, and installs nothing.
    #[track_caller]
    fn refuses(&self, more: &[(&str, &str)], text: &str) {
        let output = self.install(&["linux_amd64"], more);
        // Shells end with different codes if a required variable is empty.
        assert!(output.code > 0, "{text}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{text:?} in {}", output.stderr);
        assert_eq!(output.stdout, "");
        assert!(!self.path("mirror").exists(), "{}", output.stderr);
    }
}

/// Serves files at any address, and those below `/private/` and `/owner/` to the token only. Like GitHub,
/// the server offers those below `/owner/repository` at its API, by number.
fn respond(files: &Path, path: &str, headers: &str) -> (u16, Vec<u8>) {
    let has_token = headers.contains("Authorization: Bearer release-token\r\n");
    let accepts_files = headers.contains("Accept: application/octet-stream\r\n");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(files).expect("the files").flatten().collect();
        names.sort_by_key(fs::DirEntry::file_name);
        names.into_iter().map(|file| file.file_name().into_string().expect("a name"))
    };
    let api = "/api/v3/repos/owner/repository/releases/";
    let name = match path.strip_prefix(api) {
        Some("tags/v1.2.3") if has_token && !accepts_files => {
            let host = headers.lines().find_map(|line| line.strip_prefix("Host: "));
            let url = format!("http://{}{api}assets", host.expect("a host"));
            let assets = names().enumerate();
            let assets =
                assets.map(|(id, name)| json!({"name": name, "url": format!("{url}/{id}")}));
            return (200, json!({"assets": assets.collect::<Vec<_>>()}).to_string().into_bytes());
        }
        Some(asset) if has_token && accepts_files => {
            asset.strip_prefix("assets/").and_then(|id| names().nth(id.parse().ok()?))
        }
        None if !path.starts_with("/owner/") && (has_token || !path.starts_with("/private/")) => {
            path.rsplit('/').next().map(str::to_owned)
        }
        _ => None,
    };
    match name.and_then(|name| fs::read(files.join(name)).ok()) {
        Some(bytes) => (200, bytes),
        None => (404, b"not found".to_vec()),
    }
}

#[test]
fn release_is_installed_from_addresses_and_folders_by_absolute_and_relative_paths() {
    let Some(release) = Release::new() else { return };
    let server = release.server.url();
    let top = release.path("").display().to_string();
    let cases = [
        (format!("{server}/v1"), ""),
        (format!("{top}files"), ""),
        (format!("file://{top}files"), ""),
        ("files".to_owned(), ""),
        (format!("{server}/private/v1"), "release-token"),
        // The files of a private repository are at the API.
        (format!("{server}/owner/repository/releases/download/v1.2.3"), "release-token"),
    ];
    for (number, (url, token)) in cases.iter().enumerate() {
        let is_relative = url == "files";
        let path = |name: &str| format!("{}{name}", if is_relative { "" } else { &top });
        let mirror = format!("mirror-{number}");
        let variables = [
            ("PROVIDER_URL", url.as_str()),
            ("PROVIDER_MIRROR", &path(&mirror)),
            ("PROVIDER_KEY", &path("release.asc")),
            ("PROVIDER_TOKEN", token),
        ];
        let output = release.install(&["linux_amd64", "darwin_arm64"], &variables).succeeds();
        assert_eq!(output.stderr, "", "{url}");
        let written = release.path(&mirror);
        let configuration = written.join("cli.tfrc");
        assert_eq!(output.stdout, format!("TF_CLI_CONFIG_FILE={}\n", configuration.display()));
        let text = fs::read_to_string(configuration).expect("the CLI configuration");
        assert!(text.contains(&format!("path    = \"{}\"", written.display())), "{url}: {text}");
        for registry in ["registry.terraform.io", "registry.opentofu.org"] {
            for platform in ["linux_amd64", "darwin_arm64"] {
                let name = format!(
                    "{registry}/access/access/terraform-provider-access_1.2.3_{platform}.zip"
                );
                assert_eq!(fs::read_to_string(written.join(name)).expect(url), platform);
            }
        }
    }
    let requests = release.server.take_requests();
    assert!(requests.iter().any(|request| request.headers.contains("release-token")));

    // From a registry, nothing is installed, and a setting is kept.
    for setting in ["", "/etc/terraformrc"] {
        let variables = [("PROVIDER_URL", "registry"), ("TF_CLI_CONFIG_FILE", setting)];
        let output = release.install(&[], &variables);
        let printed = format!("TF_CLI_CONFIG_FILE={setting}\n");
        assert_eq!((output.code, output.stderr, output.stdout), (0, String::new(), printed));
        assert!(!release.path("mirror").exists());
    }
    // Jobs set the variable to what was printed. The host takes an empty one for none.
    let workspace = Service::full().workspace();
    let version = output_of(workspace.command(&["version"]).env("TF_CLI_CONFIG_FILE", ""));
    assert_eq!((version.code, version.stderr.as_str()), (0, ""));
}

#[test]
fn release_that_cannot_be_trusted_or_found_is_refused() {
    let Some(release) = Release::new() else { return };
    let nowhere = release.path("nowhere").display().to_string();
    for (name, value, text) in [
        ("PROVIDER_VERSION", "9.9.9", "Could not get"),
        ("PROVIDER_VERSION", "", "does not name a version of access/access"),
        ("PROVIDER_URL", "", "Set PROVIDER_URL"),
        ("PROVIDER_URL", "nowhere", &*format!("{nowhere} does not exist")),
        ("PROVIDER_URL", &*format!("{}/private", release.server.url()), "set PROVIDER_TOKEN"),
        ("PROVIDER_KEY", "nowhere", &*format!("{nowhere} does not exist")),
        ("PROVIDER_KEY", "files/terraform-provider-access_1.2.3_SHA256SUMS", "is not a public key"),
    ] {
        release.refuses(&[(name, value)], text);
    }
    let other = release.install(&["plan9_amd64"], &[]);
    assert!(other.code == 1 && other.stderr.contains("has no line for"), "{}", other.stderr);

    release.sign("other", "never", "");
    release.refuses(&[], "is not valid for");
    release.refuses(&[("PROVIDER_KEY", "release.asc")], "is not valid for");
    release.sign("expired", "1d", "--faked-system-time 20200101T000000");
    release.refuses(&[("PROVIDER_KEY", "expired.asc")], "is not valid for");
    fs::remove_file(release.file("_SHA256SUMS.sig")).expect("the signature");
    release.refuses(&[], "Could not get");

    let unsigned = ("PROVIDER_UNSIGNED", "yes");
    let output = release.install(&["linux_amd64"], &[unsigned]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stderr.contains("is not checked"), "{}", output.stderr);
    fs::remove_dir_all(release.path("mirror")).expect("the mirror");
    fs::write(release.file("_linux_amd64.zip"), "changed").expect("an archive");
    release.refuses(&[unsigned], "does not have the checksum");
}

#[test]
fn platform_of_the_machine_is_installed_by_default() {
    let Some(release) = Release::new() else { return };
    for (machine, code, text) in [
        ("[ $1 = -s ] && echo Darwin || echo arm64", 0, ""),
        ("[ $1 = -s ] && echo Linux || echo armv7l", 1, "_linux_arm.zip"),
        ("[ $1 = -s ] && echo Linux || echo i686", 1, "_linux_386.zip"),
        ("[ $1 = -s ] && echo FreeBSD || echo aarch64", 1, "_freebsd_arm64.zip"),
        ("[ $1 = -s ] && echo Linux || echo riscv64", 1, "There is no archive for riscv64."),
    ] {
        tool(release.directory.path(), "uname", machine);
        let path = std::env::var("PATH").expect("PATH");
        let path = format!("{}:{path}", release.directory.path().display());
        let output = release.install(&[], &[("PATH", &path), ("PROVIDER_UNSIGNED", "yes")]);
        assert_eq!(output.code, code, "{machine}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{machine}: {}", output.stderr);
    }
}
