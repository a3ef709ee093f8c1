//! The repository that a role records, as the fields `repoUri` and `repoDir`, and the normal forms
//! of both: a web address without credentials, and a directory with slashes.
//!
//! The errors continue a sentence that begins with the name of the value, and contain no part of
//! the value, because it may contain credentials.

mod checkout;

use access_client::Invalid;
use serde::{Deserialize, Serialize};
use url::Url;

pub(crate) use checkout::{Detected, detect};

/// The longest URI that is sent, in bytes. Addresses of repositories are far shorter.
const MAX_URI_BYTES: usize = 2048;

/// The directory that Terragrunt copies units into.
const TERRAGRUNT_CACHE: &str = ".terragrunt-cache";

const FORM: &str =
    "must be a URL such as https://host/team/repository, or git@host:team/repository";

/// A repository and a directory in it: `repoUri` and `repoDir`, as a write sends them or a role
/// records them. `None` is not sent, "" clears the field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Repository {
    /// The address, such as `https://host/team/repository`.
    pub(crate) uri: Option<String>,
    /// The directory below the top of the repository; "" for the top itself.
    pub(crate) dir: Option<String>,
}

impl Repository {
    /// Returns whether no repository is recorded. The service does not distinguish "" from an unset
    /// field.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.uri, &self.dir].into_iter().flatten().all(String::is_empty)
    }

    /// Returns whether two pairs name the same directory of the same repository.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        same_uri(self.uri.as_ref(), other.uri.as_ref())
            && same_dir(self.dir.as_ref(), other.dir.as_ref())
    }

    /// Returns whether a write of this pair would change what is recorded.
    pub(crate) fn changes(&self, recorded: &Self) -> bool {
        let changes_uri = self.uri.is_some() && !same_uri(self.uri.as_ref(), recorded.uri.as_ref());
        changes_uri || self.dir.is_some() && !same_dir(self.dir.as_ref(), recorded.dir.as_ref())
    }
}

/// The repository of a configuration, with normalised values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ConfiguredRepository {
    /// What a write records.
    pub(crate) written: Repository,
    /// The values that were set explicitly: if a role differs from one of them, the pair is
    /// written. A detected pair is written with any other change, and nothing is enforced.
    pub(crate) enforced: Repository,
    /// Why nothing was detected that could be recorded.
    pub(crate) missing: Option<String>,
}

impl ConfiguredRepository {
    /// Returns the repository of explicit values, which replace detection as a whole. Without any,
    /// `detected` is recorded, which is `None` if detection is off. One half is never sent without the
    /// other, so the directory of another repository never stays with a URI, nor its URI with a
    /// directory.
    pub(crate) fn new(
        explicit: Repository,
        detected: impl FnOnce() -> Option<Result<Detected, String>>,
    ) -> Self {
        let configured = |written, missing| Self { written, enforced: explicit.clone(), missing };
        let (configured, source) = match explicit.clone() {
            Repository { uri: None, dir: None } => match detected() {
                Some(Ok(Detected { repository, source })) => (configured(repository, None), source),
                Some(Err(reason)) => {
                    (configured(Repository::default(), Some(reason.clone())), reason)
                }
                None => (Self::default(), "`repo_detection` is off".to_owned()),
            },
            Repository { uri, dir } => {
                let (uri, dir) = (Some(uri.unwrap_or_default()), Some(dir.unwrap_or_default()));
                let source = "`repo_uri` and `repo_dir`, or their variables".to_owned();
                (configured(Repository { uri, dir }, None), source)
            }
        };
        let half = |half: &Option<String>| half.clone().unwrap_or_default();
        let (repo_uri, repo_dir) = (half(&configured.written.uri), half(&configured.written.dir));
        tracing::debug!(repo_uri, repo_dir, source, "the repository that roles record");
        configured
    }
}

/// Returns whether two URIs name the same repository. The service may store another spelling of it.
pub(crate) fn same_uri(one: Option<&String>, other: Option<&String>) -> bool {
    same(one, other, normalise_uri)
}

/// Returns whether two directories are the same. The service may store another spelling.
pub(crate) fn same_dir(one: Option<&String>, other: Option<&String>) -> bool {
    same(one, other, normalise_dir)
}

