//! Flags ranges whose lower end is over the upper one.

use pack::Node;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "inverted-range",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a range whose lower end is over the upper one",
    why: "Nothing lies in such a range: dashboards scale by it and budgets are planned with it.",
    fix: "Swap the two ends, or correct the average.",
    example: r#""range": { "min": 5, "max": 1 }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let evals = pack.pack.evals().chain(pack.pack.prompts().flat_map(|prompt| prompt.evals()));
    for range in evals.filter_map(|eval| eval.get("metric")?.get("range")) {
        report_first(range, &[("min", "max")], findings);
    }
    if let Some(cost) = pack.pack.metadata().and_then(|metadata| metadata.get("cost_estimate")) {
        let ordered = [
            ("min_cost_usd", "max_cost_usd"),
            ("min_cost_usd", "avg_cost_usd"),
            ("avg_cost_usd", "max_cost_usd"),
        ];
        report_first(cost, &ordered, findings);
    }
}

/// Reports the first pair whose lower end is over the upper one.
fn report_first(range: Node<'_>, pairs: &[(&str, &str)], findings: &mut Findings<'_>) {
    for (lower, upper) in pairs {
        let (Some(least), Some(most)) = (range.get(lower), range.get(upper)) else { continue };
        if least.as_f64().zip(most.as_f64()).is_some_and(|(least, most)| least > most) {
            let message = format!("`{lower}` {} is over `{upper}` {}", least.source(), most.source());
            findings.report(least, message);
            return;
        }
    }
}
