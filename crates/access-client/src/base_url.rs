//! The base URL of the service. The API key is sent to no other address.

use std::fmt;

use url::{Host, Url};

use crate::invalid::Invalid;

/// A validated base URL: `https`, or `http` to a loopback host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    host: Host,
    port: u16,
    loopback: bool,
    https: bool,
}

impl BaseUrl {
    /// Parses and validates a base URL.
    ///
    /// # Errors
    ///
    /// Returns the rule that the string breaks.
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let text = text.trim();
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            // URL parsers treat them differently.
            return Err("must not contain blanks, control characters or backslashes".into());
        }
        let no_url = "must be a URL such as https://eu.access.example.com";
        let url = Url::parse(text).map_err(|_| no_url)?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err("must begin with https://".into());
        }
        // Some parsers read `https:example.com` as a host, others as a path.
        if !text.contains("://") {
            return Err(no_url.into());
        }
        let host = url.host().ok_or(no_url)?.to_owned();
        let loopback = match &host {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        if !has_possible_host(&url) {
            let reason = "has a host name that cannot exist: a name consists of letters, digits, `-`, `_` \
                          and dots";
            return Err(reason.into());
        }
        let authority = text.split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err("must not contain user info".into());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("must not contain a query or fragment".into());
        }
        if url.path().trim_end_matches('/').ends_with("/api/v1") {
            let reason = "must not end in /api/v1, which is added to it; remove that part";
            return Err(reason.into());
        }
        let https = url.scheme() == "https";
        if !https && !loopback {
            // The API key would be sent unencrypted.
            let reason = "must begin with https://: plain http is accepted only for localhost, \
                          127.0.0.0/8 and [::1]";
            return Err(reason.into());
        }
        let text = url.as_str().trim_end_matches('/').to_owned();
        let port = url.port_or_known_default().unwrap_or_default();
        Ok(Self { text, host, port, loopback, https })
    }

    /// Returns the address of a path that begins with a slash.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
    }

    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether the host is a loopback address.
    pub(crate) fn is_loopback(&self) -> bool {
        self.loopback
    }

    /// Returns whether certificates are needed.
    pub(crate) fn is_https(&self) -> bool {
        self.https
    }
}

/// Returns whether the host of a URL is an address, or a name that can exist. The parser accepts
/// characters that no name has, such as `;`.
pub(crate) fn has_possible_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.strip_suffix('.').unwrap_or(name);
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            let is_label =
                |text: &str| (1..=63).contains(&text.len()) && text.bytes().all(is_allowed);
            name.len() <= 253 && name.split('.').all(is_label)
        }
        address => address.is_some(),
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_url_keeps_its_path_prefix() {
        let cases = [
            ("https://eu.example.com", "https://eu.example.com/api"),
            ("https://eu.example.com/", "https://eu.example.com/api"),
            (
                "https://eu.example.com:8443/gateway/access/",
                "https://eu.example.com:8443/gateway/access/api",
            ),
            ("http://localhost:1", "http://localhost:1/api"),
            ("http://127.8.9.1", "http://127.8.9.1/api"),
            ("http://[::1]:80", "http://[::1]/api"),
            ("https://example.com/api/v1/eu/", "https://example.com/api/v1/eu/api"),
            ("https://example.com/myapi/v1", "https://example.com/myapi/v1/api"),
            (" https://EU.example.com ", "https://eu.example.com/api"),
            ("https://access_eu.example.com.", "https://access_eu.example.com./api"),
            ("https://b\u{fc}cher.example", "https://xn--bcher-kva.example/api"),
        ];
        for (text, joined) in cases {
            assert_eq!(BaseUrl::parse(text).unwrap().join("/api"), joined, "{text}");
        }
    }

    #[test]
    fn base_url_sends_no_key_in_the_clear_in_any_disguise() {
        let [clear, user_info, query, api_path, character, no_url, scheme, host] = [
            "plain http is accepted only for localhost",
            "user info",
            "query or fragment",
            "must not end in /api/v1",
            "backslashes",
            "must be a URL",
            "must begin with https://",
            "host name that cannot exist",
        ];
        let cases = [
            ("http://example.com", clear),
            ("http://127.0.0.1.example.com", clear),
            ("http://localhost.example.com", clear),
            ("http://localhost.", clear),
            ("http://10.0.0.1", clear),
            ("http://[::ffff:127.0.0.1]", clear),
            ("http://[::2]", clear),
            ("http://0.0.0.0", clear),
            ("http://localhost@example.com", user_info),
            ("http://127.0.0.1:80@example.com", user_info),
            ("https://user:secret@example.com", user_info),
            ("https://@example.com", user_info),
            ("https://example.com?", query),
            ("https://example.com/#x", query),
            ("https://example.com/api/v1", api_path),
            ("https://example.com/prefix/api/v1//", api_path),
            ("http://localhost\\@example.com", character),
            ("http://local\thost", character),
            ("https://h;x", host),
            ("https://a,b.example.com", host),
            ("https://a..b", host),
            ("https:example.com", no_url),
            ("//example.com", no_url),
            ("example.com", no_url),
            ("https://", no_url),
            ("", no_url),
            ("ftp://localhost", scheme),
            ("file:///etc/passwd", scheme),
        ];
        for (text, reason) in cases {
            let error = BaseUrl::parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
