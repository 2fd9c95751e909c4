//! Flags agents that start at a state of another prompt.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "mismatched-agent-prompt",
    group: Group::Correctness,
    level: Level::Info,
    summary: "the key of an agent differs from the prompt of its state",
    why: "The agent card describes one prompt, and a call runs another one.",
    fix: "Point `state` at a state that runs the prompt of the member, or rename the member.",
    example: r#""members": { "billing": { "state": "triage" } }, "states": { "triage": { "prompt_task": "triage" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let Some(workflow) = pack.pack.workflow() else { return };
    for agent in pack.pack.agents().into_iter().flat_map(|agents| agents.members()) {
        let Some((key, node)) = agent.key().zip(agent.get("state")) else { continue };
        let Some(state) = node.as_str().and_then(|name| workflow.state(name)) else { continue };
        let Some(task) = state.text("prompt_task") else { continue };
        let both_exist = pack.declares("prompts", key) && pack.declares("prompts", task);
        if task != key && both_exist && state.orchestration() != "composition" {
            let message =
                format!("the agent `{key}` starts at `{}`, which runs the prompt `{task}`", state.name_key());
            findings.report(node, message).help("name a state that runs the prompt of the agent");
        }
    }
}
