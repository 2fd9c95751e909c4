//! What the host of a URL tells of where it leads.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The scheme, in lower case, and the host of a URL; none for a text of any other shape.
pub(super) fn scheme_and_host(url: &str) -> Option<(String, String)> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let address = authority.rsplit('@').next().unwrap_or_default();
    let host = match address.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => address.split(':').next().unwrap_or_default(),
    };
    Some((scheme.to_ascii_lowercase(), host.trim_end_matches('.').to_ascii_lowercase()))
}

/// Whether a host name is set aside for documentation and tests.
pub(super) fn is_reserved(host: &str) -> bool {
    const NAMES: [&str; 6] = ["example.com", "example.org", "example.net", "test", "invalid", "example"];
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    NAMES
        .iter()
        .any(|name| host.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// What kind of inner host this is: one that only the machine itself or its own network reaches.
pub(super) fn inner_kind(host: &str) -> Option<&'static str> {
    if host == "localhost" || host.ends_with(".localhost") {
        return Some("loopback");
    }
    let address = host.parse::<Ipv6Addr>().map(IpAddr::from).ok().or_else(|| ipv4(host).map(IpAddr::from))?;
    match address {
        IpAddr::V4(address) => inner_ipv4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => inner_ipv4(address),
            None if address.is_loopback() || address.is_unspecified() => Some("loopback"),
            None if address.segments()[0] & 0xfe00 == 0xfc00 => Some("private"),
            None if address.segments()[0] & 0xffc0 == 0xfe80 => Some("link-local"),
            None => None,
        },
    }
}

fn inner_ipv4(address: Ipv4Addr) -> Option<&'static str> {
    match () {
        () if address.is_loopback() || address.octets()[0] == 0 => Some("loopback"),
        () if address.is_private() => Some("private"),
        () if address.is_link_local() => Some("link-local"),
        () => None,
    }
}

/// Reads an address as browsers do: one to four parts, decimal, octal or hexadecimal, the last one fills up.
fn ipv4(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last().filter(|(_, first)| first.len() < 4)?;
    if first.iter().any(|part| *part > 255) || *last >= 1 << (8 * (4 - first.len())) {
        return None;
    }
    let high: u64 = first.iter().enumerate().map(|(index, part)| part << (24 - 8 * index)).sum();
    u32::try_from(high + last).ok().map(Ipv4Addr::from)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some("") => Some(0),
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(url: &str, expected: Option<&str>) {
        let (_, host) = scheme_and_host(url).expect("a URL");
        assert_eq!(inner_kind(&host), expected, "{url}");
    }

    #[test]
    fn inner_hosts_are_known_in_every_spelling() {
        check("http://localhost:8080/x", Some("loopback"));
        check("https://user@127.1/x", Some("loopback"));
        check("https://0x7f000001", Some("loopback"));
        check("https://[::1]:80/", Some("loopback"));
        check("https://[::ffff:10.0.0.1]/", Some("private"));
        check("https://192.168.0.4./a.png", Some("private"));
        check("https://172.32.0.1/", None);
        check("https://169.254.169.254/latest", Some("link-local"));
        check("https://cdn.acme.com/a.png", None);
        check("https://1.2.3.4.5/", None);
        assert!(is_reserved("api.example.com") && is_reserved("db.test") && !is_reserved("latest"));
    }
}
