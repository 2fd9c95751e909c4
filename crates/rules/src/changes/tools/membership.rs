//! Tools that come, go, or change their name or description.

use pack::model::Tool;

use super::tool_scope;
use crate::change::{Affected, Bump, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::witness::{Focus, Named};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "tool-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Implementer],
    safety: false,
    governance: false,
    summary: "a new tool",
    why: "The host has to implement the tool before the model may call it; whether it does is not visible in the pack.",
    fix: "Tell the hosts before you publish; a tool that no prompt lists yet costs nobody anything.",
    mirror: Mirror::Rule("tool-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "tool-removed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer],
    safety: false,
    governance: false,
    summary: "a tool is gone",
    why: "A host that registers its handler by the tool's name, or reads its schema from the pack, finds nothing.",
    fix: "Keep the tool and take it from the prompts' lists first; remove it in the next major version.",
    mirror: Mirror::Rule("tool-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "tool-renamed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer],
    safety: false,
    governance: false,
    summary: "a tool has another key",
    why: "Hosts bind handlers by name: the old handler is never called, and the new name has none.",
    fix: "Keep the key, or offer the tool under both keys until the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const NAME_CHANGED: ChangeRule = ChangeRule {
    id: "tool-name-changed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Implementer],
    safety: false,
    governance: false,
    summary: "a tool has another inner name under the same key",
    why: "The model calls the tool by its inner name: a handler that is bound to the old one is not found.",
    fix: "Keep the inner name equal to the key.",
    mirror: Mirror::Itself,
};

pub(super) const DESCRIPTION_CHANGED: ChangeRule = ChangeRule {
    id: "tool-description-changed",
    bumps: Bumps::table("ppm"),
    suggest: Some(Bump::Minor),
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "the description of a tool changed",
    why: "The model reads the description to decide when and how to call the tool, so it may decide differently.",
    fix: "Run the evals against the new wording; a minor version tells consumers that behaviour moved.",
    mirror: Mirror::Itself,
};

/// States which tools came, went or changed their key.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let tools = &comparison.tools;
    let held = |key: &str| Focus::Reference(Named::Tool, key.to_owned());
    for tool in &tools.added {
        let key = tool.name_key();
        changes.scope(tool_scope(comparison, key, key));
        changes.report(&ADDED, At::added(**tool), format!("new tool `{key}`: hosts have to implement it"));
    }
    for tool in &tools.removed {
        let key = tool.name_key();
        changes.scope(tool_scope(comparison, key, key));
        let message = format!("tool `{key}` is gone: its handler has nothing to serve");
        changes.report(&REMOVED, At::removed(**tool), message).focus(held(key));
    }
    for (old, new) in &tools.renamed {
        let (old_key, new_key) = (old.name_key(), new.name_key());
        changes.scope(tool_scope(comparison, old_key, new_key));
        let message = format!("tool `{old_key}` is now called `{new_key}`");
        changes.report(&RENAMED, At::both(**old, **new), message).focus(held(old_key));
    }
}

/// States that the inner name or the description moved.
pub(super) fn compare_pair<'a>(old: Tool<'a>, new: Tool<'a>, changes: &mut Changes<'a>) {
    let key = new.name_key();
    if old.name_key() == key && old.text("name") != new.text("name") {
        let shown = |tool: Tool<'a>| match tool.text("name") {
            Some(name) => format!("`{name}`"),
            None => "nothing".to_owned(),
        };
        let message = format!("tool `{key}` is called {} instead of {}", shown(new), shown(old));
        let held = Focus::Reference(Named::ToolName, old.text("name").unwrap_or_default().to_owned());
        changes.report(&NAME_CHANGED, At::member(*old, *new, "name"), message).focus(held);
    }
    if old.text("description") != new.text("description") {
        let message = format!("the description of tool `{key}` changed");
        changes.report(&DESCRIPTION_CHANGED, At::member(*old, *new, "description"), message);
    }
}
