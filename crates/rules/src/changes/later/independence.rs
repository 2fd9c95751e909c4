//! What a reviewing pack must not share with the one that it reviews.

use std::collections::BTreeMap;

use pack::json::Node;

use super::effective::Subject;
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes, Spot};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "independence-added",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "independence is demanded",
    why: "A deployment that shares a model, provider or owner with what it judges breaks the demand; what it shares is not visible in the pack.",
    fix: "Start with `advisory`, tell operators, and enforce the demand in the next major version.",
    mirror: Mirror::Rule("independence-removed"),
};

pub(super) const AXIS_ADDED: ChangeRule = ChangeRule {
    id: "independence-axis-added",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "independence is demanded along another axis",
    why: "A deployment that shares the new axis with what it judges breaks the demand; what it shares is not visible in the pack.",
    fix: "Tell operators which axis comes before you publish.",
    mirror: Mirror::Rule("independence-axis-removed"),
};

pub(super) const TIGHTENED: ChangeRule = ChangeRule {
    id: "independence-tightened",
    bumps: Bumps::table("mMM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Possible,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "independence is enforced",
    why: "A host that only warned so far now refuses a deployment that is not independent; whether one is so is not visible in the pack.",
    fix: "Ask operators whether the warning shows today, and enforce the demand in a major version.",
    mirror: Mirror::Rule("independence-relaxed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "independence-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: true,
    governance: false,
    summary: "independence is no longer demanded",
    why: "A judge may now share everything with what it judges, and nobody is warned.",
    fix: "Keep the demand, at least as `advisory`.",
    mirror: Mirror::Rule("independence-added"),
};

pub(super) const AXIS_REMOVED: ChangeRule = ChangeRule {
    id: "independence-axis-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: true,
    governance: false,
    summary: "independence is no longer demanded along an axis",
    why: "A judge may now share the axis with what it judges, and nobody is warned.",
    fix: "Keep the axis, or lower the enforcement to `advisory`.",
    mirror: Mirror::Rule("independence-axis-added"),
};

pub(super) const RELAXED: ChangeRule = ChangeRule {
    id: "independence-relaxed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: true,
    governance: false,
    summary: "independence is no longer enforced",
    why: "A deployment that was refused now runs with a warning.",
    fix: "Keep `strict` unless somebody watches the warnings.",
    mirror: Mirror::Rule("independence-tightened"),
};

/// States what independence is demanded now.
pub(super) fn compare<'a>(subject: &Subject<'a>, changes: &mut Changes<'a>) {
    let blocks = subject.field("independent_of").map(|node| node.filter(|node| !node.is_empty()));
    let of = &subject.of;
    let (old, new) = match blocks {
        [Some(old), Some(new)] => (old, new),
        [None, Some(new)] => {
            changes.report(&ADDED, At::added(new), format!("{of} demands independence"));
            return;
        }
        [Some(old), None] => {
            changes.report(&REMOVED, At::removed(old), format!("{of} no longer demands independence"));
            return;
        }
        [None, None] => return,
    };
    let axes = |block: Node<'a>| -> BTreeMap<&'a str, Node<'a>> { block.texts("axes").collect() };
    let (before, after) = (axes(old), axes(new));
    for (axis, node) in after.iter().filter(|(axis, _)| !before.contains_key(*axis)) {
        let message = format!("{of} demands independence of `{axis}` too");
        changes.report(&AXIS_ADDED, At::added(*node), message);
    }
    for (axis, node) in before.iter().filter(|(axis, _)| !after.contains_key(*axis)) {
        let message = format!("{of} no longer demands independence of `{axis}`");
        changes.report(&AXIS_REMOVED, At::removed(*node), message);
    }
    let enforcement = |block: Node<'a>| block.text("enforcement").unwrap_or(ADVISORY);
    let (before, after) = (enforcement(old), enforcement(new));
    if before != after {
        // A word that nobody knows may be anything; only `advisory` is known to be the weaker one.
        let rule = if after == ADVISORY { &RELAXED } else { &TIGHTENED };
        let spot = |block: Node<'a>| Spot::member(block, "enforcement", ADVISORY);
        let message = format!("the independence of {of} is `{after}` instead of `{before}`");
        changes.report(rule, At::spots(spot(old), spot(new)), message);
    }
}

const ADVISORY: &str = "advisory";
