//! `packhouse.toml`: owned by the authors of a repository (contract section 2).

use std::collections::BTreeMap;

use pack::model::parse_version;
use rules::change::RuleSetting;
use rules::{Bump, Group, Level, Lint, Profile, find_lint};
use serde::Deserialize;
use toml::Spanned;

use super::error::{SettingsError, parse};
use super::rule_names::{check_rule_names, no_change_rule, no_lint};
use crate::pattern::Patterns;

/// What a repository says about its own packs.
#[derive(Debug, Clone)]
pub struct RepositorySettings {
    /// Levels of lints.
    pub lints: LintLevels,
    /// Names that this organization's runtimes provide.
    pub host_variables: Vec<String>,
    /// Other levels below some paths; a later one beats an earlier one.
    pub overrides: Vec<LintOverride>,
    /// Findings and changes that are accepted.
    pub allow: Vec<Allow>,
    /// How changes are weighed.
    pub changes: ChangeSettings,
    /// Where `check` finds known releases.
    pub releases_from: ReleasesFrom,
    /// Packs that got another id.
    pub renamed: Vec<Renamed>,
    /// Announced removals.
    pub sunset: Vec<Sunset>,
    /// Channels per pack: name to version.
    pub channels: BTreeMap<String, BTreeMap<String, semver::Version>>,
    /// Versions that should not be used.
    pub yank: Vec<PackRelease>,
    /// Versions that will go.
    pub deprecate: Vec<PackRelease>,
    /// What a package reference in `skills` means: name to (source, path).
    pub skill_packages: BTreeMap<String, (String, String)>,
}

impl Default for RepositorySettings {
    fn default() -> Self {
        RepositorySettings::parse("").expect("an empty file is valid")
    }
}

/// Levels by rule and group; a rule's own level beats its group's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LintLevels {
    rules: BTreeMap<String, Level>,
    groups: BTreeMap<Group, Level>,
}

/// Settings of change rules by id.
pub type RuleLevels = BTreeMap<String, RuleSetting>;

/// `[[lints.override]]`
#[derive(Debug, Clone)]
pub struct LintOverride {
    /// Patterns of paths, relative to the file's folder.
    pub paths: Vec<String>,
    /// The same, ready to match.
    pub patterns: Patterns,
    /// The levels below them.
    pub levels: LintLevels,
}

/// `[[allow]]`: one finding or change, accepted in the open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allow {
    /// The id of the rule; may be absent where a fingerprint stands.
    pub rule: Option<String>,
    /// This very finding.
    pub fingerprint: Option<String>,
    /// Only in this file.
    pub path: Option<String>,
    /// Only in this pack.
    pub pack: Option<String>,
    /// Only at this place and below it.
    pub place: Option<String>,
    /// Why it is accepted.
    pub reason: String,
    /// The last day on which the entry counts.
    pub expires: Option<jiff::civil::Date>,
    /// The version from which on the entry no longer counts.
    pub until: Option<semver::Version>,
    /// The line of the entry in the file, from 1.
    pub line: u32,
}

/// `[changes]`
#[derive(Debug, Clone, PartialEq)]
pub struct ChangeSettings {
    /// How strictly changes are weighed.
    pub profile: Profile,
    /// The bump of a raised runtime floor.
    pub runtime_floor: Bump,
    /// The least bump of changed prompt text.
    pub behaviour_bump: Bump,
    /// How versions below 1.0 are judged.
    pub zero_major: ZeroMajor,
    /// Whether a prompt's own bump counts for the pack.
    pub prompt_scope_independent: bool,
    /// Whether a weakened guard needs an `[[allow]]` entry.
    pub safety: Level,
    /// Settings of single rules.
    pub rules: RuleLevels,
}

/// How versions below 1.0 are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ZeroMajor {
    /// As Cargo does: the first number that is not zero is the major one.
    #[default]
    Cargo,
    /// Changes are reported, and any higher version will do.
    ReportOnly,
}

/// Where `check` finds known releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleasesFrom {
    /// On the branch.
    #[default]
    Branch,
    /// In the tags.
    Tags,
}

/// `[[renamed]]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Renamed {
    /// The id that it had.
    pub from: String,
    /// The id that it has.
    pub to: String,
}

