//! What a change of `packhouse.toml` makes easier: it should not pass unseen beside the change that needs it.

use std::collections::BTreeMap;

use pack::model::parse_version;
use rules::change::ChangeRule;
use rules::{Bump, CHANGES, LINTS, Level, Profile};

use super::Draft;
use crate::judge::Settings;
use crate::report::FindingView;
use crate::settings::{
    Allow, ChangeSettings, LintLevels, LintOverride, PackRelease, ReleasesFrom, RepositorySettings, Sunset,
    ZeroMajor,
};

/// One thing that became easier.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Loosening {
    /// Where the settings say so, as a pointer into the TOML document.
    pub pointer: String,
    /// What became easier.
    pub message: String,
    /// The line, where it is known.
    pub line: Option<u32>,
}

impl Loosening {
    fn new(pointer: impl Into<String>, message: String) -> Loosening {
        Loosening { pointer: pointer.into(), message, line: None }
    }
}

/// Everything that `new` makes easier against `old`, sorted by place.
pub fn loosened(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let mut found = lints(old, new);
    found.extend(overrides(old, new));
    found.extend(lost_overrides(old, new));
    found.extend(host_variables(old, new));
    found.extend(changes(old, new));
    found.extend(releases(old, new));
    found.extend(sunsets(old, new));
    found.extend(allows(old, new));
    found.sort();
    found
}

/// The findings `policy-loosened` on the settings file at `file`.
pub fn findings(old: &RepositorySettings, settings: Settings<'_>, file: &str) -> Vec<FindingView> {
    let finding = |loosening: Loosening| {
        let draft = Draft {
            rule: "policy-loosened",
            default: Level::Warn,
            value: loosening.message.clone(),
            message: loosening.message,
            help: Some(
                "let somebody who owns the policy approve this, or use `--policy-from base`".to_owned(),
            ),
            pack: "",
            place: loosening.pointer.clone(),
            pointer: loosening.pointer,
        };
        let mut finding = draft.finish(file, settings)?;
        if let Some(line) = loosening.line {
            (finding.line, finding.end_line) = (line, line);
        }
        Some(finding)
    };
    loosened(old, settings.repository).into_iter().filter_map(finding).collect()
}

/// Lints whose level went down, told once per key that says so.
fn lints(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let mut keys: BTreeMap<String, (Level, Level, usize)> = BTreeMap::new();
    for lint in LINTS.iter() {
        let before = old.lints.level(lint).unwrap_or(lint.level);
        let after = new.lints.level(lint).unwrap_or(lint.level);
        if after >= before {
            continue;
        }
        let says = if new.lints.level(lint).is_some() { &new.lints } else { &old.lints };
        let key = if says.names_rule(lint) { lint.id } else { lint.group.as_str() };
        keys.entry(key.to_owned()).or_insert((before, after, 0)).2 += 1;
    }
    let message = |key: &str, (before, after, count): (Level, Level, usize)| match count {
        1 => format!("`{key}` is now {after}, and was {before}"),
        count => format!("`{key}` lowers the level of {count} rules, for example from {before} to {after}"),
    };
    keys.into_iter()
        .map(|(key, levels)| Loosening::new(format!("/lints/{key}"), message(&key, levels)))
        .collect()
}

fn overrides(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let known = |paths: &[String], levels: &LintLevels| {
        old.overrides.iter().any(|entry| entry.paths == *paths && entry.levels == *levels)
    };
    let lowers = |levels: &LintLevels| {
        LINTS.iter().any(|lint| {
            let plain = new.lints.level(lint).unwrap_or(lint.level);
            levels.level(lint).is_some_and(|level| level < plain)
        })
    };
    let entries = new.overrides.iter().enumerate();
    entries
        .filter(|(_, entry)| !known(&entry.paths, &entry.levels) && lowers(&entry.levels))
        .map(|(at, entry)| {
            let message = format!("levels are lowered below {}", entry.paths.join(", "));
            Loosening::new(format!("/lints/override/{at}"), message)
        })
        .collect()
}

/// Overrides that raised levels and are gone.
fn lost_overrides(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let stays = |entry: &LintOverride| {
        new.overrides.iter().any(|other| other.paths == entry.paths && other.levels == entry.levels)
    };
    let raised = |levels: &LintLevels| {
        LINTS.iter().any(|lint| {
            let plain = new.lints.level(lint).unwrap_or(lint.level);
            levels.level(lint).is_some_and(|level| level > plain)
        })
    };
    let gone = old.overrides.iter().filter(|entry| !stays(entry) && raised(&entry.levels));
    gone.map(|entry| {
        let message = format!("levels were raised below {}, and are no longer", entry.paths.join(", "));
        Loosening::new("/lints/override", message)
    })
    .collect()
}

