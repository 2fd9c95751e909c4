//! Compositions and their steps (second part of catalogue 3.8).

use ::pack::model::{Composition, Step};
use serde_json::json;

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::{ChangeRule, Witness};

mod agent;
mod binding;
mod bundle;
mod contract;
mod flow;
mod graph;
mod membership;
mod normal;
mod output;
mod reached;
mod schema;
mod steps;

use graph::{CompositionPair, Surroundings};
use schema::{Flow, Relation};

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &membership::ADDED,
    &membership::REMOVED,
    &membership::RENAMED,
    &membership::VERSION_CHANGED,
    &contract::INPUT_NARROWED,
    &contract::INPUT_SCHEMA_ADDED,
    &contract::INPUT_WIDENED,
    &contract::INPUT_SCHEMA_REMOVED,
    &contract::OUTPUT_WIDENED,
    &contract::OUTPUT_SCHEMA_REMOVED,
    &contract::OUTPUT_NARROWED,
    &contract::OUTPUT_SCHEMA_ADDED,
    &contract::SCHEMA_UNRESOLVED,
    &output::STEP_CHANGED,
    &steps::ADDED,
    &steps::REMOVED,
    &steps::RENAMED,
    &steps::KIND_CHANGED,
    &binding::TARGET_CHANGED,
    &binding::INPUT_CHANGED,
    &binding::ARGS_CHANGED,
    &binding::TOOLS_CHANGED,
    &flow::DEPENDENCY_CHANGED,
    &flow::PREDICATE_CHANGED,
    &flow::BRANCH_TARGET_CHANGED,
    &flow::PARALLEL_CHANGED,
    &flow::REDUCER_CHANGED,
    &agent::TERMINATION_TIGHTENED,
    &agent::TERMINATION_RELAXED,
    &output::SCHEMA_CHANGED,
    &agent::RETRY_CHANGED,
    &agent::EVAL_CHANGED,
    &membership::ENGINE_CHANGED,
];

/// Compares the compositions and every step that both versions have.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    let reached = (reached::compositions(comparison.old.pack), reached::compositions(comparison.new.pack));
    let scope = |old: &str, new: &str| reached::scope(&reached, old, new);
    membership::compare(comparison, &scope, changes);
    let around = Surroundings::of(comparison);
    for (old, new) in comparison.compositions.pairs() {
        let pair = CompositionPair::new(&around, old, new);
        changes.scope(scope(pair.old_key(), pair.key()));
        membership::compare_pair(&pair, changes);
        contract::compare(&pair, changes);
        output::compare(&pair, changes);
        steps::compare(&pair, changes);
        for (old, new) in pair.steps.pairs() {
            if old.kind() == new.kind() {
                binding::compare(&pair, old, new, changes);
                flow::compare(&pair, old, new, changes);
                agent::compare_termination(&pair, old, new, changes);
            }
            agent::compare_modifiers(&pair, old, new, changes);
        }
        flow::compare_order(&pair, changes);
    }
}

/// The steps of all compositions that both versions have, paired.
pub(super) fn steps<'a>(comparison: &Comparison<'a>) -> Vec<(Step<'a>, Step<'a>)> {
    let around = Surroundings::of(comparison);
    let pairs = comparison.compositions.pairs();
    pairs
        .flat_map(|(old, new)| CompositionPair::new(&around, old, new).steps.pairs().collect::<Vec<_>>())
        .collect()
}

/// What it means for callers of a state that it runs another composition.
pub(super) enum Switch {
    /// Both compositions take and give the same, by their schemas.
    Same,
    /// A value that was fine is not, and this shows it.
    Breaks(Witness),
    /// The schemas differ, and no value is known that shows a break.
    Differs,
}

/// Compares what a composition of NEW takes and gives with what one of OLD did, for callers of `state`.
pub(super) fn switch<'a>(
    comparison: &Comparison<'a>,
    state: &str,
    (old, new): (Composition<'a>, Composition<'a>),
) -> Switch {
    let around = Surroundings::of(comparison);
    let pair = CompositionPair::new(&around, old, new);
    let flows =
        [("input", contract::input_schemas(&pair), Flow::In), ("output", output::schemas(&pair), Flow::Out)];
    let mut is_same = true;
    for (what, (old, new), flow) in &flows {
        let relation = old.relation(new, *flow, &comparison.budget);
        is_same &= matches!(relation, Relation::Equal | Relation::Unread);
        if let Some(value) = relation.broken(*flow) {
            let input = json!({ "state": state, *what: value });
            return Switch::Breaks(contract::refused(input, &value, *flow, (old, new)));
        }
    }
    if is_same { Switch::Same } else { Switch::Differs }
}
