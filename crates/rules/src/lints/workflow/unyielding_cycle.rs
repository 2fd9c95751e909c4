//! Flags cycles that the agent controls and that never let go.

use super::graph::Graph;
use super::{is_of_agent, may_repeat};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::SpecVersion;

pub(super) const LINT: Lint = Lint {
    id: "unyielding-cycle",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "agent-controlled states form a cycle with no way to the user or to an end",
    why: "The run never comes back: no user gets a turn, and nothing completes.",
    fix: "Add a transition to an end or to a state that the user controls, or give a state `max_visits`.",
    example: r#""plan": { "control": "agent", "on_event": { "Planned": "plan" } }"#,
    check: Check::Pack(check),
};

/// The cycles of states that the agent controls and that no run leaves, each as positions in the graph.
pub(super) fn unyielding(graph: &Graph<'_>) -> Vec<Vec<usize>> {
    let yields = graph.can_yield();
    let cycles = graph.cycles(|state| may_repeat(state) && is_of_agent(state));
    cycles.into_iter().filter(|cycle| !yields[cycle[0]]).collect()
}

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    if pack.spec() < SpecVersion::V1_7 {
        return;
    }
    let graph = Graph::of(workflow);
    for cycle in unyielding(&graph) {
        let names = graph.names(&cycle);
        let message = match &cycle[..] {
            [_] => format!("{names} follows itself and never comes back to the user or to an end"),
            _ => format!("{names} form a cycle that never comes back to the user or to an end"),
        };
        findings
            .report_key(graph.states()[cycle[0]].0, message)
            .help("add a transition to an end or to a state that the user controls, or set `max_visits`");
    }
}
