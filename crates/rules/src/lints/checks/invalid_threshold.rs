//! Flags thresholds that cannot be compared with.

use super::evals;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::model::Eval;

pub(super) const LINT: Lint = Lint {
    id: "invalid-threshold",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a threshold lacks a part, or lies outside the range of its metric",
    why: "The eval passes always or never, whatever the score is.",
    fix: "Give both `operator` and `value`, and keep the value inside the range.",
    example: r#""threshold": { "operator": "gte", "value": 8 }, "metric": { "range": { "min": 1, "max": 5 } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for eval in evals(pack) {
        let Some(threshold) = eval.get("threshold").filter(|threshold| threshold.is_object()) else {
            continue;
        };
        let missing = match (threshold.get("operator"), threshold.get("value")) {
            (Some(_), Some(value)) => {
                check_range(eval, value, findings);
                continue;
            }
            (None, Some(_)) => "`operator`",
            (Some(_), None) => "`value`",
            (None, None) => "`operator` and `value`",
        };
        findings
            .report(threshold, format!("the threshold lacks {missing}"))
            .help("a threshold compares the score with `value` by `operator`");
    }
}

fn check_range(eval: Eval<'_>, value: Node<'_>, findings: &mut Findings<'_>) {
    let Some(range) = eval.get("metric").and_then(|metric| metric.get("range")) else { return };
    let Some(number) = value.as_f64() else { return };
    let bound = |key: &str| range.get(key).and_then(Node::as_f64);
    let (least, most) = (bound("min"), bound("max"));
    if let Some(least) = least.filter(|least| number < *least) {
        findings
            .report(value, format!("the threshold {number} is below the least value {least} of the metric"))
            .help("choose a value inside `metric.range`");
    } else if let Some(most) = most.filter(|most| number > *most) {
        findings
            .report(value, format!("the threshold {number} is above the greatest value {most} of the metric"))
            .help("choose a value inside `metric.range`");
    }
}
