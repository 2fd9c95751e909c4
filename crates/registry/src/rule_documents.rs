//! What the rules say of themselves, as documents: the same for `packhouse rules` and the API.

use rules::{CHANGES, ChangeRule, LINTS, Lint, Profile, cases, find_change, find_lint, verdict_level};
use serde_json::{Value, json};

use crate::gate::{GATE_RULES, find_gate_rule};

/// Every lint, then every change rule, in the order of their catalogues, then the rules of the gate.
pub fn all() -> Vec<Value> {
    let lints = LINTS.iter().map(|lint| of_lint(lint));
    let changes = CHANGES.iter().map(|rule| of_change(rule));
    lints.chain(changes).chain(GATE_RULES.iter().map(|rule| json!(rule))).collect()
}

/// One rule.
pub fn one(id: &str) -> Option<Value> {
    let lint = find_lint(id).map(of_lint);
    let change = || find_change(id).map(of_change);
    lint.or_else(change).or_else(|| find_gate_rule(id).map(|rule| json!(rule)))
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
    let cases: Vec<Value> =
        cases(rule.id).map(|case| json!({ "bumps": case.bumps, "when": case.when })).collect();
    let mut document = json!({
        "id": rule.id,
        "kind": "change",
        "bumps": rule.bumps,
        "cases": cases,
        "suggest": rule.suggest,
        "class": rule.class,
        "certainty": rule.certainty,
        "affected": rule.affected,
        "safety": rule.safety,
        "governance": rule.governance,
        "summary": rule.summary,
        "why": rule.why,
        "fix": rule.fix,
    });
    let level = |profile| verdict_level(rule.id, profile);
    if let (Some(wire), Some(contract), Some(strict)) =
        (level(Profile::Wire), level(Profile::Contract), level(Profile::Strict))
    {
        document["levels"] = json!({ "wire": wire, "contract": contract, "strict": strict });
    }
    document
}