/// Names that a template may use from now on without declaring them.
pub(super) fn host_variables(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let fresh = new.host_variables.iter().filter(|name| !old.host_variables.contains(name));
    fresh
        .map(|name| {
            let message = format!("`{name}` counts as provided by the runtimes now, and did not before");
            Loosening::new("/lints/host-variables", message)
        })
        .collect()
}

pub(super) fn changes(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let (old, new) = (&old.changes, &new.changes);
    let mut found = Vec::new();
    let mut lowered = |key: &str, before: &str, after: &str, is_lower: bool| {
        found.extend(is_lower.then(|| lower(key, key, before, after)));
    };
    lowered("profile", old.profile.as_str(), new.profile.as_str(), new.profile < old.profile);
    let bump = |bump: Bump| bump.as_str();
    let (before, after) = (old.runtime_floor, new.runtime_floor);
    lowered("runtime-floor", bump(before), bump(after), after < before);
    let (before, after) = (old.behaviour_bump, new.behaviour_bump);
    lowered("behaviour-bump", bump(before), bump(after), after < before);
    let eased = (old.zero_major, new.zero_major) == (ZeroMajor::Cargo, ZeroMajor::ReportOnly);
    lowered("zero-major", "cargo", "report-only", eased);
    let eased = !old.prompt_scope_independent && new.prompt_scope_independent;
    lowered("prompt-scope", "pack", "independent", eased);
    lowered("safety", old.safety.as_str(), new.safety.as_str(), new.safety < old.safety);
    found.extend(CHANGES.iter().flat_map(|rule| change_rule(rule, old, new)));
    found
}

/// What became easier about one change rule. Profile and safety are told by themselves, so the new ones count for both.
fn change_rule(rule: &ChangeRule, old: &ChangeSettings, new: &ChangeSettings) -> Vec<Loosening> {
    let setting = |of: &ChangeSettings| of.rules.get(rule.id).copied().unwrap_or_default();
    let (before, after) = (setting(old), setting(new));
    let key = format!("rules/{}", rule.id);
    let own = rule.bumps.under(new.profile);
    let (bump_before, bump_after) = (before.bump.unwrap_or(own), after.bump.unwrap_or(own));
    let mut found = Vec::new();
    if bump_after < bump_before {
        found.push(lower(&key, rule.id, bump_before.as_str(), bump_after.as_str()));
    }
    let weight = |level: Option<Level>, bump| match level {
        Some(level) => Weight { level, everywhere: true },
        None => default_weight(rule, bump, new),
    };
    let (before, after) = (weight(before.level, bump_before), weight(after.level, bump_after));
    if after < before {
        found.push(lower(&key, rule.id, before.as_str(), after.as_str()));
    }
    found
}

/// How much the findings of a change rule weigh, the lightest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    level: Level,
    /// Whether under every version, and not only under one that is too low.
    everywhere: bool,
}

impl Weight {
    fn as_str(self) -> &'static str {
        if self.everywhere { self.level.as_str() } else { "error under a version that is too low" }
    }
}

/// The weight of a rule that has no level in the settings.
fn default_weight(rule: &ChangeRule, bump: Bump, settings: &ChangeSettings) -> Weight {
    let everywhere = |level| Weight { level, everywhere: true };
    match rule.id {
        "version-bump-larger" | "prompt-version-bumped-without-change" => everywhere(Level::Info),
        id if id.starts_with("prompt-version-") && settings.profile < Profile::Strict => {
            everywhere(Level::Warn)
        }
        id if id.starts_with("version-") || id.starts_with("prompt-version-") => everywhere(Level::Error),
        "pack-removed" | "pairing-ambiguous" | "removed-before-sunset" => everywhere(Level::Error),
        _ if rule.safety && settings.safety > Level::Info => everywhere(settings.safety),
        _ if bump == Bump::None => everywhere(Level::Info),
        _ => Weight { level: Level::Error, everywhere: false },
    }
}

