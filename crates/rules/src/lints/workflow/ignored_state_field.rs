//! Flags fields of a state that no runtime reads there.

use super::graph::Graph;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::SpecVersion;
use pack::model::Workflow;

pub(super) const LINT: Lint = Lint {
    id: "ignored-state-field",
    group: Group::Correctness,
    level: Level::Info,
    summary: "a state has a field that no runtime reads there",
    why: "Readers believe that it has an effect.",
    fix: "Remove the field.",
    example: r#"{ "orchestration": "composition", "composition": "intake", "prompt_task": "triage" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    for state in workflow.states().filter(|state| state.orchestration() == "composition") {
        if let Some(task) = state.get("prompt_task") {
            findings
                .report_key(task, "`prompt_task` is not used by a state that runs a composition")
                .help("remove it");
        }
    }
    if pack.spec() >= SpecVersion::V1_7 {
        check_control(pack, workflow, findings);
    }
}

/// An external state hands control to the caller, who then enters the next state.
fn check_control(pack: &Facts<'_>, workflow: Workflow<'_>, findings: &mut Findings<'_>) {
    let graph = Graph::of(workflow);
    let entrances = graph.entrances(pack);
    let sources = graph.sources();
    for (position, state) in graph.states().iter().enumerate() {
        let Some(control) = state.get("control").filter(|control| control.as_str() == Some("agent")) else {
            continue;
        };
        let from = &sources[position];
        let only_external = from.iter().all(|source| graph.states()[*source].orchestration() == "external");
        if !from.is_empty() && only_external && !entrances.contains(&position) {
            findings
                .report_key(control, "`control: agent` has no effect: only external states lead here")
                .help("remove it: under external orchestration the caller has control");
        }
    }
}
