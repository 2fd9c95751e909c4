//! Which step gives a composition its output, and the schemas of what steps give.

use pack::json::Node;
use pack::model::{Composition, Step};
use serde_json::json;

use super::contract::{place, refused};
use super::graph::{CompositionPair, id};
use super::schema::{Flow, Relation, Schema};
use crate::change::{Affected, Bumps, Certainty, ChangeRule, Class, Mirror};
use crate::changes::report::{At, Changes, Spot};
use crate::changes::side::Side;

pub(super) const STEP_CHANGED: ChangeRule = ChangeRule {
    id: "composition-output-step-changed",
    bumps: Bumps::table("MMM"),
    suggest: None,
    class: Class::Contract,
    certainty: Certainty::Proven,
    affected: &[Affected::Caller],
    safety: false,
    governance: false,
    summary: "the output of a composition comes from another step",
    why: "Callers receive what another step gives: other content, and unless both steps promise the same schema, another shape.",
    fix: "Name the step under `output` so that new steps at the end change nothing, or give both steps one output schema.",
    mirror: Mirror::Itself,
};

pub(super) const SCHEMA_CHANGED: ChangeRule = ChangeRule {
    id: "step-output-schema-changed",
    bumps: Bumps::table("pmm"),
    suggest: None,
    class: Class::Behaviour,
    certainty: Certainty::Proven,
    affected: &[Affected::User],
    safety: false,
    governance: false,
    summary: "a step has to give another shape of output",
    why: "The model is held to another schema, and the steps behind read another shape; callers see only what comes of it.",
    fix: "Check the references of later steps to its output, run the evals, and publish a minor version.",
    mirror: Mirror::Itself,
};

/// The output schema of a composition: its own, else that of its output step.
fn effective<'a>(composition: Composition<'a>, step: Option<Step<'a>>) -> Option<Node<'a>> {
    composition.get("output_schema").or_else(|| step.and_then(step_schema))
}

/// The schema that a step's answer is held to; only steps with a model have one.
fn step_schema(step: Step<'_>) -> Option<Node<'_>> {
    step.get("output_schema").filter(|_| matches!(step.kind(), Some("prompt" | "agent")))
}

/// The output schemas of both sides.
pub(super) fn schemas<'a>(pair: &CompositionPair<'_, 'a>) -> (Schema<'a>, Schema<'a>) {
    let (old, new) = pair.outputs;
    let (old, new) = (effective(pair.old, old), effective(pair.new, new));
    (Schema::of(pair.old_side(), old), Schema::of(pair.new_side(), new))
}

fn moves(pair: &CompositionPair<'_, '_>) -> bool {
    let (old, new) = pair.outputs;
    match (old, new) {
        // What names no step is another name than before, or none.
        (None, None) => pair.old.text("output") != pair.new.text("output"),
        _ => old.map(|step| pair.now(id(step))) != new.map(id),
    }
}

/// Whether the schemas decide what is said about the output: they belong to the composition or to one step.
pub(super) fn is_judged_by_schema(pair: &CompositionPair<'_, '_>) -> bool {
    let own = |composition: Composition<'_>| composition.get("output_schema").is_some();
    !moves(pair) || own(pair.old) && own(pair.new)
}

/// States that the output comes from another step, and what other steps have to give.
pub(super) fn compare<'a>(pair: &CompositionPair<'_, 'a>, changes: &mut Changes<'a>) {
    if moves(pair) {
        compare_step(pair, changes);
    }
    let (old_output, new_output) = pair.outputs;
    let is_source = |composition: Composition<'a>, output: Option<Step<'a>>, step: Step<'a>| {
        composition.get("output_schema").is_none() && output == Some(step)
    };
    for (old, new) in pair.steps.pairs().filter(|(old, new)| old.kind() == new.kind()) {
        let is_contract = is_source(pair.old, old_output, old) && is_source(pair.new, new_output, new);
        if !is_contract {
            compare_schema(pair, old, new, changes);
        }
    }
}

fn compare_step<'a>(pair: &CompositionPair<'_, 'a>, changes: &mut Changes<'a>) {
    let (old, new) = pair.outputs;
    let spot = |composition: Composition<'a>, step: Option<Step<'a>>| {
        let name = step.map(id).or_else(|| composition.text("output")).unwrap_or_default();
        Spot::member(*composition, "output", name).value(name)
    };
    let at = At::spots(spot(pair.old, old), spot(pair.new, new));
    let name = |composition: Composition<'a>, step: Option<Step<'a>>| match (step, composition.text("output"))
    {
        (Some(step), _) => format!("step `{}`", id(step)),
        (None, Some(name)) => format!("`{name}` (no step)"),
        (None, None) => "no step".to_owned(),
    };
    let message = format!(
        "the output of composition `{}` comes from {} instead of {}",
        pair.key(),
        name(pair.new, new),
        name(pair.old, old)
    );
    let (before, after) = schemas(pair);
    let has_shapes = before.node().is_some() && after.node().is_some();
    let draft = changes.report(&STEP_CHANGED, at, message);
    match before.relation(&after, Flow::Out, pair.budget()) {
        Relation::Equal if has_shapes => {
            draft.bumps(Bumps::table("pmm"));
        }
        Relation::Widened(Some(value)) => {
            let input = json!({ "composition": pair.key(), "output": value });
            draft.witness(refused(input, &value, Flow::Out, (&before, &after)));
        }
        _ => {
            draft.possible("no-witness");
        }
    }
}

fn compare_schema<'a>(
    pair: &CompositionPair<'_, 'a>,
    old: Step<'a>,
    new: Step<'a>,
    changes: &mut Changes<'a>,
) {
    let schema = |side: &Side<'_>, step: Step<'a>| Schema::of(side, step_schema(step));
    let (before, after) = (schema(pair.old_side(), old), schema(pair.new_side(), new));
    let relation = before.relation(&after, Flow::Out, pair.budget());
    if relation == Relation::Equal {
        return;
    }
    if relation == Relation::Unread {
        return changes
            .note(format!("the output schema of {} can be read in neither version", pair.step(new)));
    }
    let message = format!("the output schema of {} changed", pair.step(new));
    let draft = changes.report(&SCHEMA_CHANGED, place(&before, &after), message);
    if let Relation::Unresolved(reason) = relation {
        draft.possible(reason);
    }
}
