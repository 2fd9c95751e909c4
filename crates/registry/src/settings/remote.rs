//! Addresses of remote repositories, and where the credentials for them are read from.
//!
//! An address never holds a secret: what could be one is refused here, so that addresses may stand in logs, answers
//! and the ledger. Secrets are named by the variable or file that holds them.

use std::fmt;
use std::net::IpAddr;

use serde::Deserialize;

use super::error::SettingsError;

/// How a remote repository is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// HTTP over TLS.
    Https,
    /// Plain HTTP, on the loopback interface only.
    Http,
    /// SSH.
    Ssh,
    /// Git's own protocol, which knows no secrets, on the loopback interface only.
    Git,
    /// A folder of this machine, which is read where it is.
    File,
}

/// The address of a repository, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteUrl {
    text: String,
    scheme: Scheme,
    host: String,
    port: Option<u16>,
    path: String,
}

impl RemoteUrl {
    /// Reads an address.
    ///
    /// # Errors
    /// [`SettingsError`] says what to write instead; it never repeats a password.
    pub fn parse(text: &str) -> Result<RemoteUrl, SettingsError> {
        let Some((scheme, rest)) = text.split_once("://") else { return Err(no_scheme(text)) };
        let scheme = match scheme {
            "https" => Scheme::Https,
            "http" => Scheme::Http,
            "ssh" => Scheme::Ssh,
            "git" => Scheme::Git,
            "file" => Scheme::File,
            other => {
                return Err(
                    refused(format!("addresses that begin with `{other}://` cannot be read")).help(KNOWN)
                );
            }
        };
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(refused("the address has spaces or characters that addresses cannot have")
                .help("write them percent-encoded, such as `%20` for a space"));
        }
        if text.contains(['?', '#']) {
            return Err(
                refused("the address has a query or a fragment").help("end it with the repository's path")
            );
        }
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        check_user(scheme, user)?;
        let (host, port) = host_and_port(place)?;
        let url = RemoteUrl { text: text.to_owned(), scheme, host, port, path: format!("/{path}") };
        url.check_place()?;
        Ok(url)
    }

    /// How the repository is spoken to.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The host in lower case, without the brackets of an IPv6 address; empty for files.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, where the address names one.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The address as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The folder of this machine that a `file://` address means.
    pub fn folder(&self) -> Option<String> {
        (self.scheme == Scheme::File).then(|| decoded(&self.path)).flatten()
    }

    fn check_place(&self) -> Result<(), SettingsError> {
        let elsewhere = !is_loopback(&self.host);
        match self.scheme {
            Scheme::Http if elsewhere => {
                Err(refused("plain `http://` would show packs and credentials to the network")
                    .help("write `https://`; `http://` is for the loopback interface only"))
            }
            Scheme::Git if elsewhere => Err(refused("nothing proves who answers a `git://` address")
                .help("write `https://` or `ssh://`; `git://` is for the loopback interface only")),
            Scheme::File if !self.host.is_empty() => Err(refused("a `file://` address names no host")
                .help("write three slashes: `file:///srv/git/packs.git`")),
            Scheme::File if self.folder().is_none() => {
                Err(refused("the path of the address cannot be decoded")
                    .help("write `path` instead of `url`"))
            }
            Scheme::Https | Scheme::Http | Scheme::Ssh | Scheme::Git if self.host.is_empty() => {
                Err(refused("the address names no host").help(KNOWN))
            }
            _ if self.path == "/" => Err(refused("the address names no repository").help(KNOWN)),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for RemoteUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

const KNOWN: &str =
    "write it as `https://host/path.git` or `ssh://git@host/path.git`, or name a folder with `path`";

fn refused(message: impl Into<String>) -> SettingsError {
    SettingsError::new("source.url", message)
}

/// Explains an address without `://`, which often is the short form of SSH or a folder.
fn no_scheme(text: &str) -> SettingsError {
    let short = text.split_once(':').filter(|(host, path)| host.contains('@') && !path.is_empty());
    match short {
        Some((place, path)) if !place.contains([':', '/']) => {
            refused("the short form of an SSH address cannot be read")
                .help(format!("write `ssh://{place}/{}`", path.trim_start_matches('/')))
        }
        _ => refused("the address does not say how the repository is reached").help(KNOWN),
    }
}

fn check_user(scheme: Scheme, user: Option<&str>) -> Result<(), SettingsError> {
    match user {
        None => Ok(()),
        Some(user) if scheme == Scheme::Ssh && !user.is_empty() && !user.contains(':') => Ok(()),
        Some(_) => Err(refused("the address holds a user name or a password")
            .help("write it without what stands before `@`, and name the variable in `credentials`: { token_env = \"…\" }")),
    }
}

pub(super) fn host_and_port(place: &str) -> Result<(String, Option<u16>), SettingsError> {
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, port)) => (host, port.strip_prefix(':')),
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    let port = match port {
        None => None,
        Some(port) => Some(port.parse().ok().filter(|port| *port != 0).ok_or_else(|| {
            refused("the port of the address is no number")
                .help("write `host:port/path`, or leave the port out")
        })?),
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b':' | b'%');
    if host.starts_with('-') || !host.bytes().all(is_name) {
        return Err(refused("the host of the address cannot be read").help(KNOWN));
    }
    Ok((host.to_ascii_lowercase(), port))
}

