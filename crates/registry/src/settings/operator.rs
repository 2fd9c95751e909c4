//! `registry.toml`: owned by the operator (contract section 3).

use std::collections::BTreeMap;

use rules::{Level, Profile};
use serde::Deserialize;

use super::access::{AuthFile, AuthSettings, checked_readers};
use super::error::{SettingsError, parse};
use super::limits::{Limits, LimitsFile};
use super::remote::{CredentialSettings, CredentialsFile, RemoteUrl, check_listen, check_variable};
use super::replication::{self, FollowSettings, LedgerSettings};
use super::repository::{LintLevels, RuleLevels, rule_settings};
use super::rule_names::check_rule_names;
use super::webhook::{self, WebhookFile, WebhookSettings};

/// The registry's configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct RegistrySettings {
    /// Where it listens and keeps its state.
    pub server: Server,
    /// Who may read and who may do more; none where everybody may read and nobody may write.
    pub auth: Option<AuthSettings>,
    /// What is published, and under which conditions.
    pub policy: Policy,
    /// The repositories that it watches, in order.
    pub sources: Vec<SourceSettings>,
    /// How much it reads.
    pub limits: Limits,
    /// Where the ledger is pushed to.
    pub ledger: LedgerSettings,
    /// The ledger that is followed.
    pub follow: FollowSettings,
    /// Who is told what happens, in order.
    pub webhooks: Vec<WebhookSettings>,
    /// Patterns of further files with `[[source]]` tables.
    pub include: Vec<String>,
}

/// `[server]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Server {
    /// Address and port.
    pub listen: String,
    /// The folder of the state, relative to the file.
    pub state: String,
}

impl Default for Server {
    fn default() -> Self {
        Server { listen: "127.0.0.1:7420".to_owned(), state: "state".to_owned() }
    }
}

/// What happens to a candidate with error findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnInvalid {
    /// It is not published.
    #[default]
    Refuse,
    /// It is published and flagged.
    PublishFlagged,
}

/// What happens to a candidate whose version is smaller than its changes require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnBreaking {
    /// It is published and flagged.
    #[default]
    Flag,
    /// It is not published.
    Refuse,
}

/// Whether ranges and `latest` move onto flagged releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranges {
    /// They never do.
    #[default]
    Hold,
    /// They do.
    All,
}

/// `[policy]`
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// What happens to error findings.
    pub on_invalid: OnInvalid,
    /// What happens to an insufficient bump.
    pub on_breaking: OnBreaking,
    /// What ranges may move onto.
    pub ranges: Ranges,
    /// The least strict profile.
    pub profile: Profile,
    /// Rules that no repository may accept.
    pub no_allow: Vec<String>,
    /// Floors under the levels of lints.
    pub lints: LintLevels,
    /// Floors under the levels and bumps of change rules.
    pub changes: RuleLevels,
}

impl Default for Policy {
    fn default() -> Self {
        Policy {
            on_invalid: OnInvalid::default(),
            on_breaking: OnBreaking::default(),
            ranges: Ranges::default(),
            profile: Profile::default(),
            no_allow: vec!["embedded-secret".to_owned()],
            lints: LintLevels::default(),
            changes: RuleLevels::default(),
        }
    }
}

/// How versions are found in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum VersionsMode {
    /// Every commit of a branch.
    #[default]
    Branch,
    /// Tags that fit a pattern.
    Tags,
}

/// What is done with versions from before the first scan that have error findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HistoryPolicy {
    /// They are not published.
    #[default]
    Refuse,
    /// They are published and flagged.
    PublishFlagged,
}

/// Where a source's repository is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceLocation {
    /// A folder on this machine, relative to the configuration file.
    Path(String),
    /// A remote repository.
    Url(RemoteUrl),
}

