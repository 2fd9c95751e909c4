//! Flags names of prompts that the pack does not have.

use std::collections::BTreeMap;

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-prompt",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a state, step or agent names a prompt that the pack does not have",
    why: "There is nothing to run: the runtime refuses the pack, or fails when it gets there.",
    fix: "Name a key of `prompts`; the `id` inside a prompt does not count.",
    example: r#""states": { "triage": { "prompt_task": "triag" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    let of_states = states.filter(|state| state.orchestration() != "composition");
    let of_steps = pack.pack.all_steps().filter(|step| matches!(step.kind(), Some("prompt" | "agent")));
    let tasks = of_states.map(|state| state.0).chain(of_steps.map(|step| step.0));
    let entry = pack.pack.agents().and_then(|agents| agents.get("entry"));
    let keys_by_id = keys_by_id(pack);
    for node in tasks.filter_map(|owner| owner.get("prompt_task")).chain(entry) {
        if let Some(name) = node.as_str().filter(|name| !pack.declares("prompts", name)) {
            let draft = findings.report(node, message(name));
            match keys_by_id.get(name) {
                Some(key) => draft.suggest_for(node, Some(key)).help(hint(name, key)),
                None => draft
                    .help("name a key of `prompts`")
                    .suggest_for(node, guesser.closest(name, pack.keys("prompts"))),
            };
        }
    }
    require_members(pack, &keys_by_id, &guesser, findings);
}

/// The keys of prompts by their `id`; of several with one id the first key by name.
fn keys_by_id<'a>(pack: &Facts<'a>) -> BTreeMap<&'a str, &'a str> {
    let prompts = pack.prompts().iter().map(|prompt| prompt.prompt);
    let mut pairs: Vec<_> =
        prompts.filter_map(|prompt| Some((prompt.text("id")?, prompt.name_key()))).collect();
    pairs.sort_unstable();
    pairs.into_iter().rev().collect()
}

fn require_members(
    pack: &Facts<'_>,
    keys_by_id: &BTreeMap<&str, &str>,
    guesser: &Guesser,
    findings: &mut Findings<'_>,
) {
    for agent in pack.pack.agents().into_iter().flat_map(|agents| agents.members()) {
        if let Some(name) = agent.key().filter(|name| !pack.declares("prompts", name)) {
            let draft = findings.report_key(agent.0, message(name));
            match keys_by_id.get(name) {
                Some(key) => draft.help(hint(name, key)),
                None => {
                    draft.help("name a key of `prompts`").suggest(guesser.closest(name, pack.keys("prompts")))
                }
            };
        }
    }
}

fn message(name: &str) -> String {
    format!("the pack has no prompt `{name}`")
}

fn hint(id: &str, key: &str) -> String {
    format!("`{id}` is the `id` of a prompt; name its key `{key}`")
}
