//! Flags names that the runtime keeps for its own tools.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "reserved-name",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a composition or tool has the name of a workflow tool",
    why: "The runtime adds a tool of that name to every workflow, so calls reach the wrong one or the pack does not load.",
    fix: "Choose another name.",
    example: r#""compositions": { "workflow__transition": {} }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let has_workflow = pack.pack.get("workflow").is_some();
    let tools = pack.pack.map("tools").filter(|_| has_workflow);
    for (name, node) in pack.pack.map("compositions").chain(tools) {
        if matches!(name, "workflow__transition" | "workflow__set_artifact") {
            findings
                .report_key(node, format!("`{name}` is a tool that the workflow itself brings"))
                .help("choose another name");
        }
    }
}
