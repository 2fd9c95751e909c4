//! Flags agents that neither describe themselves nor have a described prompt.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "missing-agent-description",
    group: Group::Style,
    level: Level::Info,
    summary: "an agent has no description",
    why: "Other agents and registries choose an agent by the description in its card.",
    fix: "Describe the member, or its prompt.",
    example: r#""members": { "billing": { "tags": ["billing"] } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for agent in pack.pack.agents().into_iter().flat_map(|agents| agents.members()) {
        let Some(key) = agent.key() else { continue };
        let Some(prompt) = pack.pack.prompt(key) else { continue };
        if agent.get("description").is_none() && prompt.get("description").is_none() {
            findings
                .report_key(agent.0, format!("neither the agent `{key}` nor its prompt has a description"))
                .help("describe what the agent does: its card shows that");
        }
    }
}
