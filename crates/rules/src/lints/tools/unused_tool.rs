//! Flags tools that nothing lists.

use std::collections::BTreeSet;

use super::termination_tool;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};

pub(super) const LINT: Lint = Lint {
    id: "unused-tool",
    group: Group::Style,
    level: Level::Info,
    summary: "a tool that no prompt and no step lists",
    why: "The model never gets it: a prompt forgot to list it, or the definition is dead weight that every client downloads.",
    fix: "List the tool where it is needed, or remove it.",
    example: r#""prompts": { "support": { "tools": ["lookup_order"] } }, "tools": { "lookup_order": {}, "cancel_order": {} }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let mut listed: BTreeSet<&str> =
        pack.prompts().iter().flat_map(|prompt| prompt.prompt.tools()).map(|(name, _)| name).collect();
    if listed.is_empty() {
        return;
    }
    for step in pack.pack.all_steps() {
        listed.extend(step.texts("tools").map(|(name, _)| name));
        listed.extend(step.text("tool"));
        listed.extend(termination_tool(step).map(|(name, _)| name));
    }
    let of_skills = skill_tools(pack);
    listed.extend(of_skills.iter().map(String::as_str));
    let wildcards: BTreeSet<&str> = listed.iter().filter_map(|name| name.strip_suffix('*')).collect();
    let lengths: BTreeSet<usize> = wildcards.iter().map(|start| start.len()).collect();
    for tool in pack.pack.tools() {
        let name = tool.name_key();
        let mut starts = lengths.iter().filter_map(|length| name.get(..*length));
        if !listed.contains(name) && !starts.any(|start| wildcards.contains(start)) {
            findings
                .report_key(tool.0, format!("no prompt or step lists the tool `{name}`"))
                .help("list it in the `tools` of a prompt, or remove it");
        }
    }
}

fn skill_tools(pack: &Facts<'_>) -> Vec<String> {
    let documents = pack.skills().iter().flat_map(|skill| &skill.documents);
    let front_matters = documents.filter_map(|(_, document)| document.front_matter.as_ref().ok());
    front_matters.flat_map(|front_matter| front_matter.allowed_tools()).collect()
}
