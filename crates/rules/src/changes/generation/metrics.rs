//! The metrics that evals write. What a runtime adds to a metric of its own is an unknown field.

use pack::json::Node;
use pack::model::Eval;

use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};
use crate::changes::value::written;

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "eval-metric-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "an eval writes a metric",
    why: "Operators gain a series that they can plot and alert on; nothing that they use changes.",
    fix: "Nothing has to be done beyond a minor version.",
    mirror: Mirror::Rule("eval-metric-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "eval-metric-removed",
    bumps: Bumps::table("pmM"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "an eval no longer writes its metric",
    why: "Dashboards and alerts on the metric go silent; callers do not notice.",
    fix: "Tell operators before, and publish a minor version.",
    mirror: Mirror::Rule("eval-metric-added"),
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "eval-metric-renamed",
    summary: "an eval writes its metric under another name",
    why: "Dashboards and alerts that read the old name go silent; callers do not notice, so a minor version is enough.",
    fix: "Tell operators the new name; a second eval that writes the old name bridges the change.",
    mirror: Mirror::Itself,
    ..REMOVED
};

pub(super) const TYPE_CHANGED: ChangeRule = ChangeRule {
    id: "eval-metric-type-changed",
    summary: "the metric of an eval has another type",
    why: "A gauge is read in another way than a counter: queries over the series give wrong numbers or none.",
    fix: "Give the metric of the new type a new name, so that both series stay readable.",
    mirror: Mirror::Itself,
    ..REMOVED
};

pub(super) const RANGE_CHANGED: ChangeRule = ChangeRule {
    id: "eval-metric-range-changed",
    summary: "the metric of an eval has another range",
    why: "Scales of dashboards and thresholds of alerts were set for the old range.",
    fix: "Mark the release in the dashboards, or give the metric with the new range a new name.",
    mirror: Mirror::Itself,
    ..REMOVED
};

/// States how the metric of an eval moved; `name` is how messages name the eval.
pub(super) fn compare<'a>(old: Eval<'a>, new: Eval<'a>, name: &str, changes: &mut Changes<'a>) {
    let metric = |eval: Eval<'a>| eval.get("metric").filter(|metric| !metric.is_null());
    match (metric(old), metric(new)) {
        (None, Some(metric)) => {
            let message = format!("{name} writes metric `{}`", shown(metric));
            changes.report(&ADDED, At::added(metric), message);
        }
        (Some(metric), None) => {
            let message = format!("{name} no longer writes metric `{}`", shown(metric));
            changes.report(&REMOVED, At::removed(metric), message);
        }
        (Some(old), Some(new)) => compare_metric(name, old, new, changes),
        (None, None) => {}
    }
}

fn compare_metric<'a>(eval: &str, old: Node<'a>, new: Node<'a>, changes: &mut Changes<'a>) {
    if written(old.get("name")) != written(new.get("name")) {
        let message = format!("{eval} writes metric `{}` instead of `{}`", shown(new), shown(old));
        changes.report(&RENAMED, At::member(old, new, "name"), message);
    }
    if written(old.get("type")) != written(new.get("type")) {
        let message = format!("metric `{}` of {eval} has another type", shown(new));
        changes.report(&TYPE_CHANGED, At::member(old, new, "type"), message);
    }
    let range = |metric: Node<'_>| {
        ["min", "max"].map(|end| written(metric.get("range").and_then(|range| range.get(end))))
    };
    if range(old) != range(new) {
        let message = format!("metric `{}` of {eval} has another range", shown(new));
        changes.report(&RANGE_CHANGED, At::member(old, new, "range"), message);
    }
}

fn shown(metric: Node<'_>) -> &str {
    metric.text("name").unwrap_or_default()
}
