//! Every lint over every lint fixture.
//!
//! `tests/rules/lints/<id>/` holds `flagged*.pack.json`, one per case that the lint must report, and
//! `clean*.pack.json`, one per near miss. A fixture in a folder of its own sees that folder as its repository, others
//! see the folder of the lint. `expected.txt` stores everything that all lints say about each file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use rules::lint::{Check, Lint};
use rules::{Finding, LINTS, Level, LintOptions, Subject, lint};

use crate::fixture::{compare, entries, in_parallel, name, relative, root, tree};

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

/// One fixture of one lint, and what all lints say about it.
pub(crate) struct Run {
    pub(crate) lint: &'static Lint,
    pub(crate) fixture: Fixture,
    pub(crate) bytes: Vec<u8>,
    pub(crate) findings: Vec<Finding>,
}

impl Run {
    /// The folder of the lint.
    fn folder(&self) -> PathBuf {
        root().join("lints").join(self.lint.id)
    }

    /// The path of the fixture below that folder.
    pub(crate) fn path(&self) -> String {
        relative(&self.folder(), &self.fixture.file)
    }
}

/// Every lint over every fixture, once for all tests.
pub(crate) static RUNS: LazyLock<Vec<Run>> = LazyLock::new(|| {
    let all = LINTS.iter().flat_map(|lint| {
        let fixtures = fixtures(&root().join("lints").join(lint.id));
        fixtures.into_iter().map(|fixture| (*lint, fixture.repository, fixture.file))
    });
    in_parallel(&all.collect::<Vec<_>>(), |(lint, repository, file)| {
        let fixture = Fixture { repository: repository.clone(), file: file.clone() };
        let bytes = fs::read(file).expect("a readable fixture");
        let findings = run_on(&fixture, &bytes);
        Run { lint, fixture, bytes, findings }
    })
});

/// Runs every lint, those that are off by default too, on other bytes in the place of the fixture.
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
fn check(run: &Run, mistakes: &mut Vec<String>) -> String {
    let (id, path, findings) = (run.lint.id, run.path(), &run.findings);
    let fires = findings.iter().any(|finding| finding.rule == id);
    if path.starts_with("flagged") {
        if !fires {
            mistakes.push(format!("{id}/{path}: does not fire"));
        }
    } else if path.starts_with("clean") {
        if fires {
            mistakes.push(format!("{id}/{path}: fires on a clean file"));
        }
        for error in findings.iter().filter(|finding| finding.level == Level::Error) {
            mistakes.push(format!("{id}/{path}: an error on a clean file: {}", shown(error)));
        }
    } else {
        mistakes.push(format!("{id}/{path}: a fixture is named `flagged…` or `clean…`"));
    }
    format!("{path}\n{}", findings.iter().map(shown).collect::<String>())
}

#[test]
fn every_lint_fires_on_its_flagged_files_only() {
    let mut mistakes = Vec::new();
    for lint in LINTS.iter().filter(|lint| !matches!(lint.check, Check::Registry)) {
        let runs = || RUNS.iter().filter(|run| run.lint.id == lint.id);
        for kind in ["flagged", "clean"] {
            if !runs().any(|run| run.path().starts_with(kind)) {
                mistakes.push(format!("{}: no {kind} fixture", lint.id));
            }
        }
        let said: String = runs().map(|run| check(run, &mut mistakes)).collect();
        if !said.is_empty() {
            mistakes.extend(compare(&root().join("lints").join(lint.id).join("expected.txt"), &said));
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
    let identity = |findings: &[Finding]| -> BTreeSet<(String, String, String)> {
        findings.iter().map(|f| (f.rule.clone(), f.place.clone(), f.fingerprint.clone())).collect()
    };
    in_parallel(&RUNS, |run| {
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&run.bytes) else { return };
        if run.findings.iter().any(|finding| {
            finding.group == rules::Group::Schema || LAYOUT_LINTS.contains(&finding.rule.as_str())
        }) {
            return;
        }
        let after = run_on(&run.fixture, value.to_string().as_bytes());
        assert_eq!(identity(&run.findings), identity(&after), "{} minified", run.fixture.file.display());
    });
}

/// Lints that speak of the spelling itself.
const LAYOUT_LINTS: [&str; 4] = ["byte-order-mark", "duplicate-key", "unportable-number", "oversized-pack"];