pub(super) fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn decoded(path: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok().filter(|path| !path.contains('\0'))
}

/// Where the credentials of a source are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CredentialSettings {
    /// A token in a variable.
    Token {
        /// The variable.
        token_env: String,
    },
    /// A name and a password in two variables.
    Password {
        /// The variable of the name.
        username_env: String,
        /// The variable of the password.
        password_env: String,
    },
    /// A private key without a passphrase in a file.
    SshKey {
        /// The file, relative to the configuration.
        ssh_key: String,
    },
}

impl CredentialSettings {
    /// The variables that they are read from.
    pub fn variables(&self) -> Vec<&str> {
        match self {
            CredentialSettings::Token { token_env } => vec![token_env],
            CredentialSettings::Password { username_env, password_env } => vec![username_env, password_env],
            CredentialSettings::SshKey { .. } => Vec::new(),
        }
    }
}

/// `credentials` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CredentialsFile {
    token_env: Option<String>,
    username_env: Option<String>,
    password_env: Option<String>,
    ssh_key: Option<String>,
}

impl CredentialsFile {
    /// Checks that one complete kind of credentials is named, and one that the address can use.
    pub(super) fn checked(self, url: Option<&RemoteUrl>) -> Result<CredentialSettings, SettingsError> {
        let refuse = |message: &str| SettingsError::new("source.credentials", message);
        let settings = match (self.token_env, self.username_env, self.password_env, self.ssh_key) {
            (Some(token_env), None, None, None) => CredentialSettings::Token { token_env },
            (None, Some(username_env), Some(password_env), None) => {
                CredentialSettings::Password { username_env, password_env }
            }
            (None, None, None, Some(ssh_key)) => CredentialSettings::SshKey { ssh_key },
            _ => return Err(refuse("one kind of credentials is needed").help(KINDS)),
        };
        for variable in settings.variables() {
            check_variable("source.credentials", variable)?;
        }
        let is_key = matches!(settings, CredentialSettings::SshKey { .. });
        match url.map(RemoteUrl::scheme) {
            Some(Scheme::Https | Scheme::Http) if is_key => {
                Err(refuse("an SSH key opens no `https://` address").help("name a variable with `token_env`"))
            }
            Some(Scheme::Ssh) if !is_key => {
                Err(refuse("an `ssh://` address is opened by a key").help("name its file with `ssh_key`"))
            }
            Some(Scheme::Https | Scheme::Http | Scheme::Ssh) => Ok(settings),
            Some(Scheme::Git | Scheme::File) | None => {
                Err(refuse("a source without `https://` or `ssh://` needs none").help("remove the key"))
            }
        }
    }
}

const KINDS: &str =
    "write { token_env = \"…\" }, { username_env = \"…\", password_env = \"…\" } or { ssh_key = \"…\" }";

