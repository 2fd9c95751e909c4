//! `[auth.proxy]`: a reverse proxy that knows who asks, and says so in headers (contract section 3).

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use serde::Deserialize;

use super::error::SettingsError;

/// Which headers say who asks, and who is believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxySettings {
    /// The header with the name of the user, in lower case.
    pub user_header: String,
    /// The header with the groups of the user, with commas between them, in lower case.
    pub groups_header: Option<String>,
    /// The addresses from which these headers count.
    pub trusted: Vec<Network>,
}

impl ProxySettings {
    /// Whether what stands in the headers counts when the connection comes from that address.
    pub fn trusts(&self, peer: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(peer))
    }

    /// The names of the headers.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.user_header).chain(&self.groups_header).map(String::as_str)
    }
}

/// A range of addresses: `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether an address is in the range. An IPv4 address that is written as an IPv6 one is the same address.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                is_same(u128::from(own.to_bits()), u128::from(other.to_bits()), 32 - self.bits)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => is_same(own.to_bits(), other.to_bits(), 128 - self.bits),
            _ => false,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.bits)
    }
}

/// Whether two addresses are the same but for their last bits.
fn is_same(own: u128, other: u128, but: u32) -> bool {
    (own ^ other).checked_shr(but).unwrap_or(0) == 0
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let (address, bits) =
            text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        let wrong = || format!("`{text}` is no range of addresses");
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(most), |bits| bits.parse().ok().filter(|bits| *bits <= most));
        let bits = bits.ok_or_else(wrong)?;
        if bits == 0 {
            return Err(format!("`{text}` would believe whoever connects"));
        }
        let network = Network { address, bits };
        let whole = match address {
            IpAddr::V4(address) => u128::from(address.to_bits()),
            IpAddr::V6(address) => address.to_bits(),
        };
        let below = most - bits;
        if below > 0 && whole.trailing_zeros() < below && whole != 0 {
            return Err(format!("`{text}` says more than its first {bits} bits"));
        }
        Ok(network)
    }
}

/// `[auth.proxy]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProxyFile {
    user_header: String,
    groups_header: Option<String>,
    trusted: Vec<String>,
}

impl ProxyFile {
    pub(super) fn checked(self) -> Result<ProxySettings, SettingsError> {
        let user_header = header("auth.proxy.user_header", &self.user_header)?;
        let groups_header =
            self.groups_header.map(|name| header("auth.proxy.groups_header", &name)).transpose()?;
        if groups_header.as_ref() == Some(&user_header) {
            let message = format!("`{user_header}` cannot hold both the user and the groups");
            return Err(SettingsError::new("auth.proxy.groups_header", message)
                .help("name another header, or leave it out"));
        }
        if self.trusted.is_empty() {
            return Err(SettingsError::new(
                "auth.proxy.trusted",
                "no proxy is trusted, so that none is believed",
            )
            .help(
                "name the addresses from which the proxy connects, such as \"127.0.0.1\" or \"10.0.0.0/8\"",
            ));
        }
        let trusted = self.trusted.iter().map(|text| {
            text.parse().map_err(|message: String| {
                SettingsError::new("auth.proxy.trusted", message)
                    .help("write an address, or a range such as 10.0.0.0/8 or fd00::/8")
            })
        });
        Ok(ProxySettings { user_header, groups_header, trusted: trusted.collect::<Result<_, _>>()? })
    }
}

/// Headers that mean something already.
const TAKEN: [&str; 6] = ["authorization", "cookie", "host", "origin", "accept", "content-type"];

fn header(key: &str, name: &str) -> Result<String, SettingsError> {
    let name = name.to_ascii_lowercase();
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if name.is_empty() || !name.bytes().all(fits) || TAKEN.contains(&name.as_str()) {
        return Err(SettingsError::new(key, format!("`{name}` cannot be the header of a proxy"))
            .help("letters, digits and hyphens, such as X-Forwarded-User"));
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::RegistrySettings;

    fn network(text: &str) -> Network {
        text.parse().expect("a range")
    }

    #[test]
    fn ranges_hold_their_addresses() {
        let check = |range: &str, address: &str, expected: bool| {
            let address = address.parse().expect("an address");
            assert_eq!(network(range).contains(address), expected, "{range} {address}");
        };
        check("10.0.0.0/8", "10.255.0.1", true);
        check("10.0.0.0/8", "11.0.0.1", false);
        check("10.0.0.0/8", "::ffff:10.1.2.3", true);
        check("10.0.0.0/8", "::ffff:11.1.2.3", false);
        check("10.0.0.0/8", "a00::", false);
        check("127.0.0.1", "127.0.0.1", true);
        check("127.0.0.1", "127.0.0.2", false);
        check("192.168.4.128/25", "192.168.4.200", true);
        check("192.168.4.128/25", "192.168.4.100", false);
        check("fd00::/8", "fdff::1", true);
        check("fd00::/8", "fe00::1", false);
        check("::1", "::1", true);
        check("::1", "127.0.0.1", false);
        check("128.0.0.0/1", "200.0.0.1", true);
        check("8000::/1", "2001::1", false);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "",
            "10.0.0.0/33",
            "10.0.0/8",
            "10.0.0.0/",
            "10.1.0.0/8",
            "::1/127",
            "proxy",
            "::/129",
            "0.0.0.0/0",
            "::/0",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_proxy_is_read() {
        let parse = |text: &str| RegistrySettings::parse(&format!("[auth.proxy]\n{text}"));
        let text =
            "user_header = \"X-User\"\ngroups_header = \"X-Groups\"\ntrusted = [\"10.0.0.0/8\", \"::1\"]\n";
        let auth = parse(text).expect("settings").auth.expect("an [auth]");
        let proxy = auth.proxy.expect("a proxy");
        assert_eq!(proxy.headers().collect::<Vec<_>>(), ["x-user", "x-groups"]);
        assert!(proxy.trusts("::1".parse().expect("an address")));
        let refused = |text: &str, said: &str| {
            let error = parse(text).expect_err("a mistake").to_string();
            assert!(error.contains(said), "{error}");
        };
        refused("user_header = \"X-User\"\ntrusted = []\n", "no proxy is trusted");
        refused("user_header = \"X-User\"\n", "trusted");
        refused("user_header = \"X-User\"\ntrusted = [\"0.0.0.0/0\"]\n", "whoever connects");
        refused("user_header = \"X User\"\ntrusted = [\"::1\"]\n", "`x user`");
        refused("user_header = \"Authorization\"\ntrusted = [\"::1\"]\n", "`authorization`");
        refused("user_header = \"X-A\"\ngroups_header = \"x-a\"\ntrusted = [\"::1\"]\n", "both");
        refused("user_header = \"X-A\"\ngroup_header = \"X-B\"\ntrusted = [\"::1\"]\n", "`groups_header`");
    }
}