/// One `[[source]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSettings {
    /// Its name: `[a-z0-9][a-z0-9-]*`.
    pub name: String,
    /// Names that it had before.
    pub former_names: Vec<String>,
    /// Where its repository is.
    pub location: SourceLocation,
    /// How versions are found.
    pub versions: VersionsMode,
    /// The branch to read; HEAD where none is named.
    pub branch: Option<String>,
    /// Patterns of version tags, with `{version}` and perhaps `{id}`.
    pub tags: Vec<String>,
    /// Patterns of the files that may be packs.
    pub include: Vec<String>,
    /// Patterns of files that are left out.
    pub exclude: Vec<String>,
    /// Ids that it may claim, with `*`; none means any that no other source holds.
    pub ids: Vec<String>,
    /// What is done with old versions that have error findings.
    pub history: HistoryPolicy,
    /// How often it is looked at without a hint, in milliseconds.
    pub poll_ms: u64,
    /// Where the credentials are read from.
    pub credentials: Option<CredentialSettings>,
    /// The variable that holds the secret of its push webhook.
    pub webhook_secret_env: Option<String>,
    /// Groups that may see its packs; none means everybody who may read.
    pub readers: Vec<String>,
}

/// A file that `include` of the registry's configuration names: more sources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IncludeFile {
    #[serde(default)]
    source: Vec<SourceFile>,
}

