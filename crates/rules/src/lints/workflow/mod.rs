//! Workflow (catalogue 3.10).

use pack::Node;
use pack::model::{State, Workflow};

use crate::lint::Lint;

mod conflicting_artifact;
mod conflicting_terminal;
mod cyclic_overflow;
mod graph;
mod ignored_state_field;
mod insufficient_budget;
mod missing_max_visits;
mod non_pascal_event;
mod stray_composition;
mod unbounded_cycle;
mod undeclared_composition;
mod undeclared_prompt;
mod undeclared_state;
mod unmarked_end_state;
mod unreachable_state;
mod unyielding_cycle;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &undeclared_state::LINT,
    &undeclared_prompt::LINT,
    &undeclared_composition::LINT,
    &stray_composition::LINT,
    &ignored_state_field::LINT,
    &unreachable_state::LINT,
    &unmarked_end_state::LINT,
    &conflicting_terminal::LINT,
    &missing_max_visits::LINT,
    &cyclic_overflow::LINT,
    &unbounded_cycle::LINT,
    &unyielding_cycle::LINT,
    &insufficient_budget::LINT,
    &conflicting_artifact::LINT,
    &non_pascal_event::LINT,
];

/// The cycles of states that the agent controls and that no run leaves, each in the order of names.
pub(crate) fn unyielding_cycles(workflow: Workflow<'_>) -> Vec<Vec<State<'_>>> {
    let graph = graph::Graph::of(workflow);
    let states = |cycle: Vec<usize>| cycle.into_iter().map(|position| graph.states()[position]).collect();
    unyielding_cycle::unyielding(&graph).into_iter().map(states).collect()
}

/// Whether the workflow has that state; where `states` is absent, empty or no map, the schema says so.
fn declares_state(workflow: Workflow<'_>, name: &str) -> bool {
    workflow
        .get("states")
        .is_none_or(|states| !states.is_object() || states.is_empty() || states.get(name).is_some())
}

/// The limits of a whole run.
fn budget(workflow: Workflow<'_>) -> Option<Node<'_>> {
    workflow.get("engine")?.get("budget")
}

/// Whether a run may come back to this state without limit and without the caller.
fn may_repeat(state: State<'_>) -> bool {
    state.get("max_visits").is_none()
        && state.flag("terminal") != Some(true)
        && state.orchestration() != "external"
}

/// Whether the agent goes on by itself after this state (1.7).
fn is_of_agent(state: State<'_>) -> bool {
    state.text("control") == Some("agent")
}
