//! `install-provider.sh`: the releases that it accepts and refuses, and the files that it writes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use access_fake::{Fault, Rank};
use serde_json::json;
use tempfile::TempDir;

use super::{SHA256, script};
use crate::support::network::{Authority, TlsFront};
use crate::support::tools::has_tools;
use crate::support::{Outcome, Service};

const VERSION: &str = "1.2.3";

/// A release in the folder `files`, with the key that signed it in `release.asc`.
struct Release {
    directory: TempDir,
}

impl Release {
    /// Returns `None` if a tool is missing that every installation needs.
    #[track_caller]
    fn new() -> Option<Self> {
        if !has_tools(&["curl", "gpg", "jq"]) {
            return None;
        }
        let release = Self { directory: tempfile::tempdir().expect("a directory") };
        release.sh("mkdir files");
        release.add(VERSION);
        release.sign("release", "never", "");
        Some(release)
    }

    /// Writes the archives of a version, and their sums.
    #[track_caller]
    fn add(&self, version: &str) {
        self.sh(&format!(
            "{SHA256}cd files
for platform in linux_amd64 darwin_arm64; do
  printf %s $platform > terraform-provider-access_{version}_$platform.zip
done
sha256 terraform-provider-access_{version}_*.zip > terraform-provider-access_{version}_SHA256SUMS"
        ));
    }

    /// Runs commands in the directory of the release.
    #[track_caller]
    fn sh(&self, text: &str) {
        let mut command = Command::new("sh");
        let output = Outcome::of(command.args(["-euc", text]).current_dir(self.directory.path()));
        assert_eq!(output.code, 0, "{text}\n{}", output.stderr);
    }

