//! Flags comparisons whose value the operator cannot use.

use super::{called, compositions, predicates};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::{JsonType, Node};

pub(super) const LINT: Lint = Lint {
    id: "mismatched-predicate-value",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a comparison with a value that its operator cannot use",
    why: "`in` and `not_in` look into a list, and the ordered operators compare numbers: with anything else the \
          step fails when it runs.",
    fix: "Write a list for `in` and `not_in`, and a number for the ordered operators.",
    example: r#"{ "path": "${rate.output.score}", "op": "less_than", "value": "0.8" }"#,
    check: Check::Pack(check),
};

const ORDERED: [&str; 4] = ["less_than", "less_than_or_equals", "greater_than", "greater_than_or_equals"];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        for placed in steps.all() {
            for predicate in predicates(placed.step) {
                check_value(called(placed.step), predicate, findings);
            }
        }
    }
}

fn check_value(step: &str, predicate: Node<'_>, findings: &mut Findings<'_>) {
    let (Some(operator), Some(value)) = (predicate.text("op"), predicate.get("value")) else { return };
    let (needed, fits) = match operator {
        "in" | "not_in" => ("a list", value.is_array()),
        _ if ORDERED.contains(&operator) => ("a number", value.json_type() == JsonType::Number),
        _ => return,
    };
    if !fits {
        let found = value.json_type();
        findings
            .report(
                value,
                format!(
                    "`{operator}` in step `{step}` compares with {needed}, but the value is of type {found}"
                ),
            )
            .help(format!("write {needed}"));
    }
}
