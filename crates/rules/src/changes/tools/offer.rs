//! Which tools a prompt offers to the model: those it lists, without the blocked ones.

use std::collections::BTreeSet;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "prompt-tool-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Implementer],
    safety: false,
    governance: false,
    summary: "a prompt offers another tool",
    why: "The model may now call the tool in this prompt; whether the host serves it there is not visible in the pack.",
    fix: "Make sure that hosts of this prompt implement the tool, and publish a minor version.",
    mirror: Mirror::Rule("prompt-tool-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "prompt-tool-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a prompt no longer offers a tool",
    why: "What the model did with the tool in this prompt it can no longer do.",
    fix: "Publish a minor version, and say in the changelog what the prompt no longer does.",
    mirror: Mirror::Rule("prompt-tool-added"),
};

/// States which tools the prompt offers anew or no longer. Tools that came or went themselves are said already.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let renamed = |name: &'a str| comparison.renamed_tools.get(name).copied().unwrap_or(name);
    let offered_before: BTreeSet<&str> = pair.old.tools.keys().map(|name| renamed(name)).collect();
    for (name, node) in &pair.new.tools {
        if !offered_before.contains(name) && !comparison.lone_tools.contains(name) {
            let message = format!("prompt `{}` now offers tool `{name}`", pair.key());
            changes.report(&ADDED, At::added(*node), message);
        }
    }
    for (name, node) in &pair.old.tools {
        if !pair.new.tools.contains_key(renamed(name)) && !comparison.lone_tools.contains(name) {
            let message = format!("prompt `{}` no longer offers tool `{name}`", pair.key());
            changes.report(&REMOVED, At::removed(*node), message);
        }
    }
}