    /// Makes a key, which expires after this time, and signs the sums of every version with it.
    fn sign(&self, key: &str, expires: &str, options: &str) {
        self.sh(&format!(
            "mkdir -m 700 {key}
gpg() {{ command gpg --homedir \"$PWD/{key}\" --batch --quiet --yes {options} \"$@\"; }}
gpg --passphrase '' --quick-gen-key {key}@example.com ed25519 sign {expires}
gpg --armor --output {key}.asc --export
gpg --with-colons --list-keys | awk -F: '$1 == \"fpr\" {{ print $10 }}' > {key}.fingerprint
for sums in files/*_SHA256SUMS; do gpg --output $sums.sig --armor --detach-sign $sums; done
gpgconf --homedir \"$PWD/{key}\" --kill all"
        ));
    }

    /// Returns the fingerprint of a key.
    fn fingerprint(&self, key: &str) -> String {
        let text = fs::read_to_string(self.path(&format!("{key}.fingerprint")));
        text.expect("a fingerprint").trim().to_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn file(&self, rest: &str) -> PathBuf {
        self.path(&format!("files/terraform-provider-access_{VERSION}{rest}"))
    }

    /// Returns a command that installs in the directory of the release, with these variables in
    /// addition.
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
            .env("PROVIDER_URL", self.path("files"))
            .env("PROVIDER_KEY", self.path("release.asc"))
            .env("PROVIDER_MIRROR", self.path("mirror"))
            .env("CURL_CA_BUNDLE", self.path("authority.pem"))
            .envs(more.iter().copied());
        Outcome::of(&mut command)
    }

    /// Returns a server of the files, at any address but below `/owner/`, and its `https` address.
    /// Like GitHub, it lists the addresses of the files of a private repository at its API: below
    /// `files` in place of its own address, if that is given.
    fn serve(&self, files: Option<&str>) -> (Service, TlsFront, String) {
        let service = Service::full();
        let authority = Authority::new();
        let front = authority.serve("localhost", service.address());
        let address = format!("https://localhost:{}", front.address.port());
        fs::write(self.path("authority.pem"), &authority.pem).expect("the authority");
        service.put_key("release", "release-token", Rank::Reader);
        service.add_fault(Fault::respond(404, "").at("/owner/repository/releases/download/"));
        let mut assets = Vec::new();
        for file in fs::read_dir(self.path("files")).expect("the files").flatten() {
            let name = file.file_name().into_string().expect("a name");
            let url = format!("{}/assets/{name}", files.unwrap_or(&address));
            assets.push(json!({ "name": name, "url": url }));
            let text = fs::read_to_string(file.path()).expect("a text");
            service.add_fault(Fault::respond(200, text).at(&format!("*/{name}")));
        }
        let assets = json!({ "assets": assets }).to_string();
        let tag = "/api/v3/repos/owner/repository/releases/tags/v1.2.3";
        service.add_fault(Fault::respond(200, assets).at(tag));
        (service, front, address)
    }

    /// Fails the test unless the script ends with an error that contains the text, and changes
    /// nothing in the mirror.
    #[track_caller]
    fn refuses(&self, more: &[(&str, &str)], text: &str) {
        let before = self.installed();
        let output = self.install(&["linux_amd64"], more);
        // Shells end with different codes if a required variable is empty.
        assert!(output.code > 0, "{text}: {}", output.stderr);
        assert!(output.stderr.contains(text), "{text:?} in {}", output.stderr);
        assert_eq!(output.stdout, "");
        assert_eq!(self.installed(), before, "{}", output.stderr);
    }

    /// Fails the test unless the script installs.
    #[track_caller]
    fn accepts(&self, more: &[(&str, &str)]) {
        let output = self.install(&["linux_amd64"], more);
        assert_eq!(output.code, 0, "{more:?}: {}", output.stderr);
    }

    /// Returns the files in the mirror, with their contents.
    fn installed(&self) -> Vec<(PathBuf, String)> {
        let mut files = Vec::new();
        let mut open = vec![self.path("mirror")];
        while let Some(next) = open.pop() {
            for entry in fs::read_dir(next).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let text = fs::read_to_string(&path).expect("a text");
                    files.push((path, text));
                }
            }
        }
        files.sort();
        files
    }
}

#[test]
fn release_is_installed_from_addresses_and_folders_by_absolute_and_relative_paths() {
    let Some(release) = Release::new() else { return };
    let (service, _front, private) = release.serve(None);
    let server = service.base_url();
    let top = release.path("").display().to_string();
    let cases = [
        (format!("{server}/v1"), ""),
        (format!("{top}files"), ""),
        (format!("file://{top}files"), ""),
        ("files".to_owned(), ""),
        (format!("{private}/private/v1"), "release-token"),
        // The API has the addresses of the files.
        (format!("{private}/owner/repository/releases/download/v1.2.3"), "release-token"),
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

    for request in service.requests() {
        let needs_token = ["/private/", "/api/", "/assets/"].map(|it| request.path.starts_with(it));
        assert_eq!(request.key.is_some(), needs_token.contains(&true), "{request:?}");
        let accepts_files = request.headers["accept"] == "application/octet-stream";
        assert_eq!(accepts_files, request.path.starts_with("/assets/"), "{request:?}");
    }

    // From a registry, nothing is installed, and a setting is kept.
    for setting in ["", "/etc/terraformrc"] {
        let variables = [("PROVIDER_URL", "registry"), ("TF_CLI_CONFIG_FILE", setting)];
        let output = release.install(&[], &variables).succeeds();
        assert_eq!(output.stdout, format!("TF_CLI_CONFIG_FILE={setting}\n"));
        assert!(!release.path("mirror").exists());
    }
}

#[test]
fn token_is_sent_by_https_only() {
    let Some(release) = Release::new() else { return };
    let plain = Service::full();
    let server = plain.base_url();
    let token = ("PROVIDER_TOKEN", "release-token");
    for url in [server.clone(), server.to_uppercase(), format!("{server}/o/r/releases/download/v1")]
    {
        release.refuses(&[("PROVIDER_URL", &url), token], "PROVIDER_TOKEN is sent by https only");
    }
    // An API that lists other addresses, and a redirect.
    let (service, _front, private) = release.serve(Some(&server));
    let url = format!("{private}/owner/repository/releases/download/v1.2.3");
    release.refuses(&[("PROVIDER_URL", &url), token], "Could not get");
    service.clear_faults();
    let redirect = Fault::respond(302, "").header("location", &server).at("/moved/*");
    service.add_fault(redirect);
    let url = format!("{private}/moved");
    release.refuses(&[("PROVIDER_URL", &url), token], "Could not get");
    assert_eq!(plain.requests().len(), 0, "{:?}", plain.requests());
}

#[test]
fn release_that_cannot_be_trusted_or_found_is_refused() {
    let Some(release) = Release::new() else { return };
    let without_files = Service::full();
    let nowhere = release.path("nowhere").display().to_string();
    for (name, value, text) in [
        ("PROVIDER_VERSION", "9.9.9", "Could not get"),
        ("PROVIDER_VERSION", "", "does not name a version of access/access"),
        ("PROVIDER_URL", "", "Set PROVIDER_URL"),
        ("PROVIDER_URL", "nowhere", &*format!("{nowhere} does not exist")),
        ("PROVIDER_URL", &*without_files.base_url(), "set PROVIDER_TOKEN"),
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

/// Builds of an older version may not be able to read the state of a newer one, and may lack its
/// corrections.
#[test]
fn older_release_is_refused_unless_it_is_asked_for() {
    let Some(release) = Release::new() else { return };
    for version in ["1.2.2", "1.2.3-rc.2", "1.2.3-rc.10", "1.9.0", "1.10.0"] {
        release.add(version);
    }
    // A server that returns an old release under the names of a new one.
    release.sh("cd files
for file in *_1.2.2_*; do cp $file $(echo $file | sed s/1.2.2/2.0.0/); done");
    release.sign("newer", "never", "");
    let with = |version| [("PROVIDER_VERSION", version), ("PROVIDER_KEY", "newer.asc")];
    let mirror = release.path("mirror").display().to_string();
    let older = |version, than| format!("{version} is older than {than} in {mirror}.");
    release.accepts(&with("1.2.3-rc.2"));
    release.refuses(&with("1.2.2"), &older("1.2.2", "1.2.3-rc.2"));
    release.accepts(&with("1.2.3-rc.10"));
    release.refuses(&with("1.2.3-rc.2"), &older("1.2.3-rc.2", "1.2.3-rc.10"));
    release.accepts(&with("1.2.3"));
    release.refuses(&with("1.2.3-rc.10"), &older("1.2.3-rc.10", "1.2.3"));
    release.accepts(&with("1.10.0"));
    release.accepts(&with("1.10.0"));
    release.refuses(&with("1.9.0"), &older("1.9.0", "1.10.0"));
    release.refuses(&with("2.0.0"), "has no line for terraform-provider-access_2.0.0_linux_amd64");
    let [version, key] = with("1.9.0");
    let all = [version, key, ("PROVIDER_DOWNGRADE", "yes")];
    release.accepts(&all);

    // Another build of a version that is there.
    release.sh(&format!(
        "{SHA256}cd files
echo other > terraform-provider-access_1.9.0_linux_amd64.zip
sha256 terraform-provider-access_1.9.0_*.zip > terraform-provider-access_1.9.0_SHA256SUMS
gpg --homedir ../newer --batch --quiet --yes --output terraform-provider-access_1.9.0_SHA256SUMS.sig \\
  --detach-sign terraform-provider-access_1.9.0_SHA256SUMS
gpgconf --homedir ../newer --kill all"
    ));
    release.refuses(&all, "is another build of 1.9.0 than ");
    for registry in ["registry.terraform.io", "registry.opentofu.org"] {
        let name = "access/access/terraform-provider-access_1.9.0_linux_amd64.zip";
        fs::remove_file(release.path(&format!("mirror/{registry}/{name}"))).expect("the archive");
    }
    release.accepts(&all);

    // The lock file decides, where there is one.
    let block = |version| {
        format!(
            "provider \"registry.terraform.io/access/access\" {{\n  version = \"{version}\"\n}}\n"
        )
    };
    let lock = release.path(".terraform.lock.hcl");
    fs::write(&lock, block("1.2.3")).expect("a lock file");
    release.accepts(&with(""));
    let place = format!("1.2.2 is older than 1.2.3 in {}", lock.display());
    release.refuses(&with("1.2.2"), &place);
    release.accepts(&with("1.9.0"));
}

#[test]
fn release_is_refused_if_its_key_is_not_the_pinned_one() {
    let Some(release) = Release::new() else { return };
    let first = release.fingerprint("release");
    release.accepts(&[]);
    release.sign("other", "never", "");
    let other = release.fingerprint("other");
    let with_other = ("PROVIDER_KEY", "other.asc");
    let text = format!("fingerprint {other}, and ");
    let pin = release.path("mirror/release-key.fingerprint");
    release.refuses(&[with_other], &format!("{text}{} pins {first}", pin.display()));
    release.refuses(&[("PROVIDER_UNSIGNED", "yes")], "pins the key");
    // The pin of whoever runs the script counts more than that of the mirror.
    release.accepts(&[with_other, ("PROVIDER_FINGERPRINT", &other)]);
    assert_eq!(fs::read_to_string(&pin).expect("the pin").trim(), other);

    fs::remove_dir_all(release.path("mirror")).expect("the mirror");
    let of_first = ("PROVIDER_FINGERPRINT", first.as_str());
    let by_variable = format!("{text}PROVIDER_FINGERPRINT pins {first}");
    release.refuses(&[with_other, of_first], &by_variable);
    release.refuses(&[("PROVIDER_UNSIGNED", "yes"), of_first], "pins the key");
    release.sh("cat release.asc other.asc > both.asc");
    release.refuses(&[("PROVIDER_KEY", "both.asc")], "has more than one key");
    // As programs print it.
    let lower = other.to_lowercase();
    let spaced = format!("{} {}", &lower[..20], &lower[20..]);
    release.accepts(&[with_other, ("PROVIDER_FINGERPRINT", &spaced)]);
}
