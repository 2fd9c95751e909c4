//! What a step runs, and what it is given.

use std::collections::BTreeSet;

use pack::model::Step;

use super::graph::CompositionPair;
use super::normal::{Renames, value};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::witness::Named;

pub(super) const TARGET_CHANGED: ChangeRule = ChangeRule {
    id: "step-target-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a step runs another prompt or tool",
    why: "The step gives other results, on which all later steps build.",
    fix: "Run the evals of the composition, and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const INPUT_CHANGED: ChangeRule = ChangeRule {
    id: "step-input-changed",
    summary: "a step gets other input",
    why: "The prompt of the step sees other values, so its answer and everything built on it differ.",
    ..TARGET_CHANGED
};

pub(super) const ARGS_CHANGED: ChangeRule = ChangeRule {
    id: "step-args-changed",
    summary: "a step calls its tool with other arguments",
    why: "The tool does or finds something else, so all later steps build on other results.",
    ..TARGET_CHANGED
};

pub(super) const TOOLS_CHANGED: ChangeRule = ChangeRule {
    id: "step-tools-changed",
    summary: "an agent step may call other tools",
    why: "The model in the loop can do more or less than before, and without the list it may call every tool of its prompt.",
    ..TARGET_CHANGED
};

/// States what a step runs and gets that it did not.
pub(super) fn compare<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    compare_target(pair, old, new, changes);
    for (rule, field) in [(&INPUT_CHANGED, "input"), (&ARGS_CHANGED, "args")] {
        if value(old.get(field), &pair.renamed) != value(new.get(field), &Renames::new()) {
            let message = format!("`{field}` of {} changed", pair.step(new));
            changes.report(rule, At::member(*old, *new, field), message);
        }
    }
    if old.kind() == Some("agent") {
        compare_tools(pair, old, new, changes);
    }
}

fn compare_target<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let (field, named, renamed) = match old.kind() {
        Some("tool") => ("tool", Named::Tool, &pair.around.comparison.renamed_tools),
        _ => ("prompt_task", Named::Prompt, &pair.around.renamed_prompts),
    };
    let (before, after) = (old.text(field), new.text(field));
    let now = before.map(|name| renamed.get(name).copied().unwrap_or(name));
    if now != after {
        let shown = |name: Option<&'a str>| name.unwrap_or_default();
        let message = format!("{} runs `{}` instead of `{}`", pair.step(new), shown(after), shown(before));
        let draft = changes.report(&TARGET_CHANGED, At::member(*old, *new, field), message);
        if let (Some(before), Some(after)) = (before, after)
            && pair.around.comparison.loses(named, before, after)
        {
            draft.leads_nowhere(after);
        }
    }
}

/// An empty list allows no tool; without a list nothing is restricted. Tools that came or went are said already.
fn compare_tools<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let lone = &pair.around.comparison.lone_tools;
    let tools = |step: Step<'a>| -> Option<BTreeSet<&'a str>> {
        step.get("tools").filter(|list| list.is_array())?;
        Some(step.texts("tools").map(|(name, _)| name).filter(|name| !lone.contains(name)).collect())
    };
    let before = tools(old).map(|names| names.into_iter().map(|name| pair.tool_now(name)).collect());
    if before != tools(new) {
        let message = format!("{} may call other tools", pair.step(new));
        changes.report(&TOOLS_CHANGED, At::member(*old, *new, "tools"), message);
    }
}
