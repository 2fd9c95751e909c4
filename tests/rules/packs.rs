//! Whole packs as companies keep them: no lint has anything to say about them.
//!
//! Each folder of `tests/packs` is a repository with one pack and the files that it names. Together they cover every
//! spec version and every area of the format.

use std::collections::BTreeSet;
use std::fs;

use pack::spec::{Declared, DeclaredBy};
use pack::{Document, SpecVersion};
use rules::{LintOptions, Subject, lint};

use crate::fixture::{entries, in_parallel, name, relative, root, tree};
use crate::lints::{Fixture, fixtures};

/// What a pack shows on purpose, though a lint mentions it.
const SHOWN: [(&str, &str); 2] =
    [("onboarding-buddy", "missing-schema"), ("mail-merge", "unportable-template-syntax")];

pub(crate) fn packs() -> Vec<Fixture> {
    let folders = entries(&root().join("../packs"));
    folders.iter().flat_map(|folder| fixtures(folder)).collect()
}

fn id(fixture: &Fixture) -> String {
    name(&fixture.repository)
}

fn declared(bytes: &[u8]) -> Declared {
    let document = Document::parse(bytes).0.expect("a pack is JSON");
    Declared::by_url(document.root().text("$schema"))
}

#[test]
fn realistic_packs_have_no_findings() {
    let packs = packs();
    assert!(packs.len() >= 25, "{} packs", packs.len());
    let mistakes = in_parallel(&packs, |pack| {
        let bytes = fs::read(&pack.file).expect("a readable pack");
        let tree = tree(&pack.repository);
        let path = relative(&pack.repository, &pack.file);
        let linted = lint(Subject { bytes: &bytes, path: &path, tree: Some(&tree) }, LintOptions::default());
        let shown: Vec<&str> =
            SHOWN.iter().filter(|(of, _)| *of == id(pack)).map(|(_, rule)| *rule).collect();
        let found: Vec<&str> = linted.findings.iter().map(|finding| finding.rule.as_str()).collect();
        (found != shown).then(|| {
            let said = linted
                .findings
                .iter()
                .map(|f| format!("  {}[{}] {}: {}", f.level, f.rule, f.place, f.message));
            format!("{}, where {shown:?} is expected\n{}", id(pack), said.collect::<Vec<_>>().join("\n"))
        })
    });
    let mistakes: Vec<String> = mistakes.into_iter().flatten().collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}

#[test]
fn realistic_packs_are_valid_and_cover_every_version() {
    let mut versions = BTreeSet::new();
    let mut unnamed = 0;
    for pack in packs() {
        let bytes = fs::read(&pack.file).expect("a readable pack");
        let declared = declared(&bytes);
        let document = Document::parse(&bytes).0.expect("a pack is JSON");
        assert_eq!(pack::schema::check(&document, declared.version), [], "{}", id(&pack));
        match declared.by {
            DeclaredBy::Absent => unnamed += 1,
            _ => versions.extend([declared.version]),
        }
    }
    assert_eq!(versions, BTreeSet::from(SpecVersion::ALL));
    assert!(unnamed > 0, "a pack names no version");
}

#[test]
fn realistic_packs_come_in_every_layout() {
    let texts: Vec<String> =
        packs().iter().map(|pack| fs::read_to_string(&pack.file).expect("a readable pack")).collect();
    assert!(texts.iter().any(|text| text.contains("\r\n")), "a pack with CRLF");
    assert!(texts.iter().any(|text| !text.contains('\n')), "a pack on one line");
}