/// Checks that a text can be the name of a variable. It is not repeated: it may be the secret itself.
pub(super) fn check_variable(key: &str, name: &str) -> Result<(), SettingsError> {
    let is_name = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(is_name) {
        return Ok(());
    }
    Err(SettingsError::new(key, "what stands there is no name of an environment variable")
        .help("name a variable with capital letters, digits and `_`, and put the secret into the variable"))
}

/// Checks the address to listen on.
pub(super) fn check_listen(listen: &str) -> Result<(), SettingsError> {
    let place = listen.rsplit_once(':').filter(|(host, port)| {
        let plain = !host.contains(['/', ' ']) && (!host.contains(':') || host.starts_with('['));
        !host.is_empty() && plain && port.parse::<u16>().is_ok()
    });
    match place {
        Some(_) => Ok(()),
        None => Err(SettingsError::new("server.listen", format!("`{listen}` is no address to listen on"))
            .help("write a host and a port, such as 127.0.0.1:7420, [::1]:7420 or 0.0.0.0:7420")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let url = RemoteUrl::parse("ssh://git@Git.Example.org:2222/team/packs.git").expect("an address");
        assert_eq!((url.scheme(), url.host(), url.port()), (Scheme::Ssh, "git.example.org", Some(2222)));
        let url = RemoteUrl::parse("http://[::1]:8080/packs.git").expect("an address");
        assert_eq!((url.scheme(), url.host(), url.port()), (Scheme::Http, "::1", Some(8080)));
        let url = RemoteUrl::parse("file:///srv/my%20packs.git").expect("an address");
        assert_eq!(url.folder().as_deref(), Some("/srv/my packs.git"));
        assert!(RemoteUrl::parse("git://localhost/packs.git").is_ok());
        assert!(RemoteUrl::parse("https://git.example.org/packs").is_ok());
    }

    #[track_caller]
    fn check_refused(text: &str, message: &str, help: &str) {
        let error = RemoteUrl::parse(text).expect_err("no address").to_string();
        assert!(error.contains(message) && error.contains(help), "{error}");
    }

    #[test]
    fn odd_addresses_are_refused_with_what_to_write() {
        check_refused("http://git.example.org/packs.git", "plain `http://`", "`https://`");
        check_refused("git://git.example.org/packs.git", "proves who answers", "`https://` or `ssh://`");
        check_refused(
            "git@git.example.org:team/packs.git",
            "short form",
            "ssh://git@git.example.org/team/packs.git",
        );
        check_refused("ftp://git.example.org/packs.git", "`ftp://`", "`https://host/path.git`");
        check_refused("/srv/git/packs.git", "does not say how", "`path`");
        check_refused("https://git.example.org", "no repository", "path");
        check_refused("https:///packs.git", "no host", "host");
        check_refused("https://git.example.org:no/packs.git", "port", "leave the port out");
        check_refused("https://git.example.org/packs.git?token=x", "query", "path");
        check_refused("https://git.example.org/my packs.git", "spaces", "%20");
        check_refused("ssh://-oProxyCommand=x/packs.git", "host", "ssh://");
        check_refused("file://host/packs.git", "no host", "three slashes");
    }

    #[test]
    fn a_secret_in_an_address_is_refused_and_not_repeated() {
        for text in
            ["https://ada:hunter2@host/p.git", "https://hunter2@host/p.git", "ssh://git:hunter2@host/p.git"]
        {
            let error = RemoteUrl::parse(text).expect_err("a secret").to_string();
            assert!(error.contains("token_env") && !error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn listen_needs_a_host_and_a_port() {
        for good in ["127.0.0.1:7420", "[::1]:7420", "0.0.0.0:0", "localhost:80"] {
            assert!(check_listen(good).is_ok(), "{good}");
        }
        for bad in
            ["7420", "127.0.0.1", ":7420", "127.0.0.1:70000", "::1:7420", "http://127.0.0.1:7420", "a b:1"]
        {
            assert!(check_listen(bad).is_err(), "{bad}");
        }
    }
}
