//! Flags steps of a vendor's kind.

use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::SpecVersion;

pub(super) const LINT: Lint = Lint {
    id: "vendor-step-kind",
    group: Group::Portability,
    level: Level::Info,
    summary: "a step of a vendor's kind",
    why: "Only runtimes of that vendor know what the step does; others refuse the composition.",
    fix: "Nothing, where the pack runs there alone; else use one of the five kinds of the specification.",
    example: r#"{ "id": "judge", "kind": "omnia.judge" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    if pack.spec() < SpecVersion::V1_8 {
        return;
    }
    for steps in compositions(pack) {
        for placed in steps.all() {
            let Some(node) = placed.step.get("kind") else { continue };
            let Some((vendor, _)) = node.as_str().and_then(|kind| kind.split_once('.')) else { continue };
            let step = called(placed.step);
            findings
                .report(node, format!("step `{step}` runs only in runtimes that know the kinds of `{vendor}`"))
                .help("use one of `prompt`, `agent`, `tool`, `branch`, `parallel` where the pack runs elsewhere too");
        }
    }
}
