//! `[auth]` and `readers`: who may read, and who may do more (contract section 3).

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use pack::Digest;
use pack::similar::closest;
use serde::Deserialize;

use super::error::SettingsError;
use super::proxy::{ProxyFile, ProxySettings};

/// What a token lets its holder do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Reading.
    Read,
    /// Checking a pack against what is published.
    Check,
    /// Asking for a scan of a source.
    Sync,
    /// Yanks, deprecations and channels.
    Yank,
    /// Removals, and everything that the other scopes allow.
    Admin,
}

impl Scope {
    /// Every scope, the harmless ones first.
    pub const ALL: [Scope; 5] = [Scope::Read, Scope::Check, Scope::Sync, Scope::Yank, Scope::Admin];

    /// The scope as it is written everywhere.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Check => "check",
            Scope::Sync => "sync",
            Scope::Yank => "yank",
            Scope::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Scope, String> {
        let known = Scope::ALL.map(Scope::as_str);
        let found = Scope::ALL.into_iter().find(|scope| scope.as_str() == text);
        found.ok_or_else(|| match closest(text, known) {
            Some(near) => format!("there is no scope `{text}`: did you mean `{near}`?"),
            None => format!("there is no scope `{text}`: there are {}", known.join(", ")),
        })
    }
}

/// The scopes that somebody holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scopes(BTreeSet<Scope>);

impl Scopes {
    /// Whether these allow what needs that scope: `admin` allows everything.
    pub fn allow(&self, scope: Scope) -> bool {
        self.0.contains(&scope) || self.0.contains(&Scope::Admin)
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Scopes {
        Scopes(scopes.into_iter().collect())
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|scope| scope.as_str()).collect();
        formatter.write_str(&names.join(", "))
    }
}

/// `[auth]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthSettings {
    /// Whether reading needs no token.
    pub anonymous_read: bool,
    /// The tokens.
    pub tokens: Vec<TokenSettings>,
    /// The proxy that names users.
    pub proxy: Option<ProxySettings>,
}

impl AuthSettings {
    /// The groups that somebody can be in; none where a proxy may name any.
    pub fn groups(&self) -> Option<BTreeSet<&str>> {
        let is_open = self.proxy.as_ref().is_some_and(|proxy| proxy.groups_header.is_some());
        let groups = self.tokens.iter().flat_map(|token| &token.groups);
        (!is_open).then(|| groups.map(String::as_str).collect())
    }
}

/// One `[[auth.token]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenSettings {
    /// Who holds it, as the ledger records it.
    pub name: String,
    /// SHA-256 of the token.
    pub digest: Digest,
    /// What it is for.
    pub scopes: Scopes,
    /// The groups that its holder belongs to.
    pub groups: Vec<String>,
}

/// `[auth]` as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AuthFile {
    #[serde(default = "yes")]
    anonymous_read: bool,
    #[serde(default)]
    token: Vec<TokenFile>,
    proxy: Option<ProxyFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    name: String,
    sha256: String,
    scopes: Vec<String>,
    #[serde(default)]
    groups: Vec<String>,
}

fn yes() -> bool {
    true
}

impl AuthFile {
    /// Checks every token by itself and beside the others.
    pub(super) fn checked(self) -> Result<AuthSettings, SettingsError> {
        let tokens: Vec<TokenSettings> =
            self.token.into_iter().map(TokenFile::checked).collect::<Result<_, _>>()?;
        for (at, token) in tokens.iter().enumerate() {
            let before = &tokens[..at];
            if before.iter().any(|other| other.name == token.name) {
                let message = format!("two tokens are called `{}`", token.name);
                return Err(SettingsError::new("auth.token.name", message)
                    .help("give each its own name: the ledger records who did something"));
            }
            if let Some(other) = before.iter().find(|other| other.digest == token.digest) {
                let message = format!("`{}` and `{}` have the same token", other.name, token.name);
                return Err(SettingsError::new("auth.token.sha256", message)
                    .help("`packhouse token new` makes another one"));
            }
        }
        let proxy = self.proxy.map(ProxyFile::checked).transpose()?;
        Ok(AuthSettings { anonymous_read: self.anonymous_read, tokens, proxy })
    }
}

impl TokenFile {
    fn checked(self) -> Result<TokenSettings, SettingsError> {
        let name = self.name;
        if !is_name(&name) {
            let message = format!("`{name}` may not name a token");
            return Err(SettingsError::new("auth.token.name", message)
                .help("letters, digits and `.`, `_`, `-`, `@`, at most 100 of them"));
        }
        // What stands there is not repeated: it may be the token itself.
        let digest = Digest::from_hex(&self.sha256).ok_or_else(|| {
            let message = format!("the `sha256` of the token `{name}` has no 64 hexadecimal digits");
            SettingsError::new("auth.token.sha256", message)
                .help("`packhouse token new` prints the line; the token itself never stands here")
        })?;
        if self.scopes.is_empty() {
            let message = format!("the token `{name}` has no scopes, so that it is of no use");
            return Err(SettingsError::new("auth.token.scopes", message)
                .help(format!("name some of {}", Scope::ALL.map(Scope::as_str).join(", "))));
        }
        let scopes = self.scopes.iter().map(|text| text.parse()).collect::<Result<Scopes, String>>();
        let scopes = scopes.map_err(|why| SettingsError::new("auth.token.scopes", why))?;
        check_groups("auth.token.groups", &self.groups)?;
        Ok(TokenSettings { name, digest, scopes, groups: self.groups })
    }
}

