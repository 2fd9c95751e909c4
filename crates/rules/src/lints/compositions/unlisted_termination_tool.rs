//! Flags agent steps that end with a tool they cannot call.

use super::{called, compositions};
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::model::Step;
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "unlisted-termination-tool",
    group: Group::Correctness,
    level: Level::Warn,
    summary: "an agent step ends with a tool that it does not list",
    why: "The model is never offered that tool, so the condition never holds and the loop runs to its other limit, \
          or without end.",
    fix: "Add the tool to the step's `tools` (or to its prompt's, where the step has none), or name a listed \
          one.",
    example: r#""tools": ["search"], "termination": { "tool_called": "finish" }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    for steps in compositions(pack) {
        for step in steps.all().iter().map(|placed| placed.step).filter(|step| step.kind() == Some("agent")) {
            let Some(node) = step.get("termination").and_then(|end| end.get("tool_called")) else { continue };
            let Some(tool) = node.as_str() else { continue };
            // A name that the pack does not declare is `undeclared-tool`.
            if pack.pack.tool(tool).is_none() || pack.may_supply_tool(tool) {
                continue;
            }
            let Some((owner, listed)) = listed_tools(pack, step) else { continue };
            if listed.iter().any(|name| offers(name, tool)) {
                continue;
            }
            let step = called(step);
            findings
                .report(
                    node,
                    format!("step `{step}` ends when `{tool}` is called, which {owner} does not list"),
                )
                .help(format!("add `{tool}` to the `tools` of {owner}"))
                .suggest(guesser.closest(tool, listed));
        }
    }
}

/// The tools that the step offers to the model, and who lists them.
fn listed_tools<'a>(pack: &Facts<'a>, step: Step<'a>) -> Option<(String, Vec<&'a str>)> {
    if step.get("tools").is_some() {
        return Some(("the step".to_owned(), step.texts("tools").map(|(name, _)| name).collect()));
    }
    let prompt = pack.pack.prompt(step.prompt_task()?)?;
    Some((format!("prompt `{}`", prompt.name_key()), prompt.tools().map(|(name, _)| name).collect()))
}

/// Whether a list's entry, a name or a prefix before `*`, offers the tool.
fn offers(entry: &str, tool: &str) -> bool {
    entry.strip_suffix('*').map_or(entry == tool, |prefix| tool.starts_with(prefix))
}
