//! Flags prompts that no workflow, agent or composition names.

use std::collections::BTreeSet;

use pack::similar::Guesser;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use crate::wording::quoted;

pub(super) const LINT: Lint = Lint {
    id: "unused-prompt",
    group: Group::Style,
    level: Level::Info,
    summary: "a prompt that no workflow, agent or composition names",
    why: "Where a pack says how its prompts work together, one that nothing names is left over, or the reference to it is misspelled.",
    fix: "Name the prompt where it belongs, or remove it. A prompt that callers choose themselves may have the key `default`.",
    example: r#""prompts": { "triage": { … }, "billing": { … } }, "agents": { "entry": "triage", "members": { "triage": {} } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let orchestrated = ["workflow", "agents", "compositions"].iter().any(|key| pack.pack.get(key).is_some());
    if !orchestrated || lacks_reference(pack) {
        return;
    }
    let named = named_prompts(pack);
    for prompt in pack.pack.prompts() {
        let is_named =
            named.contains(prompt.name_key()) || prompt.text("id").is_some_and(|id| named.contains(id));
        if !is_named && prompt.name_key() != "default" {
            let message =
                format!("no workflow, agent or composition names prompt {}", quoted(prompt.name_key()));
            findings.report_key(*prompt, message).help("name it where it belongs, or remove it");
        }
    }
}

/// Whether a state or step says that it runs a prompt and not which: it may mean any.
fn lacks_reference(pack: &Facts<'_>) -> bool {
    let mut states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    let mut steps = pack.pack.all_steps().filter(|step| matches!(step.kind(), Some("prompt" | "agent")));
    states.any(|state| state.orchestration() != "composition" && state.text("prompt_task").is_none())
        || steps.any(|step| step.prompt_task().is_none())
}

/// Everything that names a prompt, and the prompts that a misspelled name means.
fn named_prompts<'a>(pack: &Facts<'a>) -> BTreeSet<&'a str> {
    let root = pack.pack;
    let states = root.workflow().into_iter().flat_map(|workflow| workflow.states());
    let mut named: BTreeSet<&str> = states.filter_map(|state| state.text("prompt_task")).collect();
    if let Some(agents) = root.agents() {
        named.extend(agents.text("entry"));
        named.extend(agents.map("members").map(|(key, _)| key));
    }
    named.extend(root.all_steps().filter_map(|step| step.text("prompt_task")));
    let undeclared = named.iter().filter(|name| !pack.declares("prompts", name));
    let guesser = Guesser::default();
    let meant: Vec<&str> =
        undeclared.filter_map(|name| guesser.closest(name, pack.keys("prompts"))).collect();
    named.extend(meant);
    named
}
