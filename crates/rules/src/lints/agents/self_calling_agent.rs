//! Flags agents whose prompt lists the agent itself as a tool.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "self-calling-agent",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "an agent lists itself as a tool",
    why: "The agent can call itself again and again, each time with a fresh conversation.",
    fix: "Remove the entry, or name the agent that was meant.",
    example: r#""members": { "billing": {} }, "prompts": { "billing": { "tools": ["billing"] } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for agent in pack.pack.agents().into_iter().flat_map(|agents| agents.members()) {
        let Some(key) = agent.key().filter(|key| !pack.declares("tools", key)) else { continue };
        let tools = pack.pack.prompt(key).into_iter().flat_map(|prompt| prompt.tools());
        for (_, node) in tools.filter(|(name, _)| *name == key) {
            findings
                .report(node, format!("the agent `{key}` lists itself as a tool"))
                .help("remove the entry, or name the agent that was meant");
        }
    }
}
