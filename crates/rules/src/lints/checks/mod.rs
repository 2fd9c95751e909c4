//! Validators and evals (catalogue 3.8).

use pack::model::Eval;

use crate::facts::Facts;
use crate::lint::Lint;

mod conflicting_metric;
mod deprecated_field;
mod ignored_sample;
mod invalid_metric_label;
mod invalid_threshold;
mod missing_check_parameter;
mod undeclared_eval;
mod undeclared_eval_variable;

/// The lints of this section, in the order of the catalogue.
pub(super) const LINTS: &[&Lint] = &[
    &deprecated_field::LINT,
    &missing_check_parameter::LINT,
    &undeclared_eval::LINT,
    &undeclared_eval_variable::LINT,
    &ignored_sample::LINT,
    &conflicting_metric::LINT,
    &invalid_metric_label::LINT,
    &invalid_threshold::LINT,
];

/// The evals of the pack, then those of its prompts, prompts sorted by key.
fn evals<'a>(pack: &Facts<'a>) -> impl Iterator<Item = Eval<'a>> + use<'a> {
    let mut prompts: Vec<_> = pack.prompts().iter().map(|prompt| prompt.prompt).collect();
    prompts.sort_by_key(|prompt| prompt.name_key());
    pack.pack.evals().chain(prompts.into_iter().flat_map(|prompt| prompt.evals()))
}
