//! Every lint over every lint fixture.
//!
//! `tests/rules/lints/<id>/` holds `flagged*.pack.json`, one per case that the lint must report, and
//! `clean*.pack.json`, one per near miss. A fixture in a folder of its own sees that folder as its repository, others
//! see the folder of the lint. `expected.txt` stores everything that all lints say about each file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rules::lint::{Check, Lint};
use rules::{Finding, LINTS, Level, LintOptions, Subject, lint};

use crate::fixture::{compare, entries, name, relative, root, tree};

/// One fixture: the repository it stands in, and its file.
pub(crate) struct Fixture {
    pub(crate) repository: PathBuf,
    pub(crate) file: PathBuf,
}

pub(crate) fn fixtures(folder: &Path) -> Vec<Fixture> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() {
            for file in pack_files(&path) {
                found.push(Fixture { repository: path.clone(), file });
            }
        } else if name(&path).ends_with(".pack.json") {
            found.push(Fixture { repository: folder.to_owned(), file: path });
        }
    }
    found
}

/// Files below a case folder that are named as fixtures.
fn pack_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in entries(folder) {
        if path.is_dir() && !path.is_symlink() {
            found.extend(pack_files(&path));
        } else if name(&path).ends_with(".pack.json") {
            found.push(path);
        }
    }
    found
}

/// Runs every lint, those that are off by default too.
fn run(fixture: &Fixture) -> Vec<Finding> {
    run_on(fixture, &fs::read(&fixture.file).expect("a readable fixture"))
}

/// The same on other bytes in the place of the fixture.
pub(crate) fn run_on(fixture: &Fixture, bytes: &[u8]) -> Vec<Finding> {
    let tree = tree(&fixture.repository);
    let path = relative(&fixture.repository, &fixture.file);
    let level = |lint: &Lint| lint.level.max(Level::Info);
    let subject = Subject { bytes, path: &path, tree: Some(&tree) };
    lint(subject, LintOptions { level: &level, ..LintOptions::default() }).findings
}

fn shown(finding: &Finding) -> String {
    let place = if finding.place.is_empty() { "/" } else { &finding.place };
    let mut text = format!(
        "  {}:{} {}[{}] {place}: {}\n",
        finding.start.line, finding.start.column, finding.level, finding.rule, finding.message
    );
    if let Some(help) = &finding.help {
        text.push_str(&format!("    help: {help}\n"));
    }
    text
}

/// Checks one fixture and gives the text to store; mistakes go to `mistakes`.
fn check(lint: &Lint, folder: &Path, fixture: &Fixture, mistakes: &mut Vec<String>) -> String {
    let shown_path = relative(folder, &fixture.file);
    let findings = run(fixture);
    let fires = findings.iter().any(|finding| finding.rule == lint.id);
    if shown_path.starts_with("flagged") {
        if !fires {
            mistakes.push(format!("{}/{shown_path}: does not fire", lint.id));
        }
    } else if shown_path.starts_with("clean") {
        if fires {
            mistakes.push(format!("{}/{shown_path}: fires on a clean file", lint.id));
        }
        for error in findings.iter().filter(|finding| finding.level == Level::Error) {
            mistakes.push(format!("{}/{shown_path}: an error on a clean file: {}", lint.id, shown(error)));
        }
    } else {
        mistakes.push(format!("{}/{shown_path}: a fixture is named `flagged…` or `clean…`", lint.id));
    }
    format!("{shown_path}\n{}", findings.iter().map(shown).collect::<String>())
}

#[test]
fn every_lint_fires_on_its_flagged_files_only() {
    let mut mistakes = Vec::new();
    for lint in LINTS.iter().filter(|lint| !matches!(lint.check, Check::Registry)) {
        let folder = root().join("lints").join(lint.id);
        let fixtures = fixtures(&folder);
        for kind in ["flagged", "clean"] {
            if !fixtures.iter().any(|fixture| relative(&folder, &fixture.file).starts_with(kind)) {
                mistakes.push(format!("{}: no {kind} fixture", lint.id));
            }
        }
        let said: String =
            fixtures.iter().map(|fixture| check(lint, &folder, fixture, &mut mistakes)).collect();
        if !fixtures.is_empty() {
            mistakes.extend(compare(&folder.join("expected.txt"), &said));
        }
    }
    assert!(mistakes.is_empty(), "{} mistakes:\n{}", mistakes.len(), mistakes.join("\n"));
}

#[test]
fn every_fixture_folder_belongs_to_a_lint() {
    let ids: BTreeSet<String> = LINTS.iter().map(|lint| lint.id.to_owned()).collect();
    let folders: BTreeSet<String> = entries(&root().join("lints")).iter().map(|path| name(path)).collect();
    let strangers: Vec<&String> = folders.difference(&ids).collect();
    assert!(strangers.is_empty(), "fixture folders without a lint: {strangers:?}");
}

#[test]
fn ids_are_unique_and_documented() {
    let mut seen = BTreeSet::new();
    for lint in LINTS.iter() {
        assert!(seen.insert(lint.id), "{} is listed twice", lint.id);
        assert!(lint.id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", lint.id);
        for text in [lint.summary, lint.why, lint.fix, lint.example] {
            assert!(!text.trim().is_empty(), "{} lacks a part of its documentation", lint.id);
        }
    }
}

/// The findings do not depend on how the JSON is laid out.
#[test]
fn layout_never_changes_the_findings() {
    for lint in LINTS.iter() {
        let folder = root().join("lints").join(lint.id);
        for fixture in fixtures(&folder) {
            let bytes = fs::read(&fixture.file).expect("a readable fixture");
            let Ok(value) = serde_json::from_slice::<serde_json::Value>(&bytes) else { continue };
            let before = run(&fixture);
            if before.iter().any(|finding| {
                finding.group == rules::Group::Schema || LAYOUT_LINTS.contains(&finding.rule.as_str())
            }) {
                continue;
            }
            let after = run_on(&fixture, value.to_string().as_bytes());
            let identity = |findings: &[Finding]| -> BTreeSet<(String, String, String)> {
                findings.iter().map(|f| (f.rule.clone(), f.place.clone(), f.fingerprint.clone())).collect()
            };
            assert_eq!(identity(&before), identity(&after), "{} minified", fixture.file.display());
        }
    }
}

/// Lints that speak of the spelling itself.
const LAYOUT_LINTS: [&str; 4] = ["byte-order-mark", "duplicate-key", "unportable-number", "oversized-pack"];
