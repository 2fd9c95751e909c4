//! Flags a budget of visits that the workflow cannot keep.

use super::budget;
use super::graph::Graph;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::Workflow;

pub(super) const LINT: Lint = Lint {
    id: "insufficient-budget",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "the budget of visits is too small for the workflow",
    why: "The run ends with an exhausted budget before it can reach an end, or before a state has used its own limit.",
    fix: "Raise `max_total_visits`.",
    example: r#""engine": { "budget": { "max_total_visits": 2 } }, "states": { "triage": { "max_visits": 5 } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    let Some(node) = budget(workflow).and_then(|budget| budget.get("max_total_visits")) else { return };
    let Some(total) = node.as_i64().filter(|total| *total > 0) else { return };
    let needed = visits_to_end(workflow);
    if let Some((needed, end)) = needed.filter(|(needed, _)| total < *needed) {
        findings
            .report(node, format!("the shortest way to the end `{end}` takes {needed} visits, not {total}"))
            .help(format!("allow at least {needed} visits"));
        return;
    }
    let limits =
        workflow.states().filter_map(|state| Some((state.get("max_visits")?.as_i64()?, state.name_key())));
    if let Some((limit, state)) = limits.max().filter(|(limit, _)| total < *limit) {
        findings
            .report(node, format!("`{state}` alone may be visited {limit} times, which exceeds {total}"))
            .help(format!("allow at least {limit} visits, or lower `max_visits`"));
    }
}

/// How many states stand on the shortest way from the entry to a terminal one, both included.
fn visits_to_end(workflow: Workflow<'_>) -> Option<(i64, &str)> {
    let graph = Graph::of(workflow);
    let entry = graph.position(workflow.text("entry")?)?;
    let order = graph.by_distance(entry);
    let nearest =
        order.into_iter().find(|(state, _)| graph.states()[*state].flag("terminal") == Some(true))?;
    Some((i64::try_from(nearest.1 + 1).ok()?, graph.states()[nearest.0].name_key()))
}