/// Which releases a version is judged by, and which packs are taken for one.
fn releases(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let mut found = Vec::new();
    if old.releases_from != new.releases_from {
        let name = |from| if from == ReleasesFrom::Tags { "tags" } else { "branch" };
        let (before, after) = (name(old.releases_from), name(new.releases_from));
        let message = format!("known releases come from {after} now, and came from {before}");
        found.push(Loosening::new("/releases/from", message));
    }
    let is_known = |entry: &PackRelease| {
        old.yank.iter().any(|known| (&known.pack, &known.versions) == (&entry.pack, &entry.versions))
    };
    for (at, entry) in new.yank.iter().enumerate().filter(|(_, entry)| !is_known(entry)) {
        let PackRelease { pack, versions, reason } = entry;
        let message = format!("nothing is judged by `{versions}` of `{pack}` any more: {reason}");
        found.push(Loosening::new(format!("/yank/{at}"), message));
    }
    for (at, entry) in new.renamed.iter().enumerate().filter(|(_, entry)| !old.renamed.contains(entry)) {
        let message = format!("the pack `{}` may be gone where `{}` is there", entry.from, entry.to);
        found.push(Loosening::new(format!("/renamed/{at}"), message));
    }
    found
}

/// Announcements that no longer keep a thing as long as they did.
fn sunsets(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let mut found = Vec::new();
    for entry in &old.sunset {
        let Sunset { pack, place, until, .. } = entry;
        let mut of_place =
            new.sunset.iter().enumerate().filter(|(_, other)| (&other.pack, &other.place) == (pack, place));
        if of_place.clone().any(|(_, other)| !is_earlier(&other.until, until)) {
            continue;
        }
        let (pointer, message) = match of_place.next() {
            Some((at, other)) => (
                format!("/sunset/{at}/until"),
                format!(
                    "{place} of `{pack}` may go from {} on, and was announced to stay until {until}",
                    other.until
                ),
            ),
            None => (
                "/sunset".to_owned(),
                format!("{place} of `{pack}` may go at once, and was announced to stay until {until}"),
            ),
        };
        found.push(Loosening::new(pointer, message));
    }
    found
}

/// Whether the end of an announcement comes before another one. What cannot be compared may come before it.
fn is_earlier(new: &str, old: &str) -> bool {
    if let (Some(new), Some(old)) = (parse_version(new), parse_version(old)) {
        return new.cmp_precedence(&old).is_lt();
    }
    match (new.parse::<jiff::civil::Date>(), old.parse::<jiff::civil::Date>()) {
        (Ok(new), Ok(old)) => new < old,
        _ => new != old,
    }
}

/// A key below `[changes]` whose value went down.
fn lower(key: &str, name: &str, before: &str, after: &str) -> Loosening {
    Loosening::new(format!("/changes/{key}"), format!("`{name}` is now {after}, and was {before}"))
}

fn allows(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    fresh_allows(old, new)
        .map(|(at, entry)| {
            let what = entry.rule.as_deref().or(entry.fingerprint.as_deref()).unwrap_or_default();
            Loosening {
                pointer: format!("/allow/{at}"),
                message: format!("an entry that accepts `{what}` is new: {}", entry.reason),
                line: Some(entry.line),
            }
        })
        .collect()
}

