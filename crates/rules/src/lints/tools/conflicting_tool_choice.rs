//! Flags a tool choice that the tools of the prompt contradict.

use std::collections::BTreeSet;

use super::blocked;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;

pub(super) const LINT: Lint = Lint {
    id: "conflicting-tool-choice",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "`tool_choice` contradicts the tools of the prompt",
    why: "With `required` and no tool, providers refuse the request; with `none`, the listed tools are never offered.",
    fix: "List a tool, or change `tool_choice`.",
    example: r#""tools": ["lookup_order"], "tool_policy": { "tool_choice": "none" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let supplied = Supplied::of(pack);
    for prompt in pack.prompts() {
        let choice = prompt.prompt.get("tool_policy").and_then(|policy| policy.get("tool_choice"));
        let Some(choice) = choice else { continue };
        let blocked: BTreeSet<&str> = blocked(prompt.prompt).map(|(name, _)| name).collect();
        let mut left = prompt.prompt.tools().map(|(name, _)| name).filter(|name| !blocked.contains(name));
        match choice.as_str() {
            Some("none") => {
                if let Some(tool) = left.find(|name| !pack.may_supply_tool(name)) {
                    findings
                        .report(choice, format!("`tool_choice` is `none`, but the prompt lists `{tool}`"))
                        .help("remove the tools, or let the model choose with `auto`");
                }
            }
            Some("required") if left.next().is_none() && !supplied.reaches(prompt.prompt.name_key()) => {
                findings
                    .report(choice, "`tool_choice` is `required`, but the prompt has no tool to call")
                    .help("list a tool in `tools`, or let the model choose with `auto`");
            }
            _ => {}
        }
    }
}

/// What gives tools to prompts that list none: agents, skills, transitions, steps.
struct Supplied<'a> {
    everywhere: bool,
    prompts: BTreeSet<&'a str>,
}

impl<'a> Supplied<'a> {
    fn of(pack: &Facts<'a>) -> Self {
        let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
        let moving = states.filter(|state| ["on_event", "artifacts"].iter().any(|key| has_items(state, key)));
        let steps =
            pack.pack.all_steps().filter(|step| step.kind() == Some("agent") && has_items(step, "tools"));
        let prompts = moving.map(|state| state.0).chain(steps.map(|step| step.0));
        Supplied {
            everywhere: pack.pack.agents().is_some() || has_items(&pack.pack, "skills"),
            prompts: prompts.filter_map(|owner| owner.text("prompt_task")).collect(),
        }
    }

    fn reaches(&self, prompt: &str) -> bool {
        self.everywhere || self.prompts.contains(prompt)
    }
}

fn has_items(owner: &Node<'_>, key: &str) -> bool {
    owner.get(key).is_some_and(|list| !list.is_empty())
}
