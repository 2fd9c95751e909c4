//! Flags branches and parallels inside a parallel.

use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "nested-parallel",
    group: Group::Portability,
    level: Level::Warn,
    summary: "a branch or parallel step inside a parallel step",
    why: "The schema allows it, PromptKit runs prompt, agent and tool steps there alone and fails on \
          anything else.",
    fix: "Move the step to the top level, or put its work into a composition of its own.",
    example: r#"{ "kind": "parallel", "branches": [{ "id": "route", "kind": "branch" }] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        for placed in steps.all() {
            let (Some(parallel), Some(kind)) = (placed.parallel, placed.step.get("kind")) else { continue };
            let Some(name) = kind.as_str().filter(|kind| matches!(*kind, "branch" | "parallel")) else {
                continue;
            };
            let (step, outer) = (called(placed.step), steps.id(parallel));
            let message = format!(
                "step `{step}` is a {name} inside the parallel step `{outer}`, which PromptKit cannot run"
            );
            findings
                .report(kind, message)
                .help("move it to the top level, before or after the parallel step");
        }
    }
}
