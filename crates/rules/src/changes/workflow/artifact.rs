//! Artifact slots: one slot per name, however many states declare it.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;

use super::Machine;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::is_effective;
use crate::changes::witness::{Focus, Named};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "artifact-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "a new artifact slot",
    why: "Prompts and callers gain a slot; every slot that they know is still there.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("artifact-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "artifact-removed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an artifact slot is gone",
    why: "Callers that read the slot after a run find nothing in it.",
    fix: "Keep the slot until the next major version, even if no state fills it any more.",
    mirror: Mirror::Rule("artifact-added"),
};

pub(super) const TYPE_CHANGED: ChangeRule = ChangeRule {
    id: "artifact-type-changed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an artifact slot holds values of another type",
    why: "Callers that read the slot expect the old type.",
    fix: "Put the new values into a new slot, and keep the old one until the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const MODE_CHANGED: ChangeRule = ChangeRule {
    id: "artifact-mode-changed",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "an artifact slot keeps its values in another way",
    why: "Where values were replaced they now pile up, or the other way round: callers read one value or a list.",
    fix: "Put the other form into a new slot, and keep the old one until the next major version.",
    mirror: Mirror::Itself,
};

pub(super) const SCOPE_CHANGED: ChangeRule = ChangeRule {
    id: "artifact-scope-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Possible,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "other states declare an artifact slot",
    why: "A state that no longer declares the slot may not fill it, and one that does now may: whether its prompt does is not visible in the pack.",
    fix: "Check which states fill the slot, and publish a minor version.",
    mirror: Mirror::Itself,
};

/// The declarations of one slot, by the names that their states have in NEW.
type Slots<'a> = BTreeMap<&'a str, BTreeMap<&'a str, Node<'a>>>;

/// States which slots came, went or moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let old = slots(&comparison.old.machine, &comparison.renamed_states);
    let new = slots(&comparison.new.machine, &BTreeMap::new());
    // A state that came or went has said so for its slots too.
    let tells = |declared: &BTreeMap<&'a str, Node<'a>>| {
        declared.iter().find(|(state, _)| !comparison.is_lone_state(state)).map(|(_, node)| *node)
    };
    for (name, declared) in &old {
        match (new.get(name), tells(declared)) {
            (Some(others), _) => compare_slot(comparison, name, declared, others, changes),
            (None, Some(node)) => {
                let message = format!("no state declares the artifact `{name}` any more");
                let held = Focus::Reference(Named::Artifact, (*name).to_owned());
                changes.report(&REMOVED, At::removed(node), message).focus(held);
            }
            (None, None) => {}
        }
    }
    for (name, declared) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        if let Some(node) = tells(declared) {
            changes.report(&ADDED, At::added(node), format!("new artifact `{name}`"));
        }
    }
}

fn slots<'a>(machine: &Machine<'a>, renamed: &BTreeMap<&'a str, &'a str>) -> Slots<'a> {
    let mut slots = Slots::new();
    for state in machine.states() {
        let key = state.name_key();
        for (name, node) in state.map("artifacts").filter(|(_, node)| is_effective(*node)) {
            slots.entry(name).or_default().insert(renamed.get(key).copied().unwrap_or(key), node);
        }
    }
    slots
}

fn compare_slot<'a>(
    comparison: &Comparison<'a>,
    name: &str,
    old: &BTreeMap<&'a str, Node<'a>>,
    new: &BTreeMap<&'a str, Node<'a>>,
    changes: &mut Changes<'a>,
) {
    for (rule, field, default) in [(&TYPE_CHANGED, "type", ""), (&MODE_CHANGED, "mode", "replace")] {
        let Some((before, after)) = differing(old, new, |node| node.text(field).unwrap_or(default)) else {
            continue;
        };
        let shown = |node: Node<'a>| node.text(field).unwrap_or(default);
        let message =
            format!("the {field} of artifact `{name}` is `{}` instead of `{}`", shown(after), shown(before));
        let spot = |node: Node<'a>| Spot::member(node, field, default);
        changes.report(rule, At::spots(spot(before), spot(after)), message);
    }
    let states = |declared: &BTreeMap<&'a str, Node<'a>>| -> BTreeSet<&'a str> {
        declared.keys().copied().filter(|state| !comparison.is_lone_state(state)).collect()
    };
    let (before, after) = (states(old), states(new));
    let moved: Vec<String> = before
        .symmetric_difference(&after)
        .map(|state| {
            let verb = if after.contains(state) { "declares" } else { "no longer declares" };
            format!("`{state}` {verb} it")
        })
        .collect();
    if let (false, Some(old), Some(new)) = (moved.is_empty(), old.values().next(), new.values().next()) {
        let message = format!("the artifact `{name}` belongs to other states: {}", moved.join(", "));
        changes.report(&SCOPE_CHANGED, At::both(*old, *new), message);
    }
}

/// A declaration on each side between which the slot differs: in one state, else across the workflow.
fn differing<'a>(
    old: &BTreeMap<&'a str, Node<'a>>,
    new: &BTreeMap<&'a str, Node<'a>>,
    say: impl Fn(Node<'a>) -> &'a str,
) -> Option<(Node<'a>, Node<'a>)> {
    let mut common = old.iter().filter_map(|(state, node)| Some((*node, *new.get(state)?)));
    let in_one_state = common.find(|(old, new)| say(*old) != say(*new));
    in_one_state.or_else(|| {
        let said = |side: &BTreeMap<&'a str, Node<'a>>| {
            side.values().map(|node| say(*node)).collect::<BTreeSet<_>>()
        };
        let (olds, news) = (said(old), said(new));
        let apart = old.keys().all(|state| !new.contains_key(state));
        if olds == news || !apart { None } else { Some((*old.values().next()?, *new.values().next()?)) }
    })
}
