//! Flags extension keys that a later spec version may take.

use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::Node;
use pack::similar::closest;

pub(super) const LINT: Lint = Lint {
    id: "unprefixed-extension",
    group: Group::Style,
    level: Level::Info,
    summary: "an extension key has no prefix",
    why: "The spec may define that word later with another meaning.",
    fix: "Put the key under a name of yours, such as `acme.retry` or `x-retry`.",
    example: r#""extensions": { "retry": 3 }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    for (key, node) in extended(pack).into_iter().flat_map(|owner| owner.map("extensions")) {
        if !is_prefixed(key) {
            findings.report_key(node, format!("the extension `{key}` has no prefix")).help(HELP);
        }
    }
    for capabilities in pack.pack.providers().filter_map(|provider| provider.get("capabilities")) {
        for (key, node) in capabilities.members() {
            if !CAPABILITIES.contains(&key) && !is_prefixed(key) && !is_misspelled(key, capabilities) {
                findings
                    .report_key(node, format!("`{key}` is no capability of the spec and has no prefix"))
                    .help(HELP);
            }
        }
    }
}

const HELP: &str = "write it with a prefix of yours, such as `acme.` or `x-`";

const CAPABILITIES: [&str; 5] =
    ["modalities", "min_context_tokens", "tool_use", "structured_output", "embedding_dimensions"];

fn is_prefixed(key: &str) -> bool {
    key.starts_with("x-") || key.contains(['.', '/', ':'])
}

/// A near miss of a field that is not there is a misspelled one.
fn is_misspelled(key: &str, capabilities: Node<'_>) -> bool {
    let bare = |word: &str| word.replace(['_', '-'], "").to_ascii_lowercase();
    let absent = || CAPABILITIES.into_iter().filter(|known| capabilities.get(known).is_none());
    closest(key, absent()).is_some() || absent().any(|known| bare(known) == bare(key))
}

/// Everything that may have `extensions`.
fn extended<'a>(pack: &Facts<'a>) -> Vec<Node<'a>> {
    let mut found: Vec<Node<'a>> = Vec::new();
    for prompt in pack.prompts().iter().map(|prompt| prompt.prompt) {
        found.push(prompt.0);
        found.extend(prompt.validators().map(|validator| validator.0));
        found.extend(prompt.evals().map(|eval| eval.0));
    }
    for tool in pack.pack.tools() {
        found.extend([tool.0].into_iter().chain(tool.get("action_scope")));
    }
    found.extend(pack.pack.evals().map(|eval| eval.0));
    let agents = pack.pack.agents().into_iter().flat_map(|agents| agents.members());
    found.extend(agents.map(|agent| agent.0));
    let states = pack.pack.workflow().into_iter().flat_map(|workflow| workflow.states());
    found.extend(states.map(|state| state.0));
    found.extend(pack.pack.compositions().map(|composition| composition.0));
    for governance in pack.pack.governances() {
        found.push(governance.0);
        found.extend(governance.list("obligations").chain(governance.list("reviews")));
    }
    found
}
