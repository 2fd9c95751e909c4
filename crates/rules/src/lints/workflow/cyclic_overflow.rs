//! Flags `on_max_visits` transitions that lead in a circle.

use super::graph::Graph;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "cyclic-overflow",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "`on_max_visits` transitions form a cycle",
    why: "When the limits are used up, each state sends the run to the next one, and none can be entered.",
    fix: "Let one of them lead to a state without limit.",
    example: r#""review": { "max_visits": 3, "on_max_visits": "review" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    let graph = Graph::of_overflows(workflow);
    for cycle in graph.cycles(|_| true) {
        let first = graph.states()[cycle[0]];
        let Some(overflow) = first.get("on_max_visits") else { continue };
        let message = if cycle.len() == 1 {
            format!("`on_max_visits` of `{}` leads back to itself", first.name_key())
        } else {
            format!("`on_max_visits` of {} lead in a circle", graph.names(&cycle))
        };
        findings.report(overflow, message).help("let one of them lead to a state without limit");
    }
}
