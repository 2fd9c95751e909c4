//! Flags tools that a prompt lists and blocks.

use std::collections::BTreeSet;

use super::blocked;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "blocked-tool",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a prompt lists a tool that its own blocklist forbids",
    why: "The blocklist wins, so the entry in the list is dead and readers are misled about what the prompt can do.",
    fix: "Remove the tool from one of the two lists.",
    example: r#""tools": ["cancel_order"], "tool_policy": { "blocklist": ["cancel_order"] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for prompt in pack.prompts() {
        let blocked: BTreeSet<&str> = blocked(prompt.prompt).map(|(name, _)| name).collect();
        for (name, node) in prompt.prompt.tools().filter(|(name, _)| blocked.contains(name)) {
            findings
                .report(node, format!("`{name}` is listed here and blocked by `tool_policy`"))
                .help("remove it from one of the two lists; as it stands, the blocklist wins");
        }
    }
}
