//! Flags terms with a prefix that nothing declares.

use std::collections::BTreeSet;

use super::{Effective, is_prefix};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::Governance;
use pack::similar::Guesser;
use pack::{Node, Span};

pub(super) const LINT: Lint = Lint {
    id: "undeclared-prefix",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a term has a prefix that `vocabularies` does not declare",
    why: "Readers and tools cannot tell which vocabulary the term is from.",
    fix: "Declare the prefix under `vocabularies`, or correct it.",
    example: r#""risk_classification": "eu-aiac:HighRisk""#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let mut of_pack = BTreeSet::new();
    for effective in Effective::all(pack) {
        let vocabularies = effective.get("vocabularies");
        let declared: BTreeSet<&str> =
            vocabularies.into_iter().flat_map(Node::members).map(|(prefix, _)| prefix).collect();
        for term in terms(effective.own) {
            check_term(term, &declared, &guesser, findings);
        }
        if effective.is_of_pack {
            of_pack = declared;
        }
    }
    for scope in pack.pack.tools().filter_map(|tool| tool.get("action_scope")) {
        for class in scope.list("data_classes") {
            check_term(class, &of_pack, &guesser, findings);
        }
    }
}

fn terms(governance: Governance<'_>) -> Vec<Node<'_>> {
    let mut terms: Vec<Node<'_>> = ["operator_role", "risk_classification"]
        .iter()
        .filter_map(|field| governance.get(field))
        .chain(governance.list("intended_deployment_contexts"))
        .chain(governance.list("capabilities"))
        .collect();
    for obligation in governance.list("obligations") {
        terms.extend(obligation.get("obligation"));
        terms.extend(obligation.map("applies_to").map(|(_, term)| term));
    }
    terms.extend(governance.list("reviews").filter_map(|review| review.get("type")));
    terms
}

fn check_term(node: Node<'_>, declared: &BTreeSet<&str>, guesser: &Guesser, findings: &mut Findings<'_>) {
    let Some(prefix) = node.as_str().and_then(prefix_of) else { return };
    if !declared.contains(prefix) && !WELL_KNOWN.contains(&prefix) {
        let near = guesser.closest(prefix, declared.iter().copied().chain(WELL_KNOWN));
        findings
            .report_part(node, Span::new(0, prefix.len()), format!("nothing declares the prefix `{prefix}`"))
            .help("declare it under `vocabularies`")
            .suggest(near);
    }
}

/// The prefix of a term `prefix:name`; none of an address, and none of prose.
fn prefix_of(term: &str) -> Option<&str> {
    const SCHEMES: [&str; 8] = ["http", "https", "urn", "did", "tag", "mailto", "data", "info"];
    let (prefix, name) = term.split_once(':')?;
    let is_address = name.starts_with("//") || SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(prefix));
    let is_term = is_prefix(prefix) && !is_address && !term.contains(char::is_whitespace);
    is_term.then_some(prefix)
}

/// Prefixes that need no declaration.
const WELL_KNOWN: [&str; 16] = [
    "dpv",
    "eu-aiact",
    "ai",
    "pd",
    "risk",
    "tech",
    "legal-eu-gdpr",
    "legal-us",
    "sector-health",
    "sector-finance",
    "sector-education",
    "sector-law",
    "sector-publicservices",
    "sector-infra",
    "hipaa",
    "pp",
];
