//! The normal forms of a remote, which is a web address without credentials, and of a directory.
//!
//! The errors continue a sentence that begins with the name of the value, and contain no part of it,
//! because it may contain credentials.

use url::Url;

/// The longest URI that is sent, in bytes. Addresses of repositories are far shorter.
const MAX_URI_BYTES: usize = 2048;

/// The directory that Terragrunt copies units into.
pub(super) const TERRAGRUNT_CACHE: &str = ".terragrunt-cache";

const FORM: &str =
    "must be a URL such as https://host/team/repository, or git@host:team/repository";

/// Returns `https://host/path` for a remote: without user info, the port of ssh, `.git`, query,
/// fragment and trailing slashes. `http` stays, because a server may not offer `https`.
pub(crate) fn normalise_uri(text: &str) -> Result<String, &'static str> {
    let text = text.trim();
    let refused = |c: char| c.is_control() || c.is_whitespace() || c == char::REPLACEMENT_CHARACTER;
    if text.len() > MAX_URI_BYTES || text.contains(refused) {
        return Err("must not contain blanks or control characters, nor exceed 2048 bytes");
    }
    let Some((scheme, rest)) = text.split_once("://") else { return from_scp(text) };
    let (scheme, keeps_port) = match scheme.to_ascii_lowercase().as_str() {
        "https" | "git+https" => ("https", true),
        "http" => ("http", true),
        "ssh" | "git+ssh" | "ssh+git" | "git" => ("https", false),
        _ => return Err("must use the scheme https, http, ssh or git"),
    };
    // The user info may contain characters that a parser rejects, so it is removed before.
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    build(scheme, host, path, keeps_port)
}

/// Normalises `user@host:path`, the form of scp.
fn from_scp(text: &str) -> Result<String, &'static str> {
    let (user, address) = match text.split_once('@') {
        // `user:password@host/…`: the text before the colon is not a host.
        Some((user, _)) if user.contains([':', '/']) => return Err(FORM),
        Some((user, address)) => (Some(user), address),
        None => (None, text),
    };
    // An IPv6 address contains colons.
    let end = if address.starts_with('[') { address.find(']').ok_or(FORM)? } else { 0 };
    let colon = end + address[end..].find(':').ok_or(FORM)?;
    let (host, path) = (&address[..colon], &address[colon + 1..]);
    // `C:\x` and `C:/x` are paths of Windows, `helper::address` is a remote helper's.
    let drive = user.is_none() && host.len() < 2;
    let credentials = path.split('/').next().is_some_and(|first| first.contains('@'));
    if drive || credentials || host.contains(['/', '\\']) || path.starts_with([':', '\\']) {
        return Err(FORM);
    }
    build("https", host, &format!("/{}", path.trim_start_matches('/')), false)
}

fn build(scheme: &str, host: &str, path: &str, keeps_port: bool) -> Result<String, &'static str> {
    let host = match host.rfind(':') {
        Some(colon) if !keeps_port && !host.ends_with(']') => &host[..colon],
        _ => host,
    };
    let incomplete = "must name a host and a path";
    if host.is_empty() {
        return Err(incomplete);
    }
    let url = Url::parse(&format!("{scheme}://{host}{path}")).map_err(|_| FORM)?;
    let path = url.path().trim_end_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    if host.is_empty() || path.is_empty() {
        return Err(incomplete);
    }
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    Ok(format!("{scheme}://{host}{port}{path}"))
}

/// Returns a directory with slashes, and without `.` and empty parts; "" for the top of the repository.
pub(crate) fn normalise_dir(dir: &str) -> Result<String, &'static str> {
    let dir = dir.trim().replace('\\', "/");
    let outside = "must be relative to the top of the repository and stay in it";
    if dir.starts_with('/') || dir.contains(char::is_control) || dir.get(1..2) == Some(":") {
        return Err(outside);
    }
    let mut parts = Vec::new();
    for part in dir.split('/') {
        match part {
            "" | "." => {}
            ".." => return Err(outside),
            TERRAGRUNT_CACHE => break,
            part => parts.push(part),
        }
    }
    Ok(parts.join("/"))
}
