//! Flags metric labels that Prometheus does not allow.

use super::evals;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "invalid-metric-label",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a metric label is not a name that Prometheus allows",
    why: "PromptKit refuses the metric, and Prometheus would refuse its samples.",
    fix: "Use letters, digits and `_`, no digit first and not `__` at the start.",
    example: r#""labels": { "customer-tier": "gold" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for labels in evals(pack).filter_map(|eval| eval.get("metric")?.get("labels")) {
        for (name, node) in labels.members().filter(|(name, _)| !is_label(name)) {
            findings.report_key(node, message(name)).help(HELP);
        }
        for node in labels.items() {
            if let Some(name) = node.as_str().filter(|name| !is_label(name)) {
                findings.report(node, message(name)).help(HELP);
            }
        }
    }
}

const HELP: &str = "use letters, digits and `_`, no digit first and not `__` at the start";

fn message(name: &str) -> String {
    format!("`{name}` is no label that Prometheus allows")
}

fn is_label(name: &str) -> bool {
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well
        && !name.starts_with("__")
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