impl IncludeFile {
    /// Reads the text of an included file.
    ///
    /// # Errors
    /// [`SettingsError`] names the key and, where it can, the line.
    pub fn parse(text: &str) -> Result<Vec<SourceSettings>, SettingsError> {
        let file: IncludeFile = parse(text)?;
        file.source.into_iter().map(|source| source.checked().map_err(|error| error.located(text))).collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistryFile {
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    server: Server,
    auth: Option<AuthFile>,
    #[serde(default)]
    policy: PolicyFile,
    #[serde(default)]
    source: Vec<SourceFile>,
    #[serde(default)]
    ledger: LedgerSettings,
    #[serde(default)]
    follow: FollowSettings,
    #[serde(default)]
    webhook: Vec<WebhookFile>,
    #[serde(default)]
    limits: LimitsFile,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PolicyFile {
    on_invalid: OnInvalid,
    on_breaking: OnBreaking,
    ranges: Ranges,
    profile: Profile,
    no_allow: Option<Vec<String>>,
    lints: BTreeMap<String, toml::Value>,
    changes: PolicyChanges,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PolicyChanges {
    rules: BTreeMap<String, toml::Value>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceFile {
    name: String,
    #[serde(default)]
    former_names: Vec<String>,
    path: Option<String>,
    url: Option<String>,
    #[serde(default)]
    versions: VersionsMode,
    branch: Option<String>,
    tags: Option<Vec<String>>,
    include: Option<Vec<String>>,
    exclude: Option<Vec<String>>,
    #[serde(default)]
    ids: Vec<String>,
    #[serde(default)]
    history: HistoryPolicy,
    poll: Option<String>,
    credentials: Option<CredentialsFile>,
    webhook_secret_env: Option<String>,
    readers: Option<Vec<String>>,
}

impl RegistrySettings {
    /// Reads the text of `registry.toml`.
    ///
    /// # Errors
    /// [`SettingsError`] names the key and, where it can, the line.
    pub fn parse(text: &str) -> Result<RegistrySettings, SettingsError> {
        let file: RegistryFile = parse(text)?;
        RegistrySettings::checked(file).map_err(|error| error.located(text))
    }

    fn checked(file: RegistryFile) -> Result<RegistrySettings, SettingsError> {
        check_listen(&file.server.listen)?;
        let lints = LintLevels::parse(&file.policy.lints, "policy.lints")?;
        let no_allow = file.policy.no_allow.unwrap_or_else(|| Policy::default().no_allow);
        check_rule_names(&no_allow, "policy.no_allow")?;
        let policy = Policy {
            on_invalid: file.policy.on_invalid,
            on_breaking: file.policy.on_breaking,
            ranges: file.policy.ranges,
            profile: file.policy.profile,
            no_allow,
            lints,
            changes: rule_settings(&file.policy.changes.rules, "policy.changes.rules")?,
        };
        let sources: Vec<SourceSettings> =
            file.source.into_iter().map(SourceFile::checked).collect::<Result<_, _>>()?;
        let settings = RegistrySettings {
            server: file.server,
            auth: file.auth.map(AuthFile::checked).transpose()?,
            policy,
            sources,
            limits: file.limits.checked()?,
            ledger: file.ledger,
            follow: file.follow,
            webhooks: webhook::checked(file.webhook)?,
            include: file.include,
        };
        replication::check(&settings.ledger, &settings.follow)?;
        settings.check_names()?;
        Ok(settings)
    }

    /// Adds the sources of an included file.
    ///
    /// # Errors
    /// [`SettingsError`] when a name is taken.
    pub fn add_sources(&mut self, sources: Vec<SourceSettings>) -> Result<(), SettingsError> {
        self.sources.extend(sources);
        self.check_names()
    }

    fn check_names(&self) -> Result<(), SettingsError> {
        let mut seen = std::collections::BTreeSet::new();
        for source in &self.sources {
            for name in source.names() {
                if !seen.insert(name) {
                    return Err(SettingsError::new(
                        "source.name",
                        format!("two sources are called `{name}`"),
                    ));
                }
            }
        }
        Ok(())
    }
}

impl SourceFile {
    fn checked(self) -> Result<SourceSettings, SettingsError> {
        let name = self.name;
        let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        if !starts_well || !name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
            return Err(SettingsError::new("source.name", format!("`{name}` may not name a source"))
                .help("lower-case letters, digits and hyphens, no hyphen first"));
        }
        let location = match (self.path, self.url) {
            (Some(path), None) => SourceLocation::Path(path),
            (None, Some(url)) => SourceLocation::Url(RemoteUrl::parse(&url)?),
            (Some(_), Some(_)) => {
                return Err(SettingsError::new(
                    "source.url",
                    format!("the source `{name}` has both `path` and `url`"),
                )
                .help("keep one of them"));
            }
            (None, None) => {
                return Err(SettingsError::new("source.path", format!("the source `{name}` has no `path`"))
                    .help("name the folder of a Git repository, or its address with `url`"));
            }
        };
        let tags = self.tags.unwrap_or_else(default_tags);
        for pattern in &tags {
            if pattern.matches("{version}").count() != 1 || pattern.matches("{id}").count() > 1 {
                return Err(SettingsError::new(
                    "source.tags",
                    format!("the pattern `{pattern}` of `{name}` cannot be read"),
                )
                .help("it needs `{version}` once, and may have `{id}` once"));
            }
        }
        let poll_ms = match &self.poll {
            Some(text) => duration_ms(text).ok_or_else(|| {
                SettingsError::new("source.poll", format!("`{text}` is no duration"))
                    .help("write a number and `ms`, `s`, `m` or `h`, such as `60s`")
            })?,
            None => 60_000,
        };
        let url = match &location {
            SourceLocation::Url(url) => Some(url),
            SourceLocation::Path(_) => None,
        };
        let credentials = self.credentials.map(|credentials| credentials.checked(url)).transpose()?;
        if let Some(variable) = &self.webhook_secret_env {
            check_variable("source.webhook_secret_env", variable)?;
        }
        Ok(SourceSettings {
            name,
            former_names: self.former_names,
            location,
            versions: self.versions,
            branch: self.branch,
            tags,
            include: self.include.unwrap_or_else(|| vec!["**/*.json".to_owned()]),
            exclude: self.exclude.unwrap_or_else(|| vec!["node_modules/**".to_owned()]),
            ids: self.ids,
            history: self.history,
            poll_ms,
            credentials,
            webhook_secret_env: self.webhook_secret_env,
            readers: checked_readers(self.readers)?,
        })
    }
}

/// The patterns of version tags where a source names none.
pub(crate) fn default_tags() -> Vec<String> {
    ["v{version}", "{id}-v{version}", "{id}/v{version}", "{id}@{version}"].map(str::to_owned).to_vec()
}

impl SourceSettings {
    /// Its name and those that it had before: releases keep the one under which they were published.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.former_names)
    }

    /// Whether it has that name, or had it before.
    pub fn is_called(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// A source on this machine with every default, for commands and tests.
    pub fn local(name: &str, path: &str) -> SourceSettings {
        let file = SourceFile {
            name: name.to_owned(),
            former_names: Vec::new(),
            path: Some(path.to_owned()),
            url: None,
            versions: VersionsMode::Branch,
            branch: None,
            tags: None,
            include: None,
            exclude: None,
            ids: Vec::new(),
            history: HistoryPolicy::Refuse,
            poll: None,
            credentials: None,
            webhook_secret_env: None,
            readers: None,
        };
        file.checked().expect("the defaults are valid for a valid name")
    }
}

fn duration_ms(text: &str) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "ms" => 1,
        "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.checked_mul(unit).filter(|ms| *ms > 0)
}

impl Policy {
    /// The level that the operator demands at least of a lint.
    pub fn floor(&self, lint: &rules::Lint) -> Option<Level> {
        self.lints.level(lint)
    }
}
