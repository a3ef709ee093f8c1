//! The proxy settings of the environment: `HTTPS_PROXY` and `NO_PROXY`, read as Go reads them. No other
//! variable and no setting of the system names a proxy.
//!
//! Plain http is used only for loopback addresses, which are reached directly. An address that cannot be
//! parsed is an error, because a direct connection would silently bypass the proxy.

use std::fmt;
use std::net::IpAddr;

use http::Uri;
use ipnet::IpNet;
use url::{Host, Url};

use crate::base_url::{BaseUrl, has_possible_host};
use crate::invalid::Invalid;
use crate::redact::Secret;

/// The variables that name a proxy for `https`. The first one that is set is used.
const VARIABLES: [&str; 2] = ["HTTPS_PROXY", "https_proxy"];

/// The variables that list the hosts to reach without a proxy.
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The proxy settings of the environment. `Debug` does not show credentials.
#[derive(Clone, Default)]
pub struct ProxySettings {
    proxy: Option<(&'static str, String)>,
    exceptions: String,
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
    /// [`char::REPLACEMENT_CHARACTER`], which no address of a proxy may contain.
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Self {
        let read = |name: &'static str| {
            Some((name, variable(name).filter(|value| !value.trim().is_empty())?))
        };
        let exceptions = EXCEPTIONS.into_iter().find_map(read);
        Self {
            proxy: VARIABLES.into_iter().find_map(read),
            exceptions: exceptions.map_or_else(String::new, |(_, list)| list),
        }
    }

    /// Returns the proxy for this address; `None` if it is reached directly.
    ///
    /// # Errors
    ///
    /// Returns an error that names the variable if its value is not the URL of an http proxy. The
    /// address does not matter: a wrong variable is an error for every address.
    pub(crate) fn proxy(&self, base_url: &BaseUrl) -> Result<Option<Proxy>, Invalid> {
        let Some((variable, value)) = &self.proxy else { return Ok(None) };
        let url = parse(value.trim()).ok_or_else(|| {
            // Does not show the value, which may contain a password.
            format!(
                "the environment variable {variable} is not the URL of an http or https proxy, such as \
                 http://proxy.example.com:3128"
            )
        })?;
        let proxy = reqwest::Proxy::all(url.clone()).map_err(|error| error.to_string())?;
        let is_excepted = self.exceptions.split(',').any(|entry| excepts(entry, base_url));
        if base_url.is_loopback() || is_excepted {
            return Ok(None);
        }
        let password = url.password().map(|password| {
            Secret::new(percent_encoding::percent_decode_str(password).decode_utf8_lossy())
        });
        Ok(Some(Proxy { variable, proxy, password }))
    }
}

/// Parses the URL of a proxy; without a scheme it is `http`.
fn parse(text: &str) -> Option<Url> {
    let with_scheme = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let url = Url::parse(&with_scheme).ok()?;
    // reqwest parses it once more, and uses no proxy if that fails. Windows writes its own setting as
    // `http=…;https=…`, which the parser accepts as a host.
    let is_usable = matches!(url.scheme(), "http" | "https")
        && has_possible_host(&url)
        && url.as_str().parse::<Uri>().is_ok()
        && !text.contains(char::REPLACEMENT_CHARACTER);
    is_usable.then_some(url)
}

/// Returns whether an entry of `NO_PROXY` excepts an address. Entries that Go does not read, such as
/// `192.168.*`, except none.
fn excepts(entry: &str, base_url: &BaseUrl) -> bool {
    let entry = entry.trim();
    let (host, port) = match entry.rsplit_once(':') {
        Some((host, port)) if host.ends_with(']') => (host.trim_matches(['[', ']']), Some(port)),
        Some((host, port)) if !host.contains(':') => (host, Some(port)),
        // No port, or an IPv6 address without brackets.
        _ => (entry, None),
    };
    let is_same_port = port.is_none_or(|port| port == base_url.port().to_string());
    match base_url.host() {
        _ if entry == "*" => true,
        _ if host.is_empty() || !is_same_port => false,
        Host::Ipv4(address) => excepts_address(host, port, (*address).into()),
        Host::Ipv6(address) => excepts_address(host, port, (*address).into()),
        Host::Domain(name) => {
            // `.example.com` and `*.example.com` are the domains below it alone.
            let domain = host.strip_prefix('*').filter(|it| it.starts_with('.')).unwrap_or(host);
            let domain = match Host::parse(domain) {
                Ok(Host::Domain(ascii)) => ascii,
                _ => domain.to_owned(),
            };
            let below = format!(".{}", domain.trim_start_matches('.'));
            *name == domain || name.ends_with(&below)
        }
    }
}

/// Returns whether an address, or a network such as `10.0.0.0/8`, excepts an address.
fn excepts_address(host: &str, port: Option<&str>, address: IpAddr) -> bool {
    let network = host.parse::<IpNet>().ok().filter(|_| port.is_none());
    host.parse() == Ok(address) || network.is_some_and(|network| network.contains(&address))
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variable = self.proxy.as_ref().map(|(variable, _)| variable);
        f.debug_struct("ProxySettings").field("variable", &variable).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_read_as_go_reads_them_and_stop_nothing() {
        let name = "https://eu.corp.example";
        let network = "https://10.1.2.3:8443";
        for (exceptions, base_url, is_direct) in [
            ("corp.example", name, true),
            ("other.example, EU.Corp.Example ,", name, true),
            (".corp.example", name, true),
            ("*.corp.example", name, true),
            (".eu.corp.example", name, false),
            ("*.eu.corp.example", name, false),
            ("orp.example", name, false),
            ("*orp.example", name, false),
            ("eu.corp.example:443", name, true),
            ("corp.example:8443", name, false),
            ("*", name, true),
            ("*:443", name, false),
            ("", name, false),
            (" ,:443,.,*.,[::1],10.1,192.168.*,metadata.internal.,b\u{fffd}", name, false),
            ("https://eu.corp.example", name, false),
            ("a.example eu.corp.example", name, false),
            ("b\u{fc}cher.example", "https://xn--bcher-kva.example", true),
            ("10.1.2.3", network, true),
            ("10.1.2.3:8443", network, true),
            ("10.1.2.3:443", network, false),
            ("10.0.0.0/8", network, true),
            ("10.0.0.0/8:8443", network, false),
            ("10.1.2.*", network, false),
            ("*", network, true),
            ("fd00::1", "https://[fd00::1]", true),
            ("[fd00::1]:443", "https://[fd00::1]", true),
            ("[fd00::1]", "https://[fd00::1]", false),
            ("fd00::/8", "https://[fd00::1]", true),
            ("", "http://127.0.0.1:1", true),
            ("", "https://localhost", true),
        ] {
            let settings = ProxySettings::from_env(|variable| match variable {
                "HTTPS_PROXY" => Some("http://proxy.example:3128".to_owned()),
                "no_proxy" => Some(exceptions.to_owned()),
                _ => None,
            });
            let proxy = settings.proxy(&BaseUrl::parse(base_url).unwrap()).unwrap();
            assert_eq!(proxy.is_none(), is_direct, "{exceptions} of {base_url}");
        }
    }
}
