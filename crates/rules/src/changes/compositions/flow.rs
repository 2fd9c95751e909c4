//! In which order steps run, and how a run branches, spreads out and comes together.

use std::collections::BTreeSet;

use pack::model::{Composition, Step};
use serde_json::{Value, json};

use super::graph::{CompositionPair, id, shared_waits};
use super::normal::{Renames, predicate};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror, Witness};
use crate::changes::report::{At, Changes, Spot};

pub(super) const DEPENDENCY_CHANGED: ChangeRule = ChangeRule {
    id: "step-dependency-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a step waits for other steps",
    why: "Steps run in another order or side by side: what a step sees of the others, and how long a run takes, differ.",
    fix: "Run the evals of the composition, and publish a minor version; write `depends_on` out where order matters.",
    mirror: Mirror::Itself,
};

pub(super) const PREDICATE_CHANGED: ChangeRule = ChangeRule {
    id: "step-predicate-changed",
    summary: "a branch decides by another condition",
    why: "Some runs now take the other way, with other steps and another answer.",
    fix: "Run the evals on inputs near the border of the condition, and publish a minor version.",
    ..DEPENDENCY_CHANGED
};

pub(super) const BRANCH_TARGET_CHANGED: ChangeRule = ChangeRule {
    id: "step-branch-target-changed",
    summary: "a branch leads to another step",
    why: "Every run that takes this way goes on with other steps and ends in another answer.",
    ..DEPENDENCY_CHANGED
};

pub(super) const PARALLEL_CHANGED: ChangeRule = ChangeRule {
    id: "step-parallel-changed",
    summary: "other steps run inside a parallel one",
    why: "Steps moved into or out of the block: what is merged from it, and what waits for what, differ.",
    ..DEPENDENCY_CHANGED
};

pub(super) const REDUCER_CHANGED: ChangeRule = ChangeRule {
    id: "step-reducer-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller, Affected::User],
    safety: false,
    governance: false,
    summary: "the results of a parallel step are merged in another way",
    why: "Later steps read another shape or find nothing under the old name; where the step gives the composition its output, callers do.",
    fix: "Move the references with it; where callers read the output, keep strategy and name until a major version.",
    mirror: Mirror::Itself,
};

/// States how one step leads on.
pub(super) fn compare<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    match new.kind() {
        Some("branch") => compare_branch(pair, old, new, changes),
        Some("parallel") => {
            compare_branches(pair, old, new, changes);
            compare_reducer(pair, old, new, changes);
        }
        _ => {}
    }
}

fn compare_branch<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let (before, after) = (old.get("predicate"), new.get("predicate"));
    if predicate(before, &pair.renamed) != predicate(after, &Renames::new()) {
        let message = format!("the condition of {} changed", pair.step(new));
        changes.report(&PREDICATE_CHANGED, At::either(before, after), message);
    }
    for field in ["then", "else"] {
        let (before, after) = (old.text(field), new.text(field));
        if before.map(|target| pair.now(target)) != after {
            let shown =
                |target: Option<&'a str>| target.map_or("nowhere".to_owned(), |to| format!("to `{to}`"));
            let message = format!(
                "`{field}` of {} leads {} instead of {}",
                pair.step(new),
                shown(after),
                shown(before)
            );
            let draft = changes.report(&BRANCH_TARGET_CHANGED, At::member(*old, *new, field), message);
            let declares = |composition: Composition<'a>, target: Option<&str>| {
                target.is_some() && composition.all_steps().into_iter().any(|step| step.id() == target)
            };
            if declares(pair.old, before) && after.is_some() && !declares(pair.new, after) {
                draft.leads_nowhere(after.unwrap_or_default());
            }
        }
    }
}

/// Steps that came or went are said already.
fn compare_branches<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let lone = &pair.lone;
    let inner = |step: Step<'a>| step.branches().map(id).filter(|id| !lone.contains(id)).collect::<Vec<_>>();
    let before: Vec<&str> = inner(old).into_iter().map(|id| pair.now(id)).collect();
    let after = inner(new);
    let at = At::member(*old, *new, "branches");
    if before.iter().collect::<BTreeSet<_>>() != after.iter().collect() {
        changes.report(&PARALLEL_CHANGED, at, format!("other steps run inside {}", pair.step(new)));
    } else if before != after
        && let Some(strategy) = ordered_by(old).or(ordered_by(new))
    {
        let message = format!(
            "the steps inside {} stand in another order, in which `{strategy}` may merge them",
            pair.step(new)
        );
        changes.report(&PARALLEL_CHANGED, at, message).possible("merge-order");
    }
}

/// The way in which the results of a parallel step are merged, where their order may show: a barrier names each.
fn ordered_by(step: Step<'_>) -> Option<&str> {
    step.get("reduce")?.text("strategy").filter(|strategy| *strategy != "barrier")
}

fn compare_reducer<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let (before, after) = (old.get("reduce"), new.get("reduce"));
    let field = |step: Step<'a>, field| step.get("reduce").and_then(|reduce| reduce.text(field));
    let moved = |name| field(old, name) != field(new, name);
    if !moved("strategy") && !moved("into") {
        return;
    }
    let message = format!("the results of {} are merged in another way", pair.step(new));
    let draft = changes.report(&REDUCER_CHANGED, At::either(before, after), message);
    let (old_output, new_output) = pair.outputs;
    if old_output == Some(old) || new_output == Some(new) {
        draft.bumps(Bumps::table("MMM"));
    }
    let held = field(old, "into").filter(|_| moved("into"));
    draft.witness(held.map(|name| {
        let reference = format!("${{{}.output.{name}}}", id(old));
        Witness {
            kind: "reference".to_owned(),
            input: json!({ "composition": pair.key(), "reference": reference }),
            old_result: "found".to_owned(),
            new_result: "not found".to_owned(),
        }
    }));
}

/// States which steps wait for others than before.
pub(super) fn compare_order<'a>(pair: &CompositionPair<'_, 'a>, changes: &mut Changes<'a>) {
    let (old_waits, new_waits) = pair.waits();
    let lone = &pair.lone;
    for (old, new) in pair.steps.pairs() {
        let before = shared_waits(id(old), &old_waits, |step| lone.contains(step));
        let before: BTreeSet<&str> = before.into_iter().map(|step| pair.now(step)).collect();
        let after = shared_waits(id(new), &new_waits, |step| lone.contains(step));
        if before == after {
            continue;
        }
        let shown = |steps: &BTreeSet<&str>| match steps.len() {
            0 => "no step".to_owned(),
            _ => steps.iter().map(|step| format!("`{step}`")).collect::<Vec<_>>().join(", "),
        };
        let message = format!("{} waits for {} instead of {}", pair.step(new), shown(&after), shown(&before));
        let spot = |step: Step<'a>, waited: &BTreeSet<&str>| {
            let names = waited.iter().map(|name| Value::from(*name)).collect::<Vec<_>>();
            Spot::member(*step, "depends_on", names.clone()).value(names)
        };
        changes.report(&DEPENDENCY_CHANGED, At::spots(spot(old, &before), spot(new, &after)), message);
    }
}
