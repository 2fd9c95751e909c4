//! How answers are generated, guarded and measured (catalogue 3.5).

use super::comparison::Comparison;
use super::report::Changes;
use crate::change::ChangeRule;

mod evals;
mod metrics;
mod parameters;
mod pipeline;
mod validators;

/// The rules of this section, in the order of the catalogue.
pub(super) const CHANGES: &[&ChangeRule] = &[
    &parameters::CHANGED,
    &parameters::MAX_TOKENS_DECREASED,
    &parameters::MAX_TOKENS_INCREASED,
    &validators::BLOCKING_ADDED,
    &validators::BLOCKING_ENABLED,
    &validators::BLOCKING_REMOVED,
    &validators::BLOCKING_DISABLED,
    &validators::ADVISORY_ADDED,
    &validators::ADVISORY_REMOVED,
    &validators::PARAMS_CHANGED,
    &validators::MESSAGE_CHANGED,
    &validators::ORDER_CHANGED,
    &evals::ADDED,
    &evals::ENABLED,
    &evals::REMOVED,
    &evals::DISABLED,
    &metrics::ADDED,
    &metrics::REMOVED,
    &metrics::RENAMED,
    &metrics::TYPE_CHANGED,
    &metrics::RANGE_CHANGED,
    &evals::TYPE_CHANGED,
    &evals::TRIGGER_CHANGED,
    &evals::SAMPLE_CHANGED,
    &evals::PARAMS_CHANGED,
    &evals::THRESHOLD_CHANGED,
    &evals::WHEN_CHANGED,
    &evals::GROUPS_CHANGED,
    &pipeline::STAGE_ADDED,
    &pipeline::STAGE_REMOVED,
    &pipeline::STAGE_REORDERED,
    &pipeline::MIDDLEWARE_CHANGED,
];

/// Compares what stands around the texts of each prompt, and the evals of the pack.
pub(super) fn compare<'a>(comparison: &Comparison<'a>, changes: &mut Changes<'a>) {
    for pair in &comparison.prompt_pairs {
        changes.in_prompt(pair.key());
        parameters::compare(pair, changes);
        validators::compare(comparison, pair, changes);
        pipeline::compare(pair, changes);
    }
    evals::compare(comparison, changes);
}
