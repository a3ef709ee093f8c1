//! The normal form of a remote: a web address without credentials.

use std::fmt;

use url::{Host, Url};

/// The longest URI that is sent, in bytes. Addresses of repositories are far shorter.
const MAX_URI_BYTES: usize = 2048;

/// Hosts that serve https only.
const PUBLIC_FORGES: [&str; 4] = ["bitbucket.org", "dev.azure.com", "github.com", "gitlab.com"];

/// The reason why a URI cannot be recorded. Its message follows "the repository URI".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UriError {
    /// The text cannot be converted to a web address.
    Form,
    /// The scheme is not one of Git over a network.
    Scheme,
    /// The host or the path is missing.
    Incomplete,
    /// The text contains control characters or blanks, or is too long.
    Character,
}

impl fmt::Display for UriError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => {
                "must be a URL such as https://host/team/repository, or git@host:team/repository"
            }
            Self::Scheme => "must use the scheme https, http, ssh or git",
            Self::Incomplete => "must name a host and a path",
            Self::Character => {
                "must not contain blanks or control characters, nor exceed 2048 bytes"
            }
        })
    }
}

/// Returns `https://host/path` for a remote: without user info, the port of ssh, `.git`, query,
/// fragment and trailing slashes. `http` stays, because a server may not offer `https`.
pub(crate) fn normalise_uri(text: &str) -> Result<String, UriError> {
    let text = text.trim();
    // Variables that are not UTF-8 contain the replacement character.
    let refused = |c: char| c.is_control() || c.is_whitespace() || c == char::REPLACEMENT_CHARACTER;
    if text.len() > MAX_URI_BYTES || text.chars().any(refused) {
        return Err(UriError::Character);
    }
    match text.split_once("://") {
        Some((scheme, rest)) => from_url(&scheme.to_ascii_lowercase(), rest),
        None => from_scp(text),
    }
}

fn from_url(scheme: &str, rest: &str) -> Result<String, UriError> {
    let (scheme, keeps_port) = match scheme {
        "https" | "git+https" => ("https", true),
        "http" => ("http", true),
        "ssh" | "git+ssh" | "ssh+git" | "git" => ("https", false),
        _ => return Err(UriError::Scheme),
    };
    // The user info may contain characters that a parser rejects, so it is removed before.
    let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(authority_end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    build(scheme, host, path, keeps_port)
}

/// Normalises `user@host:path`, the form of scp.
fn from_scp(text: &str) -> Result<String, UriError> {
    let (host, path) =
        match text.strip_prefix('[').or_else(|| text.split_once("@[").map(|parts| parts.1)) {
            Some(rest) => {
                let (host, path) = rest.split_once("]:").ok_or(UriError::Form)?;
                (format!("[{host}]"), path)
            }
            None => {
                let (host, path) = text.split_once(':').ok_or(UriError::Form)?;
                // `user:password@host/…`: the text before the colon is not a host.
                if path.split('/').next().is_some_and(|first| first.contains('@')) {
                    return Err(UriError::Form);
                }
                (host.rsplit_once('@').map_or(host, |(_, host)| host).to_owned(), path)
            }
        };
    // `C:\x` and `C:/x` are paths of Windows, `helper::address` is a remote helper's.
    let drive = host.len() < 2 && !text.contains('@');
    if drive || host.contains(['/', '\\']) || path.starts_with([':', '\\']) {
        return Err(UriError::Form);
    }
    build("https", &host, &format!("/{}", path.trim_start_matches('/')), false)
}

fn build(scheme: &str, host: &str, path: &str, keeps_port: bool) -> Result<String, UriError> {
    let host_without_port = match host.rfind(':') {
        Some(colon) if !keeps_port && !host.ends_with(']') => &host[..colon],
        _ => host,
    };
    if host_without_port.is_empty() {
        return Err(UriError::Incomplete);
    }
    let url =
        Url::parse(&format!("{scheme}://{host_without_port}{path}")).map_err(|_| UriError::Form)?;
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let host = match url.host() {
        Some(Host::Domain(name)) => name.trim_end_matches('.').to_owned(),
        Some(host) => host.to_string(),
        None => return Err(UriError::Incomplete),
    };
    if host.is_empty() || path.is_empty() {
        return Err(UriError::Incomplete);
    }
    if let Some(azure) = azure(&host, path) {
        return Ok(azure);
    }
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    // The CI variable of Bitbucket contains http, although the public forges serve https only.
    let scheme = if PUBLIC_FORGES.contains(&host.as_str()) { "https" } else { scheme };
    Ok(format!("{scheme}://{host}{port}{path}"))
}

/// Returns the web address of an ssh remote of Azure DevOps, whose path differs.
fn azure(host: &str, path: &str) -> Option<String> {
    if host != "ssh.dev.azure.com" {
        return None;
    }
    let mut parts = path.strip_prefix("/v3/")?.split('/');
    match [parts.next()?, parts.next()?, parts.next()?] {
        [organisation, project, repository] if parts.next().is_none() => {
            Some(format!("https://dev.azure.com/{organisation}/{project}/_git/{repository}"))
        }
        _ => None,
    }
}
