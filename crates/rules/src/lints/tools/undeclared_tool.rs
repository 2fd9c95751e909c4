//! Flags names of tools that the pack does not declare.

use super::termination_tool;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-tool",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a tool is named that the pack does not declare",
    why: "The runtime finds no definition under that name: the pack does not load, or the model never gets the tool.",
    fix: "Declare the tool under `tools`, or correct its name.",
    example: r#""tools": ["lookup_ordr"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for prompt in pack.prompts() {
        for (name, node) in prompt.prompt.tools().filter(|(name, _)| !pack.may_supply_tool(name)) {
            require(pack, name, node, &guesser, findings);
        }
    }
    for step in pack.pack.all_steps() {
        match step.kind() {
            Some("agent") => {
                for (name, node) in step.texts("tools") {
                    require(pack, name, node, &guesser, findings);
                }
                let end = termination_tool(step).filter(|(name, _)| !pack.may_supply_tool(name));
                if let Some((name, node)) = end {
                    require(pack, name, node, &guesser, findings);
                }
            }
            Some("tool") => {
                if let Some((name, node)) = step.get("tool").and_then(|node| Some((node.as_str()?, node))) {
                    require(pack, name, node, &guesser, findings);
                }
            }
            _ => {}
        }
    }
}

fn require(pack: &Facts<'_>, name: &str, node: Node<'_>, guesser: &Guesser, findings: &mut Findings<'_>) {
    if pack.declares("tools", name) {
        return;
    }
    let draft = findings.report(node, format!("the pack has no tool `{name}`"));
    if pack.declares("prompts", name) {
        draft.help(format!(
            "`{name}` is a prompt: a prompt is called as a tool when it is a member of `agents`"
        ));
    } else {
        draft.help("declare it under `tools`").suggest_for(node, guesser.closest(name, pack.keys("tools")));
    }
}
