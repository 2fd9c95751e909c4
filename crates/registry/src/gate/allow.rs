//! `[[allow]]` entries that accept nothing, no longer count, or contradict themselves.

use std::collections::BTreeSet;

use rules::{Level, find_lint};
use semver::Version;

use super::{Draft, gate_level};
use crate::acknowledge::{Accepted, covers, is_over};
use crate::judge::Settings;
use crate::report::FindingView;
use crate::settings::Allow;

/// A pack that was judged under a settings file.
#[derive(Debug, Clone, Copy)]
pub struct JudgedPack<'a> {
    /// Its id; empty where it is unknown.
    pub id: &'a str,
    /// Its path from the root of the repository.
    pub path: &'a str,
    /// Its version.
    pub version: Option<&'a Version>,
}

/// What a run knows about one settings file.
#[derive(Clone, Copy)]
pub struct AllowRun<'a> {
    /// The settings of the file.
    pub settings: Settings<'a>,
    /// The path of the file, as it is shown.
    pub file: &'a str,
    /// The packs that it counts for and that were judged.
    pub packs: &'a [JudgedPack<'a>],
    /// Everything that was found in them, accepted or not: findings and changes.
    pub found: &'a [Accepted<'a>],
    /// The entries that accepted something, by position.
    pub matched: &'a BTreeSet<usize>,
    /// Whether every pack below the file was judged.
    pub complete: bool,
    /// The entries that may speak of a change, by position; none where nothing was compared.
    ///
    /// An entry that has accepted a change of an earlier release stays in the file for as long as that release's flag
    /// is to stay lifted, and matches nothing in later runs. Only an entry that is new is expected to match.
    pub fresh: Option<&'a BTreeSet<usize>>,
}

/// The findings on the entries of one settings file, in the order of the file.
pub fn allow_findings(run: AllowRun<'_>) -> Vec<FindingView> {
    let entries = run.settings.repository.allow.iter().enumerate();
    entries.filter_map(|(at, entry)| judge(run, at, entry)).collect()
}

fn judge(run: AllowRun<'_>, at: usize, entry: &Allow) -> Option<FindingView> {
    if let Some(message) = contradiction(run, entry) {
        let help = "correct the rule and the place, or remove the fingerprint";
        return finding(run, at, entry, "allow-invalid", Level::Error, message, help);
    }
    if !is_in_run(run, entry) {
        return None;
    }
    let over = over_since(run, entry);
    if let Some(message) = over {
        let help = "repair what it accepts, or give it a later end and a reason for it";
        return finding(run, at, entry, "allow-expired", Level::Warn, message, help);
    }
    let expected = speaks_of_lint(run, entry) || run.fresh.is_some_and(|fresh| fresh.contains(&at));
    if expected && !run.matched.contains(&at) {
        let message = format!("this entry for {} accepts nothing", subject(entry));
        return finding(run, at, entry, "allow-unused", Level::Warn, message, "remove it");
    }
    None
}

/// Whether what the entry speaks of was judged in this run.
fn is_in_run(run: AllowRun<'_>, entry: &Allow) -> bool {
    let is_named = |pack: &JudgedPack<'_>| {
        entry.path.as_deref().is_none_or(|path| path == run.settings.relative(pack.path))
            && entry.pack.as_deref().is_none_or(|id| id == pack.id)
    };
    let names_one = entry.path.is_some() || entry.pack.is_some();
    run.complete || names_one && run.packs.iter().any(is_named)
}

fn speaks_of_lint(run: AllowRun<'_>, entry: &Allow) -> bool {
    let Some(lint) = entry.rule.as_deref().and_then(find_lint) else { return false };
    gate_level(lint.id, lint.level, entry.path.as_deref().unwrap_or_default(), run.settings) > Level::Off
}

/// Why an entry no longer counts.
fn over_since(run: AllowRun<'_>, entry: &Allow) -> Option<String> {
    if let Some(day) = entry.expires.filter(|day| *day < run.settings.today) {
        return Some(format!("this entry for {} expired on {day}", subject(entry)));
    }
    let concerns = |pack: &&JudgedPack<'_>| {
        entry.pack.as_deref().is_none_or(|id| id == pack.id)
            && entry.path.as_deref().is_none_or(|path| path == run.settings.relative(pack.path))
    };
    let reached =
        run.packs.iter().filter(concerns).find(|pack| is_over(entry, pack.version, run.settings.today))?;
    let version = reached.version.map(ToString::to_string).unwrap_or_default();
    Some(format!("this entry for {} ended with {} {version}", subject(entry), reached.id))
}

