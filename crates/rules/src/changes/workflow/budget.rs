//! Limits of a whole run.

use pack::json::Node;
use pack::model::Pack;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::comparison::Comparison;
use crate::changes::report::{At, Changes};
use crate::changes::value::{whole, written};
use crate::changes::witness::{Focus, Trace};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "budget-added",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a run of the workflow gets a limit",
    why: "A run that needs more than the limit ends before its user is served.",
    fix: "Check in the traces what real runs need, and set the limit above that.",
    mirror: Mirror::Rule("budget-removed"),
};

pub(super) const DECREASED: ChangeRule = ChangeRule {
    id: "budget-decreased",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a limit of a run of the workflow became lower",
    why: "A run that needed the old limit ends before its user is served.",
    fix: "Check in the traces what real runs need, and keep the limit above that.",
    mirror: Mirror::Rule("budget-increased"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "budget-removed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a run of the workflow loses a limit",
    why: "A run that goes in circles is no longer stopped, so cost and time are open.",
    fix: "Keep a generous limit; where it has to go, tell operators about the exposure.",
    mirror: Mirror::Rule("budget-added"),
};

pub(super) const INCREASED: ChangeRule = ChangeRule {
    id: "budget-increased",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::User, Affected::Operator],
    safety: false,
    governance: false,
    summary: "a limit of a run of the workflow became higher",
    why: "Runs may take longer and cost more than operators planned for.",
    fix: "Tell operators about the higher exposure, and publish a minor version.",
    mirror: Mirror::Rule("budget-decreased"),
};

/// The limits, and how a message names what they count.
pub(super) const FIELDS: [(&str, &str); 3] = [
    ("max_total_visits", "visits of states"),
    ("max_tool_calls", "tool calls"),
    ("max_wall_time_sec", "seconds of wall time"),
];

/// States which limits of a run moved.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let limit = |pack: Pack<'a>, field: &str| pack.workflow()?.get("engine")?.get("budget")?.get(field);
    for (field, what) in FIELDS {
        let (old, new) = (limit(comparison.old.pack, field), limit(comparison.new.pack, field));
        let number = |node: Option<Node<'a>>| node.and_then(Node::as_exact);
        let shown = |node: Option<Node<'a>>| written(node).unwrap_or_default();
        let (rule, message) = match (number(old), number(new)) {
            (None, None) => continue,
            (None, Some(_)) => (&ADDED, format!("a run has at most {} {what}", shown(new))),
            (Some(_), None) => {
                (&REMOVED, format!("a run has any number of {what} instead of {}", shown(old)))
            }
            (Some(old), Some(new)) if old == new => continue,
            (Some(before), Some(after)) => {
                let rule = if after < before { &DECREASED } else { &INCREASED };
                (rule, format!("a run has {} {what} instead of {}", shown(new), shown(old)))
            }
        };
        let draft = changes.report(rule, At::either(old, new), message);
        let is_lower = rule.id == ADDED.id || rule.id == DECREASED.id;
        if let Some(most) = whole(new).filter(|_| is_lower && field == "max_total_visits") {
            draft.focus(Focus::Trace(Trace::Total(most)));
        }
    }
}