/// The service does not distinguish "" from an unset field.
fn same(
    one: Option<&String>,
    other: Option<&String>,
    normalise: fn(&str) -> Result<String, Invalid>,
) -> bool {
    let normalised = |text: &String| normalise(text).unwrap_or_else(|_| text.clone());
    one == other
        || one.map(normalised).unwrap_or_default() == other.map(normalised).unwrap_or_default()
}

/// Returns `https://host/path` for a remote: without user info, the port of ssh, `.git`, query,
/// fragment and trailing slashes. `http` stays, because a server may not offer `https`.
///
/// # Errors
///
/// Returns the rule that the text breaks.
pub(crate) fn normalise_uri(text: &str) -> Result<String, Invalid> {
    let text = text.trim();
    let refused = |c: char| c.is_control() || c.is_whitespace() || c == char::REPLACEMENT_CHARACTER;
    if text.len() > MAX_URI_BYTES || text.contains(refused) {
        return Err("must not contain blanks or control characters, nor exceed 2048 bytes".into());
    }
    let Some((scheme, rest)) = text.split_once("://") else { return from_scp(text) };
    let (scheme, keeps_port) = match scheme.to_ascii_lowercase().as_str() {
        "https" | "git+https" => ("https", true),
        "http" => ("http", true),
        "ssh" | "git+ssh" | "ssh+git" | "git" => ("https", false),
        _ => return Err("must use the scheme https, http, ssh or git".into()),
    };
    // The user info may contain characters that a parser rejects, so it is removed before.
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    build(scheme, host, path, keeps_port)
}

/// Normalises `user@host:path`, the form of scp.
fn from_scp(text: &str) -> Result<String, Invalid> {
    let (user, address) = match text.split_once('@') {
        // `user:password@host/…`: the text before the colon is not a host.
        Some((user, _)) if user.contains([':', '/']) => return Err(FORM.into()),
        Some((user, address)) => (Some(user), address),
        None => (None, text),
    };
    // An IPv6 address contains colons.
    let end = if address.starts_with('[') { address.find(']').ok_or(FORM)? } else { 0 };
    let colon = end + address[end..].find(':').ok_or(FORM)?;
    let host = &address[..colon];
    let path = &address[colon + 1..];
    // `C:\x` and `C:/x` are paths of Windows, `helper::address` is a remote helper's.
    let drive = user.is_none() && host.len() < 2;
    let credentials = path.split('/').next().is_some_and(|first| first.contains('@'));
    if drive || credentials || host.contains(['/', '\\']) || path.starts_with([':', '\\']) {
        return Err(FORM.into());
    }
    build("https", host, &format!("/{}", path.trim_start_matches('/')), false)
}

/// Returns the normal form of a repository's URL from its parts. The port of an SSH address is
/// dropped, because it is not that of the website.
fn build(scheme: &str, host: &str, path: &str, keeps_port: bool) -> Result<String, Invalid> {
    let host = match host.rfind(':') {
        Some(colon) if !keeps_port && !host.ends_with(']') => &host[..colon],
        _ => host,
    };
    let incomplete = "must name a host and a path";
    if host.is_empty() {
        return Err(incomplete.into());
    }
    let url = Url::parse(&format!("{scheme}://{host}{path}")).map_err(|_| FORM)?;
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    if host.is_empty() || path.is_empty() {
        return Err(incomplete.into());
    }
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    Ok(format!("{scheme}://{host}{port}{path}"))
}