/// A fingerprint that belongs to something other than what the entry names.
fn contradiction(run: AllowRun<'_>, entry: &Allow) -> Option<String> {
    let fingerprint = entry.fingerprint.as_deref()?;
    let owner = run.found.iter().find(|found| found.fingerprint == fingerprint)?;
    let plain = Allow { path: None, pack: None, ..entry.clone() };
    if covers(&plain, owner) {
        return None;
    }
    Some(format!(
        "the fingerprint {fingerprint} belongs to {} at {}, and the entry names {}",
        owner.rule,
        owner.place,
        subject(entry)
    ))
}

fn subject(entry: &Allow) -> String {
    let what = match (&entry.rule, &entry.fingerprint) {
        (Some(rule), _) => format!("`{rule}`"),
        (None, Some(fingerprint)) => format!("the fingerprint {fingerprint}"),
        (None, None) => "nothing".to_owned(),
    };
    match &entry.place {
        Some(place) => format!("{what} at {place}"),
        None => what,
    }
}

fn finding(
    run: AllowRun<'_>,
    at: usize,
    entry: &Allow,
    rule: &'static str,
    default: Level,
    message: String,
    help: &str,
) -> Option<FindingView> {
    let pointer = format!("/allow/{at}");
    let parts = [&entry.rule, &entry.fingerprint, &entry.path, &entry.pack, &entry.place];
    let value: Vec<&str> = parts.iter().map(|part| part.as_deref().unwrap_or_default()).collect();
    let draft = Draft {
        rule,
        default,
        message,
        help: Some(help.to_owned()),
        pack: entry.pack.as_deref().unwrap_or_default(),
        pointer: pointer.clone(),
        place: pointer,
        value: value.join("\n"),
    };
    let mut finding = draft.finish(run.file, run.settings)?;
    (finding.line, finding.end_line) = (entry.line, entry.line);
    finding.end_column = "[[allow]]".len() as u32 + 1;
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::{Policy, RepositorySettings};

    fn check(text: &str, matched: &[usize], complete: bool, expected: &[&str]) {
        let repository = RepositorySettings::parse(text).expect("settings");
        let (policy, today) = (Policy::default(), jiff::civil::date(2027, 3, 1));
        let settings = Settings { repository: &repository, base: "", policy: &policy, today, spec: None };
        let version = Version::new(1, 2, 0);
        let found = [Accepted {
            rule: "unused-variable",
            fingerprint: "0123456789abcdef",
            path: "a.pack.json",
            pack: "a",
            place: "/prompts/p/variables/{x}",
            version: Some(&version),
        }];
        let packs = [JudgedPack { id: "a", path: "a.pack.json", version: Some(&version) }];
        let matched = matched.iter().copied().collect();
        let run = AllowRun {
            settings,
            file: "packhouse.toml",
            packs: &packs,
            found: &found,
            matched: &matched,
            complete,
            fresh: None,
        };
        let lines: Vec<String> =
            allow_findings(run).iter().map(|f| format!("{} {} {}", f.line, f.pointer, f.rule)).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn entries_that_do_nothing_are_told() {
        let entry = "[[allow]]\nrule = \"unused-variable\"\nreason = \"r\"\n";
        check(entry, &[], true, &["1 /allow/0 allow-unused"]);
        check(entry, &[], false, &[]);
        check(entry, &[0], true, &[]);
        check(&format!("{entry}pack = \"a\"\n"), &[], false, &["1 /allow/0 allow-unused"]);
        check(&format!("{entry}pack = \"b\"\n"), &[], false, &[]);
        check(&format!("{entry}expires = \"2027-03-01\"\n"), &[0], true, &[]);
        check(&format!("{entry}expires = \"2027-02-28\"\n"), &[], true, &["1 /allow/0 allow-expired"]);
        check(&format!("{entry}until = \"1.2.0\"\n"), &[], true, &["1 /allow/0 allow-expired"]);
        check(&format!("\n{entry}fingerprint = \"0123456789abcdef\"\n"), &[0], true, &[]);
        let other = "[[allow]]\nrule = \"unused-tool\"\nfingerprint = \"0123456789abcdef\"\nreason = \"r\"\n";
        check(other, &[], true, &["1 /allow/0 allow-invalid"]);
    }
}
