//! Flags cycles of states that nothing bounds.

use super::graph::Graph;
use super::{budget, is_of_agent, may_repeat};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::SpecVersion;

pub(super) const LINT: Lint = Lint {
    id: "unbounded-cycle",
    group: Group::Correctness,
    level: Level::Info,
    summary: "a cycle of states has no limit",
    why: "A run can go round for ever, and each round costs model calls.",
    fix: "Give a state of the cycle `max_visits`, or the workflow an `engine.budget`.",
    example: r#""test": { "on_event": { "Failed": "fix" } }, "fix": { "on_event": { "Fixed": "test" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    if pack.spec() < SpecVersion::V1_4 || budget(workflow).is_some_and(|budget| !budget.is_empty()) {
        return;
    }
    let graph = Graph::of(workflow);
    // From 1.7 on the user gets a turn in every state that the agent does not control.
    let has_control = pack.spec() >= SpecVersion::V1_7;
    let yields = graph.can_yield();
    for cycle in graph.cycles(|state| may_repeat(state) && (!has_control || is_of_agent(state))) {
        if has_control && !yields[cycle[0]] {
            continue;
        }
        let message = match &cycle[..] {
            [_] => format!("{} can follow itself without limit", graph.names(&cycle)),
            _ => format!("{} form a cycle without limit", graph.names(&cycle)),
        };
        findings
            .report_key(graph.states()[cycle[0]].0, message)
            .help("give one of them `max_visits`, or the workflow an `engine.budget`");
    }
}
