//! Steps that come, go, change their id or their kind.

use std::collections::BTreeSet;

use pack::model::Step;

use super::graph::{CompositionPair, id, parallel};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes};

pub(super) const ADDED: ChangeRule = ChangeRule {
    id: "step-added",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a composition runs another step",
    why: "A run takes longer, costs more and may end in another answer; what callers send and receive keeps its shape.",
    fix: "Run the evals of the composition, and publish a minor version.",
    mirror: Mirror::Rule("step-removed"),
};

pub(super) const REMOVED: ChangeRule = ChangeRule {
    id: "step-removed",
    summary: "a composition no longer runs a step",
    why: "What the step found or did is missing from the answer; what callers send and receive keeps its shape.",
    mirror: Mirror::Rule("step-added"),
    ..ADDED
};

pub(super) const RENAMED: ChangeRule = ChangeRule {
    id: "step-renamed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Operations,
    certainty: Certainty::Proven,
    affected: &[Affected::Operator],
    safety: false,
    governance: false,
    summary: "a step has another id",
    why: "Traces and evals go by step ids: dashboards over the old id go silent; the run itself is the same.",
    fix: "Keep the id, or tell operators the new one and publish a minor version.",
    mirror: Mirror::Itself,
};

pub(super) const KIND_CHANGED: ChangeRule = ChangeRule {
    id: "step-kind-changed",
    summary: "a step works in another way",
    why: "A step that asked a model once now loops, calls a tool or decides: its results and its cost differ.",
    mirror: Mirror::Itself,
    ..ADDED
};

/// States how the steps of a composition moved as a whole.
pub(super) fn compare<'a>(pair: &CompositionPair<'_, 'a>, changes: &mut Changes<'a>) {
    let (added, removed) = swallowing(pair);
    for step in &pair.steps.added {
        // A step inside a new parallel one came with it.
        if !is_inside(*step, &added) {
            changes.report(&ADDED, At::added(**step), format!("{} is new", pair.step(*step)));
        }
    }
    for step in &pair.steps.removed {
        if !is_inside(*step, &removed) {
            changes.report(&REMOVED, At::removed(**step), format!("{} is gone", pair.step(*step)));
        }
    }
    for (old, new) in &pair.steps.renamed {
        let message = format!("{} was called `{}`", pair.step(*new), id(*old));
        changes.report(&RENAMED, At::both(**old, **new), message);
    }
    for (old, new) in pair.steps.pairs().filter(|(old, new)| old.kind() != new.kind()) {
        let kind = |kind: Option<&'a str>| kind.unwrap_or_default();
        let message =
            format!("{} is of kind `{}` instead of `{}`", pair.step(new), kind(new.kind()), kind(old.kind()));
        changes.report(&KIND_CHANGED, At::member(*old, *new, "kind"), message);
    }
}

/// Places of the steps whose inner steps came or went with them: new or gone themselves, or of another kind.
fn swallowing(pair: &CompositionPair<'_, '_>) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let place = |step: Step<'_>| step.span().start;
    let other_kind: Vec<_> = pair.steps.pairs().filter(|(old, new)| old.kind() != new.kind()).collect();
    let added = pair.steps.added.iter().copied().chain(other_kind.iter().map(|pair| pair.1));
    let removed = pair.steps.removed.iter().copied().chain(other_kind.iter().map(|pair| pair.0));
    (added.map(place).collect(), removed.map(place).collect())
}

/// Whether a step stands inside a parallel one at one of `places`.
fn is_inside(step: Step<'_>, places: &BTreeSet<u32>) -> bool {
    parallel(step).is_some_and(|parallel| places.contains(&parallel.span().start))
}
