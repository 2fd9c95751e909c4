//! Flags an output that names a step without an output of its own.

use super::compositions;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "invalid-output-step",
    group: Group::Correctness,
    level: Level::Error,
    summary: "the output of a composition is a branch or a step inside a parallel",
    why: "A branch gives no value, and what runs inside a parallel step is seen through that step alone, so the \
          composition ends without a result.",
    fix: "Name a step that gives a value: for a step inside a parallel, the parallel itself.",
    example: r#""output": "route", "steps": [{ "id": "route", "kind": "branch" }]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for steps in compositions(pack) {
        let Some(node) = steps.composition.get("output") else { continue };
        let Some(id) = node.as_str() else { continue };
        let Some(placed) = steps.find(id).map(|index| steps.all()[index]) else { continue };
        if placed.step.kind() == Some("branch") {
            findings
                .report(node, format!("`output` names `{id}`, a branch, which gives no value"))
                .help("name the step whose value is the result, for instance one that joins both sides");
        } else if let Some(parallel) = placed.parallel {
            let outer = steps.id(parallel);
            findings
                .report(node, format!("`output` names `{id}`, which runs inside the parallel step `{outer}`"))
                .help(format!("name `{outer}`, which holds the merged values"));
        }
    }
}
