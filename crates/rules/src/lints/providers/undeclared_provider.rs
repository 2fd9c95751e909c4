//! Flags names of providers that the pack does not require.

use std::collections::BTreeSet;

use super::references;
use crate::facts::Facts;
use crate::lint::{Check, Findings, Group, Level, Lint};
use pack::similar::Guesser;

pub(super) const LINT: Lint = Lint {
    id: "undeclared-provider",
    group: Group::Correctness,
    level: Level::Error,
    summary: "a prompt or step names a provider that the pack does not require",
    why: "No host binds a model to that name, so the prompt cannot run.",
    fix: "Declare the key under `requires.providers`, or correct it.",
    example: r#""prompts": { "support": { "provider": "fst" } }"#,
    check: Check::Pack(check),
};

fn check(pack: &Facts<'_>, findings: &mut Findings<'_>) {
    let guesser = Guesser::default();
    if has_unreadable_providers(pack) {
        return;
    }
    let keys: BTreeSet<&str> = pack.pack.providers().filter_map(|provider| provider.name_key()).collect();
    for node in references(pack) {
        if let Some(name) = node.as_str().filter(|name| *name != "default" && !keys.contains(name)) {
            let known = keys.iter().copied().chain(["default"]);
            findings
                .report(node, format!("the pack requires no provider `{name}`"))
                .help("declare it under `requires.providers`")
                .suggest_for(node, guesser.closest(name, known));
        }
    }
}

/// Whether the schema refused the list itself.
fn has_unreadable_providers(pack: &Facts<'_>) -> bool {
    let Some(requires) = pack.pack.get("requires") else { return false };
    !requires.is_object() || requires.get("providers").is_some_and(|providers| !providers.is_array())
}
