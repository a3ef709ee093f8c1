//! The base URL of the service. The API key is sent to no other address.

use std::fmt;

use url::{Host, Url};

/// A validated base URL: `https`, or `http` to a loopback host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    text: String,
    loopback: bool,
    https: bool,
}

/// The reason why a string is not a base URL. Its message completes a sentence that begins with
/// "the base address".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseUrlError {
    /// The string is not an absolute URL with a host.
    NoUrl,
    /// The scheme is neither `https` nor `http`.
    Scheme,
    /// The scheme is `http` and the host is not loopback: the API key would be sent unencrypted.
    Clear,
    /// The URL contains `user:password@`.
    UserInfo,
    /// The URL contains `?…` or `#…`.
    QueryOrFragment,
    /// The path ends in `/api/v1`, which the client adds.
    ApiPath,
    /// The URL contains blanks, control characters or backslashes, which URL parsers treat
    /// differently.
    Character,
}

impl BaseUrl {
    /// Parses and validates a base URL.
    ///
    /// # Errors
    ///
    /// Returns the rule that the string breaks.
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        let text = text.trim();
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err(BaseUrlError::Character);
        }
        let url = Url::parse(text).map_err(|_| BaseUrlError::NoUrl)?;
        if !matches!(url.scheme(), "https" | "http") {
            return Err(BaseUrlError::Scheme);
        }
        // Some parsers read `https:example.com` as a host, others as a path.
        if !text.contains("://") {
            return Err(BaseUrlError::NoUrl);
        }
        let loopback = match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => return Err(BaseUrlError::NoUrl),
        };
        let authority = text.split_once("://").map_or("", |(_, rest)| rest);
        let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(BaseUrlError::UserInfo);
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(BaseUrlError::QueryOrFragment);
        }
        if url.path().trim_end_matches('/').ends_with("/api/v1") {
            return Err(BaseUrlError::ApiPath);
        }
        let https = url.scheme() == "https";
        if !https && !loopback {
            return Err(BaseUrlError::Clear);
        }
        Ok(Self { text: url.as_str().trim_end_matches('/').to_owned(), loopback, https })
    }

    /// Returns the address of a path that begins with a slash.
    pub(crate) fn join(&self, path: &str) -> String {
        format!("{}{path}", self.text)
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

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for BaseUrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoUrl => "must be a URL such as https://eu.access.example.com",
            Self::Scheme => "must begin with https://",
            Self::Clear => {
                "must begin with https://: plain http is accepted only for localhost, 127.0.0.0/8 \
                 and [::1]"
            }
            Self::UserInfo => "must not contain user info; set the key as `api_key`",
            Self::QueryOrFragment => "must not contain a query or fragment",
            Self::ApiPath => {
                "must not end in /api/v1, because the provider adds this path itself; remove it"
            }
            Self::Character => "must not contain blanks, control characters or backslashes",
        })
    }
}

impl std::error::Error for BaseUrlError {}

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
        ];
        for (text, joined) in cases {
            assert_eq!(BaseUrl::parse(text).unwrap().join("/api"), joined, "{text}");
        }
    }

    #[test]
    fn base_url_sends_no_key_in_the_clear_in_any_disguise() {
        use BaseUrlError::*;
        let cases = [
            ("http://example.com", Clear),
            ("http://127.0.0.1.example.com", Clear),
            ("http://localhost.example.com", Clear),
            ("http://localhost.", Clear),
            ("http://10.0.0.1", Clear),
            ("http://[::ffff:127.0.0.1]", Clear),
            ("http://[::2]", Clear),
            ("http://0.0.0.0", Clear),
            ("http://localhost@example.com", UserInfo),
            ("http://127.0.0.1:80@example.com", UserInfo),
            ("https://user:secret@example.com", UserInfo),
            ("https://@example.com", UserInfo),
            ("https://example.com?", QueryOrFragment),
            ("https://example.com/#x", QueryOrFragment),
            ("https://example.com/api/v1", ApiPath),
            ("https://example.com/prefix/api/v1//", ApiPath),
            ("http://localhost\\@example.com", Character),
            ("http://local\thost", Character),
            ("https:example.com", NoUrl),
            ("//example.com", NoUrl),
            ("example.com", NoUrl),
            ("https://", NoUrl),
            ("", NoUrl),
            ("ftp://localhost", Scheme),
            ("file:///etc/passwd", Scheme),
        ];
        for (text, error) in cases {
            assert_eq!(BaseUrl::parse(text), Err(error), "{text}");
        }
    }
}
