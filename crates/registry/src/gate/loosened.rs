//! What a change of `packhouse.toml` makes easier: it should not pass unseen beside the change that needs it.

use std::collections::BTreeMap;

use rules::{Bump, CHANGES, LINTS, Level, find_change};

use super::Draft;
use crate::judge::Settings;
use crate::report::FindingView;
use crate::settings::{Allow, LintLevels, RepositorySettings, ZeroMajor};

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

/// Everything that `new` makes easier against `old`, sorted by place.
pub fn loosened(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let mut found = lints(old, new);
    found.extend(overrides(old, new));
    found.extend(changes(old, new));
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
        .map(|(key, levels)| Loosening {
            pointer: format!("/lints/{key}"),
            message: message(&key, levels),
            line: None,
        })
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
        .map(|(at, entry)| Loosening {
            pointer: format!("/lints/override/{at}"),
            message: format!("levels are lowered below {}", entry.paths.join(", ")),
            line: None,
        })
        .collect()
}

fn changes(old: &RepositorySettings, new: &RepositorySettings) -> Vec<Loosening> {
    let (old, new) = (&old.changes, &new.changes);
    let mut found = Vec::new();
    let mut lowered = |key: &str, before: &str, after: &str, is_lower: bool| {
        if is_lower {
            found.push(Loosening {
                pointer: format!("/changes/{key}"),
                message: format!("`{key}` is now {after}, and was {before}"),
                line: None,
            });
        }
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
    for rule in CHANGES.iter() {
        let (before, after) = (
            old.rules.get(rule.id).copied().unwrap_or_default(),
            new.rules.get(rule.id).copied().unwrap_or_default(),
        );
        let own = find_change(rule.id).map_or(Bump::None, |rule| rule.bumps.under(new.profile));
        let (bump_before, bump_after) = (before.bump.unwrap_or(own), after.bump.unwrap_or(own));
        let key = format!("rules/{}", rule.id);
        lowered(&key, bump(bump_before), bump(bump_after), bump_after < bump_before);
        // A rule without a level of its own fails where the version does not cover it.
        let level = |level: Option<Level>| level.unwrap_or(Level::Error);
        let (level_before, level_after) = (level(before.level), level(after.level));
        lowered(&key, level_before.as_str(), level_after.as_str(), level_after < level_before);
    }
    found
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

    fn check(old: &str, new: &str, expected: &[&str]) {
        let parse = |text| RepositorySettings::parse(text).expect("settings");
        let found = loosened(&parse(old), &parse(new));
        let pointers: Vec<&str> = found.iter().map(|loosening| loosening.pointer.as_str()).collect();
        assert_eq!(pointers, expected);
    }

    #[test]
    fn what_became_easier_is_told_once() {
        check("", "", &[]);
        check("", "[lints]\nunused-tool = \"off\"\n", &["/lints/unused-tool"]);
        check("[lints]\nunused-tool = \"off\"\n", "", &[]);
        check("[lints]\nstyle = \"error\"\n", "", &["/lints/style"]);
        check("", "[changes]\nprofile = \"wire\"\nsafety = \"error\"\n", &["/changes/profile"]);
        let bump = "[changes.rules]\n\"tool-added\" = { bump = \"patch\" }\n";
        check("", bump, &["/changes/rules/tool-added"]);
        let allow = "[[allow]]\nrule = \"unused-tool\"\nreason = \"r\"\n";
        check("", allow, &["/allow/0"]);
        check(allow, &format!("{allow}{}", allow.replace("unused-tool", "unused-variable")), &["/allow/1"]);
        let below = "[[lints.override]]\npaths = [\"drafts/**\"]\nrules = { style = \"off\" }\n";
        check("", below, &["/lints/override/0"]);
        check(below, below, &[]);
    }
}
