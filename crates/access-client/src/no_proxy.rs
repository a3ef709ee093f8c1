//! The hosts that `NO_PROXY` lists, in the forms that Go and therefore Terraform accept
//! (golang.org/x/net/http/httpproxy): `*`, `example.com`, `.example.com`, `*.example.com`, IP addresses
//! and networks. All but networks may have a port.

use std::net::IpAddr;

use ipnet::IpNet;
use url::Host;

/// Returns whether the list contains the host of this authority, such as `example.com:443`. As in Go, an
/// entry of another form matches no host.
pub(crate) fn contains(list: &str, authority: &str) -> bool {
    let (host, port) = split_port(authority);
    list.split(',').any(|entry| matches(entry.trim(), host, port))
}

fn matches(entry: &str, host: &str, port: Option<&str>) -> bool {
    if entry == "*" {
        return true;
    }
    let address = host.parse::<IpAddr>().ok();
    if let Ok(network) = entry.parse::<IpNet>() {
        return address.is_some_and(|address| network.contains(&address));
    }
    let (name, only_port) = split_port(entry);
    if only_port.is_some() && only_port != port {
        return false;
    }
    match name.parse::<IpAddr>() {
        Ok(name) => address == Some(name),
        Err(_) => matches_domain(name, host),
    }
}

/// Returns whether a host is a subdomain of the domain in an entry, or the domain itself unless the entry
/// begins with `.` or `*.`.
fn matches_domain(entry: &str, host: &str) -> bool {
    let entry = if entry.starts_with("*.") { &entry[1..] } else { entry };
    let (domain, only_subdomains) = match entry.strip_prefix('.') {
        Some(domain) => (domain, true),
        None => (entry, false),
    };
    // Lower case, and the ASCII form of international names, as in the host.
    let Ok(Host::Domain(domain)) = Host::parse(domain) else { return false };
    host.strip_suffix(&domain)
        .is_some_and(|rest| rest.ends_with('.') || (rest.is_empty() && !only_subdomains))
}

/// Splits a port off. Removes the brackets of an IPv6 address.
fn split_port(text: &str) -> (&str, Option<&str>) {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => (name, port),
        _ => (text, ""),
    };
    (name.trim_matches(['[', ']']), Some(port).filter(|port| !port.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_match_hosts_as_in_go() {
        for (list, authority, expected) in [
            ("*", "access.example.com:443", true),
            ("example.com", "example.com:443", true),
            ("example.com", "access.example.com:443", true),
            ("example.com", "notexample.com:443", false),
            (".example.com", "access.example.com:443", true),
            (".example.com", "example.com:443", false),
            ("*.example.com", "access.eu.example.com:443", true),
            ("*.example.com", "example.com:443", false),
            ("access.example.com:443", "access.example.com:443", true),
            ("access.example.com:8443", "access.example.com:443", false),
            ("*.example.com:8443", "access.example.com:8443", true),
            ("other.example, ACCESS.Example.com ,", "access.example.com:443", true),
            ("*.bücher.example", "access.xn--bcher-kva.example:443", true),
            ("10.1.2.3", "10.1.2.3:443", true),
            ("10.1.2.3:8443", "10.1.2.3:443", false),
            ("10.0.0.0/8", "10.1.2.3:443", true),
            ("10.0.0.0/8", "11.1.2.3:443", false),
            ("fd00::/8", "[fd00::1]:443", true),
            ("fd00::1", "[fd00::1]:443", true),
            ("[fd00::1]:443", "[fd00::1]:443", true),
            ("[fd00::1]:8443", "[fd00::1]:443", false),
            // Forms that Go does not accept either.
            ("10.1.*", "10.1.2.3:443", false),
            ("access.*.com", "access.example.com:443", false),
            ("https://access.example.com", "access.example.com:443", false),
            ("", "access.example.com:443", false),
            (",.,*.,:443", "access.example.com:443", false),
        ] {
            assert_eq!(contains(list, authority), expected, "{list} {authority}");
        }
    }
}