/// Whether a text can name a token: it goes into the ledger, headers and pages.
pub fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-@".contains(&byte);
    (1..=100).contains(&text.len()) && text.bytes().all(fits)
}

/// Whether a text can name a group: proxies send several in one header, with commas between them.
pub fn is_group(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_graphic() && !b",;\"\\".contains(&byte) || byte == b' ';
    (1..=200).contains(&text.len()) && text.trim() == text && text.bytes().all(fits)
}

/// Refuses names of groups that no list could hold.
pub(super) fn check_groups(key: &str, groups: &[String]) -> Result<(), SettingsError> {
    match groups.iter().find(|group| !is_group(group)) {
        None => Ok(()),
        Some(group) => Err(SettingsError::new(key, format!("`{group}` cannot be the name of a group"))
            .help("printable ASCII without commas, semicolons and quotes, and no space at an end")),
    }
}

/// The groups that may see the packs of a source. An empty list could mean everybody or nobody, and so means neither.
pub(super) fn checked_readers(readers: Option<Vec<String>>) -> Result<Vec<String>, SettingsError> {
    let Some(readers) = readers else { return Ok(Vec::new()) };
    if readers.is_empty() {
        return Err(SettingsError::new("source.readers", "`readers` names no group")
            .help("leave it out for everybody who may read, or name a group"));
    }
    check_groups("source.readers", &readers)?;
    Ok(readers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::RegistrySettings;

    const HEX: &str = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    fn token(name: &str, hex: &str, scopes: &str) -> String {
        format!("[[auth.token]]\nname = \"{name}\"\nsha256 = \"{hex}\"\nscopes = {scopes}\n")
    }

    fn auth(text: &str) -> AuthSettings {
        RegistrySettings::parse(text).expect("settings").auth.expect("an [auth]")
    }

    #[test]
    fn without_auth_there_is_none() {
        assert_eq!(RegistrySettings::parse("").expect("settings").auth, None);
        assert!(auth("[auth]\n").anonymous_read);
        assert!(!auth("[auth]\nanonymous_read = false\n").anonymous_read);
    }

    #[test]
    fn tokens_are_read() {
        let text = token("ci", &HEX.to_uppercase(), "[\"sync\", \"read\"]") + "groups = [\"payments\"]\n";
        let auth = auth(&text);
        let ci = &auth.tokens[0];
        assert_eq!((ci.name.as_str(), ci.digest.hex().as_str()), ("ci", HEX));
        assert_eq!(
            (ci.scopes.to_string().as_str(), ci.groups.join(",").as_str()),
            ("read, sync", "payments")
        );
        assert!(ci.scopes.allow(Scope::Sync) && !ci.scopes.allow(Scope::Yank));
        let admin: Scopes = [Scope::Admin].into_iter().collect();
        assert!(Scope::ALL.into_iter().all(|scope| admin.allow(scope)));
    }

    #[track_caller]
    fn check_refused(text: &str, line: usize, message: &str, help: &str) {
        let error = RegistrySettings::parse(text).expect_err("a mistake");
        let shown = error.to_string();
        assert!(shown.contains(message) && shown.contains(help), "{shown}");
        assert_eq!(error.line, Some(line), "{shown}");
    }

    #[test]
    fn readers_are_groups() {
        let source = "[[source]]\nname = \"packs\"\npath = \"p\"\n";
        let readers = |line: &str| {
            let settings = RegistrySettings::parse(&format!("{source}{line}")).expect("settings");
            settings.sources[0].readers.join("|")
        };
        assert_eq!(readers(""), "");
        assert_eq!(readers("readers = [\"payments\", \"risk team\"]\n"), "payments|risk team");
        let line = format!("{source}readers = []\n");
        check_refused(&line, 4, "`readers` names no group", "leave it out for everybody");
        check_refused(&format!("{source}readers = [\"a,b\"]\n"), 4, "`a,b`", "commas");
    }

    #[test]
    fn the_groups_are_those_of_tokens_unless_a_proxy_names_them() {
        let text = token("ci", HEX, "[\"read\"]") + "groups = [\"payments\", \"risk\"]\n";
        assert_eq!(auth(&text).groups(), Some(BTreeSet::from(["payments", "risk"])));
        let proxy = "[auth.proxy]\nuser_header = \"X-User\"\ntrusted = [\"127.0.0.1\"]\n";
        assert_eq!(auth(proxy).groups(), Some(BTreeSet::new()));
        assert_eq!(auth(&format!("{proxy}groups_header = \"X-Groups\"\n")).groups(), None);
    }

    #[test]
    fn mistakes_are_named_with_what_to_do() {
        let good = token("ci", HEX, "[\"read\"]");
        check_refused("[auth]\nanonymous_reads = true\n", 2, "`anonymous_reads`", "`anonymous_read`");
        check_refused(&token("ci", HEX, "[\"reed\"]"), 4, "no scope `reed`", "`read`");
        check_refused(&token("ci", HEX, "[]"), 4, "no scopes", "sync");
        check_refused(&token("ci bot", HEX, "[\"read\"]"), 2, "`ci bot`", "letters");
        check_refused(&(good.clone() + &good), 2, "two tokens are called `ci`", "own name");
        check_refused(&(good.clone() + &token("b", HEX, "[\"read\"]")), 3, "`ci` and `b`", "token new");
        check_refused(&(good + "groups = [\"a,b\"]\n"), 5, "`a,b`", "commas");
        let secret = RegistrySettings::parse(&token("ci", "hunter2", "[\"read\"]")).expect_err("no digest");
        let shown = secret.to_string();
        assert!(shown.contains("`packhouse token new`") && !shown.contains("hunter2"), "{shown}");
    }
}