/// The entries of `new` that accept something which `old` did not.
pub fn fresh_allows<'a>(
    old: &'a RepositorySettings,
    new: &'a RepositorySettings,
) -> impl Iterator<Item = (usize, &'a Allow)> {
    let same = |a: &Allow, b: &Allow| {
        let plain = |entry: &Allow| Allow { line: 0, reason: String::new(), ..entry.clone() };
        plain(a) == plain(b)
    };
    new.allow.iter().enumerate().filter(move |(_, entry)| !old.allow.iter().any(|known| same(known, entry)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: &[&str] = &[];

    fn check(old: &str, new: &str, expected: &[impl AsRef<str>]) {
        let parse = |text| RepositorySettings::parse(text).expect("settings");
        let found = loosened(&parse(old), &parse(new));
        let pointers: Vec<&str> = found.iter().map(|loosening| loosening.pointer.as_str()).collect();
        let expected: Vec<&str> = expected.iter().map(AsRef::as_ref).collect();
        assert_eq!(pointers, expected, "{old}---\n{new}");
    }

    #[test]
    fn what_became_easier_is_told_once() {
        check("", "", NOTHING);
        check("", "[lints]\nunused-tool = \"off\"\n", &["/lints/unused-tool"]);
        check("[lints]\nunused-tool = \"off\"\n", "", NOTHING);
        check("[lints]\nstyle = \"error\"\n", "", &["/lints/style"]);
        check("", "[changes]\nprofile = \"wire\"\nsafety = \"error\"\n", &["/changes/profile"]);
        let bump = "[changes.rules]\n\"tool-added\" = { bump = \"patch\" }\n";
        check("", bump, &["/changes/rules/tool-added"]);
        let allow = "[[allow]]\nrule = \"unused-tool\"\nreason = \"r\"\n";
        check("", allow, &["/allow/0"]);
        check(allow, &format!("{allow}{}", allow.replace("unused-tool", "unused-variable")), &["/allow/1"]);
        let below = "[[lints.override]]\npaths = [\"drafts/**\"]\nrules = { style = \"off\" }\n";
        check("", below, &["/lints/override/0"]);
        check(below, below, NOTHING);
        check(&below.replace("off", "error"), "", &["/lints/override"]);
        check(below, "", NOTHING);
        let host = "[lints]\nhost-variables = [\"tenant\"]\n";
        check("", host, &["/lints/host-variables"]);
        check(host, "", NOTHING);
    }

    #[test]
    fn a_rule_that_falls_back_to_a_lower_default_became_easier() {
        let rule = |id: &str, setting: &str| format!("[changes.rules]\n{id} = {{ {setting} }}\n");
        let ease = |id: &str, before: &str, after: &str, is_easier: bool| {
            let pointer = format!("/changes/rules/{id}");
            let text = |setting: &str| if setting.is_empty() { String::new() } else { rule(id, setting) };
            check(&text(before), &text(after), if is_easier { std::slice::from_ref(&pointer) } else { &[] });
        };
        for (id, before, after, is_easier) in [
            // Without a level of its own, a change fails under a version that is too low, and there alone.
            ("variable-required-added", "level = \"error\"", "", true),
            ("variable-required-added", "", "level = \"error\"", false),
            ("variable-required-added", "", "level = \"warn\"", true),
            ("variable-required-added", "level = \"warn\"", "", false),
            ("tool-added", "bump = \"major\"", "", true),
            ("tool-added", "", "bump = \"major\"", false),
            // Rules of the gate have a level of their own.
            ("version-bump-larger", "level = \"error\"", "", true),
            ("version-bump-larger", "", "level = \"info\"", false),
            ("prompt-version-not-bumped", "level = \"error\"", "", true),
            ("prompt-version-not-bumped", "", "level = \"warn\"", false),
            ("prompt-version-not-bumped", "", "level = \"off\"", true),
            ("version-not-bumped", "", "level = \"warn\"", true),
            ("version-not-bumped", "level = \"error\"", "", false),
        ] {
            ease(id, before, after, is_easier);
        }
        let strict = "[changes]\nprofile = \"strict\"\n";
        let warn = format!("{strict}[changes.rules]\nprompt-version-not-bumped = \"warn\"\n");
        check(strict, &warn, &["/changes/rules/prompt-version-not-bumped"]);
    }

    #[test]
    fn releases_and_announcements_that_count_less_became_easier() {
        let yank = "[[yank]]\npack = \"a\"\nversions = \"=1.3.0\"\nreason = \"r\"\n";
        check("", yank, &["/yank/0"]);
        check(yank, &yank.replace("\"r\"", "\"other words\""), NOTHING);
        check(yank, &yank.replace("=1.3.0", ">=1.3.0"), &["/yank/0"]);
        check(yank, "", NOTHING);
        check("", "[releases]\nfrom = \"tags\"\n", &["/releases/from"]);
        check("[releases]\nfrom = \"tags\"\n", "", &["/releases/from"]);
        check("", "[releases]\nfrom = \"branch\"\n", NOTHING);
        check("", "[[renamed]]\nfrom = \"a\"\nto = \"b\"\n", &["/renamed/0"]);
        let sunset =
            |until: &str| format!("[[sunset]]\npack = \"a\"\nplace = \"/prompts/x\"\nuntil = \"{until}\"\n");
        check("", &sunset("2.0.0"), NOTHING);
        check(&sunset("2.0.0"), "", &["/sunset"]);
        check(&sunset("2.0.0"), &sunset("2.0.0").replace("/x", "/y"), &["/sunset"]);
        check(&sunset("2.0.0"), &sunset("1.9.0"), &["/sunset/0/until"]);
        check(&sunset("2.0.0"), &sunset("2.1.0"), NOTHING);
        check(&sunset("2027-01-31"), &sunset("2026-12-31"), &["/sunset/0/until"]);
        check(&sunset("2026-12-31"), &sunset("2027-01-31"), NOTHING);
        check(&sunset("2.0.0"), &sunset("2026-12-31"), &["/sunset/0/until"]);
        check(&sunset("2.0.0"), &format!("{}{}", sunset("1.0.0"), sunset("2.0.0")), NOTHING);
    }
}