/// `[[sunset]]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sunset {
    /// The pack.
    pub pack: String,
    /// What goes.
    pub place: String,
    /// Since when it is announced.
    pub since: Option<String>,
    /// The version in which it goes, or the day.
    pub until: String,
    /// What to use instead.
    pub replacement: Option<String>,
}

/// `[[yank]]` or `[[deprecate]]`
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackRelease {
    /// The pack.
    pub pack: String,
    /// The versions, as a range.
    pub versions: String,
    /// Why.
    pub reason: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RepositoryFile {
    lints: BTreeMap<String, toml::Value>,
    allow: Vec<Spanned<AllowFile>>,
    changes: ChangesFile,
    releases: ReleasesFile,
    renamed: Vec<Renamed>,
    sunset: Vec<Sunset>,
    skills: SkillsFile,
    channels: BTreeMap<String, BTreeMap<String, String>>,
    #[serde(rename = "yank")]
    yank: Vec<PackRelease>,
    deprecate: Vec<PackRelease>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct ReleasesFile {
    from: ReleasesFrom,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SkillsFile {
    packages: BTreeMap<String, PackageFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackageFile {
    source: String,
    path: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowFile {
    rule: Option<String>,
    fingerprint: Option<String>,
    path: Option<String>,
    pack: Option<String>,
    place: Option<String>,
    reason: Option<String>,
    expires: Option<String>,
    until: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct ChangesFile {
    profile: Profile,
    runtime_floor: Bump,
    behaviour_bump: Bump,
    zero_major: ZeroMajor,
    prompt_scope: PromptScope,
    safety: Level,
    rules: BTreeMap<String, toml::Value>,
}

impl Default for ChangesFile {
    fn default() -> Self {
        ChangesFile {
            profile: Profile::default(),
            runtime_floor: Bump::Minor,
            behaviour_bump: Bump::Patch,
            zero_major: ZeroMajor::default(),
            prompt_scope: PromptScope::Pack,
            safety: Level::Info,
            rules: BTreeMap::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum PromptScope {
    Pack,
    Independent,
}

impl RepositorySettings {
    /// Reads the text of `packhouse.toml`.
    ///
    /// # Errors
    /// [`SettingsError`] names the key and, where it can, the line.
    pub fn parse(text: &str) -> Result<RepositorySettings, SettingsError> {
        let file: RepositoryFile = parse(text)?;
        checked(file, text).map_err(|error| error.located(text))
    }
}

fn checked(mut file: RepositoryFile, text: &str) -> Result<RepositorySettings, SettingsError> {
    let host_variables = host_variables(file.lints.remove("host-variables"))?;
    let overrides = overrides(file.lints.remove("override"))?;
    let allow = file.allow.into_iter().map(|entry| allow(entry, text)).collect::<Result<_, _>>()?;
    let channels = channels(file.channels)?;
    let packages =
        file.skills.packages.into_iter().map(|(name, package)| (name, (package.source, package.path)));
    Ok(RepositorySettings {
        lints: LintLevels::parse(&file.lints, "lints")?,
        host_variables,
        overrides,
        allow,
        changes: ChangeSettings {
            profile: file.changes.profile,
            runtime_floor: file.changes.runtime_floor,
            behaviour_bump: file.changes.behaviour_bump,
            zero_major: file.changes.zero_major,
            prompt_scope_independent: file.changes.prompt_scope == PromptScope::Independent,
            safety: file.changes.safety,
            rules: rule_settings(&file.changes.rules, "changes.rules")?,
        },
        releases_from: file.releases.from,
        renamed: file.renamed,
        sunset: file.sunset.into_iter().map(sunset).collect::<Result<_, _>>()?,
        channels,
        yank: checked_ranges(file.yank, "yank")?,
        deprecate: checked_ranges(file.deprecate, "deprecate")?,
        skill_packages: packages.collect(),
    })
}

fn sunset(entry: Sunset) -> Result<Sunset, SettingsError> {
    if parse_version(&entry.until).is_some() || entry.until.parse::<jiff::civil::Date>().is_ok() {
        return Ok(entry);
    }
    let message = format!("`{}` is neither a version nor a day", entry.until);
    Err(SettingsError::new("sunset.until", message).help("write it as 3.0.0 or 2027-01-31"))
}

fn host_variables(value: Option<toml::Value>) -> Result<Vec<String>, SettingsError> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let names: Option<Vec<String>> = value
        .as_array()
        .and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    names.ok_or_else(|| {
        SettingsError::new("lints.host-variables", "it must be a list of names")
            .help("for example [\"tenant_name\"]")
    })
}

fn overrides(value: Option<toml::Value>) -> Result<Vec<LintOverride>, SettingsError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct OverrideFile {
        paths: Vec<String>,
        rules: BTreeMap<String, toml::Value>,
    }
    let Some(value) = value else { return Ok(Vec::new()) };
    let files: Vec<OverrideFile> = value.try_into().map_err(|error: toml::de::Error| {
        SettingsError::new("lints.override", error.message().to_owned())
            .help("an override has `paths` and `rules`, such as { style = \"off\" }")
    })?;
    files
        .into_iter()
        .map(|file| {
            let patterns = Patterns::new(&file.paths).map_err(|why| {
                SettingsError::new("lints.override.paths", format!("the pattern cannot be read: {why}"))
            })?;
            let levels = LintLevels::parse(&file.rules, "lints.override.rules")?;
            Ok(LintOverride { paths: file.paths, patterns, levels })
        })
        .collect()
}

fn allow(entry: Spanned<AllowFile>, text: &str) -> Result<Allow, SettingsError> {
    let line = text[..entry.span().start.min(text.len())].matches('\n').count() + 1;
    let file = entry.into_inner();
    let mistake = |key: &str, message: String, help: &str| {
        let mut error = SettingsError::new(format!("allow.{key}"), message).help(help);
        error.line = Some(line);
        error
    };
    if file.rule.is_none() && file.fingerprint.is_none() {
        return Err(mistake(
            "rule",
            "the entry names neither a rule nor a fingerprint".to_owned(),
            "add one of them",
        ));
    }
    if let Some(rule) = &file.rule {
        check_rule_names(std::slice::from_ref(rule), "allow.rule").map_err(|mut error| {
            error.line = Some(line);
            error
        })?;
    }
    let reason = file.reason.filter(|reason| !reason.trim().is_empty());
    let Some(reason) = reason else {
        return Err(mistake("reason", "the entry has no reason".to_owned(), "say why this is accepted"));
    };
    let expires = match &file.expires {
        None => None,
        Some(day) => Some(
            day.parse()
                .map_err(|_| mistake("expires", format!("`{day}` is no day"), "write it as 2027-03-01"))?,
        ),
    };
    let until = match &file.until {
        None => None,
        Some(version) => Some(
            pack::model::parse_version(version)
                .ok_or_else(|| mistake("until", format!("`{version}` is no version"), "write it as 2.0.0"))?,
        ),
    };
    Ok(Allow {
        rule: file.rule,
        fingerprint: file.fingerprint,
        path: file.path,
        pack: file.pack,
        place: file.place,
        reason,
        expires,
        until,
        line: line as u32,
    })
}

type Channels = BTreeMap<String, BTreeMap<String, semver::Version>>;

fn channels(file: BTreeMap<String, BTreeMap<String, String>>) -> Result<Channels, SettingsError> {
    let mut channels = Channels::new();
    for (pack, names) in file {
        for (name, version) in names {
            let key = format!("channels.{pack}.{name}");
            if !is_channel_name(&name) {
                return Err(SettingsError::new(key, format!("`{name}` may not name a channel")).help(
                    "a lower-case letter, then letters, digits and hyphens; nothing that reads as a version",
                ));
            }
            let Some(version) = pack::model::parse_version(&version) else {
                return Err(
                    SettingsError::new(key, format!("`{version}` is no version")).help("write it as 1.4.2")
                );
            };
            channels.entry(pack.clone()).or_default().insert(name, version);
        }
    }
    Ok(channels)
}

/// Whether a name may name a channel: `[a-z][a-z0-9-]+`, none that reads as a version or range, not a built-in one, and
/// none that would look like the standing of a release wherever both are shown.
pub fn is_channel_name(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && !["latest", "prerelease", "flagged", "yanked", "deprecated", "removed"].contains(&name)
        && crate::range::Range::parse(name).is_none()
}

fn checked_ranges(entries: Vec<PackRelease>, key: &str) -> Result<Vec<PackRelease>, SettingsError> {
    for entry in &entries {
        if crate::range::Range::parse(&entry.versions).is_none() {
            return Err(SettingsError::new(
                format!("{key}.versions"),
                format!("`{}` is no range", entry.versions),
            )
            .help("write it as =1.3.0 or >=1.2 <1.4"));
        }
    }
    Ok(entries)
}

impl LintLevels {
    pub(super) fn parse(
        table: &BTreeMap<String, toml::Value>,
        key: &str,
    ) -> Result<LintLevels, SettingsError> {
        let mut levels = LintLevels::default();
        for (name, value) in table {
            let at = format!("{key}.{name}");
            let level: Level = value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| {
                SettingsError::new(at.clone(), format!("{value} is no level"))
                    .help("the levels are \"error\", \"warn\", \"info\", \"off\"")
            })?;
            match Group::ALL.iter().find(|group| group.as_str() == name) {
                Some(group) => levels.groups.insert(*group, level).map(|_| ()),
                None if find_lint(name).is_some() => levels.rules.insert(name.clone(), level).map(|_| ()),
                None => return Err(no_lint(key, name)),
            };
        }
        Ok(levels)
    }

    /// Whether no level is set.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.groups.is_empty()
    }

    /// The level that is set for a lint, by its own id or else by its group.
    pub fn level(&self, lint: &Lint) -> Option<Level> {
        self.rules.get(lint.id).or_else(|| self.groups.get(&lint.group)).copied()
    }

    /// Whether the level of a lint comes from its own id (`true`) or from its group (`false`).
    pub fn names_rule(&self, lint: &Lint) -> bool {
        self.rules.contains_key(lint.id)
    }
}

/// Reads `"tool-added" = { bump = "patch", level = "warn" }`; a plain level is understood too.
pub(super) fn rule_settings(
    table: &BTreeMap<String, toml::Value>,
    key: &str,
) -> Result<RuleLevels, SettingsError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct RuleFile {
        bump: Option<Bump>,
        level: Option<Level>,
    }
    let mut settings = RuleLevels::new();
    for (name, value) in table {
        if rules::find_change(name).is_none() {
            return Err(no_change_rule(key, name));
        }
        let mistake = |message: &str| {
            SettingsError::new(format!("{key}.{name}"), message.to_owned())
                .help("write { bump = \"patch\", level = \"warn\" }, or one of the two")
        };
        let setting = match value {
            toml::Value::String(level) => {
                let level = level.parse().map_err(|_| mistake(&format!("`{level}` is no level")))?;
                RuleSetting { bump: None, level: Some(level) }
            }
            other => {
                let file: RuleFile =
                    other.clone().try_into().map_err(|error: toml::de::Error| mistake(error.message()))?;
                RuleSetting { bump: file.bump, level: file.level }
            }
        };
        settings.insert(name.clone(), setting);
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::RepositorySettings;

    #[test]
    fn a_sunset_ends_with_a_version_or_a_day() {
        let parse = |until: &str| {
            let text = format!("[[sunset]]\npack = \"a\"\nplace = \"/tools/x\"\nuntil = \"{until}\"\n");
            RepositorySettings::parse(&text).map_err(|error| error.to_string())
        };
        assert!(parse("3.0.0").is_ok() && parse("2027-01-31").is_ok());
        for until in ["banana", "3.0", "2027-02-31", ""] {
            let error = parse(until).expect_err(until);
            assert!(error.contains("neither a version nor a day"), "{error}");
        }
    }

    #[test]
    fn mistakes_in_lists_of_tables_are_told_in_the_words_of_the_file() {
        for (text, told) in [
            ("[allow]\nrule = \"x\"\n", "each stands under a header in double brackets: [[allow]]"),
            ("[[yank]]\npack = \"a\"\n[sunset]\n", "[[sunset]]"),
            (
                "[[allow]]\nrule = \"x\"\nplac = \"y\"\n",
                "`allow[0].plac`: there is no such key: `plac` (did you mean `place`?)",
            ),
        ] {
            let error = RepositorySettings::parse(text).expect_err(text).to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
