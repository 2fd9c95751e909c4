//! Prompts that come, go, or change their name.

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::{Comparison, PromptPair};
use crate::changes::report::{At, Changes};
use crate::changes::witness::{Focus, Named};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "prompt-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new prompt",
    why: "Callers gain a prompt; nothing that they use changes.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("prompt-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "prompt-removed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a prompt is gone",
    why: "Code that renders the prompt by its key finds nothing.",
    fix: "Keep the prompt, deprecate it, and remove it in the next major version.",
    mirror: Mirror::Rule("prompt-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "prompt-renamed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a prompt has another key",
    why: "Callers name prompts by key: the old key finds nothing.",
    fix: "Keep the old key, or offer the prompt under both keys until the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const ID_CHANGED: ChangeRule = ChangeRule {
    id: "prompt-id-changed",
    bumps: Bumps::table("pMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Possible,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a prompt has another `id` under the same key",
    why: "The key names the prompt, but logs, metrics and some hosts go by the inner `id`.",
    fix: "Keep the inner `id` equal to the key.",
    mirror: Mirror::Itself,
};

/// States which prompts came, went or changed their key.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let prompts = &comparison.prompts;
    for prompt in &prompts.added {
        changes.in_prompt(prompt.key());
        changes.report(&ADDED, At::added(*prompt.prompt), format!("new prompt `{}`", prompt.key()));
    }
    for prompt in &prompts.removed {
        changes.in_prompt(prompt.key());
        let message = format!("prompt `{}` is gone: callers that render it find nothing", prompt.key());
        let held = Focus::Reference(Named::Prompt, prompt.key().to_owned());
        changes.report(&REMOVED, At::removed(*prompt.prompt), message).focus(held);
    }
    for (old, new) in &prompts.renamed {
        changes.in_prompt(new.key());
        let message = format!("prompt `{}` is now called `{}`", old.key(), new.key());
        let held = Focus::Reference(Named::Prompt, old.key().to_owned());
        changes.report(&RENAMED, At::both(*old.prompt, *new.prompt), message).focus(held);
    }
}

/// States that the inner id moved while the key stayed.
pub(super) fn compare_id<'a>(pair: &PromptPair<'a>, changes: &mut Changes<'a>) {
    let (old, new) = (pair.old.prompt.text("id"), pair.new.prompt.text("id"));
    if pair.old.key() != pair.new.key() || old == new {
        return;
    }
    let message = format!(
        "prompt `{}` has the inner id `{}` instead of `{}`",
        pair.key(),
        new.unwrap_or_default(),
        old.unwrap_or_default()
    );
    changes.report(&ID_CHANGED, At::member(*pair.old.prompt, *pair.new.prompt, "id"), message);
}
