//! Flags states that no path leads to.

use super::graph::Graph;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unreachable-state",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "no path leads to a state",
    why: "Its prompt never runs: a transition is missing, or the state is a leftover.",
    fix: "Add a transition that leads there, or remove the state.",
    example: r#""entry": "triage", "states": { "triage": { "terminal": true }, "closing": { "terminal": true } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    let Some(entry) = workflow.text("entry").filter(|entry| workflow.state(entry).is_some()) else { return };
    let graph = Graph::of(workflow);
    let reached = graph.reachable(&graph.entrances(pack));
    // A transition to a state that does not exist was meant to lead somewhere.
    if reached.iter().zip(graph.leads_nowhere()).any(|(reached, open)| *reached && *open) {
        return;
    }
    for (state, _) in graph.states().iter().zip(&reached).filter(|(_, reached)| !**reached) {
        findings
            .report_key(state.0, format!("no path leads from the entry `{entry}` to `{}`", state.name_key()))
            .help("add a transition that leads there, or remove the state");
    }
}
