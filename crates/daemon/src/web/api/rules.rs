//! `/v1/rules`: what the rules say of themselves.

use serde_json::{Value, json};

use registry::gate::{GATE_RULES, find_gate_rule};
use rules::{CHANGES, ChangeRule, LINTS, Lint, find_change, find_lint};

use crate::web::answer::Answer;
use crate::web::problem::{Kind, Problem};
use crate::web::target::Names;

/// Every lint, then every change rule, in the order of their catalogues, then the rules of the gate.
pub(crate) async fn list() -> Result<Answer, Problem> {
    let lints = LINTS.iter().map(|lint| of_lint(lint));
    let rules: Vec<Value> = lints
        .chain(CHANGES.iter().map(|rule| of_change(rule)))
        .chain(GATE_RULES.iter().map(|rule| json!(rule)))
        .collect();
    Answer::json(&json!({"rules": rules}))
}

/// One rule.
pub(crate) async fn one(names: Names) -> Result<Answer, Problem> {
    let id = names.get("id");
    let lint = find_lint(id).map(of_lint);
    let rule = lint.or_else(|| find_change(id).map(of_change));
    let rule = rule.or_else(|| find_gate_rule(id).map(|rule| json!(rule))).ok_or_else(|| not_found(id))?;
    Answer::json(&rule)
}

/// The answer for an id that no rule has.
pub(crate) fn not_found(id: &str) -> Problem {
    Problem::new(Kind::RuleNotFound, format!("no rule is called `{id}`"))
}

fn of_lint(lint: &Lint) -> Value {
    json!({
        "id": lint.id,
        "kind": "lint",
        "group": lint.group,
        "level": lint.level,
        "summary": lint.summary,
        "why": lint.why,
        "fix": lint.fix,
        "example": lint.example,
    })
}

fn of_change(rule: &ChangeRule) -> Value {
    json!({
        "id": rule.id,
        "kind": "change",
        "bumps": rule.bumps,
        "suggest": rule.suggest,
        "class": rule.class,
        "certainty": rule.certainty,
        "affected": rule.affected,
        "safety": rule.safety,
        "summary": rule.summary,
        "why": rule.why,
        "fix": rule.fix,
    })
}
