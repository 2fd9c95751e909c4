//! Flags compositions that no state runs.

use std::collections::BTreeSet;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "unused-composition",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a composition that no state runs",
    why: "A composition is reached through a workflow state alone; without one its steps never run.",
    fix: "Name it in a state with `orchestration: composition`, or remove it.",
    example: r#""compositions": { "triage": { "version": 1, "steps": [] } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    let run = states.filter_map(|state| state.text("composition"));
    // A misspelled name is `undeclared-composition`; what it was meant to run counts as run.
    let meant = |name| {
        if pack.declares("compositions", name) {
            Some(name)
        } else {
            guesser.closest(name, pack.keys("compositions"))
        }
    };
    let run: BTreeSet<&str> = run.filter_map(meant).collect();
    for composition in pack.pack.compositions() {
        let Some(key) = composition.key().filter(|key| !run.contains(key)) else { continue };
        findings.report_key(composition.0, format!("no workflow state runs composition `{key}`")).help(
            format!("add a state with `orchestration: composition` and `composition: {key}`, or remove it"),
        );
    }
}
