//! Flags blocklist entries that are no tool.

use std::collections::BTreeSet;

use super::blocked;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-blocked-tool",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "a blocklist names a tool that the pack does not declare",
    why: "The entry blocks nothing; if it is misspelled, the tool that was meant stays available.",
    fix: "Correct the name, or remove the entry.",
    example: r#""tool_policy": { "blocklist": ["delete_ordr"] }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for prompt in pack.prompts() {
        let listed: BTreeSet<&str> = prompt.prompt.tools().map(|(name, _)| name).collect();
        for (name, node) in blocked(prompt.prompt) {
            // A blocked tool that the prompt lists has a finding where it is listed.
            if !listed.contains(name) && !pack.declares("tools", name) && !pack.may_supply_tool(name) {
                findings
                    .report(node, format!("the blocklist names `{name}`, which is no tool of the pack"))
                    .help("remove the entry, or declare the tool under `tools`")
                    .suggest_for(node, guesser.closest(name, pack.keys("tools")));
            }
        }
    }
}
