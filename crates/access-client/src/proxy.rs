//! The proxy settings of the environment. The settings of Windows and macOS are not read, as Terraform
//! does not read them.
//!
//! Only the variables for `https` are read, because plain http is used only for loopback addresses,
//! which are reached directly. A variable that cannot be parsed is an error, because a direct
//! connection would silently bypass the proxy.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::base_url::BaseUrl;
use crate::no_proxy;
use crate::redact::Secret;
use crate::settings_error::SettingsError;

/// The variables that name a proxy for `https`. The first one that is set is used. Go and therefore
/// Terraform read the first two, in this order, and not `ALL_PROXY`, which curl reads after them.
const VARIABLES: [&str; 4] = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// The variables that list the hosts to reach without a proxy.
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];

/// The timeout of the request that repeats a refused CONNECT.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

/// The proxy settings of the environment. `Debug` does not show credentials.
#[derive(Clone, Default)]
pub struct ProxySettings {
    proxy: Option<(&'static str, String)>,
    no_proxy: Option<(&'static str, String)>,
}

impl ProxySettings {
    /// Reads `HTTPS_PROXY` or `ALL_PROXY`, and `NO_PROXY`, in upper or lower case. Empty values count
    /// as unset. In values that are not UTF-8, the reader of the variables puts
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

    /// Returns the proxy to use for `https`, if one is set.
    ///
    /// # Errors
    ///
    /// Returns an error that names the variable if its value is not the URL of an http proxy, or if
    /// a variable is not UTF-8.
    pub(crate) fn proxy(&self) -> Result<Option<Proxy>, SettingsError> {
        for (variable, value) in self.proxy.iter().chain(&self.no_proxy) {
            if value.contains(char::REPLACEMENT_CHARACTER) {
                return Err(SettingsError(format!(
                    "the environment variable {variable} is not text in UTF-8"
                )));
            }
        }
        let Some((variable, value)) = &self.proxy else { return Ok(None) };
        let value = value.trim();
        let with_scheme =
            if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
        // Windows writes its own setting as `http=…;https=…`, which parses as a host.
        let is_host = |url: &Url| url.host_str().is_some_and(|host| !host.contains(['=', ';']));
        let url = Url::parse(&with_scheme).ok().filter(is_host).ok_or_else(|| {
            SettingsError(format!(
                "the environment variable {variable} is not the URL of a proxy, such as \
                 http://proxy.example.com:3128"
            ))
        })?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(SettingsError(format!(
                "the environment variable {variable} names a proxy of an unsupported kind: its URL \
                 must begin with http:// or https://"
            )));
        }
        Ok(Some(Proxy {
            variable,
            url,
            no_proxy: self.no_proxy.as_ref().map(|(_, hosts)| hosts.clone()),
        }))
    }
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variable = self.proxy.as_ref().map(|(variable, _)| variable);
        f.debug_struct("ProxySettings").field("variable", &variable).finish_non_exhaustive()
    }
}

/// A proxy with a validated URL.
pub(crate) struct Proxy {
    pub(crate) variable: &'static str,
    url: Url,
    no_proxy: Option<String>,
}

impl Proxy {
    /// Returns the proxy in reqwest's form.
    pub(crate) fn to_reqwest(&self) -> Result<reqwest::Proxy, SettingsError> {
        reqwest::Proxy::https(self.url.clone()).map_err(|_| {
            SettingsError(format!(
                "the proxy in the environment variable {} is not usable",
                self.variable
            ))
        })
    }

    /// Returns whether this address is reached through the proxy: it is neither a loopback address nor
    /// listed in `NO_PROXY`.
    pub(crate) fn leads_to(&self, base_url: &BaseUrl) -> bool {
        let is_listed = |list| no_proxy::contains(list, &base_url.authority());
        !base_url.is_loopback() && !self.no_proxy.as_deref().is_some_and(is_listed)
    }

    /// Sends CONNECT to the proxy once more and returns the status of the response, which reqwest
    /// does not expose. `tls` is the configuration for a proxy over TLS. `None` if the proxy does not
    /// respond.
    pub(crate) async fn connect_status(
        &self,
        base_url: &BaseUrl,
        tls: &Arc<ClientConfig>,
    ) -> Option<u16> {
        let host = self.url.host_str()?.trim_matches(['[', ']']);
        let address = (host, self.url.port_or_known_default()?);
        let target = base_url.authority();
        let authorization = match self.secrets().first() {
            Some(credentials) => format!("Proxy-Authorization: {}\r\n", credentials.basic()),
            None => String::new(),
        };
        let request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n{authorization}\r\n");
        let exchange = async {
            let stream = TcpStream::connect(address).await.ok()?;
            if self.url.scheme() == "http" {
                return response_status(stream, &request).await;
            }
            let name = ServerName::try_from(host.to_owned()).ok()?;
            let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await.ok()?;
            response_status(stream, &request).await
        };
        tokio::time::timeout(STATUS_TIMEOUT, exchange).await.ok()?
    }

    /// Returns the password in the proxy's URL, which must not be shown.
    pub(crate) fn secrets(&self) -> Vec<Secret> {
        let Some(password) = self.url.password() else { return Vec::new() };
        let decode =
            |text| percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (user, password) = (decode(self.url.username()), decode(password));
        vec![Secret::new(format!("{user}:{password}")), Secret::new(password)]
    }
}

/// Sends a request in HTTP/1.1 and returns the status of the response.
async fn response_status(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    request: &str,
) -> Option<u16> {
    stream.write_all(request.as_bytes()).await.ok()?;
    stream.flush().await.ok()?;
    let mut line = [0; 12];
    stream.read_exact(&mut line).await.ok()?;
    std::str::from_utf8(&line).ok()?.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()
}
