//! The handshake: the environment that the host sets, and the line that the process prints.

use std::collections::BTreeMap;
use std::ffi::OsString;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// The major version of the protocol that this crate implements.
pub(crate) const PROTOCOL: u32 = 6;
const COOKIE_KEY: &str = "TF_PLUGIN_MAGIC_COOKIE";
/// The value that Terraform and OpenTofu set, so that plugins can distinguish a host from a shell.
/// It is not a secret.
const COOKIE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/// The environment of the process. It is passed as a value, so that tests do not need a process.
pub(crate) type Environment = BTreeMap<OsString, OsString>;

/// The host's request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// The host's certificate as PEM; `None` if the host does not request encryption.
    pub(crate) client_certificate: Option<String>,
    /// The ports to try if a unix socket cannot be used.
    pub(crate) ports: std::ops::RangeInclusive<u16>,
    /// Whether the line must contain a field for multiplexing.
    pub(crate) asks_for_multiplexing: bool,
}

/// The reason to exit without serving.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The program was not started by a host.
    ByHand,
    /// A variable of the host is invalid.
    Environment(String),
}

fn text(environment: &Environment, key: &str) -> Option<String> {
    let value = environment.get(&OsString::from(key))?.to_str()?;
    (!value.is_empty()).then(|| value.to_owned())
}

impl Request {
    /// Reads the variables that a host sets.
    ///
    /// # Errors
    ///
    /// The process was not started by a host, or a variable cannot be used.
    pub(crate) fn read(environment: &Environment) -> Result<Self, Refusal> {
        if text(environment, COOKIE_KEY).as_deref() != Some(COOKIE) {
            return Err(Refusal::ByHand);
        }
        let port = |key| match text(environment, key) {
            None => Ok(0),
            Some(port) => port
                .parse::<u16>()
                .map_err(|_| Refusal::Environment(format!("{key} is not a port: {port}"))),
        };
        let first = port("PLUGIN_MIN_PORT")?;
        let last = port("PLUGIN_MAX_PORT")?;
        if first > last {
            return Err(Refusal::Environment(format!(
                "PLUGIN_MIN_PORT is {first} and beyond PLUGIN_MAX_PORT, {last}"
            )));
        }
        // The host reports itself if it does not support protocol 6.
        Ok(Self {
            client_certificate: text(environment, "PLUGIN_CLIENT_CERT"),
            ports: first..=last,
            asks_for_multiplexing: text(environment, "PLUGIN_MULTIPLEX_GRPC").is_some(),
        })
    }

    /// Returns the request of a server that was started with `--debug`.
    pub(crate) fn by_hand() -> Self {
        Self { client_certificate: None, ports: 0..=0, asks_for_multiplexing: false }
    }

    /// Returns the line for standard output. `certificate` is DER.
    pub(crate) fn line(&self, network: &str, address: &str, certificate: Option<&[u8]>) -> String {
        // Without padding, because the host's decoder rejects "=".
        let certificate = certificate.map(|der| STANDARD_NO_PAD.encode(der)).unwrap_or_default();
        let multiplexing = if self.asks_for_multiplexing { "|false" } else { "" };
        format!("1|{PROTOCOL}|{network}|{address}|grpc|{certificate}{multiplexing}\n")
    }
}

/// Returns the value of `TF_REATTACH_PROVIDERS` with which a host connects to a server that was
/// started with `--debug`.
pub(crate) fn reattach(address: &str, network: &str, path: &str) -> String {
    // Without "Test", Terraform assumes protocol 5.
    let server = serde_json::json!({
        "Protocol": "grpc",
        "ProtocolVersion": PROTOCOL,
        "Pid": std::process::id(),
        "Test": true,
        "Addr": { "Network": network, "String": path },
    });
    let addresses = source_addresses(address).into_iter();
    serde_json::Value::Object(addresses.map(|address| (address, server.clone())).collect())
        .to_string()
}

/// Returns the addresses under which the hosts find the provider. A `source` without a registry is
/// one of Terraform's registry in Terraform, and one of OpenTofu's registry in OpenTofu.
fn source_addresses(address: &str) -> Vec<String> {
    const REGISTRIES: [&str; 2] = ["registry.terraform.io", "registry.opentofu.org"];
    let provider = match address.split('/').collect::<Vec<_>>()[..] {
        [_, _] => address,
        [registry, _, _] if REGISTRIES.contains(&registry) => {
            address.get(registry.len() + 1..).unwrap_or_default()
        }
        _ => return vec![address.to_owned()],
    };
    REGISTRIES.map(|registry| format!("{registry}/{provider}")).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(extra: &[(&str, &str)]) -> Environment {
        let mut all = vec![(COOKIE_KEY, COOKIE)];
        all.extend(extra);
        all.into_iter().map(|(key, value)| (key.into(), value.into())).collect()
    }

    #[test]
    fn ports_out_of_order_or_unreadable_are_refused() {
        let ports = |first, last| {
            Request::read(&environment(&[("PLUGIN_MIN_PORT", first), ("PLUGIN_MAX_PORT", last)]))
                .map(|request| request.ports)
        };
        assert_eq!(ports("10000", "25000"), Ok(10000..=25000));
        assert_eq!(ports("", ""), Ok(0..=0));
        for (first, last) in [("2", "1"), ("x", "1"), ("1", "70000")] {
            assert!(matches!(ports(first, last), Err(Refusal::Environment(_))), "{first} {last}");
        }
    }

    #[test]
    fn source_addresses_are_those_of_both_hosts_unless_the_registry_is_private() {
        let both = ["registry.terraform.io/acme/pantry", "registry.opentofu.org/acme/pantry"];
        for address in ["acme/pantry", both[0], both[1]] {
            assert_eq!(source_addresses(address), both, "{address}");
        }
        let private = "registry.example.com/acme/pantry";
        assert_eq!(source_addresses(private), [private]);
    }
}
