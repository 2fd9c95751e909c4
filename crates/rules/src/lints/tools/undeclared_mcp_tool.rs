//! Flags names of MCP tools, and wildcards, that match nothing in the pack.

use std::collections::BTreeSet;

use super::termination_tool;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "undeclared-mcp-tool",
    group: Group::Portability,
    level: Level::Info,
    summary: "an MCP tool or wildcard matches no tool of the pack",
    why: "Such a tool works where somebody configured the server, say on the machine of the author, and is missing after the deploy.",
    fix: "Declare the tool under `tools`, so that whoever deploys the pack sees that it is needed.",
    example: r#""tools": ["mcp__crm__*"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let declared: BTreeSet<&str> = pack.keys("tools").collect();
    let listed = pack.prompts().iter().flat_map(|prompt| prompt.prompt.tools());
    for (name, node) in listed.chain(pack.pack.all_steps().filter_map(termination_tool)) {
        let matched = match name.strip_suffix('*') {
            Some(start) if may_be_mcp(pack, start) => {
                declared.range(start..).next().is_some_and(|tool| tool.starts_with(start))
            }
            None if name.starts_with("mcp__") => declared.contains(name),
            _ => true,
        };
        if !matched {
            findings
                .report(node, format!("`{name}` matches no tool of the pack"))
                .help("declare it under `tools`: it is missing wherever no host brings that server");
        }
    }
}

/// Whether tools that start so come from a server and not from the runtime itself.
fn may_be_mcp(pack: &Facts<'_>, start: &str) -> bool {
    start.starts_with("mcp__") || !pack.may_supply_tool(start)
}
