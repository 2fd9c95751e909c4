//! Flags steps that follow a parallel or a branch without saying what they wait for.

use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "missing-join",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a step after a parallel or a branch does not say what it waits for",
    why: "The specification asks for `depends_on` at a join. Without it runtimes guess: the step runs too early, \
          waits for a side that never runs, or runs on one side only.",
    fix: "List under `depends_on` the steps whose ways meet here.",
    example: r#"[{ "id": "gather", "kind": "parallel" }, { "id": "reply", "kind": "prompt" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    // A misspelled target is `undeclared-step`, which explains more.
    for steps in compositions(pack).filter(|steps| !steps.has_unknown_names()) {
        for placed in steps.all() {
            let Some(before) = steps.unstated_join(placed) else { continue };
            let (step, id) = (called(placed.step), called(before.step));
            let what = match before.step.kind() {
                Some("parallel") => format!("the parallel step `{id}`"),
                Some("branch") => format!("the branch `{id}`"),
                _ => format!("`{id}`, one side of a branch,"),
            };
            let message = format!("step `{step}` follows {what} without `depends_on`");
            let name = placed.step.get("id").unwrap_or(placed.step.0);
            findings
                .report(placed.step.0, message)
                .at(name.span())
                .help("list the steps whose ways meet here under `depends_on`");
        }
    }
}
