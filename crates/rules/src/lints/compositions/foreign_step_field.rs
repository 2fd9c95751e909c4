//! Flags fields of a step that belong to another kind of step.

use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::SpecVersion;

pub(super) const LINT: Lint = Lint {
    id: "foreign-step-field",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a field that belongs to another kind of step",
    why: "Steps are open objects, so the schema lets it pass, and no runtime reads it: what it was meant to do does \
          not happen.",
    fix: "Remove the field, or change the `kind` of the step.",
    example: r#"{ "id": "reply", "kind": "prompt", "prompt_task": "reply", "tools": ["search"] }"#,
    check: Check::Pack(check),
};

/// The fields that only some kinds of steps have.
const FIELDS: [(&str, &[&str]); 13] = [
    ("prompt_task", &["prompt", "agent"]),
    ("input", &["prompt", "agent"]),
    ("output_schema", &["prompt", "agent"]),
    ("provider", &["prompt", "agent"]),
    ("termination", &["agent"]),
    ("tools", &["agent"]),
    ("tool", &["tool"]),
    ("args", &["tool"]),
    ("predicate", &["branch"]),
    ("then", &["branch"]),
    ("else", &["branch"]),
    ("branches", &["parallel"]),
    ("reduce", &["parallel"]),
];

const KINDS: [&str; 5] = ["prompt", "agent", "tool", "branch", "parallel"];

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let fields = FIELDS.iter().filter(|(field, _)| *field != "provider" || pack.spec() >= SpecVersion::V1_9);
    let fields: Vec<_> = fields.collect();
    for steps in compositions(pack) {
        for placed in steps.all() {
            let step = placed.step;
            let Some(kind) = step.kind().filter(|kind| KINDS.contains(kind)) else { continue };
            for (field, kinds) in fields.iter().filter(|(_, kinds)| !kinds.contains(&kind)) {
                let Some(value) = step.get(field) else { continue };
                let (id, owners) = (called(step), kinds.join(" and "));
                findings
                    .report_key(
                        value,
                        format!("`{field}` in step `{id}` is never read: the step is of kind `{kind}`"),
                    )
                    .help(format!("it belongs to steps of kind {owners}: remove it, or change the `kind`"));
            }
        }
    }
}
