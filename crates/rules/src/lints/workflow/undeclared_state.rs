//! Flags names of states that the workflow does not have.

use super::declares_state;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-state",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a state is named that the workflow does not have",
    why: "The transition leads nowhere: the runtime refuses the workflow, or stops when it gets there.",
    fix: "Declare the state under `workflow.states`, or correct its name.",
    example: r#""on_event": { "Resolved": "closng" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    if let Some(workflow) = pack.pack.workflow() {
        let states = workflow.states();
        let targets = states
            .flat_map(|state| state.events().map(|(_, _, target)| target).chain(state.get("on_max_visits")));
        for target in workflow.get("entry").into_iter().chain(targets) {
            require(pack, target, &guesser, findings);
        }
    }
    for agent in pack.pack.agents().into_iter().flat_map(|agents| agents.members()) {
        if let Some(state) = agent.get("state") {
            require(pack, state, &guesser, findings);
        }
    }
}

fn require(pack: &Facts<'_>, target: Node<'_>, guesser: &Guesser, findings: &mut Findings<'_>) {
    let Some(name) = target.as_str() else { return };
    let Some(workflow) = pack.pack.workflow() else {
        if pack.pack.get("workflow").is_none() {
            findings
                .report(target, format!("the state `{name}` is named, but the pack has no workflow"))
                .help("add a `workflow` that has this state, or remove `state`");
        }
        return;
    };
    if !declares_state(workflow, name) {
        let states = workflow.states().map(|state| state.name_key());
        findings
            .report(target, format!("the workflow has no state `{name}`"))
            .help("declare it under `workflow.states`")
            .suggest_for(target, guesser.closest(name, states));
    }
}
