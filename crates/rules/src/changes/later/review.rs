//! Reviews of a governance declaration: what is looked at again, how often, and by whom.

use std::collections::{BTreeMap, BTreeSet};

use pack::json::Node;

use super::cadence::{self, Order};
use super::effective::Subject;
use super::extensions;
use super::obligation::{Membership, Obligations, by_id, id, without};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::value::written;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "review-added",
    bumps: Bumps::table("ppm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "another review",
    why: "Operators gain a date to keep; no run is affected.",
    fix: "Nothing has to be done beyond a patch version.",
    mirror: Mirror::Rule("review-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "review-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "a review is no longer declared",
    why: "What was looked at again and again no longer is, and obligations that it satisfied lose their ground.",
    fix: "Keep the review, or lengthen its cadence and say why.",
    mirror: Mirror::Rule("review-added"),
};

pub(super) const CADENCE_SHORTENED: ChangeRule = ChangeRule {
    id: "review-cadence-shortened",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a review is due more often",
    why: "The next review is due earlier than its owner planned, perhaps at once.",
    fix: "Tell the owner of the review before you publish.",
    mirror: Mirror::Rule("review-cadence-lengthened"),
};

pub(super) const CADENCE_LENGTHENED: ChangeRule = ChangeRule {
    id: "review-cadence-lengthened",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: true,
    summary: "a review is due less often",
    why: "Drift is noticed later. Periods that cannot be compared, as months with days, count as longer.",
    fix: "Keep the cadence, or say in the changelog why a longer one is enough.",
    mirror: Mirror::Rule("review-cadence-shortened"),
};

pub(super) const OWNER_CHANGED: ChangeRule = ChangeRule {
    id: "review-owner-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "somebody else owns a review",
    why: "The next review is missed if the new owner does not know of it.",
    fix: "Tell both owners before you publish.",
    mirror: Mirror::Itself,
};

pub(super) const CHANGED: ChangeRule = ChangeRule {
    id: "review-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a review looks at something else",
    why: "Another kind of review, another eval, or other obligations that it satisfies: what was reviewed so far may no longer be.",
    fix: "Tell the owner of the review what moved.",
    mirror: Mirror::Itself,
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "review-renamed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a review has another id",
    why: "The history of a review is kept by its id: the renamed one looks as if it had never been done.",
    fix: "Keep the id, and change the type or the owner.",
    mirror: Mirror::Itself,
};

/// States how the reviews moved.
pub(super) fn compare<'a>(subject: &Subject<'a>, obligations: &Obligations<'a>, changes: &mut Changes<'a>) {
    let pairs = by_id(subject.field("reviews"));
    let of = &subject.of;
    let rules = Membership { noun: "review", added: &ADDED, removed: &REMOVED, renamed: &RENAMED };
    rules.report(&pairs, of, changes);
    let renamed = obligations.renamed.iter().map(|(old, new)| (id(*old), id(*new))).collect();
    for (old, new) in pairs.pairs() {
        compare_pair(old, new, of, &renamed, changes);
    }
}

/// Members that other rules compare.
const OWN_RULES: [&str; 5] = ["id", "cadence", "owner", "satisfies", "extensions"];

fn compare_pair<'a>(
    old: Node<'a>,
    new: Node<'a>,
    of: &str,
    renamed: &BTreeMap<&'a str, &'a str>,
    changes: &mut Changes<'a>,
) {
    let name = id(new);
    compare_cadence(old, new, of, changes);
    if written(old.get("owner")) != written(new.get("owner")) {
        let owner = |node: Node<'a>| node.text("owner").unwrap_or_default();
        let message =
            format!("review `{name}` of {of} is owned by `{}` instead of `{}`", owner(new), owner(old));
        changes.report(&OWNER_CHANGED, At::member(old, new, "owner"), message);
    }
    let after: BTreeSet<&str> = new.texts("satisfies").map(|(name, _)| name).collect();
    let follow = |name: &'a str| match renamed.get(name) {
        Some(new) if !after.contains(name) => *new,
        _ => name,
    };
    let before: BTreeSet<&str> = old.texts("satisfies").map(|(name, _)| follow(name)).collect();
    if before != after || without(old, &OWN_RULES) != without(new, &OWN_RULES) {
        let message = format!("review `{name}` of {of} looks at something else");
        changes.report(&CHANGED, At::both(old, new), message);
    }
    extensions::compare_pair(old, new, &format!("review `{name}` of {of}"), changes);
}

fn compare_cadence<'a>(old: Node<'a>, new: Node<'a>, of: &str, changes: &mut Changes<'a>) {
    let text = |node: Node<'a>| node.text("cadence").unwrap_or_default();
    let rule = match cadence::compare(text(old), text(new)) {
        Order::Equal => return,
        Order::Shorter => &CADENCE_SHORTENED,
        Order::Longer | Order::Unclear => &CADENCE_LENGTHENED,
    };
    let message =
        format!("review `{}` of {of} is due every `{}` instead of `{}`", id(new), text(new), text(old));
    changes.report(rule, At::member(old, new, "cadence"), message);
}
