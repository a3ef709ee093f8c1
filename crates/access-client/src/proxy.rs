//! The proxy settings of the environment. The settings of Windows and macOS are not read, as
//! Terraform does not read them.
//!
//! Only the variables for `https` are read, because plain http is used only for loopback addresses,
//! which are reached directly. A variable that cannot be read is an error, because a direct
//! connection would silently bypass the proxy. hyper-util's [`Matcher`], which reqwest uses as
//! well, skips an entry of `NO_PROXY` that it cannot read, so the entries are checked first.

use std::fmt;
use std::net::IpAddr;

use http::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use ipnet::IpNet;
use url::Url;

use crate::base_url::{BaseUrl, has_possible_host, is_label};
use crate::invalid::Invalid;
use crate::redact::Secret;

/// The variables that name a proxy for `https`. The first one that is set is used. Go and therefore
/// Terraform read the same two, in this order, and not `ALL_PROXY`: often that is a SOCKS proxy for
/// other programs.
const VARIABLES: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];

/// The variables that list the hosts to reach without a proxy.
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The proxy settings of the environment. `Debug` does not show credentials.
#[derive(Clone, Default)]
pub struct ProxySettings {
    proxy: Option<(&'static str, String)>,
    no_proxy: Option<(&'static str, String)>,
}

/// The proxy through which the service is reached.
pub(crate) struct Proxy {
    pub(crate) variable: &'static str,
    pub(crate) proxy: reqwest::Proxy,
    /// The password in the proxy's URL, which must not be shown.
    pub(crate) password: Option<Secret>,
}

impl ProxySettings {
    /// Reads `HTTPS_PROXY` and `NO_PROXY`, in upper or lower case. Empty values count as unset. In
    /// values that are not UTF-8, the reader of the variables puts
    /// [`char::REPLACEMENT_CHARACTER`]; they are errors of the client.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Self {
        let read = |name: &'static str| {
            Some((name, variable(name).filter(|value| !value.trim().is_empty())?))
        };
        Self {
            proxy: VARIABLES.into_iter().find_map(read),
            no_proxy: EXCEPTIONS.into_iter().find_map(read),
        }
    }

    /// Returns the proxy for this address; `None` if it is reached directly.
    ///
    /// # Errors
    ///
    /// Returns an error that names the variable if its value is not the URL of an http proxy, not a
    /// list of hosts, or not UTF-8. The address does not matter: a wrong variable is an error for
    /// every address.
    pub(crate) fn proxy(&self, base_url: &BaseUrl) -> Result<Option<Proxy>, Invalid> {
        let Some((variable, value)) = &self.proxy else { return Ok(None) };
        let url = parse_url(variable, value.trim())?;
        let no_proxy = self.no_proxy.as_ref().map_or("", |(_, list)| list);
        if let Some((variable, list)) = &self.no_proxy {
            check_exceptions(variable, list)?;
        }
        let unusable = || wrong(variable, "names a proxy that is not usable");
        let target: Uri = base_url.to_string().parse().map_err(|_| unusable())?;
        let proxy = reqwest::Proxy::all(url.as_str()).map_err(|_| unusable())?;
        let reaches = |no_proxy| {
            let matcher = Matcher::builder().https(url.as_str()).no(no_proxy).build();
            matcher.intercept(&target).is_some()
        };
        if base_url.is_loopback() {
            return Ok(None);
        }
        // Without exceptions a missing proxy is a URL that the matcher does not read.
        if !reaches("") {
            return Err(unusable());
        }
        let password = url.password().map(|password| {
            Secret::new(percent_encoding::percent_decode_str(password).decode_utf8_lossy())
        });
        Ok(reaches(no_proxy).then_some(Proxy { variable, proxy, password }))
    }
}

/// Returns the error of a variable. It does not show the value, which may contain a password.
fn wrong(variable: &str, what: &str) -> Invalid {
    Invalid::from(format!("the environment variable {variable} {what}"))
}

/// Parses the URL of a proxy; without a scheme it is `http`.
fn parse_url(variable: &str, value: &str) -> Result<Url, Invalid> {
    if value.contains(char::REPLACEMENT_CHARACTER) {
        return Err(wrong(variable, "is not text in UTF-8"));
    }
    let with_scheme =
        if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
    // Windows writes its own setting as `http=…;https=…`, which the parser accepts as a host.
    let url = Url::parse(&with_scheme).ok().filter(has_possible_host).ok_or_else(|| {
        wrong(variable, "is not the URL of a proxy, such as http://proxy.example.com:3128")
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let what =
            "names a proxy of an unsupported kind: its URL must begin with http:// or https://";
        return Err(wrong(variable, what));
    }
    Ok(url)
}

/// Checks that every entry is in a form that the matcher reads.
fn check_exceptions(variable: &str, list: &str) -> Result<(), Invalid> {
    let is_address =
        |entry: &str| entry.parse::<IpAddr>().is_ok() || entry.parse::<IpNet>().is_ok();
    let is_domain = |entry: &str| {
        let domain = entry.strip_prefix('.').unwrap_or(entry);
        // A host whose last label is a number is an address, such as the incomplete `10.1`.
        let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
        domain.split('.').all(is_label) && !domain.rsplit('.').next().is_some_and(is_number)
    };
    let is_readable =
        |entry: &&str| matches!(*entry, "" | "*") || is_address(entry) || is_domain(entry);
    match list.split(',').map(str::trim).find(|entry| !is_readable(entry)) {
        None => Ok(()),
        Some(entry) => Err(wrong(
            variable,
            &format!(
                "contains {entry:?}, which is not supported: use a domain such as example.com, which \
                 includes its subdomains, an IP address, a network such as 10.0.0.0/8, or * for all"
            ),
        )),
    }
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variable = self.proxy.as_ref().map(|(variable, _)| variable);
        f.debug_struct("ProxySettings").field("variable", &variable).finish_non_exhaustive()
    }
}
