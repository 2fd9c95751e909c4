//! Flags entries that a list repeats.

use std::collections::BTreeSet;

use pack::digest::canonical_node;
use pack::model::Prompt;
use pack::{Node, Span};

use crate::facts::Facts;
use crate::lint::{Check, Edit, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "duplicate-item",
    group: Group::Style,
    level: Level::Info,
    summary: "an entry that its list repeats",
    why: "The copy says nothing, and whoever removes one of the two believes the entry is gone.",
    fix: "Drop the copy; `--fix` does it.",
    example: r#""tags": ["support", "billing", "support"]"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for list in lists(pack) {
        let mut seen = BTreeSet::new();
        let mut before: Option<Node<'_>> = None;
        for item in list.items() {
            if let (false, Some(before)) = (seen.insert(canonical_node(item)), before) {
                let key = list.key().unwrap_or_default();
                let message = format!("{} lists {} twice", quoted(key), quoted(item.source()));
                // The copy goes with the comma before it.
                let copy = Span { start: before.span().end, end: item.span().end };
                findings
                    .report(item, message)
                    .safe_fix(vec![Edit { span: copy, replacement: String::new() }]);
            }
            before = Some(item);
        }
    }
}

/// The lists in which a second copy means nothing.
fn lists<'a>(pack: &Facts<'a>) -> Vec<Node<'a>> {
    let root = pack.pack;
    let tags = root.metadata().and_then(|metadata| metadata.get("tags"));
    let prompts = root.prompts().flat_map(prompt_lists);
    let evals = root.evals().filter_map(|eval| eval.get("groups"));
    let agents = root.agents().into_iter().flat_map(|agents| agents.members());
    let agents = agents.flat_map(|agent| ["tags", "input_modes", "output_modes"].map(|key| agent.get(key)));
    let steps = root.all_steps().flat_map(|step| [step.get("tools"), step.get("depends_on")]);
    let all = tags.into_iter().chain(prompts).chain(evals).chain(agents.flatten()).chain(steps.flatten());
    all.filter(|list| list.is_array()).collect()
}

fn prompt_lists(prompt: Prompt<'_>) -> Vec<Node<'_>> {
    let mut lists: Vec<Node<'_>> = prompt.get("tools").into_iter().collect();
    lists.extend(prompt.get("tool_policy").and_then(|policy| policy.get("blocklist")));
    lists.extend(prompt.variables().filter_map(|variable| variable.get("validation")?.get("enum")));
    lists.extend(prompt.evals().filter_map(|eval| eval.get("groups")));
    if let Some(media) = prompt.media() {
        lists.extend(media.get("supported_types"));
        lists.extend(media.members().filter_map(|(_, block)| block.get("allowed_formats")));
    }
    lists
}