/// Returns a directory with slashes, and without `.` and empty parts; "" for the top of the
/// repository.
///
/// # Errors
///
/// Returns the rule that the text breaks.
pub(crate) fn normalise_dir(dir: &str) -> Result<String, Invalid> {
    let dir = dir.trim().replace('\\', "/");
    let outside = "must be relative to the top of the repository and stay in it";
    if dir.starts_with('/') || dir.contains(char::is_control) || dir.get(1..2) == Some(":") {
        return Err(outside.into());
    }
    let mut parts = Vec::new();
    for part in dir.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop().ok_or(outside)?,
            TERRAGRUNT_CACHE => break,
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_is_normalised_and_never_holds_credentials() {
        let cases = [
            ("git@host:a/b.git", "https://host/a/b"),
            ("host:a/b", "https://host/a/b"),
            ("ssh://git@host:2222/a/b.git", "https://host/a/b"),
            ("ssh://host/a/b/", "https://host/a/b"),
            ("git+ssh://git@host/a/b", "https://host/a/b"),
            ("git://host/a/b.git", "https://host/a/b"),
            ("https://user:secret@HOST/a/b.git?x=secret#secret", "https://host/a/b"),
            ("https://to/ken:secret@host/a", "https://to/ken:secret@host/a"),
            ("https://user:p%40ss@host/a/b", "https://host/a/b"),
            ("https://user:p@ss@host/a/b", "https://host/a/b"),
            ("https://host:8443/a/b/", "https://host:8443/a/b"),
            ("https://host:443/a/b", "https://host/a/b"),
            ("http://host/a", "http://host/a"),
            ("https://host/a/b.git/", "https://host/a/b"),
            ("https://host/a%20b", "https://host/a%20b"),
            ("https://host/\u{e9}", "https://host/%C3%A9"),
            ("git@[::1]:a/b.git", "https://[::1]/a/b"),
            ("ssh://git@[::1]:22/a", "https://[::1]/a"),
            (
                "https://org@dev.azure.com/org/project/_git/repo",
                "https://dev.azure.com/org/project/_git/repo",
            ),
        ];
        for (text, normalised) in cases {
            assert_eq!(normalise_uri(text).as_deref(), Ok(normalised), "{text}");
            assert_eq!(normalise_uri(normalised).as_deref(), Ok(normalised), "again: {text}");
        }
    }

    #[test]
    fn uri_of_an_odd_form_is_not_sent() {
        for text in [
            "",
            "C:\\x\\y",
            "C:/x/y",
            "/srv/git/a.git",
            "../a",
            "file:///srv/a",
            "ext::sh -c x",
            "codecommit::eu-west-1://repo",
            "hg::https://host/a",
            "https://",
            "https://host",
            "https:///a",
            "https://user:secret@/a",
            "ftp://host/a",
            "a b:c",
            "oauth2:secret@host/a/b",
            "user:secret@host:a/b",
            "javascript://host/a",
            "git@host:",
        ] {
            assert!(normalise_uri(text).is_err(), "{text:?}: {:?}", normalise_uri(text));
        }
    }

    #[test]
    fn directory_that_was_set_stays_in_the_repository() {
        let cases = [
            ("roles", Ok("roles")),
            ("./roles//github/", Ok("roles/github")),
            ("roles\\github", Ok("roles/github")),
            (".", Ok("")),
            ("unit/.terragrunt-cache/x/y", Ok("unit")),
            ("/roles", Err(())),
            ("../roles", Err(())),
            ("a/../../b", Err(())),
            ("./x//y/../z/", Ok("x/z")),
            ("C:\\roles", Err(())),
        ];
        for (dir, expected) in cases {
            assert_eq!(normalise_dir(dir).as_deref().map_err(|_| ()), expected, "{dir}");
        }
    }

    fn pair(uri: Option<&str>, dir: Option<&str>) -> Repository {
        Repository { uri: uri.map(str::to_owned), dir: dir.map(str::to_owned) }
    }

    #[test]
    fn explicit_values_replace_detection_as_a_whole_and_are_enforced() {
        let repository = pair(Some("https://h/a/b"), Some(""));
        let (uri, dir) = (Some("https://set/x/y"), Some("d"));
        let detected = || Detected { repository: repository.clone(), source: String::new() };
        let nothing = || "no checkout".to_owned();
        // What is set and therefore enforced, what is detected, and what is written.
        for (explicit, found, written) in [
            (pair(uri, dir), Some(Ok(detected())), Ok(pair(uri, dir))),
            (pair(uri, None), Some(Ok(detected())), Ok(pair(uri, Some("")))),
            (pair(None, dir), Some(Err(nothing())), Ok(pair(Some(""), dir))),
            (pair(None, None), Some(Ok(detected())), Ok(repository.clone())),
            (pair(None, None), Some(Err(nothing())), Err(nothing())),
            (pair(None, None), None, Ok(pair(None, None))),
        ] {
            let configured = ConfiguredRepository::new(explicit.clone(), || found);
            let missing = written.clone().err();
            let written = written.unwrap_or_default();
            let expected = ConfiguredRepository { written, enforced: explicit, missing };
            assert_eq!(configured, expected);
        }
    }
}
