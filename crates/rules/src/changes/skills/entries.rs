//! Which skills a pack has, from which packages, in which order, and which of them are loaded at once.

use pack::json::Node;

use super::entry::Entry;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::pairing::Pairing;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::value::is_reordered;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "skill-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a new skill",
    why: "The model may load the skill and answer with it; whatever it could do before it still can.",
    fix: "Run the evals with the skill, and publish a minor version.",
    mirror: Mirror::Rule("skill-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "skill-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a skill is gone",
    why: "What the model knew through the skill it no longer knows, so users get poorer answers on its subject.",
    fix: "Move what is still needed into another skill first, and say in the changelog what the pack no longer knows.",
    mirror: Mirror::Rule("skill-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "skill-renamed",
    summary: "a skill has another path or name, with equal content",
    why: "States that scope skills by path, and the model that chooses them by name, look for the old one.",
    fix: "Keep the path, or move the scopes of the states with it, and publish a minor version.",
    mirror: Mirror::Itself,
    ..REMOVED
};

pub(super) const PACKAGE_REF_CHANGED: ChangeRule = ChangeRule {
    id: "skill-package-ref-changed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a skill comes from another version of its package",
    why: "The content of the package is outside the pack: it may be equal or entirely new, and operators may have to install it.",
    fix: "Read what changed between the two versions of the package, and choose the bump by that.",
    mirror: Mirror::Itself,
};

pub(super) const PRELOAD_CHANGED: ChangeRule = ChangeRule {
    id: "skill-preload-changed",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a skill is loaded at the start, or no longer",
    why: "Loading at the start takes tokens in every session; loading on demand takes a turn when the skill is needed.",
    fix: "Tell operators about the cost of a session; a patch version is enough.",
    mirror: Mirror::Itself,
};

pub(super) const ORDER_CHANGED: ChangeRule = ChangeRule {
    id: "skill-order-changed",
    summary: "the skills stand in another order",
    why: "Of two skills with one name the first counts, and runtimes list skills to the model in this order.",
    fix: "Keep the order, and append new skills at the end; a patch version is enough.",
    ..PRELOAD_CHANGED
};

/// States which skills came, went, moved or changed their order.
pub(super) fn compare<'a>(skills: &Pairing<&Entry<'a>>, changes: &mut Changes<'a>) {
    for entry in &skills.added {
        changes.report(&ADDED, At::added(*entry.skill), format!("new skill `{}`", entry.name()));
    }
    for entry in &skills.removed {
        changes.report(&REMOVED, At::removed(*entry.skill), format!("skill `{}` is gone", entry.name()));
    }
    for (old, new) in &skills.renamed {
        let message = format!("skill `{}` is now called `{}`", old.name(), new.name());
        changes.report(&RENAMED, At::both(*old.skill, *new.skill), message);
    }
    let mut pairs: Vec<(&Entry<'a>, &Entry<'a>)> = skills.pairs().collect();
    pairs.sort_by_key(|(old, _)| old.skill.position());
    if is_reordered(pairs.iter().map(|(_, new)| new.skill.position()))
        && let Some((old, new)) = pairs.first()
    {
        let list = |entry: &Entry<'a>| entry.skill.parent();
        let at = At::either(list(old), list(new));
        changes.report(&ORDER_CHANGED, at, "the skills stand in another order");
    }
}

/// States what the entry says besides which skill it names.
pub(super) fn compare_pair<'a>(old: &Entry<'a>, new: &Entry<'a>, changes: &mut Changes<'a>) {
    if old.package_ref() != new.package_ref() {
        let shown =
            |entry: &Entry<'a>| entry.package_ref().map_or("no ref".to_owned(), |to| format!("`{to}`"));
        let message =
            format!("package `{}` is taken at {} instead of {}", new.name(), shown(new), shown(old));
        let place = |entry: &Entry<'a>| path(*entry.skill);
        changes.report(&PACKAGE_REF_CHANGED, At::both(place(old), place(new)), message);
    }
    let preloads = |entry: &Entry<'_>| entry.skill.flag("preload") == Some(true);
    if preloads(old) != preloads(new) {
        let does = if preloads(new) { "is loaded at the start" } else { "is loaded on demand" };
        let spot = |entry: &Entry<'a>| match entry.skill.is_object() {
            true => Spot::member(*entry.skill, "preload", false),
            false => Spot::of(*entry.skill).value(false),
        };
        let message = format!("skill `{}` {does}", new.name());
        changes.report(&PRELOAD_CHANGED, At::spots(spot(old), spot(new)), message);
    }
}

/// Where the entry names its path, in either form.
fn path(skill: Node<'_>) -> Node<'_> {
    skill.get("path").unwrap_or(skill)
}
