//! Flags states that run a composition which the pack does not have.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-composition",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a state runs a composition that the pack does not have",
    why: "The state has nothing to run, so the workflow stops there.",
    fix: "Declare the composition under `compositions`, or correct its name.",
    example: r#"{ "orchestration": "composition", "composition": "intak" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    for state in states.filter(|state| state.orchestration() == "composition") {
        let Some(node) = state.get("composition") else { continue };
        let Some(name) = node.as_str().filter(|name| !pack.declares("compositions", name)) else { continue };
        findings
            .report(node, format!("the pack has no composition `{name}`"))
            .help("declare it under `compositions`")
            .suggest_for(node, guesser.closest(name, pack.keys("compositions")));
    }
}
