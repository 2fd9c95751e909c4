//! The list of all lints, a folder per section of the catalogue, and the run over one pack.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use pack::json::Document;
use pack::schema::SchemaProblemKind;
use pack::spec::Declared;
use pack::tree::Tree;
use pack::{Pointer, SpecVersion};

use crate::facts::Facts;
use crate::lint::{Check, Finding, Findings, Group, Level, Lint, Text};

mod agents;
mod checks;
mod compositions;
mod document;
pub(crate) mod governance;
mod media;
mod metadata;
mod prompts;
mod providers;
mod repository;
mod schema;
mod security;
mod skills;
mod templates;
mod tools;
mod variables;
pub(crate) mod workflow;

/// The lints about one part of the format.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// What they are about.
    pub title: &'static str,
    /// The lints, in the order of the catalogue.
    pub lints: &'static [&'static Lint],
}

const fn section(title: &'static str, lints: &'static [&'static Lint]) -> Section {
    Section { title, lints }
}

/// Every section, in the order of the catalogue.
pub static SECTIONS: [Section; 17] = [
    section("Document", document::LINTS),
    section("Schema and spec version", schema::LINTS),
    section("Pack and metadata", metadata::LINTS),
    section("Prompts, parameters, models", prompts::LINTS),
    section("Variables", variables::LINTS),
    section("Templates and fragments", templates::LINTS),
    section("Tools and tool policy", tools::LINTS),
    section("Validators and evals", checks::LINTS),
    section("Media", media::LINTS),
    section("Workflow", workflow::LINTS),
    section("Agents", agents::LINTS),
    section("Skills", skills::LINTS),
    section("Compositions", compositions::LINTS),
    section("Required providers", providers::LINTS),
    section("Governance", governance::LINTS),
    section("Security and text", security::LINTS),
    section("Git tree and configuration", repository::LINTS),
];

/// Every lint, in the order of the catalogue.
pub static LINTS: LazyLock<Vec<&'static Lint>> =
    LazyLock::new(|| SECTIONS.iter().flat_map(|section| section.lints).copied().collect());

/// The lint of that id.
pub fn find_lint(id: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.id == id).copied()
}

/// One pack file and what stands around it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The bytes of the file.
    pub bytes: &'a [u8],
    /// Its path from the root of the repository.
    pub path: &'a str,
    /// The files around it; none where the pack came alone.
    pub tree: Option<&'a dyn Tree>,
}

/// What a run depends on besides the pack.
#[derive(Clone, Copy)]
pub struct LintOptions<'a> {
    /// The level of each lint; `Off` leaves it out.
    pub level: &'a dyn Fn(&Lint) -> Level,
    /// Names that the organization's runtimes provide.
    pub host_variables: &'a [String],
    /// Judges by this version instead of the declared one.
    pub spec: Option<SpecVersion>,
}

impl Default for LintOptions<'_> {
    fn default() -> Self {
        LintOptions { level: &|lint| lint.level, host_variables: &[], spec: None }
    }
}

/// What a run over one pack gave.
#[derive(Debug)]
pub struct Linted {
    /// The document, where the bytes are JSON.
    pub document: Option<Document>,
    /// The spec version that judged it; none where there is no document.
    pub declared: Option<Declared>,
    /// The findings, sorted by place, then rule.
    pub findings: Vec<Finding>,
}

/// Runs the lints over one pack.
pub fn lint(subject: Subject<'_>, options: LintOptions<'_>) -> Linted {
    let (document, problems) = Document::parse(subject.bytes);
    let (findings, declared) = {
        let text = Text { bytes: subject.bytes, problems: &problems, document: document.as_ref() };
        findings_of(&text, subject, options)
    };
    Linted { document, declared, findings }
}

fn findings_of(
    text: &Text<'_>,
    subject: Subject<'_>,
    options: LintOptions<'_>,
) -> (Vec<Finding>, Option<Declared>) {
    let facts = text.document.filter(|document| document.root().is_object()).map(|document| {
        Facts::new(document, subject.path, subject.tree, options.spec, options.host_variables)
    });
    let mut findings = Findings::new(text.document);
    for lint in LINTS.iter() {
        let level = (options.level)(lint);
        if level == Level::Off {
            continue;
        }
        findings.begin(lint, level);
        match (lint.check, &facts) {
            (Check::Text(check), _) => check(text, &mut findings),
            (Check::Pack(check), Some(facts)) => check(facts, &mut findings),
            (Check::Pack(_), None) | (Check::Registry, _) => {}
        }
    }
    if let (Some(document), None) = (text.document, &facts) {
        report_no_object(document, options, &mut findings);
    }
    let Some(facts) = facts else {
        return (findings.finish(&String::from_utf8_lossy(subject.bytes), ""), None);
    };
    // An object that lacks fields is still there, and so is an ambiguous media block.
    let stays = [SchemaProblemKind::MissingField, SchemaProblemKind::AmbiguousMedia];
    let refused = facts.schema_problems.iter().filter(|problem| !stays.contains(&problem.kind));
    let refused: BTreeSet<&str> = refused.map(|problem| problem.pointer.as_str()).collect();
    findings.retain(|lint, pointer| !is_shadowed(lint, pointer, &refused));
    let pack = facts.pack.id().unwrap_or_default();
    (findings.finish(facts.pack.document().text(), pack), Some(facts.declared))
}

/// What the schema refused counts as absent: other lints say nothing about that value or what lies below it.
fn is_shadowed(lint: &Lint, pointer: &Pointer, refused: &BTreeSet<&str>) -> bool {
    let semantic = matches!(lint.group, Group::Correctness | Group::Portability | Group::Style);
    let speaks_of_schema = matches!(lint.check, Check::Text(_)) || SCHEMA_COMPANIONS.contains(&lint.id);
    let pointer = pointer.as_str();
    let mut ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]).filter(|end| *end > 0);
    semantic && !speaks_of_schema && ends.any(|end| refused.contains(&pointer[..end]))
}

/// Lints that explain a schema break themselves and so stand at its place.
const SCHEMA_COMPANIONS: [&str; 3] = ["invalid-version", "ambiguous-media-config", "newer-spec-mismatch"];

/// A document that is no object holds no pack: the one thing to say of it.
fn report_no_object(document: &Document, options: LintOptions<'_>, findings: &mut Findings<'_>) {
    let Some(lint) = find_lint("schema-wrong-type") else { return };
    let level = (options.level)(lint);
    if level > Level::Off {
        findings.begin(lint, level);
        let root = document.root();
        findings.report(root, format!("the pack must be an object, not {}", root.json_type().with_article()));
    }
}
